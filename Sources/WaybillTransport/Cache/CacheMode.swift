extension TransferOptions {
    /// How a request uses the cache: the cache modes of the Fetch standard.
    package enum CacheMode: String, Sendable, Hashable, CaseIterable {
        /// As RFC 9111 defines it.
        case `default`
        /// Nothing is read from the cache or stored in it.
        case noStore = "no-store"
        /// The request is sent without reading the cache, and its response is stored.
        case reload
        /// What is stored is validated with the server, even if it is fresh.
        case noCache = "no-cache"
        /// What is stored is used, even if it is stale.
        case forceCache = "force-cache"
        /// What is stored is used, even if it is stale, and no request is sent.
        case onlyIfCached = "only-if-cached"

        /// Whether the request and its response may be stored or used at all.
        var usesCache: Bool { self != .noStore }
    }
}

/// How the cache took part in a response.
package enum CacheUse: String, Sendable, Hashable, CaseIterable {
    /// The response came from the cache, and nothing was sent.
    case hit
    /// The server confirmed the stored response with status 304.
    case revalidated
    /// The response came from the server.
    case miss
}
