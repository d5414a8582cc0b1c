import CLibCurl

/// Where a request goes: what a kept connection must have in common with it, and what the limit of connections counts.
package struct Origin: Sendable, Hashable {
    /// Whether the connection is secured by TLS.
    package let isSecure: Bool
    /// The URL's host, in lower case, and its port.
    package let endpoint: SocketEndpoint
    /// Where to connect instead.
    package let connectTo: SocketEndpoint?
    /// The Unix domain socket to connect to instead.
    package let unixSocket: String?

    /// Where the connection goes, for messages.
    var destination: String { unixSocket ?? (connectTo ?? endpoint).description }

    /// The origin of a URL, by libcurl's own parser, so that what is checked here is what libcurl will do. Throws for a
    /// URL that may not be requested: not absolute, not http or https, or with a user's name or password in it.
    package init(
        ofURL url: String,
        connectTo: SocketEndpoint? = nil,
        resolve: [SocketEndpoint: SocketEndpoint] = [:],
        unixSocket: String? = nil
    ) throws(TransportFailure) {
        (isSecure, endpoint) = try KnownOrigins.shared.parts(of: url)
        self.connectTo = connectTo ?? resolve[endpoint]
        self.unixSocket = unixSocket
        guard self.connectTo?.isPlain != false else {
            throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "the place to connect to is not a host and a port")
        }
    }
}

extension Origin: CustomStringConvertible {
    /// The scheme, host and port of the URL.
    package var description: String { "\(isSecure ? "https" : "http")://\(endpoint)" }
}

extension SocketEndpoint {
    /// Whether the host can stand in `CURLOPT_CONNECT_TO`, whose parts are separated by colons.
    fileprivate var isPlain: Bool {
        (1...65535).contains(port) && !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
            && !host.contains(where: { "[]/@".contains($0) })
    }
}
