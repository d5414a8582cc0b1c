/// How a request travels, apart from what it says: the version of HTTP, TLS, proxies, sockets, cookies and credentials.
/// The defaults are those of design section 11, except that cookies are off.
package struct TransferOptions: Sendable, Hashable {
    /// The version of HTTP.
    package var version = Version.automatic
    /// The rules of TLS, for https.
    package var tls = TLS()
    /// The proxy to go through.
    package var proxy = Proxy.none
    /// Where to connect for a host and port, instead of there. It holds for every hop of a redirect, and
    /// `HTTPRequest.connectTo` goes before it.
    package var resolve: [SocketEndpoint: SocketEndpoint] = [:]
    /// The path of a Unix domain socket to connect to instead of a TCP port.
    package var unixSocket: String?
    /// The interface that the connection leaves by: its name (`eth0`) or one of its addresses.
    package var interface: String?
    /// How the packets are marked.
    package var traffic = Traffic.default
    /// What the server is shown when it asks for credentials.
    package var credentials = Credentials.none
    /// What happens to cookies.
    package var cookies = Cookies.off
    /// How long nothing may be received before the transfer fails, for a response that is received piece by piece.
    package var stallTimeout: Duration?
    /// Which of the requests that wait for a connection to an origin goes first.
    package var priority = Priority.default
    /// How the request uses the cache, where there is one.
    package var cache = CacheMode.noStore
    /// Whether something of the response is a secret, so that it is not stored.
    package var isResponseSecret = false
    /// Whether the response must have the server's certificate. It does not come from the cache then.
    package var needsCertificate = false
    /// The folder of the cache; `nil`: the user's.
    package var cacheFolder: String?
    /// The maximum size of the cache in bytes; `nil`: the usual one.
    package var maximumCacheBytes: Int?

    /// Options that each have their default.
    package init() {}

    /// The version of HTTP.
    package enum Version: Sendable, Hashable {
        /// HTTP/2 where it is negotiated in TLS, otherwise HTTP/1.1.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 where TLS agrees on it, else HTTP/1.1; without TLS the request fails.
        case http2
        /// HTTP/2 with prior knowledge, also without TLS (RFC 9113, section 3.3).
        case http2PriorKnowledge
    }

    /// What happens to cookies (RFC 6265). A `Cookie` field of the request is sent besides those of a jar.
    package enum Cookies: Sendable, Hashable {
        /// They are neither kept nor sent.
        case off
        /// They are kept in the transport's own jar, which is gone with it.
        case run
        /// They are kept in another jar of the transport's own: that of requests which must not receive the cookies of
        /// their service.
        case otherOrigins
        /// They are kept in a jar that is read from this file (Netscape's format) when it is first used, if there is
        /// such a file, and written to it when the transport shuts down.
        case jar(String)
        /// They are kept in memory, in a jar of this origin alone. A cookie does not name the port that set it (RFC 6265,
        /// section 8.5), so requests to another port of the same host need a jar of their own.
        case separate(Origin)
    }

    /// What the server is shown when it asks for credentials.
    package enum Credentials: Sendable, Hashable {
        /// Nothing; an `Authorization` field of the request is sent as it is.
        case none
        /// The response to a digest challenge (RFC 7616), by MD5 or SHA-256. Costs a request more for each.
        case digest(username: String, password: String)
        /// Basic credentials from a `.netrc` file, by the host of each request and each redirect.
        case netrc(Netrc)
    }

    /// How packets are marked (RFC 4594), by the six bits of the DSCP.
    package enum Traffic: Sendable, Hashable, CaseIterable {
        case `default`, background, responsive, video, voice

        /// The code point: CS0, CS1, AF21, AF41, EF.
        package var codePoint: Int32 {
            switch self {
            case .default: 0
            case .background: 8
            case .responsive: 18
            case .video: 34
            case .voice: 46
            }
        }
    }

    /// The order of requests that wait.
    package enum Priority: Int, Sendable, Hashable, CaseIterable {
        case low, `default`, high
    }
}

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
