import CLibCurl

/// Parses the scheme, host and port of a URL with libcurl's own parser, so that the checks here match what libcurl
/// does.
enum OriginParser {
    /// Returns whether the scheme is `https`, and the host in lower case with the port. Throws for a URL that must not
    /// be requested: one that is not absolute, not http or https, or that contains a user name or password.
    static func parts(of url: String) throws(TransportFailure) -> (isSecure: Bool, endpoint: SocketEndpoint) {
        // libcurl reads a C string, up to the first NUL.
        guard !url.utf8.contains(0), let handle = curl_url() else { throw malformed }
        let url = try InternationalHost.asciiURL(url)
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK,
            let scheme = part(CURLUPART_SCHEME, of: handle)
        else { throw malformed }
        guard ["http", "https"].contains(scheme) else {
            throw .refused(CURLE_UNSUPPORTED_PROTOCOL, "the URL's scheme is neither http nor https")
        }
        guard part(CURLUPART_USER, of: handle) == nil, part(CURLUPART_PASSWORD, of: handle) == nil else {
            throw .refused(CURLE_URL_MALFORMAT, "the URL contains a user name or password; put credentials in 'auth'")
        }
        // libcurl's parser also accepts one or three slashes.
        let authority = url.utf8.dropFirst(scheme.utf8.count)
        guard authority.starts(with: "://".utf8), !authority.starts(with: ":///".utf8) else { throw malformed }
        guard let host = part(CURLUPART_HOST, of: handle),
            let port = part(CURLUPART_PORT, of: handle, flags: CURLU_DEFAULT_PORT).flatMap({ Int($0) })
        else { throw malformed }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return (scheme == "https", SocketEndpoint(host: bare.lowercased(), port: port))
    }

    private static var malformed: TransportFailure {
        .refused(CURLE_URL_MALFORMAT, "the URL is not an absolute http or https URL")
    }

    /// A part of a parsed URL; nil if it is missing.
    static func part(_ part: CURLUPart, of handle: OpaquePointer, flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard waybill_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
