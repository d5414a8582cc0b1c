/// The status line and the fields of an answer.
struct ResponseHead: Equatable {
    /// The reason phrase.
    private(set) var reason = ""
    /// The header fields in order. A value that went over several lines (RFC 9112, section 5.2) is one, with a space
    /// for each break.
    private(set) var fields: HTTPFields

    /// Reads the lines of a header.
    init(_ bytes: [UInt8]) {
        var fields: [HTTPField] = []
        var isStatusLine = true
        for line in bytes.split(separator: 0x0A) {
            let text = line.trimmingBlanks
            if isStatusLine {
                isStatusLine = false
                let parts = text.split(separator: 0x20, maxSplits: 2)
                reason = parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : ""
            } else if line.first == 0x20 || line.first == 0x09 {
                guard let field = fields.popLast() else { continue }
                fields.append(
                    HTTPField(name: field.name, value: field.value + " " + String(decoding: text, as: UTF8.self))
                )
            } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
                fields.append(
                    HTTPField(
                        name: String(decoding: text[..<colon].trimmingBlanks, as: UTF8.self),
                        value: String(decoding: text[(colon + 1)...].trimmingBlanks, as: UTF8.self)
                    )
                )
            }
        }
        self.fields = HTTPFields(fields)
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmingBlanks: ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let start = firstIndex { !isBlank($0) } ?? endIndex
        let end = lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
        return self[start..<end]
    }
}
