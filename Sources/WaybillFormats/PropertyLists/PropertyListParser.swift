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
