import WaybillDiagnostics
import WaybillFormats

/// Reads the entries of a Hurl file as requests.
struct HurlEntries {
    private var cursor: HurlCursor
    private(set) var requests: [ImportedRequest] = []
    /// The variables that the requests set, in order.
    private(set) var set: Set<String> = []
    /// The variables whose captures could not be imported.
    private var lost: Set<String> = []
    /// The variables whose values are secret: those that are redacted, and the parts of cookies.
    private(set) var secrets: [ImportedVariable] = []
    /// The responses that must have a version of HTTP.
    private(set) var versions: [String: [SourceSpan]] = [:]
    /// Where the file is malformed.
    private(set) var error: HurlSyntaxError?
    /// The comments at the end.
    private(set) var comments: [String] = []

    /// The names in all templates of the file.
    var templates: Set<String> { cursor.templates }

    private static let maximumRequests = 20_000
    private static let maximumLines = 10_000

    /// The environment variables that templates read.
    var environment: [String] { cursor.environment }

    /// Reads a file.
    ///
    /// - Parameter names: The names that variables get instead of their own.
    init(_ file: SourceFile, names: [String: String] = [:]) {
        cursor = HurlCursor(file, names: names)
        do throws(HurlSyntaxError) {
            try cursor.skipLines()
            while cursor.next != nil {
                guard requests.count < Self.maximumRequests else {
                    throw HurlSyntaxError("the file has more than \(Self.maximumRequests) entries", at: cursor.position)
                }
                requests.append(try readEntry())
                try cursor.skipLines()
            }
            comments = cursor.takeComments(to: cursor.bytes.count + 1)
        } catch {
            self.error = error
        }
    }

    private mutating func readEntry() throws(HurlSyntaxError) -> ImportedRequest {
        let start = cursor.position
        let method = cursor.word(and: "-_")
        guard !method.isEmpty, method.utf8.allSatisfy({ !NameForms.isLetter(Unicode.Scalar($0)) || $0 < 0x5B }),
            cursor.has(" ") || cursor.has("\t")
        else { throw HurlSyntaxError("expected a request such as 'GET https://example.com'", at: start) }
        cursor.skipSpaces()
        let location = cursor.position
        var request = ImportedRequest(url: try cursor.unquoted())
        guard !request.url.isEmpty, request.url.startsWith("\"") == nil else {
            throw HurlSyntaxError("expected a URL", at: location)
        }
        request.method = method
        request.span = cursor.file.span(start..<cursor.position)
        try cursor.endLine()
        let options = try readRequest(into: &request)
        let response = try readResponse()
        request.comments = cursor.takeComments(to: cursor.contentEnd)
        add(response, options, to: &request)
        for (name, span) in cursor.unknown {
            lose("the random value '\(name)'", "give one as an input", at: span, &request)
        }
        cursor.unknown = []
        return request
    }

    // MARK: Requests

    private mutating func readRequest(into request: inout ImportedRequest) throws(HurlSyntaxError) -> HurlOptions? {
        for (name, value) in try readPairs() {
            guard let name = name.literal else {
                lose("the header field '\(ManifestWriter.source(name))'", "its name is computed", &request)
                continue
            }
            request.headers.append(ImportedField(name, value))
        }
        var options: HurlOptions?
        var names: Set<String> = []
        while let section = try readSection() {
            guard names.insert(section.name).inserted else {
                throw HurlSyntaxError("the section '[\(section.name)]' is there twice", at: section.offset)
            }
            switch section.name {
            case "Query", "QueryStringParams":
                var mark = ManifestWriter.source(request.url).contains("?") ? "&" : "?"
                for (name, value) in try readPairs() {
                    request.url.append(.literal(mark))
                    mark = "&"
                    request.url.append(name.mapLiterals(PercentEncoding.component))
                    request.url.append(.literal("="))
                    request.url.append(value.mapLiterals(PercentEncoding.component))
                }
            case "Form", "FormParams":
                let fields = try readPairs().map { ImportedField(ManifestWriter.source($0.name), $0.value) }
                if !fields.isEmpty { request.body = .form(fields) }
            case "Multipart", "MultipartFormData":
                let parts = try readParts(&request)
                if !parts.isEmpty { request.body = .multipart(parts) }
            case "Cookies":
                var text = ImportedText()
                for (name, value) in try readPairs() {
                    text.append(.literal(text.isEmpty ? "" : "; "))
                    text.append(name)
                    text.append(.literal("="))
                    text.append(value.literal.map { secret(name, $0) } ?? value)
                }
                if !text.isEmpty { request.headers.append(ImportedField("Cookie", text)) }
            case "BasicAuth":
                for (name, value) in try readPairs() { request.auth = .basic(username: name, password: value) }
            case "Options": options = try HurlOptions(&cursor, url: request.url)
            default:
                throw HurlSyntaxError("a request has no section '[\(section.name)]'", at: section.offset)
            }
        }
        if !cursor.has("HTTP"), let body = try readBody() { add(body, to: &request) }
        return options
    }

    /// A variable for the value of a cookie.
    private mutating func secret(_ cookie: ImportedText, _ value: String) -> ImportedText {
        let name = ManifestWriter.source(cookie)
        guard !value.isEmpty else { return "" }
        secrets.append(ImportedVariable(name: name, value: ImportedText(value), isSecret: true))
        return .ofVariable(name)
    }

    private mutating func readSection() throws(HurlSyntaxError) -> (name: String, offset: Int)? {
        try cursor.skipLines()
        let start = cursor.position
        guard cursor.take("[") else { return nil }
        let name = cursor.word()
        guard name.first?.isUppercase ?? false, cursor.take("]") else {
            cursor.position = start
            return nil
        }
        try cursor.endLine()
        return (name, start)
    }

    private mutating func readPairs() throws(HurlSyntaxError) -> [(name: ImportedText, value: ImportedText)] {
        var result: [(name: ImportedText, value: ImportedText)] = []
        try cursor.skipLines()
        while let name = try cursor.key() {
            guard result.count < Self.maximumLines else {
                throw HurlSyntaxError("there are more than \(Self.maximumLines) lines", at: cursor.position)
            }
            result.append((name, try cursor.unquoted()))
            try cursor.endLine()
            try cursor.skipLines()
        }
        return result
    }

    private mutating func readParts(_ request: inout ImportedRequest) throws(HurlSyntaxError) -> [ImportedPart] {
        var result: [ImportedPart] = []
        try cursor.skipLines()
        while let name = try cursor.key() {
            let label = ManifestWriter.source(name)
            if cursor.has("file,") {
                let path = try cursor.fileName()
                cursor.skipSpaces()
                let type = try cursor.unquoted()
                if let path = path.literal {
                    let type = ManifestWriter.source(type)
                    result.append(ImportedPart(name: label, content: .file(path), contentType: type))
                } else {
                    lose("the file '\(ManifestWriter.source(path))'", "its name is computed", &request)
                }
            } else {
                result.append(ImportedPart(name: label, content: .text(try cursor.unquoted())))
            }
            try cursor.endLine()
            try cursor.skipLines()
        }
        return result
    }

    private mutating func readBody() throws(HurlSyntaxError) -> HurlBody? {
        try cursor.skipLines()
        guard let body = try cursor.body() else { return nil }
        try cursor.endLine()
        return body
    }

    private func add(_ body: HurlBody, to request: inout ImportedRequest) {
        switch body {
        case .json(let text): request.body = .text(text, contentType: "application/json")
        case .text(let text, let type): request.body = .text(text, contentType: type)
        case .graphQL(let query, let variables):
            request.body = .graphQL(query: query, variables: variables)
        case .bytes(let bytes): request.body = .bytes(bytes)
        case .file(let path):
            guard let path = path.literal else {
                return lose("the file '\(ManifestWriter.source(path))'", "its name is computed", &request)
            }
            request.body = .file(path, contentType: nil)
        }
    }

    private func lose(_ what: String, _ reason: String, at span: SourceSpan? = nil, _ request: inout ImportedRequest) {
        request.losses.add(what, reason, at: span ?? request.span)
    }

    // MARK: Responses

    private mutating func readResponse() throws(HurlSyntaxError) -> HurlResponse {
        var response = HurlResponse()
        try cursor.skipLines()
        let start = cursor.position
        guard cursor.take("HTTP") else { return response }
        if cursor.take("/") {
            let version = cursor.word(and: ".*")
            guard ["1.0", "1.1", "2", "3", "*"].contains(version) else {
                throw HurlSyntaxError("expected a version of HTTP: 1.0, 1.1, 2, 3 or *", at: start + 5)
            }
            response.version = version == "*" ? nil : version
        }
        cursor.skipSpaces()
        let location = cursor.position
        let status = cursor.word(and: "*")
        guard status == "*" || Int(status) != nil else {
            throw HurlSyntaxError("expected a status or '*'", at: location)
        }
        response.status = status == "*" ? nil : status
        response.span = cursor.file.span(start..<cursor.position)
        try cursor.endLine()
        response.headers = try readPairs()
        while let section = try readSection() {
            try cursor.skipLines()
            switch section.name {
            case "Captures":
                while let capture = try cursor.capture() {
                    response.captures.append(capture)
                    try cursor.skipLines()
                }
            case "Asserts":
                while let assertion = try cursor.assertion() {
                    response.assertions.append(assertion)
                    try cursor.skipLines()
                }
            default: throw HurlSyntaxError("a response has no section '[\(section.name)]'", at: section.offset)
            }
        }
        response.body = try readBody()
        return response
    }

    private mutating func add(_ response: HurlResponse, _ options: HurlOptions?, to request: inout ImportedRequest) {
        if let options {
            request.settings += options.settings
            request.stepSettings += options.stepSettings
            request.assignments = options.assignments
            request.headers += options.headers
            request.auth = options.auth ?? request.auth
            request.losses += options.losses
            set.formUnion(options.assignments.map(\.variable))
        }
        let decoding = response.decoding
        if let setting = response.setting { request.settings.append(ManifestEntry("decoding", .plain(setting))) }
        if let version = response.version {
            versions[version, default: []].append(response.span ?? cursor.file.span(0..<0))
        }
        var translator = HurlTranslator(
            decoding: decoding,
            follows: options?.follows ?? false,
            typed: set,
            names: cursor.names
        )
        translator.lost = lost
        for capture in response.captures { add(capture, &translator, to: &request) }
        lost = translator.lost.subtracting(set)
        var checks = HurlChecks(translator: translator)
        checks.add(response)
        secrets += checks.secrets
        request.checks = checks.checks
        request.losses += checks.losses
        if let options, options.retries != 0 { addRetry(options, checks.polled, to: &request) }
    }

    private mutating func add(
        _ capture: HurlCapture,
        _ translator: inout HurlTranslator,
        to request: inout ImportedRequest
    ) {
        let text = String(decoding: cursor.bytes[capture.span.range], as: UTF8.self)
        do throws(Untranslatable) {
            guard let name = capture.variable.literal else { throw Untranslatable("its name is computed") }
            var value = try translator.value(of: capture.query)
            guard value.kind != .bytes else {
                throw Untranslatable("a value of this kind has no counterpart")
            }
            // A list has no text: where a template uses the variable, the path selects one value.
            let isText = cursor.templates.contains(name)
            if value.isList, isText { value = HurlTranslator.Value(code: value.single) }
            try translator.check(value.code, isCondition: false)
            let variable = cursor.names[name] ?? name
            translator.captured[variable] = value
            set.insert(variable)
            request.captures.append(ImportedCapture(variable, value.code))
            if capture.isRedacted { secrets.append(ImportedVariable(name: variable, value: nil, isSecret: true)) }
        } catch {
            let name = ManifestWriter.source(capture.variable)
            translator.lost.insert(cursor.names[name] ?? name)
            lose("the capture '\(text)'", error.reason, at: capture.span, &request)
        }
    }

    /// Adds the repetition of a request until its response is the expected one.
    private func addRetry(_ options: HurlOptions, _ conditions: [ImportedText], to request: inout ImportedRequest) {
        let times = options.retries
        var entries = [ManifestEntry("every", options.interval)]
        if times > 0 { entries.append(ManifestEntry("times", .literal("\(times + 1)"))) }
        if !conditions.isEmpty {
            let operands = conditions.map { condition -> ImportedText in
                conditions.count > 1 && ManifestWriter.source(condition).contains(" || ") ? "(\(condition))" : condition
            }
            request.until = ImportedPolling(condition: operands.joined(separator: " && "), settings: entries)
        }
        // Polls repeat responses; failures to get one are repeated, too.
        var retry = [
            ManifestEntry("times", .literal("\(times > 0 ? times : 1000)")),
            ManifestEntry("for", .list(of: ["dns", "connect", "timeout", "transfer"].map { .string($0) })),
            ManifestEntry("backoff", .map(("first", options.interval), ("factor", .literal("1")))),
        ]
        if ["POST", "PATCH"].contains(request.method) { retry.append(ManifestEntry("unsafe", .literal("true"))) }
        request.settings.append(ManifestEntry("retry", .map(retry)))
    }
}
