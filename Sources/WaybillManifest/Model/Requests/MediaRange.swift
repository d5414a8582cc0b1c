import WaybillJSON

/// A media range of the Accept field (RFC 9110, section 12.5.1), without parameters.
package struct MediaRange: Sendable, Hashable, CustomStringConvertible {
    /// The range as written, including parameters.
    package let description: String

    private let type: String
    private let subtype: String

    /// Parses a media range; `nil` if it is invalid.
    package init?(_ text: String) {
        let essence = text.utf8.prefix { $0 != UInt8(ascii: ";") }
        guard let slash = essence.firstIndex(of: UInt8(ascii: "/")),
            case let (type, subtype) = (essence[..<slash], essence[essence.index(after: slash)...]),
            !type.isEmpty, !subtype.isEmpty, !subtype.contains(UInt8(ascii: "/"))
        else { return nil }
        self.description = text
        self.type = Self.normalized(type)
        self.subtype = Self.normalized(subtype)
    }

    /// Whether all of its media types are JSON, such as `application/json` and `application/*+json` (RFC 6839).
    package var isJSON: Bool { subtype == "json" || subtype.endsWithCodePoints(of: "+json") }

    /// Whether the range contains a media type, such as the value of a Content-Type field.
    ///
    /// The comparison ignores case and the parameters of the type. `*+json` contains every subtype with that suffix
    /// (RFC 6839).
    package func contains(_ mediaType: String) -> Bool {
        MediaRange(mediaType).map(contains) ?? false
    }

    /// Whether the range contains a media type that has already been parsed.
    package func contains(_ other: MediaRange) -> Bool {
        guard type == "*" || type == other.type else { return false }
        if subtype.hasPrefix("*+") { return other.subtype.endsWithCodePoints(of: String(subtype.dropFirst())) }
        return subtype == "*" || subtype == other.subtype
    }

    private static func normalized(_ text: Substring.UTF8View) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = text
        while let first = text.first, isBlank(first) { text.removeFirst() }
        while let last = text.last, isBlank(last) { text.removeLast() }
        return Substring(text).lowercased()
    }
}
