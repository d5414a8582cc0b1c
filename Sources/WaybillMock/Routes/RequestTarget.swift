import WaybillFormats

/// The target of a request: the host that its sender means, and the path on it.
struct RequestTarget {
    /// The authority in lower case and without a default port; empty if the request named none.
    let host: String
    /// The path, without the query.
    let path: String
    let query: String?

    /// Parses the target of a request line (RFC 9112, section 3.2): a path, or a whole URL as sent to proxies, whose
    /// host then takes precedence over the header's.
    init(_ target: String, hostHeader: String?) {
        var address = URIReference(target)
        if target.hasPrefix("/") {
            // Two slashes at the start of a path do not start an authority.
            address = URIReference("http://host" + target)
            address.authority = hostHeader
        }
        host = Self.canonical(address.authority ?? hostHeader ?? "")
        path = address.path.isEmpty ? "/" : address.path
        query = address.query
    }

    /// An authority in the form used for comparison: lower case, without the ports that a scheme implies.
    static func canonical(_ host: String) -> String {
        let host = host.lowercased()
        for port in [":80", ":443"] where host.hasSuffix(port) { return String(host.dropLast(port.count)) }
        return host
    }
}
