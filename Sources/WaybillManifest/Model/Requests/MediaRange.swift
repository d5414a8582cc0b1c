/// A media range as the Accept field has it (RFC 9110, section 12.5.1), without parameters.
package struct MediaRange: Sendable, Hashable, CustomStringConvertible {
    /// The range as it was written, parameters included.
    package let description: String

    private let type: String
    private let subtype: String

    /// A media range from its text; `nil` when it is not one.
    package init?(_ text: String) {
        let essence = text.prefix { $0 != ";" }
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        self.description = text
        self.type = Self.normalized(parts[0])
        self.subtype = Self.normalized(parts[1])
    }

    /// Whether a media type, such as the value of a Content-Type field, lies in the range.
    ///
    /// Letters count without regard to case, parameters of the type do not matter, and `*+json` takes every subtype with
    /// that suffix (RFC 6839).
    package func contains(_ mediaType: String) -> Bool {
        MediaRange(mediaType).map(contains) ?? false
    }

    /// The same of a media type that has been parsed.
    package func contains(_ other: MediaRange) -> Bool {
        guard type == "*" || type == other.type else { return false }
        if subtype.hasPrefix("*+") { return other.subtype.hasSuffix(subtype.dropFirst()) }
        return subtype == "*" || subtype == other.subtype
    }

    private static func normalized(_ text: Substring) -> String {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text.lowercased()
    }
}
