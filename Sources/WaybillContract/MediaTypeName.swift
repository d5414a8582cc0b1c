/// A media type or a media range, in lowercase (RFC 9110, sections 8.3.1 and 12.5.1).
package struct MediaTypeName: Sendable, Hashable {
    /// The type and the subtype: `application/json`.
    package let text: String
    /// The parameters as `name=value`, without the character set, which does not change what a body means.
    private let parameters: [String]

    /// Reads the value of a field such as Content-Type.
    package init(_ text: String) {
        let parts = text.lowercased().utf8.split(separator: UInt8(ascii: ";")).map { part in
            String(decoding: part.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }, as: UTF8.self)
        }
        self.text = parts.first ?? ""
        parameters = parts.dropFirst().filter { !$0.isEmpty && !$0.hasPrefix("charset=") }
            .map { $0.replacing("\"", with: "") }
    }

    /// The type with its parameters, as in a field: `application/json; version=2`.
    package var fieldValue: String { ([text] + parameters).joined(separator: "; ") }

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

    /// A type that it, as a type or range, matches.
    package var example: MediaTypeName {
        guard isRange else { return self }
        let examples = [
            "text": "plain", "image": "png", "audio": "mpeg", "video": "mp4", "font": "woff2", "model": "stl",
        ]
        let type = text.prefix { $0 != "/" }
        return type == "*" || type == "application"
            ? MediaTypeName("application/json") : MediaTypeName("\(type)/\(examples[String(type)] ?? "example")")
    }

    /// How well it, as a type or range of a document, matches a type: 3 and more with parameters, 2 for the type itself, 1
    /// for `type/*`, 0 for `*/*`; `nil` if it does not match.
    func specificity(for type: MediaTypeName) -> Int? {
        guard parameters.allSatisfy(type.parameters.contains) else { return nil }
        if text == type.text { return 2 + parameters.count }
        if text == "*/*" || text == "*" { return 0 }
        guard text.hasSuffix("/*") else { return nil }
        return type.text.hasPrefix(text.dropLast()) ? 1 : nil
    }
}
