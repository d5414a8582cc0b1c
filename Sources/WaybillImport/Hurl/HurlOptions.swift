import WaybillDiagnostics

/// The options of an entry, as settings of a request and of its step.
struct HurlOptions {
    private(set) var settings: [ManifestEntry] = []
    private(set) var stepSettings: [ManifestEntry] = []
    private(set) var assignments: [(variable: String, value: ImportedText)] = []
    private(set) var headers: [ImportedField] = []
    private(set) var auth: ImportedAuth?
    private(set) var losses: [ImportLoss] = []
    private(set) var follows = false
    /// The maximum number of repetitions; -1 for no maximum.
    private(set) var retries = 0
    /// The time between repetitions.
    private(set) var interval = ManifestNode.duration(1)

    /// The options that curl has, too.
    private var command = CurlCommand()
    private let url: ImportedText

    /// Reads the lines of `[Options]` for a request to a URL.
    init(_ cursor: inout HurlCursor, url: ImportedText) throws(HurlSyntaxError) {
        self.url = url
        var maximum = 10
        while true {
            try cursor.skipLines()
            let start = cursor.position
            guard let name = try cursor.key()?.literal else { break }
            guard Self.known.contains(name) else {
                throw HurlSyntaxError("the option '\(name)' does not exist", at: start)
            }
            if name == "variable" {
                try readVariable(&cursor)
                continue
            }
            let location = cursor.position
            let value = try cursor.unquoted()
            let span = cursor.file.span(start..<cursor.position)
            try cursor.endLine()
            if name == "max-redirs", let count = value.literal.flatMap({ Int($0) }) {
                maximum = count < 0 || count > 100 ? 100 : count
            } else if let reason = try read(name, CurlCommand.Value(text: value, span: span), at: location) {
                losses.add("the option '\(name): \(ManifestWriter.source(value))'", reason, at: span)
            }
        }
        if follows { settings.append(ManifestEntry("redirects", .literal(maximum == 0 ? "false" : "\(maximum)"))) }
        let curl = CurlSettings(command, url: url)
        auth = curl.auth
        settings += curl.entries
        losses += curl.losses
    }

    /// Whether an option is true or false.
    private static func isFlag(_ name: String) -> Bool {
        name == "skip" || name == "very-verbose" || CurlOption.known[name].map { !$0.hasValue } ?? false
    }

    private static let known: Set<String> = [
        "aws-sigv4", "cacert", "cert", "compressed", "connect-to", "connect-timeout", "delay", "digest", "header",
        "http1.0", "http1.1", "http2", "http3", "insecure", "ipv4", "ipv6", "key", "limit-rate", "location",
        "location-trusted", "max-redirs", "max-time", "negotiate", "netrc", "netrc-file", "netrc-optional",
        "no-cookie-store", "no-json-path-coercion", "no-jsonpath-coercion", "ntlm", "output", "path-as-is",
        "pinnedpubkey", "proxy", "repeat", "resolve", "retry", "retry-interval", "skip", "unix-socket", "user",
        "variable", "variables-file", "verbose", "verbosity", "very-verbose", "use-cookies", "cookie-jar",
        "skip-assert", "no-assert",
    ]

    /// Reads `NAME=VALUE`, whose value has a type.
    private mutating func readVariable(_ cursor: inout HurlCursor) throws(HurlSyntaxError) {
        let name = cursor.word(and: "_-")
        cursor.skipSpaces()
        try cursor.expect("=")
        cursor.skipSpaces()
        let isQuoted = cursor.has("\"")
        let value = isQuoted ? try cursor.quoted() : try cursor.unquoted()
        try cursor.endLine()
        assignments.append((cursor.names[name] ?? name, isQuoted ? value : Self.typed(value)))
    }

    /// Returns a value as a number, boolean or null if it is one.
    static func typed(_ value: ImportedText) -> ImportedText {
        guard let text = value.literal else { return value }
        let isNumber = Double(text) != nil && text.utf8.allSatisfy { "0123456789-.".utf8.contains($0) }
        guard isNumber || ["true", "false", "null"].contains(text) else { return value }
        return ImportedText([.expression(text)])
    }

    /// Reads an option, and returns why it cannot be imported.
    private mutating func read(_ name: String, _ value: CurlCommand.Value, at location: Int) throws(HurlSyntaxError)
        -> String?
    {
        let none = "a manifest has no setting for it"
        let text = value.text.literal
        let isOn = text == "true"
        if let text, Self.isFlag(name), text != "true", text != "false" {
            throw HurlSyntaxError("expected true or false", at: location)
        }
        switch name {
        case "user": command.add(name, value)
        case "header":
            let (field, rest) = value.text.split(before: [":"])
            guard let field = field.literal, let rest else { return "it is not a header field" }
            headers.append(ImportedField(field, rest.droppingFirst(rest.startsWith(": ") == nil ? 1 : 2)))
        case _ where text == nil: return "its value is computed"
        case "verbose", "very-verbose", "verbosity", "path-as-is", "no-json-path-coercion", "no-jsonpath-coercion":
            return name == "path-as-is" && isOn || name.hasPrefix("no-") && isOn ? none : nil
        case "location": follows = isOn
        case "location-trusted" where isOn:
            follows = true
            return "another server never receives the credentials"
        case "compressed": settings.append(ManifestEntry("compression", .literal(isOn ? "true" : "false")))
        case "max-time", "connect-timeout", "delay", "retry-interval":
            guard let time = Self.seconds(text ?? "") else {
                throw HurlSyntaxError("expected a duration such as 500ms or 2s", at: location)
            }
            switch name {
            case "delay" where time == 0: break
            case "delay": stepSettings.append(ManifestEntry("delay", .duration(time)))
            case "retry-interval": interval = .duration(time)
            default: command.add(name, CurlCommand.Value(text: ImportedText("\(time)"), span: value.span))
            }
        case "http2" where isOn && url.startsWith("https://") != nil:
            settings.append(ManifestEntry("http", .string("2")))
        case "retry":
            guard let count = text.flatMap({ Int($0) }), count >= -1 else {
                throw HurlSyntaxError("expected a number", at: location)
            }
            retries = count
        case "skip": if isOn { stepSettings.insert(ManifestEntry("when", .literal("false")), at: 0) }
        case "repeat":
            guard let count = text.flatMap({ Int($0) }) else {
                throw HurlSyntaxError("expected a number", at: location)
            }
            guard count >= 0 else { return "a step cannot be repeated for ever" }
            if count == 0 { stepSettings.insert(ManifestEntry("when", .literal("false")), at: 0) }
            guard count > 1 else { return nil }
            let turns: [(String, ManifestNode)] = [
                ("in", .plain("range(\(count))")), ("as", .string("turn")), ("concurrency", .literal("1")),
            ]
            stepSettings.append(ManifestEntry("forEach", .map(turns.map { ManifestEntry($0.0, $0.1) })))
        case "output": return "'download' stores a response in a file"
        case "http2", "cookie-jar": return text == "false" ? nil : none
        default:
            guard let option = CurlOption.known[name], option.effect == .used else {
                return text == "false" ? nil : none
            }
            if option.hasValue { command.add(name, value) } else { command.set(name, to: isOn) }
        }
        return nil
    }

    /// The seconds of a duration such as `500`, `500ms` or `2s`; milliseconds are the default.
    private static func seconds(_ text: String) -> Double? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units = ["": 1, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
        guard let unit = units[String(text.dropFirst(digits.count))], let number = Int(digits), number < 1_000_000_000
        else { return nil }
        return Double(number * unit) / 1000
    }
}
