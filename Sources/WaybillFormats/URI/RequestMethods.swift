/// What is known of request methods (RFC 9110, section 9.2).
package enum RequestMethods {
    // The registered methods of which it is true, see https://www.iana.org/assignments/http-methods.
    private static let idempotent: Set = [
        "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE",
        "UNLOCK",
        "REPORT", "SEARCH", "ACL", "MKCALENDAR", "LINK", "UNLINK",
    ]

    /// Whether sending a request with this method twice means the same as sending it once.
    package static func isIdempotent(_ method: String) -> Bool { idempotent.contains(method) }
}
