import WaybillDiagnostics

/// Splits a script into words and operators, as bash does. Nothing is executed or read.
struct ShellLexer: TextScanner {
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

    let bytes: [UInt8]
    private let file: SourceFile
    var position = 0
    /// The here-documents whose content starts after the next line break.
    private var pending: [(end: String, isLiteral: Bool)] = []
    /// Whether a brace may follow: the rest is not searched for each expansion that is not closed.
    private var hasBrace = true
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
        while let next, diagnostics.isEmpty {
            switch next {
            case " ", "\t", "\r": position += 1
            case "\\" where take("\\\n") || take("\\\r\n"): break
            case "\n":
                position += 1
                tokens += hereDocuments()
                tokens.append(.separator("\n"))
            case "#":
                position += 1
                tokens.append(.comment(read { $0 != "\n" }))
            case ";", "|", "&", "(", ")":
                let start = position
                advance(peek(1) == next ? 2 : 1)
                tokens.append(.separator(text(start..<position)))
            case "<", ">": if let token = redirection() { tokens.append(token) }
            default:
                let start = position
                let text = word()
                // `2>` redirects standard error.
                let isNumber = text.literal.map { $0.unicodeScalars.allSatisfy(NameForms.isDigit) } ?? false
                if isNumber, has(">") || has("<") { continue }
                tokens.append(.word(text, start..<position))
            }
        }
        return tokens
    }

    /// Reads `>`, `>>`, `<`, `2>&1` or the start of a here-document.
    private mutating func redirection() -> Token? {
        if take("<<<") {
            skipSpaces()
            return .input(word())
        }
        if take("<<") {
            _ = take("-")
            skipSpaces()
            pending.append((end: "", isLiteral: ["'", "\"", "\\"].contains { has($0) }))
            pending[pending.count - 1].end = word().literal ?? ""
            return nil
        }
        let isInput = take("<")
        read { $0 == ">" || $0 == "&" || $0 == "|" }
        return .redirection(isInput ? "<" : ">")
    }

    /// Reads the here-documents that start on this line.
    private mutating func hereDocuments() -> [Token] {
        defer { pending = [] }
        return pending.map { document in
            var content = ImportedText()
            while next != nil {
                let line = read(to: "\n")
                if line.withoutTabs == document.end { break }
                content.append(document.isLiteral ? ImportedText(line + "\n") : Self.expanded(line + "\n"))
            }
            return .input(content)
        }
    }

    /// Reads a word up to a blank or an operator outside of quotes.
    private mutating func word() -> ImportedText {
        var text = ImportedText()
        while let next {
            switch next {
            case " ", "\t", "\n", "\r", ";", "|", "&", "<", ">", "(", ")": return text
            case "\\" where take("\\\r\n") || take("\\\n") || take("\\\r"): break
            case "\\":
                position += 1
                appendCharacter(to: &text)
            case "'":
                guard let close = range(of: "'", from: position + 1) else { return unclosed("'", text) }
                text.append(.literal(self.text(position + 1..<close.lowerBound)))
                position = close.upperBound
            case "\"": doubleQuoted(&text)
            case "$" where has("$'"): ansiQuoted(&text)
            case "$": reference(&text)
            case "`": backquoted(&text)
            default: appendCharacter(to: &text)
            }
        }
        return text
    }

    /// Reads a command in backquotes.
    private mutating func backquoted(_ text: inout ImportedText) {
        let start = position
        position += 1
        _ = read(to: "`")
        substitution(start..<position, &text)
    }

    /// Reads a character that means itself.
    private mutating func appendCharacter(to text: inout ImportedText) {
        let start = position
        advance()
        read { 0x80..<0xC0 ~= $0.value }
        text.append(.literal(self.text(start..<position)))
    }

    private mutating func unclosed(_ quote: String, _ text: ImportedText) -> ImportedText {
        let span = file.span(position..<(position + 1))
        diagnostics.report("import-syntax", "the quote \(quote) is not closed", at: span)
        position = bytes.count
        return text
    }

    /// Reads a string in double quotes, in which variables are replaced.
    private mutating func doubleQuoted(_ text: inout ImportedText) {
        let start = position
        position += 1
        while let next {
            switch next {
            case "\"":
                position += 1
                return
            case "\\" where take("\\\n") || take("\\\r\n"): break
            case "\\":
                position += 1
                if self.next.map({ "$`\"\\".unicodeScalars.contains($0) }) ?? false {
                    appendCharacter(to: &text)
                } else {
                    text.append(.literal("\\"))
                }
            case "$": reference(&text)
            case "`": backquoted(&text)
            default: appendCharacter(to: &text)
            }
        }
        position = start
        _ = unclosed("\"", text)
    }

    /// Reads `$NAME`, `${NAME}` or `$(command)`.
    private mutating func reference(_ text: inout ImportedText) {
        let start = position
        position += 1
        if has("(") {
            var depth = 0
            read { scalar in
                depth += scalar == "(" ? 1 : scalar == ")" ? -1 : 0
                return depth > 0
            }
            advance()
            return substitution(start..<position, &text)
        }
        let isBraced = take("{")
        let name = read { NameForms.isLetter($0) || NameForms.isDigit($0) || $0 == "_" }
        let isClosed = !isBraced || take("}")
        if !isClosed, !name.isEmpty, hasBrace, let close = range(of: "}", from: position) {
            position = close.upperBound
            let what = "the expansion '\(self.text(start..<position))'"
            losses.add(what, "nothing is executed; give the value as an input", at: file.span(start..<position))
            return text.append(.variable(name))
        }
        hasBrace = hasBrace && (isClosed || name.isEmpty)
        guard isClosed, let first = name.unicodeScalars.first, !NameForms.isDigit(first) else {
            position = start + 1
            return text.append(.literal("$"))
        }
        text.append(.variable(name))
    }

    /// Notes a part that only a shell can compute. It becomes a variable, so that the user can give its value.
    private mutating func substitution(_ range: Range<Int>, _ text: inout ImportedText) {
        let command = self.text(range)
        let reason = "nothing is executed; give its result as an input"
        losses.add("the command '\(command)'", reason, at: file.span(range))
        text.append(.variable(NameForms.identifier(command) ?? "result"))
    }

    /// Reads `$'…'`, with the escapes of C.
    private mutating func ansiQuoted(_ text: inout ImportedText) {
        let start = position
        position += 2
        var result: [UInt8] = []
        while next != nil {
            if take("'") {
                // The shell ends such a string at a null character.
                result = Array(result.prefix { $0 != 0 })
                if String(validating: result, as: UTF8.self) == nil {
                    let span = file.span(start..<position)
                    losses.add("the bytes of this string", "they are not UTF-8; put them in a file", at: span)
                }
                return text.append(.literal(String(decoding: result, as: UTF8.self)))
            }
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\\"), let escaped = next else {
                result.append(byte)
                continue
            }
            if let control = readControl("abeEfnrtv") {
                result.append(control)
                continue
            }
            switch escaped {
            case "0"..."7": result.append(UInt8(truncatingIfNeeded: readNumber(digits: 3, radix: 8)))
            case "x", "u", "U":
                position += 1
                result +=
                    escaped == "x"
                    ? [UInt8(readNumber(digits: 2, radix: 16))] : readScalar(digits: escaped == "u" ? 4 : 8)
            default:
                result += "\\'\"?".unicodeScalars.contains(escaped) ? [bytes[position]] : [byte, bytes[position]]
                position += 1
            }
        }
        position = start
        _ = unclosed("$'", text)
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
