import WaybillFormats
import WaybillJSON

extension PostmanReader {
    // MARK: URLs

    /// Reads a URL: a string, or an object with its parts.
    mutating func readURL(_ json: JSON?, at pointer: JSONPointer, into request: inout ImportedRequest) {
        if let string = json?.string {
            request.url = text(Self.withPathVariables(string.trimmingSpaces), at: pointer)
            return
        }
        guard let json, json.object != nil else { return }
        for (index, variable) in (json["variable"]?.array ?? []).enumerated() {
            guard let name = variable["key"]?.string ?? variable["id"]?.string else { continue }
            let value = Self.string(variable["value"])
            let position = pointer.member("variable").appending(.index(index))
            request.variables.append(
                ImportedVariable(name: name, value: value.isEmpty ? nil : text(value, at: position))
            )
        }
        let host =
            json["host"]?.array.map { $0.map { Self.string($0) }.joined(separator: ".") } ?? json["host"]?.string ?? ""
        guard !host.isEmpty else {
            request.url = text(
                Self.withPathVariables(Self.string(json["raw"]).trimmingSpaces),
                at: pointer.member("raw")
            )
            return
        }
        var url = json["protocol"]?.string.map { $0.isEmpty ? "" : "\($0)://" } ?? ""
        if let auth = json["auth"], let user = auth["user"]?.string {
            url += "\(user):\(Self.string(auth["password"]))@"
        }
        url += host
        if let port = json["port"], !Self.string(port).isEmpty { url += ":\(Self.string(port))" }
        let segments = json["path"]?.array?.map { Self.string($0["value"] ?? $0) }
        let path = segments.map { $0.joined(separator: "/") } ?? json["path"]?.string ?? ""
        if !path.isEmpty || segments != nil { url += path.hasPrefix("/") ? path : "/\(path)" }
        var pairs: [String] = []
        for parameter in json["query"]?.array ?? [] {
            let name = Self.string(parameter["key"])
            let value = Self.string(parameter["value"])
            if parameter["disabled"]?.bool == true {
                request.comments.append("disabled query parameter: \(name)=\(Self.shown(value, of: name))")
                continue
            }
            let hasValue = parameter["value"] != nil && parameter["value"] != .null
            if !name.isEmpty || !value.isEmpty {
                pairs.append(Self.encoded(name) + (hasValue ? "=" + Self.encoded(value) : ""))
            }
            if let note = Self.description(parameter["description"]) { request.comments.append("\(name): \(note)") }
        }
        if !pairs.isEmpty { url += "?" + pairs.joined(separator: "&") }
        request.url = text(Self.withPathVariables(url), at: pointer)
        for variable in request.variables where !request.url.variables.contains(variable.name) {
            request.comments.append(
                "variable of no part of the path: \(variable.name): \(variable.value.map { ManifestWriter.source($0) } ?? "")"
            )
        }
        if let hash = json["hash"]?.string, !hash.isEmpty {
            request.comments.append("The fragment #\(hash) is not sent.")
        }
    }

    /// Encodes what would end a name or value of a query.
    private static func encoded(_ text: String) -> String {
        text.replacing("&", with: "%26").replacing("#", with: "%23")
    }

    /// Writes `:id` segments of a path as variables.
    private static func withPathVariables(_ url: String) -> String {
        let (start, path) =
            url.firstRange(of: "://").map { (url[..<$0.upperBound], url[$0.upperBound...]) } ?? ("", url[...])
        let end = path.firstIndex { $0 == "?" || $0 == "#" } ?? path.endIndex
        let segments = path[..<end].split(separator: "/", omittingEmptySubsequences: false)
        let written = segments.enumerated().map { index, segment -> String in
            guard index > 0, segment.first == ":" else { return String(segment) }
            let name = segment.dropFirst().prefix {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-")
            }
            guard let first = name.first, first.isLetter || first == "_" else { return String(segment) }
            return "{{\(name)}}\(segment[name.endIndex...])"
        }
        return start + written.joined(separator: "/") + path[end...]
    }

    // MARK: Bodies

    mutating func readBody(_ json: JSON?, at pointer: JSONPointer, into request: inout ImportedRequest) {
        guard let json, json.object != nil, let mode = json["mode"]?.string else { return }
        if json["disabled"]?.bool == true {
            return request.comments.append("disabled body: \(JSONWriter().string(json[mode] ?? .null))")
        }
        let position = pointer.member(mode)
        switch mode {
        case "raw":
            guard let raw = json["raw"]?.string, !raw.isEmpty else { return }
            let types = [
                "json": "application/json", "xml": "application/xml", "html": "text/html",
                "javascript": "application/javascript",
            ]
            let language = json["options"]?["raw"]?["language"]?.string ?? ""
            request.body = .text(text(raw, at: position), contentType: types[language] ?? "text/plain")
        case "urlencoded":
            if let string = json["urlencoded"]?.string {
                request.body = .text(text(string, at: position), contentType: "application/x-www-form-urlencoded")
                return
            }
            let fields = (json["urlencoded"]?.array ?? []).enumerated().compactMap { index, field in
                self.field(field, at: position.appending(.index(index)), &request)
            }
            if !fields.isEmpty { request.body = .form(fields) }
        case "formdata":
            var parts: [ImportedPart] = []
            for (index, field) in (json["formdata"]?.array ?? []).enumerated() {
                parts += self.parts(field, at: position.appending(.index(index)), &request)
            }
            if !parts.isEmpty { request.body = .multipart(parts) }
        case "file":
            if let path = json["file"]?["src"]?.string, !path.isEmpty {
                request.body = .file(path, contentType: nil)
            } else if let content = json["file"]?["content"]?.string {
                request.body = .text(text(content, at: position), contentType: nil)
            } else {
                lose("the file of the body", "the collection does not name it", at: pointer)
            }
        case "graphql":
            let variables = json["graphql"]?["variables"]
            let source = variables?.string ?? variables.map { JSONWriter().string($0) }
            let query = text(Self.string(json["graphql"]?["query"]), at: position.member("query"))
            request.body = .graphQL(query: query, variables: source.map { text($0, at: position.member("variables")) })
        default: lose("the body of the kind '\(mode)'", "a manifest has no such body", at: pointer.member("mode"))
        }
    }

    private mutating func field(_ json: JSON, at pointer: JSONPointer, _ request: inout ImportedRequest)
        -> ImportedField?
    {
        let name = Self.string(json["key"])
        let value = Self.string(json["value"])
        if json["disabled"]?.bool == true {
            request.comments.append("disabled field: \(name)=\(Self.shown(value, of: name))")
            return nil
        }
        if let note = Self.description(json["description"]) { request.comments.append("\(name): \(note)") }
        return name.isEmpty ? nil : ImportedField(name, text(value, at: pointer))
    }

    private mutating func parts(_ json: JSON, at pointer: JSONPointer, _ request: inout ImportedRequest)
        -> [ImportedPart]
    {
        let type = json["contentType"]?.string
        guard json["type"]?.string == "file" || json["src"] != nil else {
            guard let field = field(json, at: pointer, &request) else { return [] }
            return [ImportedPart(name: field.name, content: .text(field.value), contentType: type)]
        }
        let name = Self.string(json["key"])
        let files = json["src"]?.array?.compactMap(\.string) ?? json["src"]?.string.map { [$0] } ?? []
        if json["disabled"]?.bool == true {
            request.comments.append("disabled file: \(name)=\(files.joined(separator: ", "))")
            return []
        }
        if files.isEmpty { lose("the file of the part '\(name)'", "the collection does not name it", at: pointer) }
        return files.map { ImportedPart(name: name, content: .file($0), contentType: type) }
    }

    // MARK: Authentication

    /// Returns credentials; nil if they are inherited.
    mutating func auth(_ json: JSON?, at pointer: JSONPointer) -> ImportedAuth? {
        guard let json, let type = json["type"]?.string ?? json.string else { return nil }
        let members = json[type]
        var values: [String: String] = [:]
        // A list of names and values in v2.1, an object in v2.0.
        for member in members?.array ?? [] {
            if let name = member["key"]?.string { values[name] = Self.string(member["value"]) }
        }
        for (name, value) in members?.object ?? JSONObject() { values[name] = Self.string(value) }
        func value(_ name: String) -> ImportedText { BracedText.text(values[name] ?? "").text }
        switch type {
        case "noauth": return ImportedAuth.none
        case "basic", "digest":
            return .basic(username: value("username"), password: value("password"), isDigest: type == "digest")
        case "bearer": return .bearer(value("token"))
        case "apikey":
            return .apiKey(
                in: values["in"] == "query" ? "query" : "header",
                name: values["key"] ?? "X-API-Key",
                value: value("value")
            )
        case "awsv4":
            return .awsSigV4(
                region: value("region"),
                service: value("service"),
                accessKey: value("accessKey"),
                secretKey: value("secretKey"),
                sessionToken: value("sessionToken")
            )
        case "oauth2":
            let (auth, note) = Self.oauth2(values)
            if let note { notes.append(note) }
            return auth
        default:
            lose("the authentication '\(type)'", "a manifest has no such method", at: pointer.member("type"))
            return nil
        }
    }

    /// Returns OAuth 2.0, and a comment where a person must log in with a browser.
    static func oauth2(_ values: [String: String]) -> (auth: ImportedAuth, note: String?) {
        func value(_ name: String) -> ImportedText { BracedText.text(values[name] ?? "").text }
        let grants = [
            "client_credentials": "client_credentials", "password_credentials": "password", "password": "password",
        ]
        if let url = values["accessTokenUrl"], !url.isEmpty, let grant = grants[values["grant_type"] ?? ""] {
            var names = [
                ("tokenURL", "accessTokenUrl"), ("clientId", "clientId"), ("clientSecret", "clientSecret"),
                ("scope", "scope"),
            ]
            if grant == "password" { names += [("username", "username"), ("password", "password")] }
            if values["audience"] != nil { names.append(("audience", "audience")) }
            // Exports often leave the credentials out.
            let required = grant == "password" ? ["username", "password"] : ["clientId", "clientSecret"]
            var fields = names.compactMap { key, name in
                let text = value(name)
                if text.isEmpty {
                    return required.contains(key) ? ImportedField(key, .ofVariable(key)) : nil
                }
                return ImportedField(key, text)
            }
            fields.insert(ImportedField("grant", ImportedText(grant)), at: 1)
            if values["client_authentication"] == "body" { fields.append(ImportedField("clientAuth", "body")) }
            return (ImportedAuth(method: "oauth2", members: fields), nil)
        }
        // In the other grants a person logs in with a browser; a run receives the token.
        let token = value("accessToken").isEmpty ? .ofVariable("accessToken") : value("accessToken")
        var note: String?
        if values["accessToken"]?.isEmpty ?? true {
            let shown = values.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
                .map { "\($0.key): \(ImportedAuth.secretMembers.contains($0.key) ? "***" : $0.value)" }
            note =
                "OAuth 2.0, where a person logs in with a browser; a run needs the token. \(shown.joined(separator: ", "))"
        }
        if values["addTokenTo"] == "queryParams" {
            return (.apiKey(in: "query", name: "access_token", value: token), note)
        }
        let prefix = values["headerPrefix"]?.trimmingSpaces ?? "Bearer"
        if prefix != "Bearer", !prefix.isEmpty {
            let value = ImportedText([.literal("\(prefix) ")] + token.parts)
            return (.apiKey(in: "header", name: "Authorization", value: value), note)
        }
        return (.bearer(token), note)
    }

    // MARK: Variables and scripts

    mutating func readVariables(_ json: JSON?, at pointer: JSONPointer) {
        for (index, variable) in (json?.array ?? []).enumerated() {
            guard let name = variable["key"]?.string ?? variable["id"]?.string, !name.isEmpty else { continue }
            let position = pointer.appending(.index(index))
            let value = text(Self.string(variable["value"]), at: position)
            if variable["disabled"]?.bool == true {
                let shown = SecretNames.contains(name) ? "***" : Self.string(variable["value"])
                collection.comments.append("disabled variable: \(name): \(shown)")
                continue
            }
            let hasValue = variable["value"] != nil && variable["value"] != .null
            collection.variables.append(
                ImportedVariable(
                    name: name,
                    value: hasValue ? value : nil,
                    isSecret: variable["type"]?.string == "secret"
                )
            )
        }
    }

    /// Translates the scripts of a collection, a folder or a request.
    mutating func scripts(_ json: JSON?, at pointer: JSONPointer) -> ScriptTranslation {
        var result = ScriptTranslation()
        for (index, event) in (json?.array ?? []).enumerated() {
            guard event["disabled"]?.bool != true, let listen = event["listen"]?.string else { continue }
            let source = event["script"]?["exec"] ?? event["script"] ?? .null
            let position = pointer.appending(.index(index)).member("script").member("exec")
            let lines = source.array?.map { Self.string($0) } ?? source.string.map { [$0] } ?? []
            let script = lines.joined(separator: "\n")
            guard !script.trimmingSpaces.isEmpty else { continue }
            let found = ScriptTranslator.translate(script, isTest: listen == "test")
            result.add(found)
            for loss in found.losses {
                losses.append(
                    loss.loss(at: span(source.array == nil ? position : position.appending(.index(loss.line))))
                )
            }
        }
        return result
    }
}
