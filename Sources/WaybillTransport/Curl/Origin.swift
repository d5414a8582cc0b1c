import CLibCurl

/// The destination of a request. Requests to the same origin may share connections, and connections are limited per
/// origin.
package struct Origin: Sendable, Hashable {
    /// Whether the connection is secured by TLS.
    package let isSecure: Bool
    /// The URL's host, in lower case, and its port.
    package let endpoint: SocketEndpoint
    /// The address to connect to instead.
    package let connectTo: SocketEndpoint?
    /// The Unix domain socket to connect to instead.
    package let unixSocket: String?

    /// The destination of the connection, for messages.
    var destination: String { unixSocket ?? (connectTo ?? endpoint).description }

    /// Creates the origin of a URL with libcurl's own parser, so that the checks here match what libcurl does. Throws
    /// for a URL that must not be requested: one that is not absolute, not http or https, or that contains a user name
    /// or password.
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
            throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "the address to connect to is not a host and a port")
        }
    }
}

extension Origin: CustomStringConvertible {
    /// The scheme, host and port of the URL.
    package var description: String { "\(isSecure ? "https" : "http")://\(endpoint)" }
}

extension SocketEndpoint {
    /// Whether the host can be used in `CURLOPT_CONNECT_TO`, whose parts are separated by colons.
    fileprivate var isPlain: Bool {
        (1...65535).contains(port) && !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
            && !host.contains(where: { "[]/@".contains($0) })
    }
}
