import WaybillContract
import WaybillDiagnostics
import WaybillFormats

/// Makes a request of a block of a `.http` file.
struct HTTPFileRequest {
    private let file: SourceFile
    private let block: HTTPFileBlock
    private var variables: HTTPFileVariables
    private var request = ImportedRequest(url: "")

    /// Returns the request of a block that has a request line, and the variables of the requests after it.
    static func request(
        of block: HTTPFileBlock,
        in file: SourceFile,
        _ variables: inout HTTPFileVariables
    ) -> ImportedRequest {
        var maker = HTTPFileRequest(file: file, block: block, variables: variables)
        maker.read()
        variables = maker.variables
        return maker.request
    }

    private init(file: SourceFile, block: HTTPFileBlock, variables: HTTPFileVariables) {
        (self.file, self.block, self.variables) = (file, block, variables)
    }

    private static let methods: Set<String> = [
        "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "CONNECT", "TRACE", "LOCK", "UNLOCK", "PROPFIND",
        "PROPPATCH", "COPY", "MOVE", "MKCOL", "MKCALENDAR", "ACL", "SEARCH", "QUERY", "GRAPHQL", "WEBSOCKET", "GRPC",
        "RSOCKET",
    ]

    /// Whether the first word of a request line is a method, and not a URL.
    static func isMethod(_ word: Substring) -> Bool {
        methods.contains(word.uppercased())
            || word.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    private mutating func read() {
        guard let target = block.target else { return }
        request.span = file.span(target.range)
        for loss in block.losses { lose(loss.what, loss.reason, loss.line) }
        request.comments = block.comments
        readTags()
        var method = "GET"
        var url = target.text
        let words = target.text.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
        if words.count == 2, Self.isMethod(words[0][...]) { (method, url) = (words[0].uppercased(), words[1]) }
        let version = url.split(whereSeparator: \.isWhitespace).dropFirst().first {
            $0.hasPrefix("HTTP/") && $0.count > 5
        }
        if let version { url.removeSubrange(version.startIndex...) }
        guard !["WEBSOCKET", "GRPC", "RSOCKET"].contains(method), !url.hasPrefix("ws") || !url.contains("://") else {
            return lose("the request \(method) \(url)", "only requests of HTTP are imported", target)
        }
        readURL(url.trimmingSpaces, target)
        let isGraphQL =
            method == "GRAPHQL"
            || block.headers.contains {
                $0.name.lowercased() == "x-request-type" && $0.value.lowercased() == "graphql"
            }
        request.method = method == "GRAPHQL" ? "POST" : method
        for (name, value, line) in block.headers { readHeader(name, value, line) }
        readBody(isGraphQL: isGraphQL)
        for script in block.scripts { readScript(script) }
        if !block.body.isEmpty, request.method == "GET" || request.method == "HEAD", request.body != nil {
            request.comments.append("The body is sent with \(request.method), as in the source.")
        }
    }

    private mutating func lose(_ what: String, _ reason: String, _ line: HTTPFileBlock.Line) {
        request.losses.add(what, reason, at: file.span(line.range))
    }

    /// Returns a text with its references.
    private mutating func text(_ string: String, _ line: HTTPFileBlock.Line) -> ImportedText {
        let text = variables.text(string)
        for loss in variables.takeLosses() { lose(loss.what, loss.reason, line) }
        return text
    }

    // MARK: Tags

    private mutating func readTags() {
        request.name = block.title.isEmpty ? nil : block.title
        for (name, value, line) in block.tags {
            switch name {
            case "name":
                if !block.title.isEmpty, !ManifestWriter.repeats(block.title, value) {
                    request.description = block.title
                }
                request.name = value
            case "no-redirect": request.settings.append(ManifestEntry("redirects", .literal("false")))
            case "no-cookie-jar": request.settings.append(ManifestEntry("cookies", .literal("false")))
            case "note": request.comments.append("The source asks before it sends this request.")
            case "no-log", "no-auto-encoding": request.comments.append("@\(name)")
            case "prompt":
                let words = value.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
                guard let variable = words.first else { continue }
                request.comments.append("input \(variable)" + (words.count > 1 ? ": \(words[1])" : ""))
            case "timeout", "connection-timeout":
                guard let match = value.wholeMatch(of: #/(\d{1,9})\s*(ms|s|m|)/#) else {
                    lose("the setting '@\(name) \(value)'", "it is not a time", line)
                    continue
                }
                let time = "\(match.1)\(match.2.isEmpty ? "s" : match.2)"
                request.settings.append(ManifestEntry(name == "timeout" ? "timeout" : "connectTimeout", .literal(time)))
            default: lose("the setting '@\(name)'", "a manifest has no setting for it", line)
            }
        }
    }

    // MARK: URL and header fields

    private mutating func readURL(_ url: String, _ line: HTTPFileBlock.Line) {
        guard let host = block.headers.first(where: { $0.name.lowercased() == "host" })?.value, !host.isEmpty,
            url.hasPrefix("/")
        else {
            request.url = text(url, line)
            return
        }
        let isSecure = host.hasSuffix(":443") || host.hasSuffix(":8443")
        request.url = text(host.contains("://") ? host + url : "\(isSecure ? "https" : "http")://\(host)\(url)", line)
    }

    private mutating func readHeader(_ name: String, _ value: String, _ line: HTTPFileBlock.Line) {
        let value = text(value, line)
        switch name.lowercased() {
        case "x-request-type" where value.literal?.lowercased() == "graphql": return
        case "content-length": request.comments.append("Content-Length follows from the body.")
        case "host":
            let isOfURL = block.target?.text.contains("/\(value.literal ?? "\0")") ?? false
            if !isOfURL, request.url.isEmpty || !(block.target?.text.contains(" /") ?? false) {
                request.headers.append(ImportedField(name, value))
            }
        case "authorization":
            if let auth = authentication(value, line) {
                request.auth = auth
            } else {
                request.headers.append(ImportedField(name, value))
            }
        default: request.headers.append(ImportedField(name, value))
        }
    }

    /// The credentials in `Basic user password`, `Digest user password` and `AWS id key`; nil for another value.
    private mutating func authentication(_ value: ImportedText, _ line: HTTPFileBlock.Line) -> ImportedAuth? {
        var words = value.split(separator: " ").filter { !$0.isEmpty }
        guard let scheme = words.first?.literal?.lowercased() else { return nil }
        words.removeFirst()
        switch scheme {
        case "basic", "digest":
            var pair = words
            if words.count == 1, case (let user, let rest?) = words[0].split(before: [":"]) {
                pair = [user, rest.droppingFirst(1)]
            }
            guard pair.count == 2 else { return nil }
            return .basic(username: pair[0], password: pair[1], isDigest: scheme == "digest")
        case "aws" where words.count >= 2:
            let labels = ServiceAddress(request.url).base?.literal.map { ServiceAddress.hostLabels($0) } ?? []
            let isAWS = labels.suffix(2) == ["amazonaws", "com"]
            var values: [String: ImportedText] = ["accessKey": words[0], "secretKey": words[1]]
            if isAWS { values["service"] = ImportedText(labels[0]) }
            if isAWS, labels.count == 4 { values["region"] = ImportedText(labels[1]) }
            for (option, name) in [("region", "region"), ("service", "service"), ("token", "sessionToken")] {
                if let value = words.lazy.compactMap({ $0.startsWith("\(option):") }).first { values[name] = value }
            }
            return .awsSigV4(values)
        case "cognito", "openid":
            lose("the authentication '\(scheme)'", "a run receives the value of Authorization as a secret", line)
            return nil
        default: return nil
        }
    }

    // MARK: Bodies

    private mutating func readBody(isGraphQL: Bool) {
        guard let first = block.body.first, let last = block.body.last else { return }
        let whole = HTTPFileBlock.Line(text: "", range: first.range.lowerBound..<last.range.upperBound)
        let type = request.headers["content-type"]?.literal ?? ""
        let essence = MediaTypeName(type).text
        let source = block.body.map(\.text).joined(separator: "\n")
        if isGraphQL { return readGraphQL(whole) }
        if essence == "multipart/form-data", let parts = MultipartText.parts(of: source, type: type) {
            let parts = parts.map { part in
                var part = part
                guard case .text(let text) = part.content, let content = text.literal else { return part }
                if [part.name, part.filename ?? ""].contains(where: { $0.contains("{{") }) {
                    lose("the variable in the name of the part '\(part.name)'", "names of parts are constant", whole)
                }
                guard let path = filePath(content.trimmingSpaces, whole) else {
                    part.content = .text(self.text(content, whole))
                    return part
                }
                part.content = .file(path)
                if path.split(separator: "/").last.map(String.init) == part.filename { part.filename = nil }
                return part
            }
            request.body = .multipart(parts)
            return
        }
        if block.body.count == 1, let path = filePath(first.trimmed, first) {
            request.body = .file(path, contentType: nil)
            return
        }
        if let line = block.body.first(where: {
            $0.text.hasPrefix("<") && $0.text.wholeMatch(of: Self.fileReference) != nil
        }) {
            return lose("the body", "it consists of files and other parts", line)
        }
        if essence == "application/x-www-form-urlencoded", let fields = formFields(source, whole) {
            request.body = .form(fields)
            return
        }
        request.body = .text(text(source, whole), contentType: nil)
    }

    private static var fileReference: Regex<(Substring, Substring?, Substring)> { #/<(@\w*)?\s+(\S.*?)\s*/# }

    /// The path in `< path`; nil for another text.
    private mutating func filePath(_ string: String, _ line: HTTPFileBlock.Line) -> String? {
        guard string.hasPrefix("<"), let match = string.wholeMatch(of: Self.fileReference) else { return nil }
        if match.1 != nil { lose("the variables in the file '\(match.2)'", "a file is sent as it is", line) }
        if match.2.contains("{{") { lose("the variable in the path '\(match.2)'", "paths are constant", line) }
        return String(match.2)
    }

    /// The fields of a form, whose pairs may be in several lines; nil if it has another form.
    private mutating func formFields(_ source: String, _ line: HTTPFileBlock.Line) -> [ImportedField]? {
        let joined = source.split(whereSeparator: \.isNewline).map { String($0).trimmingSpaces }.joined()
        var fields: [ImportedField] = []
        for pair in joined.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.compactMap {
                PercentEncoding.decoded(String($0).trimmingSpaces.replacing("+", with: " "))
            }
            guard decoded.count == 2, !decoded[0].isEmpty, !decoded[0].contains("{{") else { return nil }
            fields.append(ImportedField(decoded[0], text(decoded[1], line)))
        }
        return fields.isEmpty ? nil : fields
    }

    /// A query, and after an empty line perhaps its variables as JSON.
    private mutating func readGraphQL(_ line: HTTPFileBlock.Line) {
        let empty = block.body.indices.first { index in
            block.body[index].trimmed.isEmpty
                && block.body[index...].first { !$0.trimmed.isEmpty }?.trimmed.hasPrefix("{") ?? false
        }
        let query = block.body[..<(empty ?? block.body.endIndex)].map(\.text).joined(separator: "\n")
        let rest = empty.map { block.body[($0 + 1)...].map(\.text).joined(separator: "\n") }
        if let path = filePath(query.trimmingSpaces, line) {
            return lose("the query in the file '\(path)'", "a query is a part of the manifest", line)
        }
        request.body = .graphQL(query: text(query, line), variables: rest.map { text($0, line) })
    }

    // MARK: Scripts

    private mutating func readScript(_ script: HTTPFileBlock.Script) {
        let found = ScriptTranslator.translate(script.text, isTest: script.isHandler)
        var translation = ScriptTranslation()
        translation.add(found)
        request.add(translation)
        request.comments += translation.comments
        request.losses += found.losses.map { loss in
            let start = script.offset + loss.offset
            return loss.loss(at: file.span(start..<min(start + loss.statement.utf8.count, file.bytes.count)))
        }
    }
}
