/// JSON Pointers (RFC 6901), relative ones (draft-bhutton-relative-json-pointer), and UUIDs (RFC 4122).
enum PointerFormat {
    static func isPointer(_ text: Substring.UTF8View) -> Bool {
        guard text.isEmpty || text.first == UInt8(ascii: "/") else { return false }
        var text = text
        while let byte = text.popFirst() {
            guard byte != UInt8(ascii: "~") || text.first == UInt8(ascii: "0") || text.first == UInt8(ascii: "1") else {
                return false
            }
        }
        return true
    }

    /// Whether a string is a number of levels to go up, followed by `#` or a JSON Pointer.
    static func isRelativePointer(_ string: String) -> Bool {
        let text = string.utf8[...]
        let digits = text.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty, digits.count == 1 || digits.first != 0x30 else { return false }
        let rest = text[digits.endIndex...]
        return rest.elementsEqual("#".utf8) || isPointer(rest)
    }

    static func isUUID(_ string: String) -> Bool {
        let bytes = Array(string.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.indices.allSatisfy { index in
            [8, 13, 18, 23].contains(index)
                ? bytes[index] == UInt8(ascii: "-") : Unicode.Scalar(bytes[index]).properties.isASCIIHexDigit
        }
    }
}
