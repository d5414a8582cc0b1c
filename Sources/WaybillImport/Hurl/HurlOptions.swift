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
    private(set) var interval = "1s"

    private let isSecure: Bool
    private var user: ImportedText?
    private var signature: [String] = []
    private var isDigest = false
    private var tls: [ManifestEntry] = []

    /// Reads the lines of `[Options]`.
    ///
    /// - Parameter isSecure: Whether the URL is an https URL.
    init(_ cursor: inout HurlCursor, isSecure: Bool) throws(HurlSyntaxError) {
        self.isSecure = isSecure
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
            } else if let reason = try read(name, value, at: location) {
                losses.append(ImportLoss("the option '\(name): \(ManifestWriter.source(value))'", reason, at: span))
            }
        }
        if follows { settings.append(ManifestEntry("redirects", .literal(maximum == 0 ? "false" : "\(maximum)"))) }
        if !tls.isEmpty { settings.append(ManifestEntry("tls", .map(tls))) }
        addAuthentication()
    }

    private static let flags: Set<String> = [
        "compressed", "digest", "http1.0", "http1.1", "http2", "http3", "insecure", "ipv4", "ipv6", "location",
        "location-trusted", "netrc", "netrc-optional", "path-as-is", "skip", "verbose", "very-verbose",
    ]

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
    private mutating func read(_ name: String, _ value: ImportedText, at location: Int) throws(HurlSyntaxError)
        -> String?
    {
        let none = "a manifest has no setting for it"
        let text = value.literal
        let isOn = text == "true"
        if let text, Self.flags.contains(name), text != "true", text != "false" {
            throw HurlSyntaxError("expected true or false", at: location)
        }
        switch name {
        case "user": user = value
        case "header":
            let (field, rest) = value.split(before: [":"])
            guard let field = field.literal, let rest else { return "it is not a header field" }
            headers.append(ImportedField(field, rest.droppingFirst(rest.startsWith(": ") == nil ? 1 : 2)))
        case _ where text == nil: return "its value is computed"
        case "verbose", "very-verbose", "verbosity", "path-as-is", "no-json-path-coercion", "no-jsonpath-coercion":
            return name == "path-as-is" && isOn || name.hasPrefix("no-") && isOn ? none : nil
        case "location": follows = isOn
        case "location-trusted" where isOn:
            follows = true
            return "another server never receives the credentials"
        case "insecure": if isOn { tls.append(ManifestEntry("verify", .literal("false"))) }
        case "cacert", "cert", "key":
            // After a colon, there is the password of the certificate.
            let file = name == "cert" ? (text ?? "").split(separator: ":").first.map(String.init) ?? "" : text ?? ""
            let (path, isMoved) = FileReference.inside(file)
            let keys = ["cacert": "ca", "cert": "certificate", "key": "key"]
            tls.append(ManifestEntry(keys[name], .string(path)))
            if file != text ?? "" { return "a manifest has no password for a certificate" }
            if isMoved { return "copy the file next to the manifest, as \(path)" }
        case "compressed": settings.append(ManifestEntry("compression", .literal(isOn ? "true" : "false")))
        case "max-time", "connect-timeout", "delay", "retry-interval":
            guard let time = Self.duration(text ?? "") else {
                throw HurlSyntaxError("expected a duration such as 500ms or 2s", at: location)
            }
            switch name {
            case "delay" where time == "0m": break
            case "delay": stepSettings.append(ManifestEntry("delay", .literal(time)))
            case "retry-interval": interval = time
            default: settings.append(ManifestEntry(name == "max-time" ? "timeout" : "connectTimeout", .literal(time)))
            }
        case "http1.1" where isOn: settings.append(ManifestEntry("http", .string("1.1")))
        case "http2" where isOn && isSecure: settings.append(ManifestEntry("http", .string("2")))
        case "aws-sigv4":
            signature = (text ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        case "digest": isDigest = isOn
        case "netrc", "netrc-optional": if isOn { auth = .netrc(".netrc") }
        case "netrc-file": auth = .netrc(FileReference.inside(text ?? "").name)
        case "proxy" where ["http://", "https://", "socks5://", "socks5h://"].contains { text?.hasPrefix($0) ?? false }:
            guard text?.contains("@") == false else { return "write the credentials into 'proxy', as a secret" }
            settings.append(ManifestEntry("proxy", .string(text ?? "")))
        case "resolve":
            let parts = (text ?? "").split(separator: ":", maxSplits: 2).map(String.init)
            guard parts.count == 3, Int(parts[1]) != nil, !parts[2].contains(",") else { return none }
            settings.append(ManifestEntry("resolve", .map(("\(parts[0]):\(parts[1])", .string(parts[2])))))
        case "unix-socket": settings.append(ManifestEntry("unixSocket", .string(text ?? "")))
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
            stepSettings.append(
                ManifestEntry(
                    "forEach",
                    .map(("in", .string("range(\(count))")), ("as", .string("turn")), ("concurrency", .literal("1")))
                )
            )
        case "output": return "'download' stores a response in a file"
        default: return text == "false" ? nil : none
        }
        return nil
    }

    /// A duration such as `500`, `500ms` or `2s` in the form of manifests; milliseconds are the default.
    private static func duration(_ text: String) -> String? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units = ["": 1, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
        guard let unit = units[String(text.dropFirst(digits.count))], let number = Int(digits), number < 1_000_000_000
        else { return nil }
        return CurlSettings.duration(Double(number * unit) / 1000)
    }

    private mutating func addAuthentication() {
        guard let user else { return }
        let (name, rest) = user.split(before: [":"])
        let password = rest?.droppingFirst(1) ?? ""
        guard signature.isEmpty else {
            let fields = [
                ("region", ImportedText(signature.count > 2 ? signature[2] : "us-east-1")),
                ("service", ImportedText(signature.count > 3 ? signature[3] : "execute-api")),
                ("accessKey", name), ("secretKey", password),
            ]
            auth = .members(kind: "awsSigV4", fields.map { ImportedField($0.0, $0.1) })
            return
        }
        auth = isDigest ? .digest(username: name, password: password) : .basic(username: name, password: password)
    }
}
