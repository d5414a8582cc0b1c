import WaybillDiagnostics

/// A file in the Bru language as its blocks, which Bruno's `bruno-lang` defines: `name { … }` up to a line that starts with `}`.
struct BruFile: TextScanner {
    /// `name: value` in a block, or an element of a list.
    struct Pair {
        var name: String
        var value = ""
        /// Whether no `~` switches it off.
        var isEnabled = true
        /// The notes on the lines before it, such as `@description('…')`.
        var annotations: [(name: String, value: String)] = []
        var range: Range<Int>

        /// The text of its description.
        var description: String? { annotations.first { $0.name == "description" && !$0.value.isEmpty }?.value }
    }

    /// A block.
    struct Block {
        var name: String
        /// What a dictionary or a list consists of.
        var pairs: [Pair] = []
        /// The text of a text block, without its indentation.
        var text = ""
        /// The bytes of its name.
        var range: Range<Int>
        /// Where the first line of the text starts.
        var textStart = 0

        /// The value of a name; nil if it is missing or switched off.
        func value(_ name: String) -> String? { pairs.last { $0.name == name && $0.isEnabled }?.value }
    }

    let source: SourceFile
    private(set) var blocks: [Block] = []
    var bytes: [UInt8] { source.bytes }
    var position = 0
    /// What the rest of the file does not contain.
    private var missing: Set<String> = []

    private static let textBlocks: Set<String> = [
        "body", "body:json", "body:text", "body:xml", "body:sparql", "body:graphql", "body:graphql:vars",
        "script:pre-request", "script:post-response", "tests", "docs", "example",
    ]
    private static let dictionaries: Set<String> = [
        "meta", "get", "post", "put", "delete", "patch", "options", "head", "connect", "trace", "http", "grpc", "ws",
        "headers", "metadata", "query", "params:query", "params:path", "auth", "vars", "vars:secret",
        "vars:pre-request", "vars:post-response", "assert", "settings",
    ]

    /// Whether a text starts with a block of the language.
    static func recognizes(_ text: String) -> Bool {
        let start = text.prefix(4096).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        let name = String(start.prefix { !$0.isWhitespace && $0 != "{" && $0 != "[" })
        let rest = start.dropFirst(name.count).drop { $0 == " " || $0 == "\t" }
        return (textBlocks.contains(name) || dictionaries.contains(name) || name.hasPrefix("auth:"))
            && rest.prefix(1).contains { $0 == "{" || $0 == "[" }
    }

    /// Reads a file. What has another form is a diagnostic, and ends the reading.
    init(_ source: SourceFile, _ diagnostics: inout [Diagnostic]) {
        self.source = source
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        do throws(Failure) {
            while try readBlock() {}
        } catch {
            diagnostics.report("import-syntax", error.headline, at: span(error.range))
        }
    }

    /// Returns the first block with a name.
    subscript(name: String) -> Block? { blocks.first { $0.name == name } }

    /// Returns the location of some bytes.
    func span(_ range: Range<Int>) -> SourceSpan {
        let count = bytes.count
        return SourceSpan(file: source, range: min(range.lowerBound, count)..<min(range.upperBound, count))
    }

    /// Returns the location of a line of a block's text, from 0.
    func line(_ number: Int, of block: Block) -> SourceSpan {
        span(source.byteRange(ofLine: min(source.line(at: block.textStart) + number, source.lineCount)))
    }

    // MARK: Blocks

    private struct Failure: Error {
        var headline: String
        var range: Range<Int>
    }

    private mutating func skipBlanks(lines: Bool = false) {
        read { $0 == " " || $0 == "\t" || $0 == "\r" || lines && $0 == "\n" }
    }

    /// Returns the first occurrence of a mark, so that marks that are missing are searched for once.
    private mutating func firstRange(of mark: String, from start: Int) -> Range<Int>? {
        guard !missing.contains(mark) else { return nil }
        let range = range(of: mark, from: start)
        if range == nil { missing.insert(mark) }
        return range
    }

    /// Whether a line that ends a block starts here.
    private var isAtEnd: Bool { has("\n}", at: position - 1) }

    /// Reads a block; false at the end of the file.
    private mutating func readBlock() throws(Failure) -> Bool {
        skipBlanks(lines: true)
        guard position < bytes.count else { return false }
        let start = position
        let end = lineEnd(from: start)
        if has("color:") {
            position = end
            return true
        }
        guard let open = bytes[start..<end].firstIndex(where: { "{[".utf8.contains($0) }), open > start else {
            throw Failure(headline: "expected a block such as 'get {'", range: start..<end)
        }
        let name = text(start..<open).trimmingSpaces
        var block = Block(name: name, range: start..<(start + name.utf8.count))
        guard !name.contains(where: \.isWhitespace) else {
            throw Failure(headline: "expected a block such as 'get {'", range: block.range)
        }
        position = open + 1
        if has("[", at: open) {
            try readList(into: &block)
        } else if Self.textBlocks.contains(name) {
            try readText(into: &block)
        } else {
            try readPairs(into: &block)
        }
        blocks.append(block)
        return true
    }

    private func unclosed(_ block: Block) -> Failure {
        Failure(headline: "the block '\(block.name)' is not closed", range: block.range)
    }

    private mutating func readList(into block: inout Block) throws(Failure) {
        guard let close = bytes[position...].firstIndex(of: UInt8(ascii: "]")) else { throw unclosed(block) }
        for word in bytes[position..<close].split(whereSeparator: { " \t\r\n,".utf8.contains($0) }) {
            var pair = Pair(name: String(decoding: word, as: UTF8.self), range: word.indices)
            pair.isEnabled = !pair.name.hasPrefix("~")
            if !pair.isEnabled { pair.name.removeFirst() }
            block.pairs.append(pair)
        }
        position = close + 1
    }

    private mutating func readText(into block: inout Block) throws(Failure) {
        skipBlanks()
        guard let close = firstRange(of: "\n}", from: position) else { throw unclosed(block) }
        while position < close.lowerBound, take("\n") || take("\r\n") {}
        block.textStart = min(position, close.lowerBound)
        block.text = Self.outdented(text(block.textStart..<close.lowerBound), by: 2)
        position = close.upperBound
    }

    /// Removes up to some spaces at the start of each line.
    static func outdented(_ text: String, by count: Int) -> String {
        text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.dropFirst(line.prefix(count).prefix { $0 == " " }.count)
        }.joined(separator: "\n")
    }

    // MARK: Dictionaries

    private mutating func readPairs(into block: inout Block) throws(Failure) {
        var annotations: [(name: String, value: String)] = []
        while true {
            skipBlanks(lines: true)
            guard position < bytes.count else { throw unclosed(block) }
            if isAtEnd { break }
            if has("@"), let annotation = readAnnotation() {
                annotations.append(annotation)
                continue
            }
            var pair = try readPair()
            pair.annotations = annotations + pair.annotations
            annotations = []
            block.pairs.append(pair)
        }
        position += 1
    }

    /// Reads `@name` or `@name(value)`; nil for the name of a local variable, `@name: value`.
    private mutating func readAnnotation() -> (name: String, value: String)? {
        let start = position
        var end = bytes[(start + 1)...].firstIndex { "() \t\r\n:".utf8.contains($0) } ?? bytes.count
        let name = text((start + 1)..<end)
        var value = ""
        if has("(", at: end) {
            let inner = end + 1
            let quote = ["'''", "'", "\""].first { has($0, at: inner) } ?? ""
            guard let close = firstRange(of: "\(quote))", from: inner + quote.utf8.count) else {
                return nil
            }
            value = text((inner + quote.utf8.count)..<close.lowerBound)
            if quote.count == 3 { value = Self.outdented(value, by: 4).trimmingSpaces }
            end = close.upperBound
        }
        guard !has(":", at: end) else { return nil }
        position = end
        return (name, value)
    }

    private mutating func readPair() throws(Failure) -> Pair {
        let start = position
        let end = lineEnd(from: start)
        var pair = Pair(name: "", range: start..<end)
        pair.isEnabled = !take("~")
        var colon = bytes[position..<end].firstIndex(of: UInt8(ascii: ":"))
        if has("\""), let close = bytes[position..<end].firstRange(of: Array("\":".utf8)) {
            // A key in quotes may have colons.
            pair.name = text((position + 1)..<close.lowerBound).replacing("\\\"", with: "\"")
            colon = close.lowerBound + 1
        } else if let colon {
            pair.name = text(position..<colon).trimmingSpaces
        }
        guard let colon else { throw Failure(headline: "expected 'name: value'", range: start..<max(start + 1, end)) }
        position = colon + 1
        skipBlanks()
        if has("'''"),
            let close = firstRange(of: "'''", from: position + 3)
        {
            let lines = Self.outdented(text((position + 3)..<close.lowerBound), by: 4).trimmingSpaces
            let after = text(close.upperBound..<lineEnd(from: close.upperBound)).trimmingSpaces
            pair.value = after.isEmpty ? lines : "\(lines) \(after)"
            position = lineEnd(from: close.upperBound)
        } else if text(position..<max(position, end)).trimmingSpaces == "[",
            let close = firstRange(of: "]", from: end)
        {
            pair.value = text((position + 1)..<close.lowerBound).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            position = close.upperBound
        } else {
            pair.value = text(min(position, end)..<end).trimmingSpaces
            position = end
        }
        if case (let value, let note?) = Self.split(pair.value, at: "@description(") {
            let text = note.split { "'\"".contains($0) }.joined(separator: "'")
            (pair.value, pair.annotations) = (value, [("description", text.trimmingSpaces)])
        }
        return pair
    }

    /// Splits a value from what is between a mark and a parenthesis at its end, as in `value @contentType(text/plain)`.
    static func split(_ value: String, at mark: String) -> (value: String, argument: String?) {
        guard value.hasSuffix(")"), let range = value.ranges(of: mark).last else { return (value, nil) }
        let argument = String(value[range.upperBound...].dropLast()).trimmingSpaces
        return (String(value[..<range.lowerBound]).trimmingSpaces, argument.isEmpty ? nil : argument)
    }
}
