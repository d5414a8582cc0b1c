import WaybillDiagnostics
import WaybillFormats

/// A part of a `.http` file between separators `###`: at most one request, as it is written.
struct HTTPFileBlock {
    /// A line and its bytes in the file.
    struct Line {
        var text: String
        var range: Range<Int>

        var trimmed: String { text.trimmingSpaces }
    }

    /// A script in JavaScript.
    struct Script {
        var text: String
        /// Where it starts, in bytes of the file.
        var offset: Int
        /// Whether it runs after the response.
        var isHandler: Bool
    }

    /// The text after `###`.
    var title = ""
    /// The comments such as `# @name login`, as names and values.
    var tags: [(name: String, value: String, line: Line)] = []
    var comments: [String] = []
    /// The variables: `@host = example.com`.
    var definitions: [(name: String, value: String)] = []
    /// The request line with its continuations.
    var target: Line?
    var headers: [(name: String, value: String, line: Line)] = []
    var body: [Line] = []
    var scripts: [Script] = []
    /// What a manifest cannot express.
    var losses: [(what: String, reason: String, line: Line)] = []

    /// Reads a file; nil, with diagnostics, if it is malformed or in another dialect.
    static func blocks(of file: SourceFile, _ diagnostics: inout [Diagnostic]) -> [HTTPFileBlock] {
        var blocks = [HTTPFileBlock()]
        var parser = HTTPFileParser()
        for number in 1...file.lineCount {
            let range = file.byteRange(ofLine: number)
            let text = String(decoding: file.bytes[range], as: UTF8.self)
            let line = Line(
                text: number == 1 && text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text,
                range: range
            )
            if line.text.hasPrefix("###") {
                parser.finish(&blocks[blocks.count - 1])
                parser = HTTPFileParser()
                blocks.append(HTTPFileBlock())
                blocks[blocks.count - 1].title = String(line.text.drop { $0 == "#" }).trimmingSpaces
            } else if let headline = parser.read(line, into: &blocks[blocks.count - 1]) {
                diagnostics.report("import-syntax", headline, at: file.span(range))
                if diagnostics.count > 10 { break }
            }
        }
        parser.finish(&blocks[blocks.count - 1])
        return blocks
    }
}

/// Reads the lines of a block of a `.http` file.
struct HTTPFileParser {
    private enum State {
        case start, target, headers, body
        /// After the response handler.
        case end
        /// A response that a tool has saved.
        case response
    }

    private typealias Line = HTTPFileBlock.Line

    private var state = State.start
    /// The script that is not closed yet, and what closes it.
    private var script: (text: String, offset: Int, isHandler: Bool)?
    /// Whether the lines are a script of httpYac.
    private var isInBraces = false

    /// Reads a line; returns a headline if it is malformed.
    mutating func read(_ line: HTTPFileBlock.Line, into block: inout HTTPFileBlock) -> String? {
        if script != nil {
            append("\n" + line.text, to: &block)
            return nil
        }
        let text = line.trimmed
        if isInBraces {
            isInBraces = text != "}}"
            return nil
        }
        if state == .response { return nil }
        if text.isEmpty {
            if state == .target || state == .headers {
                state = .body
            } else if state == .body {
                block.body.append(line)
            }
            return nil
        }
        if let mark = ["#", "//"].first(where: text.hasPrefix) {
            readComment(String(text.dropFirst(mark.count)).trimmingSpaces, line, into: &block)
            return nil
        }
        if readScript(text, line, into: &block) { return nil }
        switch state {
        case .start: return readStart(text, line, into: &block)
        case .target:
            let isIndented = line.text.first.map { $0 == " " || $0 == "\t" } ?? false
            if "?&".contains(text.prefix(1))
                || isIndented && ("/=".contains(text.prefix(1)) || Self.header(text) == nil)
            {
                if text.hasPrefix("? ") || text.hasPrefix("?(") { return Self.dialect }
                block.target?.text += text
                return nil
            }
            state = .headers
            return readHeader(text, line, into: &block)
        case .headers:
            if line.text.first.map({ $0 == " " || $0 == "\t" }) ?? false, Self.header(text) == nil,
                !block.headers.isEmpty
            {
                block.headers[block.headers.count - 1].value += " " + text
                return nil
            }
            return readHeader(text, line, into: &block)
        case .body: block.body.append(line)
        case .end:
            block.losses.append(("'\(text.prefix(80))'", "it is after the response handler", line))
        case .response: break
        }
        return nil
    }

    /// Ends the block.
    mutating func finish(_ block: inout HTTPFileBlock) {
        if let script { close(script.text, &block) }
        while block.body.last?.trimmed.isEmpty ?? false { block.body.removeLast() }
        while block.body.first?.trimmed.isEmpty ?? false { block.body.removeFirst() }
    }

    // MARK: Comments and scripts

    private func readComment(_ text: String, _ line: Line, into block: inout HTTPFileBlock) {
        // A regular expression is compiled each time.
        guard text.hasPrefix("@"), let match = text.wholeMatch(of: #/@([A-Za-z][\w-]*)(?:\s*=\s*|\s+|$)(.*)/#) else {
            if !text.isEmpty { block.comments.append(text) }
            return
        }
        block.tags.append((String(match.1), String(match.2), line))
    }

    /// Reads the start of a script, or what a tool does with the response; false for another line.
    private mutating func readScript(_ text: String, _ line: Line, into block: inout HTTPFileBlock) -> Bool {
        guard text.first.map({ "<>{?".contains($0) }) ?? false else { return false }
        let isBefore = state == .start
        if let match = text.prefixMatch(of: isBefore ? #/<\s*\{%/# : #/>\s*\{%/#) {
            let indentation = line.text.utf8.count - line.text.drop(while: \.isWhitespace).utf8.count
            let mark = match.0.utf8.count
            script = ("", line.range.lowerBound + indentation + mark, !isBefore)
            append(String(text[match.range.upperBound...]), to: &block)
            if !isBefore { state = .end }
            return true
        }
        if let match = text.wholeMatch(of: isBefore ? #/<\s+(\S.*)/# : #/>\s+(\S+\.(?:js|mjs|ts))/#) {
            block.losses.append(("the script '\(match.1)'", "scripts in files are not read", line))
            if !isBefore { state = .end }
            return true
        }
        guard !isBefore else {
            guard text == "{{" || text.hasPrefix("{{@") else { return false }
            isInBraces = true
            block.losses.append(("the script", "scripts of httpYac are not imported", line))
            return true
        }
        if text.wholeMatch(of: #/>>!?\s+\S.*/#) != nil || text.wholeMatch(of: #/<>\s+\S.*/#) != nil {
            let path = String(text.drop { "<>!".contains($0) }).trimmingSpaces
            block.comments.append("\(text.hasPrefix("<>") ? "a saved response" : "saves the response"): \(path)")
            return true
        }
        if text.hasPrefix("?? ") {
            block.losses.append(("the assertion '\(text)'", "assertions of httpYac are not imported", line))
            return true
        }
        return false
    }

    private mutating func append(_ text: String, to block: inout HTTPFileBlock) {
        guard let end = text.firstRange(of: "%}") else {
            script?.text += text
            return
        }
        close((script?.text ?? "") + text[..<end.lowerBound], &block)
    }

    private mutating func close(_ text: String, _ block: inout HTTPFileBlock) {
        guard let script else { return }
        block.scripts.append(.init(text: text, offset: script.offset, isHandler: script.isHandler))
        self.script = nil
    }

    // MARK: Request lines and header fields

    private static let dialect =
        "this is the dialect of dothttp, which is not read; a request is 'METHOD URL', header fields, an empty line and a body"

    private mutating func readStart(_ text: String, _ line: Line, into block: inout HTTPFileBlock) -> String? {
        if text.hasPrefix("@"), let match = text.wholeMatch(of: #/@([^\s=(]+)\s*=\s*(.*)/#) {
            block.definitions.append((String(match.1), String(match.2)))
            return nil
        }
        if text.hasPrefix("@") || text.hasPrefix("var ") { return Self.dialect }
        if text.hasPrefix("HTTP/") {
            state = .response
            block.comments.append("a saved response: \(text)")
            return nil
        }
        let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        if words.count == 2, words[0] == "import" || words[0] == "run" {
            block.losses.append(("'\(text)'", "name the file as a source, too", line))
            return nil
        }
        if text.hasPrefix("curl ") {
            block.losses.append(("the command '\(text)'", "import it with 'waybill import curl'", line))
            state = .response
            return nil
        }
        let url = words.count == 2 && HTTPFileRequest.isMethod(words[0]) ? words[1] : text[...]
        if "\"'".contains(url.prefix(1)) { return Self.dialect }
        let host = url.prefix { $0.isLetter || $0.isNumber || "_-".contains($0) }
        let rest = url[host.endIndex...].prefix(2)
        let isHost = ":/".contains(rest.prefix(1)) || rest.first == "." && rest.count > 1 && !rest.hasSuffix(" ")
        guard
            url.hasPrefix("{{") || url.hasPrefix("/") || url == "*" || url.hasPrefix("* ")
                || !host.isEmpty && !rest.isEmpty && isHost || host.lowercased() == "localhost"
        else {
            return "expected a request line such as 'GET https://example.com/orders'"
        }
        block.target = Line(text: text, range: line.range)
        state = .target
        return nil
    }

    private func readHeader(_ text: String, _ line: Line, into block: inout HTTPFileBlock) -> String? {
        if let (name, value) = Self.header(text) {
            block.headers.append((name, value, line))
            return nil
        }
        let isOther = text.hasPrefix("\"") || text.wholeMatch(of: #/[a-z]+\s*\(.*/#) != nil
        return isOther ? Self.dialect : "expected a header field 'Name: value', or an empty line before the body"
    }

    /// The name and value of a header field.
    private static func header(_ text: String) -> (name: String, value: String)? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0]).trimmingSpaces
        return parts.count == 2 && name.isToken ? (name, String(parts[1]).trimmingSpaces) : nil
    }
}
