/// Splits JavaScript into tokens. Nothing is ever executed.
struct ScriptLexer: TextScanner {
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

    let bytes: [UInt8]
    var position = 0
    private(set) var tokens: [Token] = []
    /// The comments, without their marks.
    private(set) var comments: [(text: String, offset: Int)] = []
    private var startsLine = true

    private static let marks = [
        ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=",
        "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
    ]

    /// Reads the tokens of a script. An unclosed string or comment ends at the end of its line or of the script.
    init(_ script: String) {
        bytes = Array(script.utf8)
        while let next {
            let start = position
            switch next {
            case "\n", "\r":
                startsLine = true
                position += 1
            case " ", "\t", "\u{B}", "\u{C}": position += 1
            case "/" where take("//"): comments.append((read { $0 != "\n" && $0 != "\r" }, start))
            case "/" where take("/*"): comments.append((read(to: "*/"), start))
            case "'", "\"": readString(next)
            case "`": readTemplate()
            case "0"..."9": add(.number(read { Self.isName($0) || $0 == "." }), from: start)
            case "/" where mayBeRegex: readRegex()
            case _ where Self.isName(next): add(.name(read(while: Self.isName)), from: start)
            default:
                advance(Self.marks.first { has($0) }?.utf8.count ?? 1)
                add(.mark(text(start..<position)), from: start)
            }
        }
        add(.end, from: position)
    }

    private mutating func add(_ kind: Token.Kind, from start: Int) {
        tokens.append(Token(kind: kind, range: start..<position, startsLine: startsLine))
        startsLine = false
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        NameForms.isLetter(scalar) || NameForms.isDigit(scalar) || scalar == "_" || scalar == "$" || scalar.value > 127
    }

    private mutating func readString(_ quote: Unicode.Scalar) {
        let start = position
        position += 1
        var result: [UInt8] = []
        while let next, next != quote, next != "\n" { result += readCharacter() }
        advance()
        add(.string(String(decoding: result, as: UTF8.self)), from: start)
    }

    /// Reads a byte of a string, or an escape.
    private mutating func readCharacter() -> [UInt8] {
        position += 1
        guard bytes[position - 1] == UInt8(ascii: "\\"), let next else { return [bytes[position - 1]] }
        if let control = readControl("0bfnrtv") { return [control] }
        position += 1
        switch next {
        case "\n": return []
        case "u", "x": return readScalar(digits: next == "u" ? 4 : 2)
        default: return [bytes[position - 1]]
        }
    }

    private mutating func readTemplate() {
        let start = position
        position += 1
        var strings: [[UInt8]] = [[]]
        var scripts: [String] = []
        while let next, next != "`" {
            guard take("${") else {
                strings[strings.count - 1] += readCharacter()
                continue
            }
            var depth = 1
            let script = read { scalar in
                depth += scalar == "{" ? 1 : scalar == "}" ? -1 : 0
                return depth > 0
            }
            scripts.append(script)
            strings.append([])
            advance()
        }
        advance()
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
        while let next, next != "\n", next != "/" || isInClass {
            if next == "[" || next == "]" { isInClass = next == "[" }
            advance(next == "\\" ? 2 : 1)
        }
        let pattern = text(start + 1..<position)
        advance()
        add(.regex(pattern, flags: read(while: Self.isName)), from: start)
    }
}
