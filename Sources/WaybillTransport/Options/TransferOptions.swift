package import WaybillJSON
package import WaybillRuntime

/// The options of a request's transfer, apart from its contents: the version of HTTP, TLS, proxies, sockets, cookies
/// and credentials. Cookies are off by default.
package struct TransferOptions: Sendable, Hashable {
    /// The version of HTTP.
    package var version = HTTPVersion.auto
    /// The TLS settings, for https.
    package var tls = TLS()
    /// The proxy to use.
    package var proxy = Proxy.none
    /// The addresses to connect to instead of certain hosts and ports. They apply to every hop of a redirect;
    /// `HTTPRequest.connectTo` takes precedence.
    package var resolve: [SocketEndpoint: SocketEndpoint] = [:]
    /// The path of a Unix domain socket to connect to instead of a TCP port.
    package var unixSocket: String?
    /// The network interface that the connection uses: its name (`eth0`) or one of its addresses.
    package var interface: String?
    /// How the packets are marked.
    package var traffic = TrafficClass.default
    /// The credentials for a server that asks for them.
    package var credentials = Credentials.none
    /// How cookies are handled.
    package var cookies = Cookies.off
    /// How long nothing may be received before the transfer fails, for a response that is received in pieces.
    package var stallTimeout: Duration?
    /// The priority among the requests that wait for a connection to an origin.
    package var priority = Priority.default
    /// How the request uses the cache, where there is one.
    package var cache = CacheMode.noStore
    /// Whether the response contains a secret, so that it must not be stored.
    package var isResponseSecret = false
    /// The number of the examples that the mock server answers with; other transports ignore it. The request after a
    /// redirect has none.
    package var mockExample: Int?
    /// Whether the response must have the server's certificate. If so, the cache is not used.
    package var needsCertificate = false
    /// The folder of the cache; nil for the user's.
    package var cacheFolder: String?
    /// The maximum size of the cache in bytes; nil for the default.
    package var maximumCacheBytes: Int?

    /// Creates the default options.
    package init() {}

    /// How cookies are handled (RFC 6265). A `Cookie` field of the request is sent in addition to those of a jar.
    package enum Cookies: Sendable, Hashable {
        /// Cookies are neither kept nor sent.
        case off
        /// Cookies are kept in the transport's own jar, which exists as long as the transport.
        case run
        /// Cookies are kept in a jar that is read from this file (Netscape's format) when it is first used, if there is
        /// such a file, and written to it when the transport shuts down.
        case jar(CodePoints)
        /// Cookies are kept in memory, in a jar for this origin only. A cookie does not name the port that set it (RFC
        /// 6265, section 8.5), so requests to another port of the same host need a separate jar.
        case separate(Origin)
    }

    /// The credentials for a server that asks for them.
    package enum Credentials: Sendable, Hashable {
        /// Nothing; an `Authorization` field of the request is sent as it is.
        case none
        /// The response to a digest challenge (RFC 7616), with MD5 or SHA-256. Costs one additional request each time.
        case digest(username: String, password: String)
    }
}

extension TrafficClass {
    /// The code point (DSCP): CS0, CS1, AF21, AF41, EF.
    var codePoint: Int32 {
        switch self {
        case .default: 0
        case .background: 8
        case .responsive: 18
        case .video: 34
        case .voice: 46
        }
    }
}

extension CacheMode {
    /// The mode of a request that is repeated to get a newer response: a stored one is validated first.
    package var ofRepetition: CacheMode {
        switch self {
        case .default, .forceCache: .noCache
        case .noStore, .reload, .noCache, .onlyIfCached: self
        }
    }

    /// Whether the cache may be used at all.
    var usesCache: Bool { self != .noStore }
}

/// How the cache was used for a response.
package enum CacheUse: String, Sendable, Hashable, CaseIterable {
    /// The response came from the cache, and nothing was sent.
    case hit
    /// The server confirmed the stored response with status 304.
    case revalidated
    /// The response came from the server.
    case miss
}
