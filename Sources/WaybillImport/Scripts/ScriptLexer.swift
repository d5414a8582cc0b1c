/// Splits JavaScript into tokens. Nothing is ever executed.
struct ScriptLexer {
    /// A token and its range in the bytes of the script.
    struct Token: Equatable {
        enum Kind: Equatable {
            /// A name or keyword.
            case name(String)
            case string(String)
            case number(String)
            /// A template: its strings, with a script between each two.
            case template([String], [String])
            case regex(String, flags: String)
            /// An operator or bracket.
            case mark(String)
            case end
        }
        var kind: Kind
        var range: Range<Int>
        /// Whether a line break is before it.
        var startsLine: Bool
    }

    private let bytes: [UInt8]
    private var position = 0
    private(set) var tokens: [Token] = []
    /// The comments, without their marks.
    private(set) var comments: [(text: String, offset: Int)] = []
    private var startsLine = true

    private static let marks = [
        ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=",
        "&&", "||", "??", "?.",
        "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
    ].map { Array($0.utf8) }

    /// Reads the tokens of a script. An unclosed string or comment ends at the end of its line or of the script.
    init(_ script: String) {
        bytes = Array(script.utf8)
        while let byte = peek(0) {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                startsLine = true
                position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), 0xB, 0xC: position += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                let end =
                    bytes[position...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
                    ?? bytes.count
                comments.append((text(position + 2..<end), position))
                position = end
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
                var end = position + 2
                while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") {
                    end += 1
                }
                comments.append((text(min(position + 2, end)..<min(end, bytes.count)), position))
                position = min(end + 2, bytes.count)
            case UInt8(ascii: "'"), UInt8(ascii: "\""): readString(byte)
            case UInt8(ascii: "`"): readTemplate()
            case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
            case UInt8(ascii: "/") where mayBeRegex: readRegex()
            case _ where Self.isName(byte): readName()
            default: readMark()
            }
        }
        add(.end, from: position)
    }

    private func peek(_ distance: Int) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private mutating func add(_ kind: Token.Kind, from start: Int) {
        tokens.append(Token(kind: kind, range: start..<position, startsLine: startsLine))
        startsLine = false
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    private mutating func readName() {
        let start = position
        while let byte = peek(0), Self.isName(byte) { position += 1 }
        add(.name(text(start..<position)), from: start)
    }

    private mutating func readNumber() {
        let start = position
        while let byte = peek(0), Self.isName(byte) || byte == UInt8(ascii: ".") { position += 1 }
        add(.number(text(start..<position)), from: start)
    }

    private mutating func readMark() {
        let start = position
        let mark = Self.marks.first { $0[0] == bytes[start] && bytes[start...].starts(with: $0) }
        position += mark?.count ?? 1
        add(.mark(text(start..<position)), from: start)
    }

    private mutating func readString(_ quote: UInt8) {
        let start = position
        position += 1
        var result: [UInt8] = []
        while let byte = peek(0), byte != quote, byte != UInt8(ascii: "\n") { result += readCharacter(byte) }
        position = min(position + 1, bytes.count)
        add(.string(String(decoding: result, as: UTF8.self)), from: start)
    }

    /// Reads a character of a string, which may be escaped.
    private mutating func readCharacter(_ byte: UInt8) -> [UInt8] {
        position += 1
        guard byte == UInt8(ascii: "\\"), let escaped = peek(0) else { return [byte] }
        position += 1
        switch escaped {
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "v"): return [11]
        case UInt8(ascii: "0"): return [0]
        case UInt8(ascii: "\n"): return []
        case UInt8(ascii: "u"), UInt8(ascii: "x"):
            var value: UInt32 = 0
            for _ in 0..<(escaped == UInt8(ascii: "u") ? 4 : 2) {
                guard let digit = peek(0).flatMap({ UInt32(String(UnicodeScalar($0)), radix: 16) }) else { break }
                value = value * 16 + digit
                position += 1
            }
            return Array(String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
        default: return [escaped]
        }
    }

    private mutating func readTemplate() {
        let start = position
        position += 1
        var strings: [[UInt8]] = [[]]
        var scripts: [String] = []
        while let byte = peek(0), byte != UInt8(ascii: "`") {
            guard byte == UInt8(ascii: "$"), peek(1) == UInt8(ascii: "{") else {
                strings[strings.count - 1] += readCharacter(byte)
                continue
            }
            position += 2
            let inner = position
            var depth = 1
            while let byte = peek(0) {
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
                if depth == 0 { break }
                position += 1
            }
            scripts.append(text(inner..<position))
            strings.append([])
            position = min(position + 1, bytes.count)
        }
        position = min(position + 1, bytes.count)
        add(.template(strings.map { String(decoding: $0, as: UTF8.self) }, scripts), from: start)
    }

    /// Whether a slash starts a regular expression: not after a value.
    private var mayBeRegex: Bool {
        switch tokens.last?.kind {
        case .name(let name): ["return", "typeof", "in", "of", "case"].contains(name)
        case .string, .number, .template, .regex: false
        case .mark(let mark): mark != ")" && mark != "]" && mark != "}"
        case .end, nil: true
        }
    }

    private mutating func readRegex() {
        let start = position
        position += 1
        var isInClass = false
        while let byte = peek(0), byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "/"), !isInClass { break }
            if byte == UInt8(ascii: "[") { isInClass = true }
            if byte == UInt8(ascii: "]") { isInClass = false }
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        position = min(position, bytes.count)
        let pattern = text(min(start + 1, position)..<position)
        position = min(position + 1, bytes.count)
        let flags = position
        while let byte = peek(0), Self.isName(byte) { position += 1 }
        add(.regex(pattern, flags: text(min(flags, position)..<position)), from: start)
    }
}
