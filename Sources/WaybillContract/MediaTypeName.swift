/// A media type without its parameters, or a media range, in lowercase (RFC 9110, sections 8.3.1 and 12.5.1).
package struct MediaTypeName: Sendable, Hashable {
    /// The type and the subtype: `application/json`.
    package let text: String

    /// Reads the value of a field such as Content-Type, without its parameters.
    package init(_ text: String) {
        self.text = String(text.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }).lowercased()
    }

    /// Whether it is JSON, or a type based on it.
    package var isJSON: Bool { text == "application/json" || text == "text/json" || text.hasSuffix("+json") }
    /// Whether it is a form in the notation of a query.
    package var isForm: Bool { text == "application/x-www-form-urlencoded" }
    /// Whether a body of this type has parts.
    package var isMultipart: Bool { text.hasPrefix("multipart/") }
    /// Whether a body of this type is text for people.
    package var isText: Bool { text.hasPrefix("text/") }
    /// Whether it is a range, such as `image/*`.
    package var isRange: Bool { text.hasSuffix("/*") || text == "*" }

    /// How well it, as a type or range of a document, matches a type: 2 for the type itself, 1 for `type/*`, 0 for `*/*`;
    /// `nil` if it does not match.
    func specificity(for type: MediaTypeName) -> Int? {
        if text == type.text { return 2 }
        if text == "*/*" || text == "*" { return 0 }
        guard text.hasSuffix("/*") else { return nil }
        return type.text.hasPrefix(text.dropLast()) ? 1 : nil
    }
}
