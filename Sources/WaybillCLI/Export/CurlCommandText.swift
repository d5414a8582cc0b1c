import WaybillDiagnostics
import WaybillExecution
import WaybillExpressions
import WaybillFormats
import WaybillImport
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillRuntime
import WaybillTransport

/// Writes the requests of a plan as curl commands for a POSIX shell.
struct CurlCommandText {
    private let previews: RequestPreviews
    private let plan: Plan
    /// The shell variables of values that are not known, by their marks.
    private var variables: [String: String] = [:]
    private var taken = NameForms.takenVariables
    /// The variables of the command that is being written, with what they contain.
    private var used: [(name: String, meaning: String)] = []
    /// What the command that is being written does not do.
    private var notes: [String] = []
    /// The command that writes its standard input, if that cannot be an argument.
    private var input: String?

    init(_ previews: RequestPreviews, of plan: Plan) {
        (self.previews, self.plan) = (previews, plan)
        for placeholder in previews.placeholders {
            let secret = plan.declaredSecrets.first { placeholder.expression == "secrets.\($0.name)" }
            let name = secret?.source.variable.flatMap { Self.isVariable($0) ? $0 : nil }
            variables[placeholder.mark] = unique(name ?? Self.variable(for: placeholder.expression))
        }
    }

    /// Returns the commands, each after comments with the path of its step and its variables.
    ///
    /// - Parameter isChosen: Whether a step is written.
    mutating func text(of isChosen: (StepPlan) -> Bool) -> String {
        previews.steps.filter { isChosen($0.plan) }.map { command(for: $0) }.joined(separator: "\n")
    }

    private mutating func unique(_ name: String) -> String {
        var (result, number) = (name, 2)
        while !taken.insert(result).inserted { (result, number) = ("\(name)_\(number)", number + 1) }
        return result
    }

    /// Whether a shell can have a variable with this name.
    private static func isVariable(_ name: String) -> Bool {
        name.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
            && name.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || "0"..."9" ~= $0)
            }
    }

    /// A name for a value: `LOGIN_TOKEN` for `steps.login.outputs.token`.
    private static func variable(for expression: String) -> String {
        let words = expression.unicodeScalars.split {
            !$0.isASCII || !$0.properties.isAlphabetic && $0.properties.numericType == nil
        }
        .map { String(String.UnicodeScalarView($0)) }
        let general: Set<String> = ["steps", "outputs", "inputs", "data", "default", "null", "string", "vars"]
        let rest = words.filter { !general.contains($0) }
        let name = (rest.isEmpty ? words : rest).prefix(4).joined(separator: "_").uppercased()
        return name.isEmpty || name.first?.isNumber == true ? "VALUE" : name
    }

    private mutating func command(for step: RequestPreviews.Step) -> String {
        (used, notes, input) = ([], [], nil)
        var comments = [step.plan.path] + Self.repetitions(of: step.plan)
        let command: String
        switch step.preview {
        case .success(let preview):
            let words = words(preview, step.request)
            command = (input.map { "\($0) | " } ?? "") + Self.wrapped(words)
        case .failure(let failure):
            comments.append("not exported: \(failure.message)")
            command = ""
        }
        comments += notes
        comments += used.map { "$\($0.name): \($0.meaning)" }
        return comments.map { "# \(PrintableText.oneLine($0))\n" }.joined() + command
    }

    /// What a single command does not do.
    private static func repetitions(of step: StepPlan) -> [String] {
        let flow = step.flow
        var result: [String] = []
        if let when = flow?.when { result.append("only if \(when.expression.text)") }
        if flow?.forEach != nil { result.append("one element of 'forEach'") }
        if step.paginate != nil { result.append("the first page of 'paginate'") }
        if flow?.until != nil { result.append("one poll of 'until'") }
        return result
    }

    // MARK: Words

    /// The options of a request, each with its argument.
    private mutating func words(_ preview: RequestPreview, _ plan: RequestPlan) -> [String] {
        let request = preview.request
        let (settings, options) = (plan.settings, request.options)
        var fields = request.headers
        var words = [word(request.url, encoding: ", percent-encoded")]
        let body = self.body(request, fields)
        let implied = body.isEmpty ? "GET" : "POST"
        if request.method == "HEAD", body.isEmpty {
            words.append("--head")
        } else if request.method != implied {
            words.append("-X \(word(request.method))")
        }
        if let signature = preview.signature {
            words.append("--aws-sigv4 \(word("aws:amz:\(signature.scope)"))")
            words.append("-u \(secretWord(signature.credentials.prefix(2).joined(separator: ":"), "AWS_CREDENTIALS"))")
            if signature.credentials.count > 2 {
                words.append("-H \(word("X-Amz-Security-Token: \(signature.credentials[2])"))")
            }
            fields.removeAll { $0.isNamed("Authorization") }
        }
        if let netrc = preview.netrc {
            words.append("--netrc-file \(word(netrc))")
            fields.removeAll { $0.isNamed("Authorization") }
        }
        if case .digest(let username, let password) = options.credentials {
            words += ["--digest", "-u \(credentials(username, password))"]
        }
        if preview.needsToken {
            words.append("-H \"Authorization: Bearer $\(use("ACCESS_TOKEN", "a token of 'oauth2'"))\"")
        }
        words += fields.compactMap {
            headerWords($0, hasForm: body.contains { $0.hasPrefix("-F") || $0.hasPrefix("--form") })
        }
        // What curl would add.
        for name in ["Accept", "User-Agent"] + (body.isEmpty ? [] : ["Content-Type"]) {
            if !fields.contains(where: { $0.isNamed(name) }) { words.append("-H '\(name):'") }
        }
        words += body
        words += transferWords(request, settings, sendsAnywhere: sendsAnywhere(preview))
        return ["curl"] + words
    }

    private mutating func headerWords(_ field: HTTPField, hasForm: Bool) -> String? {
        // curl and Waybill have their own.
        if field.isNamed("User-Agent"), field.value.hasPrefix("waybill/") { return nil }
        if field.isNamed("Accept"), field.value == "*/*" { return nil }
        // curl chooses the boundary.
        if hasForm, field.isNamed("Content-Type") { return nil }
        if field.isNamed("Authorization"), field.isSensitive, field.value.hasPrefix("Basic "),
            let bytes = Base64.decode(String(field.value.dropFirst(6))),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        {
            return "-u \(credentials(String(text[..<colon]), String(text[text.index(after: colon)...])))"
        }
        if field.value.isEmpty { return "-H \(word("\(field.name);"))" }
        guard field.isSensitive, !field.value.contains(ValuePlaceholders.prefix) else {
            return "-H \(word("\(field.name): \(field.value)"))"
        }
        let words = field.value.split(separator: " ", maxSplits: 1)
        let scheme = field.isNamed("Authorization") && words.count == 2 ? "\(words[0]) " : ""
        let variable = use(Self.variable(for: field.name), "the header field \(field.name) of the manifest")
        return "-H \"\(field.name): \(scheme)$\(variable)\""
    }

    private mutating func credentials(_ username: String, _ password: String) -> String {
        if password.isEmpty || password.contains(ValuePlaceholders.prefix) { return word("\(username):\(password)") }
        return word("\(username):", end: "$\(use("PASSWORD", "the password in the manifest"))")
    }

    /// `-x`, and `-U` if the URL has a password of the manifest.
    private mutating func proxyWords(_ url: String) -> [String] {
        guard let start = url.firstRange(of: "://")?.upperBound, let at = url[start...].lastIndex(of: "@"),
            let colon = url[start..<at].firstIndex(of: ":"), !url[colon..<at].contains(ValuePlaceholders.prefix)
        else { return ["-x \(word(url))"] }
        let password = use("PROXY_PASSWORD", "the password in the proxy's URL")
        let address = url[..<start] + url[url.index(after: at)...]
        return ["-x \(word(String(address)))", "-U \(word(String(url[start...colon]), end: "$\(password)"))"]
    }

    private mutating func secretWord(_ text: String, _ name: String) -> String {
        text.contains(ValuePlaceholders.prefix) ? word(text) : "\"$\(use(name, "credentials of the manifest"))\""
    }

    /// Notes that the command uses a variable.
    private mutating func use(_ name: String, _ meaning: String) -> String {
        if !used.contains(where: { $0.name == name }) { used.append((name, meaning)) }
        return name
    }

    // MARK: Bodies

    private mutating func body(_ request: HTTPRequest, _ fields: [HTTPField]) -> [String] {
        let type = fields.first { $0.isNamed("Content-Type") }?.value ?? ""
        switch request.body {
        case .none:
            // A request with these methods has a length also without a body.
            return ["POST", "PUT", "PATCH"].contains(request.method) ? ["--data-raw ''"] : []
        case .file(let file): return ["--data-binary \(word("@\(file.path)"))"]
        case .bytes(let bytes):
            if let form = formWords([.bytes(bytes)], type) { return form }
            // An argument ends at a NUL, and a terminal changes other bytes.
            if let text = String(validating: bytes, as: UTF8.self), bytes.allSatisfy({ $0 >= 0x20 || $0 == 0x0A }) {
                let encoding =
                    type.hasPrefix("application/x-www-form-urlencoded")
                    ? ", percent-encoded" : type.contains("json") ? ", escaped as in JSON" : ""
                return ["--data-raw \(word(text, encoding: encoding))"]
            }
            input = printf(bytes)
            return ["--data-binary @-"]
        case .parts(let parts):
            if let form = formWords(parts, type) { return form }
            let commands = parts.map { part in
                switch part {
                case .bytes(let bytes): printf(bytes)
                case .file(let file): "cat \(word(file.path))"
                }
            }
            input = "{ \(commands.joined(separator: "; ")); }"
            return ["--data-binary @-"]
        }
    }

    /// Returns the parts of a multipart body as options; nil for another body.
    private mutating func formWords(_ parts: [BodyPart], _ type: String) -> [String]? {
        guard type.hasPrefix("multipart/form-data"), let start = type.firstRange(of: "boundary=") else { return nil }
        let boundary = type[start.upperBound...].split(separator: ";").first.map { $0.filter { $0 != "\"" } } ?? ""
        // Files are marks in the text while it is split.
        var files: [String] = []
        var text = ""
        for part in parts {
            switch part {
            case .bytes(let bytes):
                guard let string = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else { return nil }
                text += string
            case .file(let file):
                text += "\u{0}\(files.count)\u{0}"
                files.append(file.path)
            }
        }
        var words: [String] = []
        for piece in "\r\n\(text)".components("\r\n--\(boundary)").dropFirst() where !piece.hasPrefix("--") {
            // A line break is one character.
            let halves = piece.dropFirst().components("\r\n\r\n", maximum: 2)
            guard halves.count == 2, let word = partWord(halves[0], halves[1], files) else { return nil }
            words.append(word)
        }
        return words
    }

    private mutating func partWord(_ head: String, _ content: String, _ files: [String]) -> String? {
        var (name, filename, type): (String, String?, String?) = ("", nil, nil)
        var others: [String] = []
        for line in head.components("\r\n") {
            if line.lowercased().hasPrefix("content-disposition:") {
                guard let found = Self.parameter("name", line) else { return nil }
                (name, filename) = (found, Self.parameter("filename", line))
            } else if line.lowercased().hasPrefix("content-type: ") {
                type = String(line.dropFirst(14))
            } else {
                others.append(line)
            }
        }
        let pieces = content.components("\u{0}")
        let file = pieces.count == 3 && pieces[0].isEmpty && pieces[2].isEmpty ? Int(pieces[1]) : nil
        guard file != nil || pieces.count == 1, !name.contains("=") else { return nil }
        if file == nil, filename == nil, type == nil, others.isEmpty {
            return "--form-string \(word("\(name)=\(content)"))"
        }
        var text = "\(name)=" + (file.map { "@\(Self.quoted(files[$0]))" } ?? Self.quoted(content))
        if let filename { text += ";filename=\(Self.quoted(filename))" }
        if let type { text += ";type=\(type)" }
        for other in others { text += ";headers=\(Self.quoted(other))" }
        return "-F \(word(text))"
    }

    private static func parameter(_ name: String, _ line: String) -> String? {
        guard let start = line.firstRange(of: "; \(name)=\"") else { return nil }
        let rest = line[start.upperBound...]
        return rest.firstIndex(of: "\"").map { String(rest[..<$0]).replacing("%22", with: "\"") }
    }

    /// A string in the quotes of curl's option -F.
    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }

    // MARK: Transfers

    private mutating func transferWords(
        _ request: HTTPRequest,
        _ settings: Settings,
        sendsAnywhere: Bool
    ) -> [String] {
        let options = request.options
        // curl would send a request for each value of what it takes for a range or a list.
        var words = request.url.utf8.contains { "[]{}".utf8.contains($0) } ? ["-g"] : []
        let path = request.url.prefix { $0 != "?" && $0 != "#" }
        if path.split(separator: "/").contains(where: { [".", ".."].contains($0) }) { words.append("--path-as-is") }
        let redirects = settings.redirects?.value ?? RedirectsSetting.default
        if redirects > 0 {
            if sendsAnywhere {
                words.append("-L")
                if redirects != RedirectsSetting.default { words.append("--max-redirs \(redirects)") }
            } else {
                notes.append("no redirect is followed: curl would send to other origins what is only for this one")
            }
        }
        if request.acceptsCompression { words.append("--compressed") }
        if settings.timeout != nil { words.append("--max-time \(Self.seconds(request.timeout))") }
        if settings.connectTimeout != nil { words.append("--connect-timeout \(Self.seconds(request.connectTimeout))") }
        let tls = options.tls
        if !tls.verifiesPeer || !tls.verifiesHost { words.append("-k") }
        let files = [
            ("--cacert", tls.certificateAuthorities), ("--cert", tls.clientCertificate), ("--key", tls.clientKey),
            ("--unix-socket", options.unixSocket), ("--interface", options.interface),
        ]
        for (option, value) in files { if let value { words.append("\(option) \(word(value))") } }
        var keys: [String] = []
        for pin in tls.pins {
            switch pin {
            case .publicKey(let digest): keys.append("sha256//\(digest)")
            case .publicKeyOf(let file): words.append("--pinnedpubkey \(word(file))")
            default: _ = use("PINNED_CERTIFICATE", "not exported: curl has pins of public keys only")
            }
        }
        // Of several options, curl uses the last.
        if !keys.isEmpty { words.append("--pinnedpubkey \(word(keys.joined(separator: ";")))") }
        if let version = tls.minimumVersion { words.append("--tlsv\(version.rawValue)") }
        if case .url(let proxy) = options.proxy { words += proxyWords(proxy) }
        for (from, to) in options.resolve {
            words.append("--connect-to \(word("\(from.host):\(from.port):\(to.host):\(to.port)"))")
        }
        switch options.version {
        case .http1: words.append("--http1.1")
        case .http2: words.append("--http2")
        case .http2PriorKnowledge: words.append("--http2-prior-knowledge")
        case .auto: break
        }
        if case .jar(let path) = options.cookies { words.append("-b \(word(path.text)) -c \(word(path.text))") }
        return words
    }

    /// Whether curl sends nothing to the target of a redirect that a run does not send there: curl leaves out `Authorization`
    /// and `Cookie`, but no client certificate, and netrc files have an entry for any host.
    private func sendsAnywhere(_ preview: RequestPreview) -> Bool {
        let request = preview.request
        var other = request
        other.leaveOrigin()
        let fields = request.headers.filter { !$0.isNamed("Authorization") && !$0.isNamed("Cookie") }
        return preview.netrc == nil && preview.signature == nil && !request.isBodyForOrigin
            && fields.allSatisfy { field in other.headers.contains { $0.isNamed(field.name) } }
            && request.options.tls.clientCertificate == other.options.tls.clientCertificate
            && request.options.unixSocket == other.options.unixSocket
    }

    private static func seconds(_ duration: Duration) -> String {
        let (seconds, rest) = duration.components
        return rest == 0 ? "\(seconds)" : "\(Double(seconds) + Double(rest) / 1e18)"
    }

    // MARK: Quotes

    /// A string as one word of the shell, in which marks are variables.
    private mutating func word(_ text: String, end: String = "", encoding: String = "") -> String {
        var pieces: [(text: String, isVariable: Bool)] = []
        var rest = text[...]
        while let (head, name) = nextMark(in: &rest, encoding) {
            // A variable at the start of a URL has the scheme, too.
            pieces.append((String(head.isEmpty || head != "http://" ? head : ""), false))
            pieces.append((name, true))
        }
        pieces.append((String(rest), false))
        if !end.isEmpty { pieces.append((String(end.dropFirst()), true)) }
        if pieces.count == 1 { return Self.quotedWord(text) }
        let isPlain = pieces.allSatisfy { piece in
            !piece.text.contains { "\\\"$`!\n".contains($0) || $0.asciiValue.map { $0 < 0x20 } ?? false }
        }
        return isPlain
            ? "\"" + pieces.map { $0.isVariable ? "${\($0.text)}" : $0.text }.joined() + "\""
            : pieces.map { $0.isVariable ? "\"$\($0.text)\"" : $0.text.isEmpty ? "" : Self.quotedWord($0.text) }
                .joined()
    }

    /// Removes the text up to the next mark, and the mark; returns that text and the variable.
    private mutating func nextMark(in text: inout Substring, _ encoding: String = "") -> (Substring, String)? {
        guard let start = text.firstRange(of: ValuePlaceholders.prefix) else { return nil }
        let number = text[start.upperBound...].prefix(while: \.isNumber)
        let mark = "\(ValuePlaceholders.prefix)\(number)z"
        guard let name = variables[mark], text[number.endIndex...].hasPrefix("z") else { return nil }
        let head = text[..<start.lowerBound]
        _ = use(name, (previews.placeholders.first { $0.mark == mark }?.expression ?? "") + encoding)
        text = text[text.index(after: number.endIndex)...]
        return (head, name)
    }

    /// A command that writes bytes, in which marks are variables.
    private mutating func printf(_ bytes: [UInt8]) -> String {
        var (format, arguments) = ("", "")
        var rest = Self.escaped(bytes)[...]
        while let (head, name) = nextMark(in: &rest) {
            format += "\(head)%s"
            arguments += " \"$\(name)\""
        }
        return "printf -- '\(format)\(rest)'\(arguments)"
    }

    private static func quotedWord(_ text: String) -> String {
        let isBare =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_-./:=@%+,".utf8.contains(byte)
            }
        if isBare { return text }
        return "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// Bytes as a format of printf.
    private static func escaped(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            if byte == UInt8(ascii: "%") { return "%%" }
            if (0x20..<0x7F).contains(byte), !"'\\".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }

    /// The words of a command in lines of a readable length.
    private static func wrapped(_ words: [String]) -> String {
        let line = words.joined(separator: " ")
        guard line.count > 120 else { return line + "\n" }
        return words.prefix(2).joined(separator: " ") + words.dropFirst(2).map { " \\\n  \($0)" }.joined() + "\n"
    }
}

extension StringProtocol {
    /// The parts between a separator.
    fileprivate func components(_ separator: String, maximum: Int = .max) -> [String] {
        var result: [String] = []
        var rest = self[...]
        while result.count < maximum - 1, let found = rest.firstRange(of: separator) {
            result.append(String(rest[..<found.lowerBound]))
            rest = rest[found.upperBound...]
        }
        return result + [String(rest)]
    }
}
