/// Checks the network before anything is sent.
package protocol NetworkProbe: Sendable {
    /// Tries to establish a connection for a request without sending anything. Returns nil on success.
    func reach(_ request: HTTPRequest) async -> TransportFailure?

    /// The network interface that a request would use now; nil if it is unknown, or the request uses no network.
    func interface(towards request: HTTPRequest) async -> NetworkInterface?
}

extension CurlTransport: NetworkProbe {
    /// The interface of the `network` setting; otherwise the one that the system's routing table selects for the proxy
    /// or the server. Nil for a request through a Unix domain socket.
    package func interface(towards request: HTTPRequest) async -> NetworkInterface? {
        let options = request.options
        guard options.unixSocket == nil else { return nil }
        if let name = options.interface { return NetworkInterface(named: name) }
        guard let origin = try? Origin(ofURL: request.url, connectTo: request.connectTo, resolve: options.resolve)
        else { return nil }
        let proxy = try? PreparedProxy.make(options.proxy, for: origin)
        if let proxy, proxy.exceptions != "*", !PreparedProxy.isException(origin.endpoint.host, in: proxy.exceptions) {
            return await .towards(proxy.socketEndpoint)
        }
        return await .towards(origin.connectTo ?? origin.endpoint)
    }
}

extension PreparedProxy {
    /// Its host and port.
    fileprivate var socketEndpoint: SocketEndpoint {
        let parts = endpoint.utf8.lastIndex(of: UInt8(ascii: ":"))
        let host = parts.map { String(endpoint[..<$0]) } ?? endpoint
        let port = parts.flatMap { Int(endpoint[endpoint.utf8.index(after: $0)...]) } ?? 1080
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        return SocketEndpoint(host: isBracketed ? String(host.dropFirst().dropLast()) : host, port: port)
    }
}
