import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

extension BrunoReader {
    // MARK: Levels

    /// Adds what the collection or a folder has for all of its requests to the scope.
    mutating func readLevel(_ file: BruFile, isCollection: Bool) -> (auth: ImportedAuth?, description: String?) {
        readVariables(file, isCollection: isCollection)
        readHeaders(file)
        scope.scripts.append(scripts(file))
        let mode = file["auth"]?.value("mode") ?? "none"
        var auth: ImportedAuth?
        // A folder without credentials of its own inherits those around it.
        if mode != "none", mode != "inherit" {
            auth = self.auth(mode, file)
            scope.auth = (mode, file)
        }
        noteUnused(file, auth: mode, body: nil)
        for block in file.blocks where !["meta", "auth", "headers", "docs"].contains(block.name) {
            reportUnknown(block, file)
        }
        return (auth, description(file))
    }

    private static let readBlocks: Set<String> = [
        "vars:pre-request", "vars:post-response", "assert", "script:pre-request", "script:post-response", "tests",
    ]

    private mutating func reportUnknown(_ block: BruFile.Block, _ file: BruFile) {
        let isRead =
            Self.readBlocks.contains(block.name) || block.name.hasPrefix("auth:") || block.name.hasPrefix("body")
        guard !isRead, !block.pairs.isEmpty || !block.text.isEmpty else { return }
        lose("the block '\(block.name)'", "a manifest has no counterpart", at: file.span(block.range))
    }

    private func description(_ file: BruFile) -> String? {
        file["docs"].map(\.text.trimmingSpaces).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Keeps the notes about an entry as a comment.
    mutating func addNotes(of pair: BruFile.Pair) {
        for (name, value) in pair.annotations where !value.isEmpty || name != "description" {
            let note = value.isEmpty ? "@\(name)" : "@\(name)(\(value))"
            comments.append("\(pair.name): \(name == "description" ? value : note)")
        }
    }

    /// Returns the entries of blocks that are switched on; the others are comments.
    mutating func pairs(_ names: [String], _ file: BruFile, _ what: String) -> [BruFile.Pair] {
        file.blocks.filter { names.contains($0.name) }.flatMap(\.pairs).filter { pair in
            addNotes(of: pair)
            if !pair.isEnabled {
                comments.append("disabled \(what): \(pair.name): \(PostmanReader.shown(pair.value, of: pair.name))")
            }
            return pair.isEnabled
        }
    }

    private mutating func readVariables(_ file: BruFile, isCollection: Bool) {
        for var pair in pairs(["vars:pre-request"], file, "variable") {
            if pair.name.hasPrefix("@") { pair.name.removeFirst() }
            let value = BracedText.text(pair.value).text
            let isKnown = collection.variables.contains { $0.name == pair.name }
            if assigned.contains(pair.name) || isCollection && (value.literal != nil || replaced.contains(pair.name)) {
                if !isKnown {
                    collection.variables.append(ImportedVariable(name: pair.name, value: value))
                } else {
                    lose(
                        "the value '\(PostmanReader.shown(pair.value, of: pair.name))' of the variable '\(pair.name)'",
                        "a response sets this variable, which has another first value",
                        at: file.span(pair.range)
                    )
                }
            } else {
                scope.variables[pair.name] = pair
            }
        }
    }

    /// Keeps variables that nothing uses as comments.
    mutating func noteUnusedVariables(since outer: Scope) {
        let own = scope.variables.filter { outer.variables[$0.key]?.range != $0.value.range && !used.contains($0.key) }
        for (name, pair) in own.sorted(by: { $0.key < $1.key }) {
            comments.append("variable that is not used: \(name): \(PostmanReader.shown(pair.value, of: name))")
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
        let (braced, unknown) = BracedText.text(string)
        for name in unknown { lose("the value '{{\(name)}}'", "give one as an input", at: span) }
        var size = 0
        return expanded(braced, except: names, depth: 0, &size)
    }

    private mutating func expanded(_ text: ImportedText, except names: Set<String> = [], depth: Int, _ size: inout Int)
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
            result.append(expanded(BracedText.text(value).text, except: names, depth: depth + 1, &size))
        }
        return result
    }

    /// Returns a text with its variables, those of folders and the request replaced by their values.
    mutating func expanded(_ text: ImportedText) -> ImportedText {
        var size = 0
        return expanded(text, depth: 0, &size)
    }

    /// The name of a variable in the manifest, where those of the process are secrets.
    private mutating func manifestName(_ name: String) -> String {
        let name = aliases[name] ?? name
        guard name.hasPrefix("process.env.") else { return name }
        let variable = String(name.dropFirst("process.env.".count))
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
            let isTyped = scope.variables[name]?.annotations.contains { $0.name == "number" || $0.name == "boolean" }
            let value = text("{{\(name)}}", at: nil)
            let parts = value.parts.map { part -> ImportedText in
                switch part {
                case .literal(let text): ImportedText(isTyped ?? false ? text : ManifestWriter.quoted(text))
                case .variable: ImportedText([part])
                case .expression(let code): ImportedText(code)
                }
            }
            result.append(parts.count == 1 ? parts[0] : parts.isEmpty ? "''" : ScriptTranslator.call("concat", parts))
        }
        return result
    }

    // MARK: Requests

    private static let methods: Set<String> = [
        "get", "post", "put", "delete", "patch", "options", "head", "connect", "trace", "http",
    ]

    mutating func readRequest(_ file: File) -> ImportedRequest {
        let (bru, outer) = (file.bru, scope)
        var request = ImportedRequest(url: "")
        let meta = bru["meta"]
        let fileName = (file.path.last ?? "").split(separator: ".").dropLast().joined(separator: ".")
        request.name = meta?.value("name") ?? fileName
        request.span = bru.span(meta?.range ?? 0..<1)
        request.description = description(bru)
        readVariables(bru, isCollection: false)
        if let http = bru.blocks.first(where: { Self.methods.contains($0.name) }) {
            let method = (http.name == "http" ? http.value("method") ?? "GET" : http.name).uppercased()
            if method.isToken {
                request.method = method
            } else {
                lose("the method '\(method)'", "HTTP does not allow its characters", at: bru.span(http.range))
            }
            readURL(http.value("url") ?? "", bru, http, into: &request)
            readHeaders(bru)
            request.headers = scope.headers
            let mode = http.value("body") ?? (bru["body"] == nil ? "none" : "json")
            readBody(mode, bru, into: &request)
            let auth = http.value("auth") ?? "none"
            readAuth(auth, bru, outer, into: &request)
            noteUnused(bru, auth: auth, body: mode)
        } else {
            let kind = meta?.value("type") ?? ""
            lose(
                "the request '\(request.name ?? "")'",
                kind == "grpc" || kind == "ws" ? "it is not HTTP" : "it has no URL",
                at: request.span
            )
        }
        readSettings(bru, into: &request)
        let own = scripts(bru)
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
                    comments.append("A test of constants: \(constant)")
                } else {
                    request.checks.append(.condition(condition, message: message))
                }
            }
            request.captures += script.captures.map { ImportedCapture($0.variable, code($0.expression)) }
            request.endsRun = request.endsRun || script.endsRun
        }
        comments += own.comments
        for block in bru.blocks where block.name == "example" { request.examples.append(example(block.text)) }
        let known = Self.methods.union([
            "meta", "headers", "params:query", "params:path", "query", "settings", "docs", "example",
        ])
        for block in bru.blocks where !known.contains(block.name) { reportUnknown(block, bru) }
        noteUnusedVariables(since: outer)
        scope = outer
        (request.losses, request.comments) = take()
        return request
    }

    private mutating func readURL(
        _ url: String,
        _ file: BruFile,
        _ block: BruFile.Block,
        into request: inout ImportedRequest
    ) {
        let span = file.span(block.pairs.first { $0.name == "url" }?.range ?? block.range)
        if url.isEmpty { lose("the request '\(request.name ?? "")'", "it has no URL", at: span) }
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let path = pairs(["params:path"], file, "part of the path")
        let names = Set(path.map(\.name))
        var segments = url[..<end].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        for (index, segment) in segments.enumerated()
        where segment.hasPrefix(":") && names.contains(String(segment.dropFirst())) {
            segments[index] = "{{\(segment.dropFirst())}}"
        }
        for pair in path {
            let value = text(pair.value, at: file.span(pair.range))
            if segments.contains("{{\(pair.name)}}") {
                request.variables.append(ImportedVariable(name: pair.name, value: pair.value.isEmpty ? nil : value))
            } else {
                comments.append(
                    "variable of no part of the path: \(pair.name): \(PostmanReader.shown(pair.value, of: pair.name))"
                )
            }
        }
        request.url = text(segments.joined(separator: "/") + url[end...], at: span, except: names)
        for pair in pairs(["params:query", "query"], file, "query parameter") where !url[end...].contains(pair.name) {
            lose(
                "the query parameter '\(pair.name): \(PostmanReader.shown(pair.value, of: pair.name))'",
                "the URL, which Bruno sends, does not have it",
                at: file.span(pair.range)
            )
        }
    }

    private mutating func readSettings(_ file: BruFile, into request: inout ImportedRequest) {
        for pair in file.blocks.filter({ $0.name == "settings" || $0.name == "meta" }).flatMap(\.pairs) {
            let number = Int(pair.value)
            switch pair.name {
            case "name", "type", "seq": break
            case "tags":
                let tags = pair.value.split(separator: " ").map(String.init)
                if let tag = tags.first { request.settings.append(ManifestEntry("tag", .string(tag))) }
                if tags.count > 1 {
                    lose(
                        "the tags '\(tags.dropFirst().joined(separator: ", "))'",
                        "a step has one tag",
                        at: file.span(pair.range)
                    )
                }
            case "timeout" where number ?? 0 > 0:
                request.settings.append(ManifestEntry("timeout", .literal("\(number ?? 0)ms")))
            case "followRedirects" where pair.value != "true":
                request.settings.append(ManifestEntry("redirects", .literal("false")))
            case "maxRedirects" where 0...100 ~= number ?? -1:
                if !request.settings.contains(where: { $0.name == "redirects" }) {
                    request.settings.append(
                        ManifestEntry("redirects", .literal(number == 0 ? "false" : "\(number ?? 0)"))
                    )
                }
            // Names and values are encoded once.
            case "encodeUrl", "timeout", "followRedirects": break
            default:
                lose(
                    "the setting '\(pair.name): \(pair.value)'",
                    "a manifest has no setting for it",
                    at: file.span(pair.range)
                )
            }
        }
    }

    private mutating func readAuth(_ mode: String, _ file: BruFile, _ outer: Scope, into request: inout ImportedRequest)
    {
        switch mode {
        case "inherit":
            // The request may have a variable that the inherited credentials use.
            guard let (mode, source) = outer.auth, let pairs = source["auth:\(mode)"]?.pairs else { return }
            let names = pairs.flatMap { BracedText.text($0.value).text.variables }
            let isOwn = names.contains { scope.variables[$0]?.value != outer.variables[$0]?.value }
            if isOwn { request.auth = auth(mode, source) }
        case "none": request.auth = outer.auth == nil ? nil : ImportedAuth.none
        default: request.auth = auth(mode, file) ?? (outer.auth == nil ? nil : ImportedAuth.none)
        }
    }

    // MARK: Bodies

    private static let bodyBlocks = [
        "json": "body:json", "text": "body:text", "xml": "body:xml", "sparql": "body:sparql", "graphql": "body:graphql",
        "formUrlEncoded": "body:form-urlencoded", "multipartForm": "body:multipart-form", "file": "body:file",
    ]
    private static let types = [
        "json": "application/json", "xml": "application/xml", "sparql": "application/sparql-query",
    ]

    private mutating func readBody(_ mode: String, _ file: BruFile, into request: inout ImportedRequest) {
        guard mode != "none" else { return }
        guard let name = Self.bodyBlocks[mode] else {
            return lose("the body of the kind '\(mode)'", "a manifest has no such body", at: request.span)
        }
        guard let block = file[name] ?? (mode == "json" ? file["body"] : nil) else { return }
        let span = file.span(block.range)
        switch mode {
        case "formUrlEncoded":
            request.body = .form(
                pairs([name], file, "field").map { ImportedField($0.name, text($0.value, at: file.span($0.range))) }
            )
        case "multipartForm":
            request.body = .multipart(pairs([name], file, "part").flatMap { parts($0, file) })
        case "file":
            let selected = pairs([name], file, "file")
            for pair in selected.dropFirst() { comments.append("file that is not sent: \(pair.value)") }
            guard let pair = selected.first, case (let value, let type) = Self.typed(pair.value),
                let path = Self.path(value)
            else {
                return lose("the file of the body", "the collection does not name it", at: span)
            }
            if type != nil { request.headers.removeAll { $0.name.lowercased() == "content-type" } }
            request.body = .file(path, contentType: type ?? "application/octet-stream")
        case "graphql":
            let variables = file["body:graphql:vars"].map { text(withoutComments($0.text), at: file.span($0.range)) }
            request.body = .graphQL(query: text(block.text, at: span), variables: variables)
        default:
            let source = mode == "json" ? withoutComments(block.text) : block.text
            if !source.isEmpty {
                request.body = .text(text(source, at: span), contentType: Self.types[mode] ?? "text/plain")
            }
        }
    }

    /// Splits a value from its `@contentType(…)`.
    private static func typed(_ value: String) -> (value: String, type: String?) {
        guard value.hasSuffix(")"), let mark = value.ranges(of: "@contentType(").last else { return (value, nil) }
        let type = String(value[mark.upperBound...].dropLast()).trimmingSpaces
        return (String(value[..<mark.lowerBound]).trimmingSpaces, type.isEmpty ? nil : type)
    }

    /// The path in `@file(path)`.
    private static func path(_ value: String) -> String? {
        guard value.hasPrefix("@file("), value.hasSuffix(")") else { return nil }
        let path = value.dropFirst(6).dropLast()
        return path.isEmpty ? nil : String(path)
    }

    private mutating func parts(_ pair: BruFile.Pair, _ file: BruFile) -> [ImportedPart] {
        let (value, type) = Self.typed(pair.value)
        var contents: [ImportedPart.Content] = [.text(text(value, at: file.span(pair.range)))]
        if value.hasPrefix("@file("), value.hasSuffix(")") {
            contents = Self.path(value)?.split(separator: "|").map { .file(String($0)) } ?? []
            if contents.isEmpty {
                lose(
                    "the file of the part '\(pair.name)'",
                    "the collection does not name it",
                    at: file.span(pair.range)
                )
            }
        }
        return contents.map { content in
            var part = ImportedPart(name: pair.name, content: content)
            part.contentType = type
            return part
        }
    }

    /// Returns JSON without its comments, which Bruno does not send.
    private mutating func withoutComments(_ text: String) -> String {
        guard text.contains("//") || text.contains("/*") else { return text }
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(where: { $0 == "\"" || $0 == "/" }) {
            result += rest[..<mark]
            rest = rest[mark...]
            var end = rest.index(after: mark)
            if rest[mark] == "\"" {
                while end < rest.endIndex, rest[end] != "\"" {
                    end =
                        rest.index(end, offsetBy: rest[end] == "\\" ? 2 : 1, limitedBy: rest.endIndex) ?? rest.endIndex
                }
                if end < rest.endIndex { end = rest.index(after: end) }
                result += rest[..<end]
            } else if rest.hasPrefix("//") || rest.hasPrefix("/*") {
                let isLine = rest.hasPrefix("//")
                end =
                    rest.firstRange(of: isLine ? "\n" : "*/").map { isLine ? $0.lowerBound : $0.upperBound }
                    ?? rest.endIndex
                comments.append("comment in the body: \(String(rest[..<end]).trimmingSpaces)")
            } else {
                result += "/"
            }
            rest = rest[end...]
        }
        return result + rest
    }

    /// Hides the secrets in credentials that the manifest does not have.
    mutating func hideSecrets(_ pairs: [BruFile.Pair]) {
        for pair in pairs where SecretNames.contains(pair.name) { collection.secrets.add(pair.value, of: pair.name) }
    }

    /// Keeps bodies and credentials that are not selected as comments.
    private mutating func noteUnused(_ file: BruFile, auth: String, body: String?) {
        let name = body.flatMap { Self.bodyBlocks[$0] } ?? ""
        for block in file.blocks where block.name.hasPrefix("auth:") && !block.name.hasPrefix("auth:\(auth)") {
            let values = block.pairs.filter { !$0.value.isEmpty }
            hideSecrets(values)
            if !values.isEmpty { comments.append("credentials that are not used: \(block.name.dropFirst(5))") }
        }
        for block in file.blocks where block.name.hasPrefix("body") && !block.name.hasPrefix(name.isEmpty ? "-" : name)
        {
            if block.name == "body", body == "json" { continue }
            let fields = block.pairs.map { "\($0.name)=\(PostmanReader.shown($0.value, of: $0.name))" }.joined(
                separator: "&"
            )
            let text = fields + ScriptTranslator.oneLine(block.text)
            if !text.isEmpty { comments.append("body that is not used: \(text)") }
        }
    }

    /// Reads a saved response.
    private func example(_ text: String) -> ImportedExample {
        let sections = Self.sections(of: text)
        let response = Self.sections(of: sections["response"] ?? "")
        let status = Self.sections(of: response["status"] ?? "")
        var example = ImportedExample(status: status["code"].flatMap { Int($0) } ?? 200)
        example.name = sections["name"]
        example.headers = (response["headers"] ?? "").split(separator: "\n").compactMap { line in
            line.firstIndex(of: ":").map {
                ImportedField(
                    String(line[..<$0]).trimmingSpaces,
                    ImportedText(String(line[$0...].dropFirst()).trimmingSpaces)
                )
            }
        }
        if let body = response["body"], let open = body.firstRange(of: "'''"), let close = body.ranges(of: "'''").last,
            close.lowerBound > open.lowerBound
        {
            example.body = BruFile.outdented(String(body[open.upperBound..<close.lowerBound]), by: 4).trimmingSpaces
        }
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
            result[String(line[..<colon]).trimmingSpaces] =
                value == "{" ? BruFile.outdented(inner.joined(separator: "\n"), by: 2) : value
        }
        return result
    }
}
