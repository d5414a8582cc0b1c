extension HTTPField {
    /// An element of the value of a field, such as a directive or a parameter.
    package typealias Element = (name: String, value: String?)

    /// The elements of the value of a field: their names in lower case, and their values without quotation marks, both
    /// without blanks around them. Separators in quoted strings do not separate (RFC 9110, section 5.6).
    package static func elements(of text: String, separatedBy separator: Unicode.Scalar = ",") -> [Element] {
        let separator = UInt8(ascii: separator)
        var elements: [Element] = []
        var name: [UInt8] = []
        var value: [UInt8]?
        var isQuoted = false
        var isEscaped = false
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        func trimmed(_ bytes: [UInt8]) -> String {
            String(decoding: bytes.prefix((bytes.lastIndex { !isBlank($0) } ?? -1) + 1), as: UTF8.self)
        }
        func finish() {
            if !name.isEmpty { elements.append((trimmed(name).lowercased(), value.map(trimmed))) }
            (name, value) = ([], nil)
        }
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
                value?.append(byte)
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\""), value != nil {
                isQuoted.toggle()
            } else if isQuoted {
                value?.append(byte)
            } else if byte == separator {
                finish()
            } else if byte == UInt8(ascii: "="), value == nil {
                value = []
            } else if !isBlank(byte) || !(value ?? name).isEmpty {
                if value == nil { name.append(byte) } else { value?.append(byte) }
            }
        }
        finish()
        return elements
    }
}
