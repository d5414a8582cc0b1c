/// The request's values of the fields that a response varies by (RFC 9111, section 4.1).
package struct CacheSelection: Sendable, Equatable {
    /// Each name in lower case with its value; nil where the request had no such field.
    package var values: [String: String?]
    /// Whether compressed responses were accepted, and the stored body is decoded.
    package var acceptsCompression: Bool

    /// Whether a request has the same values, and so selects the stored response.
    package func matches(_ request: HTTPRequest) -> Bool {
        acceptsCompression == request.acceptsCompression
            && values.allSatisfy { Self.value(of: $0.key, in: request) == $0.value }
    }

    fileprivate static func value(of name: String, in request: HTTPRequest) -> String? {
        let values = request.headers.filter { $0.isNamed(name) }
        guard !values.isEmpty else { return nil }
        return values.flatMap { $0.value.unicodeScalars.split(separator: ",") }
            .map { $0.split(separator: " ").map { String($0) }.joined(separator: " ") }
            .joined(separator: ", ")
    }
}

extension CacheSelection {
    /// Creates the selection of a request by a response's `Vary`; nil if no other request can match it.
    package init?(_ request: HTTPRequest, variedBy headers: HTTPFields) {
        let names = headers.values(named: "Vary").flatMap { HTTPField.elements(of: $0).map(\.name) }
        guard !names.contains("*") else { return nil }
        // The transport adds the cookies of its jar, which the cache does not see.
        guard !names.contains("cookie") || request.options.cookies == .off else { return nil }
        self.init(
            values: Dictionary(names.map { ($0, Self.value(of: $0, in: request)) }, uniquingKeysWith: { $1 }),
            acceptsCompression: request.acceptsCompression
        )
    }
}
