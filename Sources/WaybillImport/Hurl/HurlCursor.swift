import WaybillDiagnostics

/// Where a Hurl file is malformed.
struct HurlSyntaxError: Error {
    var message: String
    /// The offset in bytes.
    var offset: Int

    init(_ message: String, at offset: Int) {
        self.message = message
        self.offset = offset
    }
}

/// A position in a Hurl file, from which its words and strings are read.
struct HurlCursor: TextScanner {
    let file: SourceFile
    let bytes: [UInt8]
    var position = 0
    /// The names that variables get instead of their own.
    let names: [String: String]
    /// The names in all templates of the file.
    let templates: Set<String>
    /// The environment variables that templates read.
    private(set) var environment: [String] = []
    /// The functions of templates that have no counterpart, with their locations.
    var unknown: [(name: String, span: SourceSpan)] = []
    /// The comments that have been read and belong to no entry yet, with their offsets.
    private var comments: [(offset: Int, text: String)] = []
    /// The end of the last line that was not empty.
    private(set) var contentEnd = 0

    init(_ file: SourceFile, names: [String: String]) {
        self.file = file
        self.names = names
        bytes = file.bytes
        var templates: Set<String> = []
        for (index, byte) in bytes.enumerated()
        where byte == UInt8(ascii: "{") && bytes[index...].starts(with: "{{".utf8) {
            let name = bytes[(index + 2)...].drop { $0 == UInt8(ascii: " ") }.prefix { !" }{\n".utf8.contains($0) }
            if name.count < 256 { templates.insert(String(decoding: name, as: UTF8.self)) }
        }
        self.templates = templates
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Reads a word that must be there.
    mutating func expect(_ word: String) throws(HurlSyntaxError) {
        guard take(word) else { throw HurlSyntaxError("expected '\(word)'", at: position) }
    }

    /// Returns and forgets the comments up to an offset.
    mutating func takeComments(to end: Int) -> [String] {
        defer { comments.removeAll { $0.offset < end } }
        return comments.filter { $0.offset < end }.map(\.text)
    }

    /// Reads what may follow at the end of a line: blanks and a comment.
    mutating func endLine() throws(HurlSyntaxError) {
        skipSpaces()
        if take("#") {
            let start = position
            let text = read { $0 != "\n" }.trimmingSpaces
            // A line of marks separates parts of the file.
            if text.contains(where: { $0.isLetter || $0.isNumber }) { comments.append((start, text)) }
        }
        _ = take("\r")
        guard next == nil || take("\n") else { throw HurlSyntaxError("expected the end of the line", at: position) }
        contentEnd = position
    }

    /// Skips empty lines and comments, and the blanks before what follows.
    mutating func skipLines() throws(HurlSyntaxError) {
        let end = contentEnd
        defer { contentEnd = end }
        while true {
            skipSpaces()
            guard let next, next == "#" || next == "\r" || next == "\n" else { return }
            try endLine()
        }
    }

    /// Reads letters, digits and some other characters.
    mutating func word(and others: String = "") -> String {
        read {
            NameForms.isLetter($0) || NameForms.isDigit($0) || others.unicodeScalars.contains($0)
        }
    }

    // MARK: Strings

    /// Reads the name before a colon, and the colon; nil, without reading anything, if there is none.
    mutating func key() throws(HurlSyntaxError) -> ImportedText? {
        let start = position
        guard let next, !"[\"`<".unicodeScalars.contains(next), next != "{" || has("{{") else { return nil }
        let line = lineEnd(from: position)
        // What is no name may have braces and escapes of another meaning.
        guard bytes[start..<line].contains(UInt8(ascii: ":")) else { return nil }
        let name = try text(to: line, stoppingAt: ": \t\r\n#\"`,;<")
        skipSpaces()
        guard !name.isEmpty, take(":") else {
            position = start
            return nil
        }
        skipSpaces()
        return name
    }

    /// Reads the rest of a line as a string.
    mutating func unquoted() throws(HurlSyntaxError) -> ImportedText {
        var value = try text(to: lineEnd(from: position), stoppingAt: "#\r\n")
        if case .literal(let last)? = value.parts.last {
            let kept = last.lastIndex { $0 != " " && $0 != "\t" }.map { String(last[...$0]) } ?? ""
            value = ImportedText(value.parts.dropLast() + [.literal(kept)])
        }
        return value
    }

    /// Reads a string in quotes, or in other delimiters.
    mutating func quoted(_ delimiter: String = "\"") throws(HurlSyntaxError) -> ImportedText {
        let start = position
        try expect(delimiter)
        let value = try text(to: bytes.count, stoppingAt: delimiter == "`" ? "`\n" : delimiter)
        guard take(delimiter) else { throw HurlSyntaxError("this string has no end", at: start) }
        return value
    }

    /// Reads characters with templates up to an offset, or to one of some characters.
    mutating func text(to end: Int, stoppingAt stops: String = "", escapes: Bool = true, templates: Bool = true)
        throws(HurlSyntaxError) -> ImportedText
    {
        let stops = Array(stops.utf8)
        var result = ImportedText()
        var literal: [UInt8] = []
        while position < end, !stops.contains(bytes[position]) {
            if templates, bytes[position] == UInt8(ascii: "{"), has("{{") {
                result.append(.literal(String(decoding: literal, as: UTF8.self)))
                literal = []
                result.append(try template())
            } else if escapes, bytes[position] == UInt8(ascii: "\\") {
                literal += try escape()
            } else {
                literal.append(bytes[position])
                position += 1
            }
        }
        result.append(.literal(String(decoding: literal, as: UTF8.self)))
        return result
    }

    private mutating func escape() throws(HurlSyntaxError) -> [UInt8] {
        let start = position
        position += 1
        if let control = readControl("bnfrt") { return [control] }
        guard let next else { throw HurlSyntaxError("this escape has no end", at: start) }
        position += 1
        if "#\"`\\/:; {}".unicodeScalars.contains(next) { return [bytes[position - 1]] }
        guard next == "u", take("{"), let value = UInt32(word().prefix(9), radix: 16),
            let scalar = Unicode.Scalar(value), take("}")
        else { throw HurlSyntaxError("this escape does not exist", at: start) }
        return Array(String(scalar).utf8)
    }

    /// Reads `{{name}}`, or a function in such braces.
    mutating func template() throws(HurlSyntaxError) -> ImportedText.Part {
        try expect("{{")
        skipSpaces()
        let start = position
        let name = word(and: "_-")
        guard !name.isEmpty else { throw HurlSyntaxError("expected the name of a variable", at: start) }
        skipSpaces()
        var part = ImportedText.Part.variable(names[name] ?? name)
        if name == "newUuid" || name == "newDate" {
            part = .expression(name == "newUuid" ? "uuid()" : "now()")
        } else if name == "getEnv" {
            guard let variable = try quoted().literal, !variable.isEmpty else {
                throw HurlSyntaxError("expected the name of an environment variable", at: start)
            }
            environment.append(variable)
            part = .variable(variable)
        } else if name.hasPrefix("random") {
            _ = word(and: " -")
            unknown.append((name, file.span(start..<position)))
        }
        skipSpaces()
        try expect("}}")
        return part
    }
}
