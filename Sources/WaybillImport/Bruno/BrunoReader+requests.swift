import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

extension BrunoReader {
    // MARK: Blocks that collections, folders and requests have

    /// The blocks that are read, but for those of bodies and credentials.
    private static let knownBlocks: Set<String> = [
        "meta", "auth", "headers", "docs", "vars:pre-request", "vars:post-response", "assert", "script:pre-request",
        "script:post-response", "tests",
    ]
    private static let requestBlocks: Set<String> = ["params:query", "params:path", "query", "settings", "example"]
    private static let methods: Set<String> = [
        "get", "post", "put", "delete", "patch", "options", "head", "connect", "trace", "http",
    ]

    /// Adds what the collection or a folder has for all of its requests to the scope.
    mutating func readLevel(_ file: BruFile, isCollection: Bool) -> (auth: ImportedAuth?, description: String?) {
        readVariables(file, isCollection: isCollection)
        readHeaders(file)
        scope.scripts.append(scripts(file))
        comments += scope.scripts.last?.comments ?? []
        let mode = file["auth"]?.value("mode") ?? "none"
        reportOthers(file, known: Self.knownBlocks, auth: mode, body: "none")
        // A folder without credentials of its own inherits those around it.
        if mode == "none" || mode == "inherit" { return (nil, description(file)) }
        scope.auth = (mode, file)
        return (auth(mode, file), description(file))
    }

    /// Keeps credentials and bodies that are not selected as comments, and reports unknown blocks.
    private mutating func reportOthers(_ file: BruFile, known: Set<String>, auth: String, body: String) {
        let used = Self.bodyBlocks[body] ?? "-"
        for block in file.blocks where !known.contains(block.name) {
            let pairs = block.pairs.filter { !$0.value.isEmpty }
            let fields = pairs.map { "\($0.name)=\(PostmanReader.shown($0.value, of: $0.name))" } + [block.text]
            let text = ScriptTranslator.oneLine(fields.joined(separator: " "))
            let isUsed = block.name.hasPrefix("auth:\(auth)") || block.name.hasPrefix(used)
            if isUsed || text.isEmpty || block.name == "body" && body == "json" { continue }
            if block.name.hasPrefix("auth:") {
                hideSecrets(pairs)
                comments.append("credentials that are not used: \(block.name.dropFirst(5))")
            } else if block.name.hasPrefix("body") {
                comments.append("body that is not used: \(text)")
            } else {
                lose("the block '\(block.name)'", "a manifest has no counterpart", at: file.span(block.range))
            }
        }
    }

    /// Hides the secrets in credentials that the manifest does not have.
    mutating func hideSecrets(_ pairs: [BruFile.Pair]) {
        for pair in pairs where SecretNames.contains(pair.name) { collection.secrets.add(pair.value, of: pair.name) }
    }

    private func description(_ file: BruFile) -> String? {
        file["docs"].map(\.text.trimmingSpaces).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Keeps the notes about an entry as comments.
    mutating func addNotes(of pair: BruFile.Pair) {
        for (name, value) in pair.annotations {
            comments.append("\(pair.name): \(name == "description" ? value : "@\(name) \(value)".trimmingSpaces)")
        }
    }

    /// Returns the entries of blocks that are switched on; the others are comments.
    mutating func pairs(_ names: [String], _ file: BruFile, _ what: String) -> [BruFile.Pair] {
        let all = file.blocks.filter { names.contains($0.name) }.flatMap(\.pairs)
        for pair in all {
            addNotes(of: pair)
            noteDisabled(pair, what)
        }
        return all.filter(\.isEnabled)
    }

    /// Keeps an entry that is switched off as a comment.
    mutating func noteDisabled(_ pair: BruFile.Pair, _ what: String) {
        let value = pair.value.isEmpty ? "" : ": \(shown(pair))"
        if !pair.isEnabled { comments.append("disabled \(what): \(pair.name)\(value)") }
    }

    /// A value for a comment, in which a secret has no value.
    func shown(_ pair: BruFile.Pair) -> String { PostmanReader.shown(pair.value, of: pair.name) }

    private mutating func readVariables(_ file: BruFile, isCollection: Bool) {
        for var pair in pairs(["vars:pre-request"], file, "variable") {
            if pair.name.hasPrefix("@") { pair.name.removeFirst() }
            let value = BracedText.text(pair.value).text
            let isInput = isCollection && (value.literal != nil || replaced.contains(pair.name))
            hideSecrets([pair])
            if !isInput, !assigned.contains(pair.name) {
                scope.variables[pair.name] = pair
            } else if !collection.variables.contains(where: { $0.name == pair.name }) {
                collection.variables.append(ImportedVariable(name: pair.name, value: value))
            } else {
                let what = "the value '\(shown(pair))' of the variable '\(pair.name)'"
                lose(what, "a response sets the variable, which has another first value", at: file.span(pair.range))
            }
        }
    }

    /// Keeps the variables of the scope that nothing uses as comments.
    mutating func noteUnusedVariables(since outer: Scope) {
        let own = scope.variables.filter { outer.variables[$0.key]?.range != $0.value.range && !used.contains($0.key) }
        for (name, pair) in own.sorted(by: { $0.key < $1.key }) {
            comments.append("variable that is not used: \(name): \(shown(pair))")
        }
    }

    private mutating func readHeaders(_ file: BruFile) {
        for pair in pairs(["headers"], file, "header field") {
            let field = ImportedField(pair.name, text(pair.value, at: file.span(pair.range)))
            if let index = scope.headers.firstIndex(where: { $0.name == pair.name }) {
                scope.headers[index] = field
            } else {
                scope.headers.append(field)
            }
        }
    }

    // MARK: Texts

    /// Returns a string with its variables, those of folders and the request replaced by their values.
    ///
    /// - Parameter names: The variables that stay.
    mutating func text(_ string: String, at span: SourceSpan?, except names: Set<String> = []) -> ImportedText {
        let (text, unknown) = BracedText.text(string)
        for name in unknown { lose("the value '{{\(name)}}'", "give one as an input", at: span) }
        return expanded(text, except: names)
    }

    /// Returns a text with its variables, those of folders and the request replaced by their values.
    mutating func expanded(_ text: ImportedText, except names: Set<String> = []) -> ImportedText {
        var size = 0
        return expanded(text, names, depth: 0, &size)
    }

    private mutating func expanded(_ text: ImportedText, _ names: Set<String>, depth: Int, _ size: inout Int)
        -> ImportedText
    {
        var result = ImportedText()
        for part in text.parts {
            guard case .variable(let name) = part, !names.contains(name) else {
                result.append(part)
                continue
            }
            guard let value = scope.variables[name]?.value, depth < 10, size < 65_536 else {
                result.append(.variable(manifestName(name)))
                continue
            }
            size += value.utf8.count
            used.insert(name)
            result.append(expanded(BracedText.text(value).text, names, depth: depth + 1, &size))
        }
        return result
    }

    /// The name of a variable in the manifest, where those of the process are secrets.
    private mutating func manifestName(_ name: String) -> String {
        used.insert(name)
        let name = aliases[name] ?? name
        guard name.hasPrefix(Self.processPrefix) else { return name }
        let variable = String(name.dropFirst(Self.processPrefix.count))
        if !collection.variables.contains(where: { $0.name == variable }) {
            collection.variables.append(ImportedVariable(name: variable, value: nil, isSecret: true))
        }
        return variable
    }

    /// Returns an expression with its variables, those of folders and the request replaced by their values.
    private mutating func code(_ code: ImportedText) -> ImportedText {
        var result = ImportedText()
        for part in code.parts {
            guard case .variable(let name) = part else {
                result.append(part)
                continue
            }
            let isTyped = scope.variables[name]?.annotations.contains { ["number", "boolean"].contains($0.name) }
            let parts = expanded(ImportedText([part])).parts.map { part -> ImportedText in
                switch part {
                case .literal(let text): ImportedText(isTyped ?? false ? text : ManifestWriter.quoted(text))
                case .variable: ImportedText([part])
                case .expression(let code): ImportedText(code)
                }
            }
            result.append(parts.count == 1 ? parts[0] : parts.isEmpty ? "''" : ImportedText.call("concat", parts))
        }
        return result
    }

    // MARK: Requests

    mutating func readRequest(_ file: File) -> ImportedRequest {
        let (bru, outer) = (file.bru, scope)
        let meta = bru["meta"]
        var request = ImportedRequest(url: "")
        request.name = meta?.value("name") ?? Self.baseName(file)
        request.span = bru.span(meta?.range ?? 0..<1)
        request.description = description(bru)
        readVariables(bru, isCollection: false)
        let http = bru.blocks.first { Self.methods.contains($0.name) }
        let (auth, body) = (
            http?.value("auth") ?? "none", http?.value("body") ?? (bru["body"] == nil ? "none" : "json")
        )
        if let http {
            let method = (http.name == "http" ? http.value("method") ?? "GET" : http.name).uppercased()
            request.method = method.isToken ? method : "GET"
            if !method.isToken { lose("the method '\(method)'", "HTTP does not allow it", at: bru.span(http.range)) }
            readURL(http.value("url") ?? "", bru, at: bru.span(http.range), into: &request)
            readHeaders(bru)
            request.headers = scope.headers
            readBody(body, bru, into: &request)
            readAuth(auth, bru, outer, into: &request)
        } else {
            let isOther = ["grpc", "ws"].contains(meta?.value("type"))
            lose("the request '\(request.name ?? "")'", isOther ? "it is not HTTP" : "it has no URL", at: request.span)
        }
        readSettings(bru, into: &request)
        addScripts(scripts(bru), to: &request)
        for block in bru.blocks where block.name == "example" { request.examples.append(example(block.text)) }
        let known = Self.knownBlocks.union(Self.methods).union(Self.requestBlocks)
        reportOthers(bru, known: known, auth: auth, body: body)
        noteUnusedVariables(since: outer)
        scope = outer
        (request.losses, request.comments) = take()
        return request
    }

    /// Adds what scripts do: before the request from the outside inwards, after the response from the inside outwards.
    private mutating func addScripts(_ own: ScriptTranslation, to request: inout ImportedRequest) {
        for script in scope.scripts + [own] {
            request.assignments += script.assignments.map { ($0.variable, expanded($0.value)) }
        }
        for script in [own] + scope.scripts.reversed() {
            for check in script.checks {
                guard case .condition(let text, let message) = check else {
                    request.checks.append(check)
                    continue
                }
                let condition = code(text)
                if let constant = condition.literal, !constant.contains("$"), !constant.contains("response.") {
                    lose("the test '\(constant)'", ScriptTranslator.constant.reason, at: request.span)
                } else {
                    request.checks.append(.condition(condition, message: message))
                }
            }
            request.captures += script.captures.map { ImportedCapture($0.variable, code($0.expression)) }
            request.endsRun = request.endsRun || script.endsRun
        }
        comments += own.comments
    }

    private mutating func readURL(
        _ url: String,
        _ file: BruFile,
        at span: SourceSpan,
        into request: inout ImportedRequest
    ) {
        if url.isEmpty { lose("the request '\(request.name ?? "")'", "it has no URL", at: span) }
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let values = pairs(["params:path"], file, "part of the path")
        let names = Set(values.map(\.name))
        let segments = url[..<end].split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.first == ":" && names.contains(String(segment.dropFirst())) ? "{{\(segment.dropFirst())}}" : segment
        }
        for pair in values {
            if segments.contains("{{\(pair.name)}}") {
                let value = pair.value.isEmpty ? nil : text(pair.value, at: file.span(pair.range))
                request.variables.append(ImportedVariable(name: pair.name, value: value))
            } else {
                comments.append("variable of no part of the path: \(pair.name): \(shown(pair))")
            }
        }
        request.url = text(segments.joined(separator: "/") + url[end...], at: span, except: names)
        let query = pairs(["params:query", "query"], file, "query parameter")
        for pair in query where !url[end...].contains(pair.name) {
            let reason = "the URL, which Bruno sends, does not have it"
            lose("the query parameter '\(pair.name): \(shown(pair))'", reason, at: file.span(pair.range))
        }
    }

    private mutating func readAuth(_ mode: String, _ file: BruFile, _ outer: Scope, into request: inout ImportedRequest)
    {
        switch mode {
        case "inherit":
            // The request may have a variable that the inherited credentials use.
            guard let (mode, source) = outer.auth, let pairs = source["auth:\(mode)"]?.pairs else { return }
            let names = pairs.flatMap { BracedText.text($0.value).text.variables }
            if names.contains(where: { scope.variables[$0]?.value != outer.variables[$0]?.value }) {
                request.auth = auth(mode, source)
            }
        case "none": request.auth = outer.auth == nil ? nil : ImportedAuth.none
        default: request.auth = auth(mode, file) ?? (outer.auth == nil ? nil : ImportedAuth.none)
        }
    }

    private mutating func readSettings(_ file: BruFile, into request: inout ImportedRequest) {
        func set(_ name: String, _ value: ManifestNode) {
            if !request.settings.contains(where: { $0.name == name }) {
                request.settings.append(ManifestEntry(name, value))
            }
        }
        for pair in file.blocks.filter({ $0.name == "settings" || $0.name == "meta" }).flatMap(\.pairs) {
            switch (pair.name, Int(pair.value)) {
            // Names and values are encoded once, and a timeout of 0 is none.
            case ("name", _), ("type", _), ("seq", _), ("encodeUrl", _), ("timeout", 0), ("timeout", nil): break
            case ("timeout", let time?) where time > 0: set("timeout", .literal("\(time)ms"))
            case ("followRedirects", _): if pair.value != "true" { set("redirects", .literal("false")) }
            case ("maxRedirects", let count?) where 0...100 ~= count:
                set("redirects", .literal(count == 0 ? "false" : "\(count)"))
            case ("tags", _) where !pair.value.contains(" ") && !pair.value.hasReference:
                if !pair.value.isEmpty { set("tag", .plain(pair.value)) }
            default:
                let reason = pair.name == "tags" ? "a step has one tag" : "a manifest has no setting for it"
                lose("the setting '\(pair.name): \(pair.value)'", reason, at: file.span(pair.range))
            }
        }
    }

    // MARK: Bodies

    private static let bodyBlocks = [
        "json": "body:json", "text": "body:text", "xml": "body:xml", "sparql": "body:sparql", "graphql": "body:graphql",
        "formUrlEncoded": "body:form-urlencoded", "multipartForm": "body:multipart-form", "file": "body:file",
    ]
    private static let bodyTypes = [
        "json": "application/json", "xml": "application/xml", "sparql": "application/sparql-query",
    ]

    private mutating func readBody(_ mode: String, _ file: BruFile, into request: inout ImportedRequest) {
        guard let name = Self.bodyBlocks[mode] else {
            if mode != "none" {
                lose("the body of the kind '\(mode)'", "a manifest has no such body", at: request.span)
            }
            return
        }
        guard let block = file[name] ?? (mode == "json" ? file["body"] : nil) else { return }
        let span = file.span(block.range)
        switch mode {
        case "formUrlEncoded":
            let fields = pairs([name], file, "field")
            request.body = .form(fields.map { ImportedField($0.name, text($0.value, at: file.span($0.range))) })
        case "multipartForm":
            request.body = .multipart(pairs([name], file, "part").flatMap { parts($0, file) })
        case "file":
            let selected = pairs([name], file, "file")
            for pair in selected.dropFirst() { comments.append("file that is not sent: \(pair.value)") }
            let (value, type) = BruFile.split(selected.first?.value ?? "", at: "@contentType(")
            guard let path = Self.files(value)?.first else {
                return lose("the file of the body", "the collection does not name it", at: span)
            }
            if type != nil { request.headers.remove("content-type") }
            request.body = .file(path, contentType: type ?? "application/octet-stream")
        case "graphql":
            let variables = file["body:graphql:vars"].map { text(withoutComments($0.text), at: file.span($0.range)) }
            request.body = .graphQL(query: text(block.text, at: span), variables: variables)
        default:
            let source = mode == "json" ? withoutComments(block.text) : block.text
            if source.isEmpty { return }
            request.body = .text(text(source, at: span), contentType: Self.bodyTypes[mode] ?? "text/plain")
        }
    }

    /// The paths in `@file(path|path)`; nil for another value.
    private static func files(_ value: String) -> [String]? {
        guard value.hasPrefix("@file("), value.hasSuffix(")") else { return nil }
        return value.dropFirst(6).dropLast().split(separator: "|").map(String.init)
    }

    private mutating func parts(_ pair: BruFile.Pair, _ file: BruFile) -> [ImportedPart] {
        let (value, type) = BruFile.split(pair.value, at: "@contentType(")
        let span = file.span(pair.range)
        let contents = Self.files(value)?.map(ImportedPart.Content.file) ?? [.text(text(value, at: span))]
        if contents.isEmpty { lose("the file of the part '\(pair.name)'", "the collection does not name it", at: span) }
        return contents.map { ImportedPart(name: pair.name, content: $0, contentType: type) }
    }

    /// Returns JSON without its comments, which Bruno does not send.
    private mutating func withoutComments(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var position = 0
        for (comment, offset) in ScriptLexer(text).comments {
            comments.append("comment in the body: \(comment.trimmingSpaces)")
            result += bytes[position..<offset]
            let isLine = bytes[offset + 1] == UInt8(ascii: "/")
            position = min(bytes.count, offset + comment.utf8.count + (isLine ? 2 : 4))
        }
        return String(decoding: result + bytes[position...], as: UTF8.self)
    }

    // MARK: Examples

    /// Reads a saved response.
    private func example(_ text: String) -> ImportedExample {
        let sections = Self.sections(of: text)
        let response = Self.sections(of: sections["response"] ?? "")
        let status = Self.sections(of: response["status"] ?? "")
        var example = ImportedExample(status: status["code"].flatMap { Int($0) } ?? 200)
        example.name = sections["name"]
        let headers = Self.sections(of: response["headers"] ?? "").sorted { $0.key < $1.key }
        example.headers = headers.map { ImportedField($0.key, ImportedText($0.value)) }
        // The text of the body is between two `'''`.
        let body = (response["body"] ?? "").split(separator: "'''", omittingEmptySubsequences: false).map(String.init)
        if body.count > 1 { example.body = BruFile.outdented(body[1], by: 4).trimmingSpaces }
        return example
    }

    /// The lines `name: value` of an example, and the text between `name: {` and a line `}`, without its indentation.
    private static func sections(of text: String) -> [String: String] {
        var result: [String: String] = [:]
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.popFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = String(line[colon...].dropFirst()).trimmingSpaces
            let inner = value == "{" ? lines.prefix { $0 != "}" } : []
            lines = lines.dropFirst(inner.count)
            let text = value == "{" ? BruFile.outdented(inner.joined(separator: "\n"), by: 2) : value
            result[String(line[..<colon]).trimmingSpaces] = text
        }
        return result
    }
}
