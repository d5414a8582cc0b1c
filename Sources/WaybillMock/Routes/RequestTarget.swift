import WaybillFormats

/// What a request is for: the host that its sender means, and the path there.
struct RequestTarget {
    /// The authority in lower case and without a default port; empty if the request named none.
    let host: String
    /// The path, without the query.
    let path: String

    /// Reads the target of a request line (RFC 9112, section 3.2): a path, or a whole URL as it is sent to proxies,
    /// whose host then counts instead of the header's.
    init(_ target: String, hostHeader: String?) {
        var address = URIReference(target)
        if target.hasPrefix("/") {
            // Two slashes at the start of a path do not begin an authority.
            address = URIReference("http://host" + target)
            address.authority = hostHeader
        }
        host = Self.canonical(address.authority ?? hostHeader ?? "")
        path = address.path.isEmpty ? "/" : address.path
    }

    /// An authority as it is compared: lower case, without the ports that a scheme implies.
    static func canonical(_ host: String) -> String {
        let host = host.lowercased()
        for port in [":80", ":443"] where host.hasSuffix(port) { return String(host.dropLast(port.count)) }
        return host
    }
}
