package import WaybillJSON

/// Parses XML and binary property lists (`bplist00`) as JSON.
///
/// Types that JSON does not have are converted:
///
/// | property list | JSON |
/// |---|---|
/// | date | a string as in RFC 3339; to the microsecond in binary property lists |
/// | data | a string in Base64 |
/// | UID | `{"CF$UID": n}`, as in XML property lists |
/// | set | a list |
/// | infinite real, or NaN | null |
///
/// Integers are exact, up to 128 bits in binary property lists and without a limit in XML. A real in XML keeps its
/// digits. If a key is repeated in its dictionary, the last value counts.
///
/// XML is parsed only as far as the DTD of property lists requires: the encoding is UTF-8, the only entities are the
/// five of XML and references to characters, other DTDs are an error, and nothing is fetched.
///
/// Parsing fails once `WorkLimit` is reached.
package struct PropertyListParser: Sendable {
    /// The maximum nesting depth of arrays and dictionaries, 512 by default. It cannot exceed `JSON.greatestDepth`.
    package var maximumDepth = 512

    /// The maximum number of values, if objects with several references in a binary property list are counted each
    /// time. A scalar counts once more for each KiB. As many values as there are bytes are always allowed.
    package var maximumNodes = 2_000_000

    /// Creates a parser with the default limits.
    package init() {}

    /// Parses an XML or binary property list.
    package func parse(_ bytes: [UInt8]) throws(PropertyListError) -> JSON {
        let maximumDepth = min(maximumDepth, JSON.greatestDepth)
        if bytes.starts(with: "bplist".utf8) {
            var reader = try BinaryPropertyListReader(
                bytes,
                maximumDepth: maximumDepth,
                maximumNodes: max(maximumNodes, bytes.count)
            )
            return try reader.read()
        }
        var reader = XMLPropertyListReader(bytes, maximumDepth: maximumDepth)
        return try reader.read()
    }
}

/// The dates of binary property lists.
enum PropertyListDate {
    /// 2001-01-01T00:00:00Z in seconds since 1970.
    private static let referenceDate = 978_307_200

    /// Returns a time in the format of RFC 3339, in UTC and to the microsecond; `nil` outside the years 1 to 9999.
    static func text(secondsSince2001 seconds: Double) -> String? {
        guard abs(seconds) < 1e12 else { return nil }
        let whole = seconds.rounded(.down)
        let microseconds = Int(((seconds - whole) * 1e6).rounded())
        let civil = CivilTime(
            secondsSince1970: Int(whole) + referenceDate + microseconds / 1_000_000,
            nanosecond: microseconds % 1_000_000 * 1_000
        )
        guard (1...9999).contains(civil.year) else { return nil }
        let digits = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        let end = digits.lastIndex { $0 != "0" }
        return civil.dateAndTime + (end.map { ".\(digits[...$0])" } ?? "") + "Z"
    }
}
