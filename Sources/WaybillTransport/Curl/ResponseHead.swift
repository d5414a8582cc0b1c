/// The status line and the fields of a response.
struct ResponseHead: Equatable {
    /// The reason phrase.
    let reason: String
    /// The header fields in order. A value folded over several lines (RFC 9112, section 5.2) is joined, with a space
    /// for each line break.
    let fields: HTTPFields

    private typealias Line = Slice<UnsafeRawBufferPointer>

    /// Parses the lines of a header.
    init(_ bytes: [UInt8]) {
        var fields: [HTTPField] = []
        // More than most responses have, so that the array rarely grows.
        fields.reserveCapacity(16)
        reason = bytes.withUnsafeBytes { bytes in
            var reason: String?
            var rest = bytes[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
                let line = rest[..<end]
                if !line.isEmpty {
                    if reason == nil {
                        reason = Self.reason(in: line.withoutOuterBlanks)
                    } else {
                        Self.add(line, to: &fields)
                    }
                }
                rest = rest[end...].dropFirst()
            }
            return reason ?? ""
        }
        self.fields = HTTPFields(fields)
    }

    private static func add(_ line: Line, to fields: inout [HTTPField]) {
        let text = line.withoutOuterBlanks
        if line.first == 0x20 || line.first == 0x09 {
            guard let field = fields.popLast() else { return }
            fields.append(HTTPField(name: field.name, value: field.value + " " + String(decoding: text, as: UTF8.self)))
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(decoding: text[..<colon].withoutOuterBlanks, as: UTF8.self)
            let value = text[(colon + 1)...].withoutOuterBlanks
            let field = HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
            if field.isNamed("Location") {
                fields.append(HTTPField(name: name, value: reference(in: value)))
            } else if field.isNamed("Content-Disposition"), field.value.unicodeScalars.contains("\u{FFFD}") {
                fields.append(HTTPField(name: name, value: latin1(value)))
            } else {
                fields.append(field)
            }
        }
    }

    /// Text in ISO 8859-1, in which many servers write names of files (RFC 6266, section 4.3), unless it is UTF-8.
    private static func latin1(_ line: Line) -> String {
        String(validating: line, as: UTF8.self)
            ?? String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
    }

    /// A URI reference. If its bytes are not UTF-8, those that are not ASCII are percent-encoded.
    private static func reference(in line: Line) -> String {
        if let text = String(validating: line, as: UTF8.self) { return text }
        return line.reduce(into: "") { text, byte in
            text += byte < 0x80 ? String(Unicode.Scalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
        }
    }

    /// The text after the version and the status code.
    private static func reason(in line: Line) -> String {
        guard let first = line.firstIndex(of: 0x20) else { return "" }
        let afterVersion = line[first...].withoutOuterBlanks
        guard let second = afterVersion.firstIndex(of: 0x20) else { return "" }
        return String(decoding: afterVersion[second...].withoutOuterBlanks, as: UTF8.self)
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The bytes without the blanks and the line break around them.
    var withoutOuterBlanks: Self {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        var (start, end) = (startIndex, endIndex)
        while start < end && isBlank(self[start]) { start += 1 }
        while end > start && isBlank(self[end - 1]) { end -= 1 }
        return self[start..<end]
    }
}
