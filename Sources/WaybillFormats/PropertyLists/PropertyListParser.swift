package import WaybillJSON

/// Reads property lists, XML and binary ones (`bplist00`), as JSON.
///
/// What JSON lacks becomes:
///
/// | property list | JSON |
/// |---|---|
/// | date | a string by RFC 3339; of binary ones to the microsecond |
/// | data | a string in base64 |
/// | UID | `{"CF$UID": n}`, as XML property lists have it |
/// | set | a list |
/// | real that is infinite or not a number | null |
///
/// Integers are exact, up to 128 bits in binary property lists and without a limit in XML. A real in XML keeps its digits.
/// Where a key comes again in its dictionary the last value counts.
///
/// XML is read for the DTD of property lists and nothing else: the encoding is UTF-8, the entities are the five of XML and
/// references to characters, other DTDs are refused, and nothing is fetched.
package struct PropertyListParser: Sendable {
    /// How deeply arrays and dictionaries may be nested, 512 unless set; more than `JSON.greatestDepth` counts as that.
    package var maximumDepth = 512

    /// How many values there may be, when objects that are referred to several times in a binary property list are
    /// counted each time; a scalar counts once more for each KiB. The number of bytes is always allowed.
    package var maximumNodes = 2_000_000

    /// A parser with the usual limits.
    package init() {}

    /// Reads a property list of either form.
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

/// Moments as binary property lists have them.
enum PropertyListDate {
    /// 2001-01-01T00:00:00Z in seconds since 1970.
    private static let referenceDate = 978_307_200

    /// A moment by RFC 3339, in UTC and to the microsecond; `nil` outside the years 1 to 9999.
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
