// Words of manifests that the transport understands.

/// The version of HTTP (`http`).
package enum HTTPVersion: String, Sendable, CaseIterable {
    /// HTTP/2 if it is negotiated in TLS, otherwise HTTP/1.1.
    case auto
    /// HTTP/1.1 only.
    case http1 = "1.1"
    /// HTTP/2 if it is negotiated in TLS, otherwise HTTP/1.1; without TLS the request fails.
    case http2 = "2"
    /// HTTP/2 with prior knowledge, also without TLS (RFC 9113, section 3.3).
    case http2PriorKnowledge = "2-prior-knowledge"
}

/// How packets are marked (`traffic`; RFC 4594).
package enum TrafficClass: String, Sendable, CaseIterable {
    case `default`, background, responsive, video, voice
}

/// The order in which waiting requests are sent (`priority`).
package enum Priority: String, Sendable, CaseIterable {
    case low, `default`, high

    /// Whether a request is sent later than one of another priority.
    package func isBelow(_ other: Priority) -> Bool { rank < other.rank }

    private var rank: Int {
        switch self {
        case .low: 0
        case .default: 1
        case .high: 2
        }
    }
}

/// How stored responses are used: the cache modes of the Fetch standard.
package enum CacheMode: String, Sendable, CaseIterable {
    /// As RFC 9111 defines it.
    case `default`
    /// Nothing is read from the cache or stored in it.
    case noStore = "no-store"
    /// The request is sent without reading the cache, and its response is stored.
    case reload
    /// A stored response is validated with the server, even if it is fresh.
    case noCache = "no-cache"
    /// A stored response is used, even if it is stale.
    case forceCache = "force-cache"
    /// A stored response is used, even if it is stale, and no request is sent.
    case onlyIfCached = "only-if-cached"
}
