import CLibCurl

/// A proxy in the form that libcurl expects.
struct PreparedProxy: Sendable, Equatable {
    /// Its URL, with credentials if it has any.
    let url: String
    /// The hosts that are contacted without the proxy, separated by commas.
    let exceptions: String
    /// Its host and port, for messages.
    let endpoint: String

    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Returns the proxy for a request; nil if there is none. Throws if its URL is invalid.
    static func make(
        _ choice: TransferOptions.Proxy,
        for origin: Origin
    ) throws(TransportFailure) -> PreparedProxy? {
        switch choice {
        case .none:
            return nil
        case .url(let url):
            return try PreparedProxy(url, exceptions: "")
        case .environment(let variables):
            // libcurl knows exceptions only without a port.
            guard let url = origin.isSecure ? variables.https : variables.http,
                !Self.isException(origin.endpoint.description, in: variables.exceptions)
            else { return nil }
            // As in curl, a variable may omit the scheme.
            return try PreparedProxy(url.contains("://") ? url : "http://" + url, exceptions: variables.exceptions)
        }
    }

    private init(_ url: String, exceptions: String) throws(TransportFailure) {
        guard !url.utf8.contains(0), let handle = curl_url() else { throw Self.malformed }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
            let scheme = OriginParser.part(CURLUPART_SCHEME, of: handle),
            let host = OriginParser.part(CURLUPART_HOST, of: handle)
        else { throw Self.malformed }
        guard Self.schemes.contains(scheme.lowercased()) else {
            throw .refused(
                CURLE_UNSUPPORTED_PROTOCOL,
                "the proxy's scheme must be one of \(Self.schemes.joined(separator: ", "))"
            )
        }
        // Without a port, libcurl uses that of SOCKS, except for https.
        let port = OriginParser.part(CURLUPART_PORT, of: handle) ?? (scheme == "https" ? "443" : "1080")
        self.url = url
        self.exceptions = exceptions
        self.endpoint = "\(host):\(port)"
    }

    /// Whether exceptions have this name or a domain around it.
    static func isException(_ name: String, in exceptions: String) -> Bool {
        exceptions.split { $0 == "," || $0 == " " }.contains { exception in
            let exception = exception.drop { $0 == "." }.lowercased()
            return name == exception || name.hasSuffix("." + exception)
        }
    }

    private static var malformed: TransportFailure {
        .refused(CURLE_URL_MALFORMAT, "the proxy is not an absolute URL")
    }
}
