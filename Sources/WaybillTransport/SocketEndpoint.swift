/// A host and a port.
package struct SocketEndpoint: Sendable, Hashable {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    package let host: String
    /// The TCP port.
    package let port: Int

    /// An endpoint with a host (an IPv6 address without brackets) and a port.
    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

extension SocketEndpoint: CustomStringConvertible {
    /// `host:port`, with brackets around an IPv6 address.
    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
