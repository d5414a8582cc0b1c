import WaybillFormats

/// Identifies what the cache has of a URL: one response, the newest.
package struct CacheKey: Sendable, Hashable {
    /// The URL, without its fragment.
    package let url: String
    /// What else decides who responds: another place to connect to, and whether the server was verified. Empty in most
    /// requests. So a mock server, or a server that nobody verified, never responds for the real one.
    package let route: String

    /// A key of the given parts.
    package init(url: String, route: String) {
        self.url = String(url.prefix { $0 != "#" })
        self.route = route
    }

    /// The key for a URL to which a request goes, or to which its response refers.
    init(url: String, as request: HTTPRequest) {
        var parts: [String] = []
        let place = request.connectTo ?? (try? Origin(ofURL: url, resolve: request.options.resolve))?.connectTo
        if let place { parts.append("to \(place)") }
        if let socket = request.options.unixSocket { parts.append("socket \(socket)") }
        if !request.options.tls.verifiesPeer || !request.options.tls.verifiesHost { parts.append("unverified") }
        if let file = request.options.tls.certificateAuthorities { parts.append("trusting \(file)") }
        self.init(url: url, route: parts.joined(separator: ", "))
    }

    /// The key of a request.
    package init(_ request: HTTPRequest) { self.init(url: request.url, as: request) }

    /// The name of its file: the SHA-256 digest of its parts.
    var fileName: String { Digest.sha256(of: Array("\(route)\n\(url)".utf8)) }
}
