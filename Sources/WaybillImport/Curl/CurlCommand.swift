import WaybillDiagnostics

/// The arguments of one curl command, before `--next`: what its options say.
struct CurlCommand {
    /// The value of an option, and where it is.
    struct Value {
        var text: ImportedText
        var span: SourceSpan
        /// The value, if no variables are in it; otherwise as the source writes it.
        var string: String { ManifestWriter.source(text) }
    }

    /// The values of options with one, in order, by long name. The kinds of data share `data`, those of forms `form`.
    private(set) var values: [String: [Value]] = [:]
    /// Data in order, with the name of the option.
    private(set) var data: [(option: String, value: Value)] = []
    /// The parts of a form, in order, with the name of the option.
    private(set) var form: [(option: String, value: Value)] = []
    /// The switches that are on.
    private(set) var switches: Set<String> = []
    private(set) var urls: [Value] = []
    var losses: [ImportLoss] = []

    /// The last value of an option.
    func value(_ name: String) -> Value? { values[name]?.last }

    /// Whether a switch is on.
    func has(_ name: String) -> Bool { switches.contains(name) }

    /// The size of its options in bytes, with what each takes in memory.
    var size: Int {
        let all = values.values.joined() + data.map(\.value) + form.map(\.value)
        return all.reduce(100 * losses.count) { $0 + 100 + $1.string.utf8.count }
    }

    /// Adds an option.
    mutating func add(_ name: String, _ value: Value) {
        if name.hasPrefix("data") || name == "json" {
            data.append((name, value))
        } else if name == "form" || name == "form-string" {
            form.append((name, value))
        } else if name == "url" {
            urls.append(value)
        } else {
            values[name, default: []].append(value)
        }
    }

    /// Turns a switch on or off.
    mutating func set(_ name: String, to isOn: Bool) {
        if isOn { switches.insert(name) } else { switches.remove(name) }
        // The last of these decides.
        if isOn, ["basic", "digest", "anyauth"].contains(name) {
            switches.subtract(Set(["basic", "digest", "anyauth"]).subtracting([name]))
        }
    }
}

/// Reads the arguments of curl commands.
struct CurlArguments {
    typealias Value = CurlCommand.Value

    /// The configuration files that are among the sources, by path.
    let configurations: [String: SourceFile]
    private(set) var commands = [CurlCommand()]
    private(set) var diagnostics: [Diagnostic] = []
    /// The number of configuration files that are being read, which may name each other.
    private var depth = 0

    init(configurations: [String: SourceFile]) { self.configurations = configurations }

    /// Reads the words after `curl`.
    mutating func read(_ words: [Value]) {
        var words = words[...]
        var areOptionsOver = false
        while let word = words.popFirst() {
            let text = word.text.literal ?? ""
            if areOptionsOver || !text.hasPrefix("-") || text == "-" {
                commands[commands.count - 1].add("url", word)
            } else if text == "--" {
                areOptionsOver = true
            } else if text.hasPrefix("--") {
                if let option = CurlOption.named(String(text.dropFirst(2))) {
                    read(option, word, rest: "", &words)
                } else {
                    lose("the option '\(text)'", "it is not one of curl's", at: word.span)
                }
            } else {
                readShort(word, &words)
            }
        }
    }

    /// Reads `-sSd value` or `-dvalue`.
    private mutating func readShort(_ word: Value, _ words: inout ArraySlice<Value>) {
        var rest = word.text.droppingFirst(1)
        while case .literal(let letters) = rest.parts.first, let letter = letters.unicodeScalars.first {
            rest = rest.droppingFirst(1)
            guard let option = CurlOption.short(letter) else {
                lose("the option '-\(letter)'", "it is not one of curl's", at: word.span)
                continue
            }
            read(option, word, rest: rest, &words)
            if option.hasValue { return }
        }
    }

    private mutating func lose(_ what: String, _ reason: String, at span: SourceSpan) {
        commands[commands.count - 1].losses.add(what, reason, at: span)
    }

    /// Reads an option, whose value is the rest of its word or the next word.
    private mutating func read(
        _ option: CurlOption,
        _ word: Value,
        rest: ImportedText,
        _ words: inout ArraySlice<Value>
    ) {
        let name = option.name
        var value: Value?
        if option.hasValue {
            value = rest.isEmpty ? words.popFirst() : Value(text: rest, span: word.span)
            if value == nil {
                return diagnostics.report("import-syntax", "the option --\(name) requires a value", at: word.span)
            }
        }
        switch option.effect {
        case .output: break
        case .unsupported where option.isOn:
            let isSecret = ["pass", "password", "user"].contains { name.hasSuffix($0) }
            let field = name == "proxy-header" ? value?.string.prefix { $0 != ":" } ?? "" : ""
            let shown = value.map { " \(!field.isEmpty ? "\(field): ***" : isSecret ? "***" : $0.string)" } ?? ""
            lose("the option '--\(name)\(shown)'", "a manifest has no setting for it", at: word.span)
        case .unsupported: break
        case .used where name == "next": commands.append(CurlCommand())
        case .used:
            if name == "config", let value {
                readConfiguration(value)
            } else if let value {
                commands[commands.count - 1].add(name, value)
            } else {
                commands[commands.count - 1].set(name, to: option.isOn)
            }
        }
    }

    private mutating func readConfiguration(_ path: Value) {
        guard let file = configurations[path.string], depth < 5 else {
            let reason = "only files that are named on the command line are read: name it, too"
            return lose("the configuration file '\(path.string)'", reason, at: path.span)
        }
        depth += 1
        read(CurlConfiguration.words(of: file))
        depth -= 1
    }
}

/// A configuration file of curl: an option on each line, without its dashes.
enum CurlConfiguration {
    /// Whether a text is a configuration file: its first line that is no comment starts with an option.
    static func isConfiguration(_ text: String) -> Bool {
        for line in text.split(whereSeparator: \.isNewline) {
            let word = line.drop { $0 == " " || $0 == "\t" }.prefix {
                $0.isLetter || $0.isNumber || $0 == "-" || $0 == "."
            }
            if word.isEmpty { continue }
            let name = word.drop { $0 == "-" }
            return CurlOption.known[String(name)] != nil && name != "curl"
        }
        return false
    }

    /// Returns the words of a configuration file as arguments.
    static func words(of file: SourceFile) -> [CurlCommand.Value] {
        var words: [CurlCommand.Value] = []
        var start = 0
        for line in file.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let span = SourceSpan(file: file, range: start..<(start + line.count))
            start += line.count + 1
            let text = String(decoding: line, as: UTF8.self).filter { $0 != "\r" }.drop { $0 == " " || $0 == "\t" }
            if text.isEmpty || text.hasPrefix("#") { continue }
            let name = text.prefix { $0 != " " && $0 != "\t" && $0 != "=" && $0 != ":" }
            let rest = text[name.endIndex...].drop { $0 == " " || $0 == "\t" || $0 == "=" || $0 == ":" }
            let dashed = name.hasPrefix("-") ? String(name) : "--\(name)"
            words.append(CurlCommand.Value(text: ImportedText(dashed), span: span))
            if !rest.isEmpty { words.append(CurlCommand.Value(text: ImportedText(value(rest)), span: span)) }
        }
        return words
    }

    /// Returns a value without its quotes and escapes.
    private static func value(_ text: Substring) -> String {
        guard text.hasPrefix("\"") else { return String(text.prefix { $0 != " " && $0 != "\t" }) }
        var rest = text
        let controls: [Character: String] = ["t": "\t", "n": "\n", "r": "\r", "v": "\u{B}"]
        return rest.readQuoted { controls[$0] ?? String($0) }
    }
}
