import WaybillFormats
import WaybillJSON

extension PostmanReader {
    // MARK: URLs

    /// Reads a URL: a string, or an object with its parts.
    mutating func readURL(_ json: LocatedJSON, into request: inout ImportedRequest) {
        for variable in json["variable"].elements {
            guard let name = variable["key"].string ?? variable["id"].string else { continue }
            let value = variable["value"].text.isEmpty ? nil : text(variable["value"])
            request.variables.append(ImportedVariable(name: name, value: value))
        }
        let host =
            json["host"].isList ? json["host"].elements.map(\.text).joined(separator: ".") : json["host"].string ?? ""
        guard !host.isEmpty else {
            let raw = json.string == nil ? json["raw"] : json
            return request.url = text(Self.withPathVariables(raw.text.trimmingSpaces), at: raw)
        }
        var url = json["protocol"].string.map { $0.isEmpty ? "" : "\($0)://" } ?? ""
        if let user = json["auth"]["user"].string { url += "\(user):\(json["auth"]["password"].text)@" }
        url += host
        if !json["port"].text.isEmpty { url += ":\(json["port"].text)" }
        let segments = json["path"].elements.map { $0["value"].json == .null ? $0.text : $0["value"].text }
        let path = json["path"].isList ? segments.joined(separator: "/") : json["path"].string ?? ""
        if !path.isEmpty || json["path"].isList { url += path.hasPrefix("/") ? path : "/\(path)" }
        let pairs = json["query"].elements.compactMap { parameter -> String? in
            guard let (name, value) = pair(parameter, "query parameter", &request), !name.isEmpty || !value.isEmpty
            else { return nil }
            return Self.encoded(name) + (parameter["value"].json == .null ? "" : "=" + Self.encoded(value))
        }
        if !pairs.isEmpty { url += "?" + pairs.joined(separator: "&") }
        request.url = text(Self.withPathVariables(url), at: json)
        for variable in request.variables where !request.url.variables.contains(variable.name) {
            let value = variable.value.map { ManifestWriter.source($0) } ?? ""
            request.comments.append("variable of no part of the path: \(variable.name): \(value)")
        }
        if let hash = json["hash"].string, !hash.isEmpty {
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

    /// The name and the value of a parameter, a header field or a field of a form, whose description becomes a comment;
    /// nil, with a comment, if it is switched off.
    mutating func pair(_ json: LocatedJSON, _ what: String, _ request: inout ImportedRequest) -> (String, String)? {
        let (name, value) = (json["key"].text, json["value"].text)
        if json["disabled"].isTrue {
            let mark = what == "header field" ? ": " : "="
            request.comments.append("disabled \(what): \(name)\(mark)\(Self.shown(value, of: name))")
            return nil
        }
        if let note = Self.description(json["description"]) { request.comments.append("\(name): \(note)") }
        return (name, value)
    }

    // MARK: Bodies

    mutating func readBody(_ json: LocatedJSON, into request: inout ImportedRequest) {
        guard let mode = json["mode"].string else { return }
        let content = json[mode]
        if json["disabled"].isTrue { return request.comments.append("disabled body: \(content.written)") }
        switch mode {
        case "raw":
            guard let raw = content.string, !raw.isEmpty else { return }
            let types = [
                "json": "application/json", "xml": "application/xml", "html": "text/html",
                "javascript": "application/javascript",
            ]
            let type = types[json["options"]["raw"]["language"].text] ?? "text/plain"
            request.body = .text(text(content), contentType: type)
        case "urlencoded" where content.string != nil:
            request.body = .text(text(content), contentType: ManifestWriter.formType)
        case "urlencoded":
            let fields = content.elements.compactMap { field($0, &request) }
            if !fields.isEmpty { request.body = .form(fields) }
        case "formdata":
            let parts = content.elements.flatMap { self.parts($0, &request) }
            if !parts.isEmpty { request.body = .multipart(parts) }
        case "file":
            if let path = content["src"].string, !path.isEmpty {
                request.body = .file(path, contentType: nil)
            } else if content["content"].string != nil {
                request.body = .text(text(content["content"]), contentType: nil)
            } else {
                lose("the file of the body", "the collection does not name it", at: json)
            }
        case "graphql":
            let variables = content["variables"]
            let source =
                content.json["variables"] == nil ? nil : text(variables.string ?? variables.written, at: variables)
            request.body = .graphQL(query: text(content["query"]), variables: source)
        default: lose("the body of the kind '\(mode)'", "a manifest has no such body", at: json["mode"])
        }
    }

    private mutating func field(_ json: LocatedJSON, _ request: inout ImportedRequest) -> ImportedField? {
        guard let (name, value) = pair(json, "field", &request), !name.isEmpty else { return nil }
        return ImportedField(name, text(value, at: json))
    }

    private mutating func parts(_ json: LocatedJSON, _ request: inout ImportedRequest) -> [ImportedPart] {
        let type = json["contentType"].string
        guard json["type"].string == "file" || json.json["src"] != nil else {
            guard let field = field(json, &request) else { return [] }
            return [ImportedPart(name: field.name, content: .text(field.value), contentType: type)]
        }
        let name = json["key"].text
        let files =
            json["src"].isList ? json["src"].elements.compactMap(\.string) : json["src"].string.map { [$0] } ?? []
        if json["disabled"].isTrue {
            request.comments.append("disabled file: \(name)=\(files.joined(separator: ", "))")
            return []
        }
        if files.isEmpty { lose("the file of the part '\(name)'", "the collection does not name it", at: json) }
        return files.map { ImportedPart(name: name, content: .file($0), contentType: type) }
    }

    // MARK: Authentication

    /// Returns credentials; nil if they are inherited.
    mutating func auth(_ json: LocatedJSON) -> ImportedAuth? {
        guard let type = json["type"].string ?? json.string else { return nil }
        // A list of names and values in v2.1, an object in v2.0.
        var values: [String: String] = [:]
        for member in json[type].elements { if let name = member["key"].string { values[name] = member["value"].text } }
        for (name, value) in json[type].members { values[name] = value.text }
        let credentials = NamedCredentials(type: type, values: values)
        guard let (auth, note) = credentials.auth({ BracedText.text($0).text }) else {
            lose("the authentication '\(type)'", "a manifest has no such method", at: json["type"])
            return nil
        }
        if let note { notes.append(note) }
        return auth
    }

    // MARK: Variables and scripts

    mutating func readVariables(_ json: LocatedJSON) {
        for variable in json.elements {
            guard let name = variable["key"].string ?? variable["id"].string, !name.isEmpty else { continue }
            let value = text(variable["value"].text, at: variable)
            if variable["disabled"].isTrue {
                let shown = SecretNames.contains(name) ? "***" : variable["value"].text
                collection.comments.append("disabled variable: \(name): \(shown)")
                continue
            }
            let isSecret = variable["type"].string == "secret"
            let known = variable["value"].json == .null ? nil : value
            collection.variables.append(ImportedVariable(name: name, value: known, isSecret: isSecret))
        }
    }

    /// Translates the scripts of a collection, a folder or a request.
    mutating func scripts(_ json: LocatedJSON) -> ScriptTranslation {
        var result = ScriptTranslation()
        for event in json.elements where !event["disabled"].isTrue && event["listen"].string != nil {
            let position = event["script"]["exec"]
            let source = position.json == .null ? event["script"] : position
            let lines = source.isList ? source.elements.map(\.text) : source.string.map { [$0] } ?? []
            let script = lines.joined(separator: "\n")
            guard !script.trimmingSpaces.isEmpty else { continue }
            let found = ScriptTranslator.translate(script, isTest: event["listen"].string == "test")
            result.add(found)
            result.parsesJSON =
                result.parsesJSON || ["response.json()", "JSON.parse("].contains(where: script.contains)
            for loss in found.losses {
                let pointer = source.isList ? position.pointer.appending(.index(loss.line)) : position.pointer
                losses.append(loss.loss(at: span(pointer)))
            }
        }
        return result
    }
}
