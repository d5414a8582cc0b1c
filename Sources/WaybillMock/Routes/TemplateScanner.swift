/// Takes the path of an endpoint apart into text and expressions.
struct TemplateScanner {
    /// A piece of the path.
    enum Piece: Equatable {
        /// Text as it stands.
        case text([UInt8])
        /// `${…}`; `isRaw` for one that keeps its slashes.
        case expression(isRaw: Bool)
    }

    private let bytes: [UInt8]
    private var index = 0

    init(_ template: String) {
        bytes = Array(template.utf8)
    }

    /// The pieces up to a query or fragment, and that part of the template. Two texts never follow each other.
    mutating func path() -> (pieces: [Piece], description: String) {
        var pieces: [Piece] = []
        var text: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "?"), bytes[index] != UInt8(ascii: "#") {
            if next("$${") {
                text += "${".utf8
                index += 3
            } else if next("${") {
                if !text.isEmpty { pieces.append(.text(text)) }
                text = []
                pieces.append(.expression(isRaw: isRaw(expression())))
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        if !text.isEmpty { pieces.append(.text(text)) }
        return (pieces, String(decoding: bytes[..<index], as: UTF8.self))
    }

    private func next(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }

    /// Goes over an expression to behind its `}`, which may also occur in its strings.
    private mutating func expression() -> ArraySlice<UInt8> {
        index += 2
        let start = index
        var quote: UInt8?
        while index < bytes.count {
            let byte = bytes[index]
            if quote != nil, byte == UInt8(ascii: "\\") {
                index += 1
            } else if quote != nil {
                if byte == quote { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if byte == UInt8(ascii: "}") {
                defer { index += 1 }
                return bytes[start..<index]
            }
            index += 1
        }
        index = bytes.count
        return bytes[start...]
    }

    private func isRaw(_ expression: ArraySlice<UInt8>) -> Bool {
        expression.drop { $0 == UInt8(ascii: " ") }.starts(with: "raw(".utf8)
    }
}
