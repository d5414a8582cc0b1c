import WaybillDiagnostics

/// Splits a script into words and operators, as bash does. Nothing is executed or read.
struct ShellLexer {
    /// A part of a script.
    enum Token {
        /// A word; variables of the shell are references.
        case word(ImportedText, Range<Int>)
        /// `;`, `&&`, `||`, `|`, `&`, a line break, or a redirection such as `>` with its file as the next word.
        case separator(String)
        case redirection(String)
        case comment(String)
        /// The content of a here-document, for the command before it.
        case input(ImportedText)
    }

    private let bytes: [UInt8]
    private let file: SourceFile
    private var position = 0
    /// The here-documents whose content starts after the next line break.
    private var pending: [(end: String, isLiteral: Bool)] = []
    private(set) var diagnostics: [Diagnostic] = []
    /// The parts that only a shell could compute.
    private(set) var losses: [ImportLoss] = []

    init(_ file: SourceFile) {
        bytes = file.bytes
        self.file = file
    }

    /// Returns the tokens of the script.
    mutating func tokens() -> [Token] {
        var tokens: [Token] = []
        while position < bytes.count, diagnostics.isEmpty {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
            case UInt8(ascii: "\\") where next(1) == UInt8(ascii: "\n"): position += 2
            case UInt8(ascii: "\\") where next(1) == UInt8(ascii: "\r") && next(2) == UInt8(ascii: "\n"): position += 3
            case UInt8(ascii: "\n"):
                position += 1
                tokens += hereDocuments()
                tokens.append(.separator("\n"))
            case UInt8(ascii: "#"):
                let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                tokens.append(.comment(String(decoding: bytes[(position + 1)..<end], as: UTF8.self)))
                position = end
            case UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: "("), UInt8(ascii: ")"):
                let isDouble = next(1) == byte
                tokens.append(
                    .separator(String(decoding: bytes[position..<(position + (isDouble ? 2 : 1))], as: UTF8.self))
                )
                position += isDouble ? 2 : 1
            case UInt8(ascii: "<"), UInt8(ascii: ">"): if let token = redirection() { tokens.append(token) }
            default:
                let start = position
                let text = word()
                // `2>` redirects standard error.
                let isNumber = text.literal.map { $0.utf8.allSatisfy { 48...57 ~= $0 } } ?? false
                if isNumber, next(0) == UInt8(ascii: ">") || next(0) == UInt8(ascii: "<") { continue }
                tokens.append(.word(text, start..<position))
            }
        }
        return tokens
    }

    private func next(_ offset: Int) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    /// Reads `>`, `>>`, `<`, `2>&1` or the start of a here-document.
    private mutating func redirection() -> Token? {
        let isInput = bytes[position] == UInt8(ascii: "<")
        position += 1
        if isInput, next(0) == UInt8(ascii: "<") {
            position += 1
            if next(0) == UInt8(ascii: "<") {
                // A here-string.
                position += 1
                skipBlanks()
                return .input(word())
            }
            if next(0) == UInt8(ascii: "-") { position += 1 }
            skipBlanks()
            let isLiteral =
                next(0) == UInt8(ascii: "'") || next(0) == UInt8(ascii: "\"") || next(0) == UInt8(ascii: "\\")
            pending.append((word().literal ?? "", isLiteral))
            return nil
        }
        while let byte = next(0), byte == UInt8(ascii: ">") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "|") {
            position += 1
        }
        return .redirection(isInput ? "<" : ">")
    }

    private mutating func skipBlanks() {
        while next(0) == UInt8(ascii: " ") || next(0) == UInt8(ascii: "\t") { position += 1 }
    }

    /// Reads the here-documents that start on this line.
    private mutating func hereDocuments() -> [Token] {
        defer { pending = [] }
        return pending.map { document in
            var content = ImportedText()
            while position < bytes.count {
                let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                let line = String(decoding: bytes[position..<end], as: UTF8.self)
                position = min(end + 1, bytes.count)
                if line.withoutTabs == document.end { break }
                content.append(document.isLiteral ? ImportedText(line + "\n") : Self.expanded(line + "\n"))
            }
            return .input(content)
        }
    }

    /// Reads a word up to a blank or an operator outside of quotes.
    private mutating func word() -> ImportedText {
        var text = ImportedText()
        while let byte = next(0) {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ";"),
                UInt8(ascii: "|"),
                UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "("), UInt8(ascii: ")"):
                return text
            case UInt8(ascii: "\\"):
                guard let escaped = next(1) else {
                    position += 1
                    return text
                }
                if escaped == UInt8(ascii: "\r"), next(2) == UInt8(ascii: "\n") { position += 1 }
                let length = Self.characterLength(escaped)
                if escaped != UInt8(ascii: "\n"), escaped != UInt8(ascii: "\r") {
                    append(position + 1, length, to: &text)
                }
                position += 1 + length
            case UInt8(ascii: "'"):
                guard let end = closing(UInt8(ascii: "'"), from: position + 1) else { return unclosed("'", text) }
                text.append(.literal(String(decoding: bytes[(position + 1)..<end], as: UTF8.self)))
                position = end + 1
            case UInt8(ascii: "\""): doubleQuoted(&text)
            case UInt8(ascii: "$") where next(1) == UInt8(ascii: "'"): ansiQuoted(&text)
            case UInt8(ascii: "$"): reference(&text)
            default: character(&text)
            }
        }
        return text
    }

    /// Reads a command in backquotes, or a character that means itself.
    private mutating func character(_ text: inout ImportedText) {
        let byte = bytes[position]
        if byte == UInt8(ascii: "`") {
            let end = closing(byte, from: position + 1) ?? bytes.count - 1
            substitution(position..<(end + 1), &text)
            position = end + 1
        } else {
            let length = Self.characterLength(byte)
            append(position, length, to: &text)
            position += length
        }
    }

    private mutating func append(_ start: Int, _ length: Int, to text: inout ImportedText) {
        text.append(.literal(String(decoding: bytes[start..<min(start + length, bytes.count)], as: UTF8.self)))
    }

    /// The number of bytes of the character that starts with a byte.
    private static func characterLength(_ byte: UInt8) -> Int {
        switch byte {
        case 0xC0..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0...: 4
        default: 1
        }
    }

    private func closing(_ quote: UInt8, from start: Int) -> Int? { bytes[start...].firstIndex(of: quote) }

    private mutating func unclosed(_ quote: String, _ text: ImportedText) -> ImportedText {
        diagnostics.report(
            "import-syntax",
            "the quote \(quote) is not closed",
            at: SourceSpan(file: file, range: position..<(position + 1))
        )
        position = bytes.count
        return text
    }

    /// Reads a string in double quotes, in which variables are replaced.
    private mutating func doubleQuoted(_ text: inout ImportedText) {
        let start = position
        position += 1
        while let byte = next(0) {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"):
                let escaped = next(1) ?? UInt8(ascii: "\\")
                if escaped == UInt8(ascii: "\n") {
                    position += 2
                } else if escaped == UInt8(ascii: "\r"), next(2) == UInt8(ascii: "\n") {
                    position += 3
                } else if "$`\"\\".utf8.contains(escaped) {
                    text.append(.literal(String(UnicodeScalar(escaped))))
                    position += 2
                } else {
                    text.append(.literal("\\"))
                    position += 1
                }
            case UInt8(ascii: "$"): reference(&text)
            default: character(&text)
            }
        }
        position = start
        _ = unclosed("\"", text)
    }

    /// Reads `$NAME`, `${NAME}` or `$(command)`.
    private mutating func reference(_ text: inout ImportedText) {
        let isName = { (byte: UInt8) in
            byte == UInt8(ascii: "_") || (48...57).contains(byte) || (65...90).contains(byte)
                || (97...122).contains(byte)
        }
        if next(1) == UInt8(ascii: "(") {
            var depth = 0
            var end = position + 1
            while end < bytes.count {
                if bytes[end] == UInt8(ascii: "(") { depth += 1 }
                if bytes[end] == UInt8(ascii: ")") { depth -= 1 }
                end += 1
                if depth == 0 { break }
            }
            substitution(position..<end, &text)
            position = end
            return
        }
        let isBraced = next(1) == UInt8(ascii: "{")
        let start = position + (isBraced ? 2 : 1)
        var end = start
        while end < bytes.count, isName(bytes[end]) { end += 1 }
        let isClosed = !isBraced || end < bytes.count && bytes[end] == UInt8(ascii: "}")
        if isBraced, !isClosed, end > start, let close = bytes[end...].firstIndex(of: UInt8(ascii: "}")) {
            losses.add(
                "the expansion '\(String(decoding: bytes[position...close], as: UTF8.self))'",
                "nothing is executed; give the value as an input",
                at: SourceSpan(file: file, range: position..<(close + 1))
            )
            text.append(.variable(String(decoding: bytes[start..<end], as: UTF8.self)))
            position = close + 1
            return
        }
        guard end > start, isClosed, !(48...57).contains(bytes[start]) else {
            text.append(.literal("$"))
            position += 1
            return
        }
        text.append(.variable(String(decoding: bytes[start..<end], as: UTF8.self)))
        position = end + (isBraced ? 1 : 0)
    }

    /// Notes a part that only a shell can compute. It becomes a variable, so that the user can give its value.
    private mutating func substitution(_ range: Range<Int>, _ text: inout ImportedText) {
        let range = range.clamped(to: 0..<bytes.count)
        let command = String(decoding: bytes[range], as: UTF8.self)
        losses.add(
            "the command '\(command)'",
            "nothing is executed; give its result as an input",
            at: SourceSpan(file: file, range: range)
        )
        text.append(.variable(NameForms.identifier(command) ?? "result"))
    }

    /// Reads `$'…'`, with the escapes of C.
    private mutating func ansiQuoted(_ text: inout ImportedText) {
        let start = position
        position += 2
        var result: [UInt8] = []
        while let byte = next(0) {
            position += 1
            guard byte != UInt8(ascii: "'") else {
                // The shell ends such a string at a null character.
                result = Array(result.prefix { $0 != 0 })
                if String(validating: result, as: UTF8.self) == nil {
                    let span = SourceSpan(file: file, range: start..<position)
                    losses.add("the bytes of this string", "they are not UTF-8; put them in a file", at: span)
                }
                return text.append(.literal(String(decoding: result, as: UTF8.self)))
            }
            guard byte == UInt8(ascii: "\\"), let escaped = next(0) else {
                result.append(byte)
                continue
            }
            position += 1
            switch escaped {
            case UInt8(ascii: "n"): result.append(10)
            case UInt8(ascii: "t"): result.append(9)
            case UInt8(ascii: "r"): result.append(13)
            case UInt8(ascii: "a"): result.append(7)
            case UInt8(ascii: "b"): result.append(8)
            case UInt8(ascii: "e"), UInt8(ascii: "E"): result.append(27)
            case UInt8(ascii: "f"): result.append(12)
            case UInt8(ascii: "v"): result.append(11)
            case UInt8(ascii: "x"): result.append(UInt8(truncatingIfNeeded: digits(2, radix: 16)))
            case UInt8(ascii: "u"):
                result += Array(String(Unicode.Scalar(UInt32(digits(4, radix: 16))) ?? "\u{FFFD}").utf8)
            case UInt8(ascii: "U"):
                result += Array(String(Unicode.Scalar(UInt32(digits(8, radix: 16))) ?? "\u{FFFD}").utf8)
            case UInt8(ascii: "0")...UInt8(ascii: "7"):
                position -= 1
                result.append(UInt8(truncatingIfNeeded: digits(3, radix: 8)))
            case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "?"): result.append(escaped)
            default: result += [byte, escaped]
            }
        }
        position = start
        _ = unclosed("$'", text)
    }

    private mutating func digits(_ count: Int, radix: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            guard let byte = next(0), let digit = Int(String(UnicodeScalar(byte)), radix: radix) else { break }
            value = value * radix + digit
            position += 1
        }
        return value
    }

    /// The variables in a line of a here-document.
    private static func expanded(_ line: String) -> ImportedText {
        var lexer = ShellLexer(SourceFile(name: "", text: "\"" + line.replacing("\"", with: "\\\"") + "\""))
        return lexer.word()
    }
}

extension String {
    fileprivate var withoutTabs: String { String(drop { $0 == "\t" }.filter { $0 != "\r" }) }
}
