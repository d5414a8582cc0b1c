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
        // libcurl would read a C string: up to the first NUL.
        guard !url.utf8.contains(0), let handle = curl_url() else { throw Self.malformed }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: handle)
        else { throw Self.malformed }
        guard ["http", "https"].contains(scheme) else {
            throw .refused(CURLE_UNSUPPORTED_PROTOCOL, "the URL's scheme is neither http nor https")
        }
        guard Self.part(CURLUPART_USER, of: handle) == nil, Self.part(CURLUPART_PASSWORD, of: handle) == nil else {
            throw .refused(CURLE_URL_MALFORMAT, "the URL holds a user's name or password; credentials belong in auth")
        }
        // libcurl's parser lets one or three slashes pass for two.
        let authority = url.utf8.dropFirst(scheme.utf8.count)
        guard authority.starts(with: "://".utf8), !authority.starts(with: ":///".utf8) else { throw Self.malformed }
        guard let host = Self.part(CURLUPART_HOST, of: handle),
            let port = Self.part(CURLUPART_PORT, of: handle, flags: CURLU_DEFAULT_PORT).flatMap({ Int($0) })
        else { throw Self.malformed }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.isSecure = scheme == "https"
        self.endpoint = SocketEndpoint(host: bare.lowercased(), port: port)
        self.connectTo = connectTo ?? resolve[endpoint]
        self.unixSocket = unixSocket
        guard self.connectTo?.isPlain != false else {
            throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "the place to connect to is not a host and a port")
        }
    }

    private static var malformed: TransportFailure {
        .refused(CURLE_URL_MALFORMAT, "the URL is not an absolute http or https URL")
    }

    /// A part of a parsed URL; nil where it has none.
    static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

extension SocketEndpoint {
    /// Whether the host can stand in `CURLOPT_CONNECT_TO`, whose parts are separated by colons.
    fileprivate var isPlain: Bool {
        (1...65535).contains(port) && !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
            && !host.contains(where: { "[]/@".contains($0) })
    }
}
