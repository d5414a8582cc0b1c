import WaybillDiagnostics

/// Reads curl commands and configuration files of curl.
struct CurlReader: ImportReader {
    private var collection = ImportedCollection()
    private var diagnostics: [Diagnostic] = []
    private var configurations: [String: SourceFile] = [:]
    /// The names of the collection for the shell's variables.
    private var names: [String: String] = [:]
    private var variableNames = UniqueNames()
    /// Whether curl would offer compression for all requests, for none, or for some.
    private var requests: [(request: ImportedRequest, isCompressed: Bool)] = []

    /// Returns the requests of some sources: scripts with curl commands, or configuration files.
    static func read(_ sources: [SourceFile], _ options: ImportOptions) -> ImportResult {
        var reader = CurlReader()
        let texts = sources.map { String(decoding: $0.bytes, as: UTF8.self) }
        let areConfigurations = texts.map { CurlConfiguration.isConfiguration($0) }
        for (source, isConfiguration) in zip(sources, areConfigurations) where isConfiguration {
            reader.configurations[source.name] = source
        }
        for (index, source) in sources.enumerated() where !areConfigurations[index] {
            let isPrompt = CommandPrompt.isUsed(in: texts[index])
            reader.readScript(
                isPrompt ? SourceFile(name: source.name, text: CommandPrompt.converted(texts[index])) : source
            )
        }
        if !areConfigurations.contains(false) {
            for source in sources {
                reader.readCommand(CurlConfiguration.words(of: source), input: nil, comments: [], in: source)
            }
        }
        return (reader.finished(), reader.diagnostics)
    }

    /// The maximum size of all requests of one command together, in bytes.
    private static let maximumSize = 64 << 20

    static let description = "curl commands"
    static let fileExtensions = [".sh", ".bash", ".curl", ".cmd", ".bat"]

    /// Whether a text is a script with a curl command, or a configuration file of curl.
    static func recognizes(_ source: RecognizedText) -> Bool {
        CurlConfiguration.isConfiguration(source.text)
            || source.text.split(whereSeparator: \.isNewline).contains { line in
                let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
                return words.first { !prefixes.contains($0) && !$0.contains("=") }.map(isCurl) ?? false
            }
    }

    /// The words that can be before the name of a command.
    private static let prefixes: Set = ["$", "{", "command", "do", "env", "exec", "sudo", "then", "time"]

    private static func isCurl(_ word: String) -> Bool {
        let name = word.split { $0 == "/" || $0 == "\\" }.last ?? ""
        return name == "curl" || name == "curl.exe"
    }

    /// Reads the commands of a script.
    private mutating func readScript(_ file: SourceFile) {
        var lexer = ShellLexer(file)
        let tokens = lexer.tokens()
        diagnostics += lexer.diagnostics
        guard lexer.diagnostics.isEmpty else { return }
        collection.losses += lexer.losses
        var words: [CurlCommand.Value] = []
        var comments: [String] = []
        var input: ImportedText?
        var skipsWord = false
        var isPiped = false
        var count = 0
        func flush(_ reader: inout CurlReader, separator: String) {
            defer { (words, input, isPiped) = ([], nil, separator == "|") }
            guard let first = words.first else { return }
            while let word = words.first, Self.prefixes.contains(word.string) { words.removeFirst() }
            while words.count > 1, let pair = Self.assignment(words[0]), reader.addVariable(pair) {
                words.removeFirst()
            }
            guard let command = words.first else { return }
            if Self.isCurl(command.string) {
                count += 1
                reader.readCommand(Array(words.dropFirst()), input: input, comments: comments, in: file)
                comments = []
            } else if words.count == 1, let pair = Self.assignment(command), reader.addVariable(pair) {
                return
            } else if command.string == "export" {
                for word in words.dropFirst() { if let pair = Self.assignment(word) { _ = reader.addVariable(pair) } }
            } else if !["set", "cd", "echo", "fi", "done", "}"].contains(command.string) {
                let text = words.map(\.string).joined(separator: " ")
                let reason = isPiped ? "it only reads the response" : "only curl is imported"
                reader.collection.losses.add("the command '\(text)'", reason, at: first.span)
            }
        }
        for token in tokens {
            switch token {
            case .word(let text, let range):
                if skipsWord {
                    skipsWord = false
                } else {
                    words.append(.init(text: current(text), span: SourceSpan(file: file, range: range)))
                }
            case .comment(let comment):
                let text = comment.drop { $0 == " " }.filter { $0 != "\r" }
                if !text.isEmpty, !comment.hasPrefix("!") { comments.append(String(text)) }
            case .separator(let separator):
                if separator == "||", let first = words.first {
                    let reason = "both commands are steps; neither is left out"
                    collection.losses.add("the operator '||'", reason, at: first.span)
                }
                flush(&self, separator: separator)
            case .redirection: skipsWord = true
            case .input(let text): input = current(text)
            }
        }
        flush(&self, separator: "")
        if count == 0, diagnostics.isEmpty {
            diagnostics.report("unknown-source", "\(file.name) has no curl command", at: file.start)
        }
    }

    /// The parts of `NAME=value`.
    private static func assignment(_ word: CurlCommand.Value) -> (name: String, value: ImportedText)? {
        guard case (let name, let value?) = word.text.split(before: ["="]), let name = name.literal,
            NameForms.kept(name) == name,
            !name.contains("-")
        else { return nil }
        return (name, value.droppingFirst(1))
    }

    /// Adds a variable. One that is set again gets another name: `URL2`.
    private mutating func addVariable(_ pair: (name: String, value: ImportedText)) -> Bool {
        let known = collection.variables.last { $0.name == names[pair.name] }
        if let known, known.value == pair.value { return true }
        let name = variableNames.add(pair.name)
        names[pair.name] = name
        collection.variables.append(ImportedVariable(name: name, value: pair.value))
        return true
    }

    /// Returns a text with the names that its variables have at this place of the script.
    private func current(_ text: ImportedText) -> ImportedText {
        ImportedText(text.parts.map { if case .variable(let name) = $0 { .variable(names[name] ?? name) } else { $0 } })
    }

    /// Reads the arguments of a command, and adds its requests.
    private mutating func readCommand(
        _ words: [CurlCommand.Value],
        input: ImportedText?,
        comments: [String],
        in file: SourceFile
    ) {
        var arguments = CurlArguments(configurations: configurations)
        arguments.read(words)
        diagnostics += arguments.diagnostics
        var comments = comments
        for command in arguments.commands {
            guard !command.urls.isEmpty else {
                let span =
                    words.first.map { $0.span.through(words.last?.span ?? $0.span) }
                    ?? file.start
                diagnostics.report("import-syntax", "the curl command has no URL", at: span)
                continue
            }
            // Each request has all options.
            let addresses = command.urls.map { CurlGlob.addresses($0.text, isOff: command.has("globoff")) }
            guard addresses.joined().count * command.size <= Self.maximumSize else {
                diagnostics.report("import-syntax", "the curl command has too many URLs", at: command.urls[0].span)
                continue
            }
            for (url, addresses) in zip(command.urls, addresses) {
                let rest = ServiceAddress(url.text)
                let isExpanded = addresses != [url.text] || command.has("globoff")
                let hasGlob = [rest.path, rest.query].contains {
                    $0?.literal?.contains(where: { "[{".contains($0) }) ?? false
                }
                for address in addresses {
                    var maker = CurlRequest(command, url: address, span: url.span, input: input)
                    var request = maker.request()
                    if hasGlob, !isExpanded {
                        let reason = "it is invalid, or has more than 100 URLs"
                        request.losses.add("the glob of the URL", reason, at: url.span)
                    }
                    request.comments = comments + request.comments
                    comments = []
                    requests.append((request, command.has("compressed")))
                }
            }
        }
    }

    /// Returns the collection. Without `--compressed`, curl does not offer to decode compressed bodies.
    private mutating func finished() -> ImportedCollection {
        let without = ManifestEntry("compression", .literal("false"))
        let isUsuallyWithout = requests.count { $0.isCompressed } * 2 < requests.count
        if isUsuallyWithout { collection.settings.append(without) }
        collection.items = requests.map { request, isCompressed in
            var request = request
            if !isCompressed, !isUsuallyWithout { request.settings.append(without) }
            if isCompressed, isUsuallyWithout {
                request.settings.append(ManifestEntry("compression", .literal("true")))
            }
            return .request(request)
        }
        return collection
    }
}

/// The globs of curl's URLs: `{a,b}` and `[1-3]`.
enum CurlGlob {
    /// The maximum number of URLs of one glob.
    private static let maximum = 100

    /// Returns the URLs that a URL stands for; itself if it has no globs, or too many URLs.
    static func addresses(_ url: ImportedText, isOff: Bool) -> [ImportedText] {
        guard !isOff, let literal = url.literal, let expanded = expand(literal[...]), expanded.count <= maximum else {
            return [url]
        }
        return expanded.map { ImportedText($0) }
    }

    private static func expand(_ text: Substring) -> [String]? {
        guard let open = text.firstIndex(where: { $0 == "{" || $0 == "[" }) else { return [String(text)] }
        let isList = text[open] == "{"
        guard let close = text[open...].firstIndex(of: isList ? "}" : "]") else { return nil }
        let inner = text[text.index(after: open)..<close]
        let alternatives: [String]
        if isList {
            alternatives = inner.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        } else {
            guard let range = range(inner) else { return nil }
            alternatives = range
        }
        guard let rest = expand(text[text.index(after: close)...]), alternatives.count * rest.count <= maximum else {
            return nil
        }
        return alternatives.flatMap { alternative in rest.map { text[..<open] + alternative + $0 } }
    }

    /// The elements of `1-3`, `01-10` or `a-c`, perhaps with `:step`.
    private static func range(_ text: Substring) -> [String]? {
        let parts = text.split(separator: ":")
        guard parts.count <= 2, let bounds = parts.first?.split(separator: "-"), bounds.count == 2,
            let step = parts.count == 2 ? Int(parts[1]) : 1, step > 0
        else { return nil }
        if let first = Int(bounds[0]), let last = Int(bounds[1]), first <= last, (last - first) / step < maximum {
            return stride(from: first, through: last, by: step).map { number in
                let digits = String(number)
                let zeros = bounds[0].hasPrefix("0") ? bounds[0].count - digits.count : 0
                return String(repeating: "0", count: max(0, zeros)) + digits
            }
        }
        guard bounds[0].utf8.count == 1, bounds[1].utf8.count == 1, let first = bounds[0].utf8.first,
            let last = bounds[1].utf8.first,
            first <= last, NameForms.isLetter(UnicodeScalar(first))
        else { return nil }
        return stride(from: first, through: last, by: step).map { String(UnicodeScalar($0)) }
    }
}
