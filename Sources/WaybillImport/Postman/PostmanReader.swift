import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest

/// Reads collections of Postman, v2.0, v2.1 and v3, with environments and globals.
struct PostmanReader: ImportReader {
    let file: SourceFile
    /// The locations of what was asked for when the collection was read before.
    private let locations: (any DocumentLocations)?
    /// The pointers whose locations are needed.
    private(set) var pointers: [JSONPointer] = []
    var collection = ImportedCollection()
    var diagnostics: [Diagnostic] = []
    /// What was found in the request or folder that is being read.
    var losses: [ImportLoss] = []
    /// Comments about its credentials.
    var notes: [String] = []

    /// The maximum number of requests, and of folders in each other.
    private static let maximumRequests = 20_000
    private static let maximumDepth = 50
    private var count = 0

    private init(_ file: SourceFile, locations: (any DocumentLocations)?) {
        self.file = file
        self.locations = locations
    }

    static let description = "Postman collections"
    static let fileExtensions = [".json"] + PostmanFolder.fileExtensions

    static func recognizes(_ text: RecognizedText) -> Bool {
        guard let json = text.json else { return PostmanFolder.isPart(text.name) && text.text.contains("$kind") }
        let root = json["collection"] ?? json
        guard root["info"]?.object != nil else { return false }
        return root["item"] != nil || root["info"]?["schema"]?.string?.contains("getpostman.com") ?? false
    }

    /// Reads collections. Each but the only one is a folder.
    static func read(_ sources: [SourceFile], _ options: ImportOptions) -> ImportResult {
        var result = ImportedCollection()
        var diagnostics: [Diagnostic] = []
        var environments = options.environments
        var collections: [ImportedCollection] = []
        for source in sources where !PostmanFolder.isPart(source.name) {
            guard let json = source.json(&diagnostics) else { continue }
            if sources.count > 1, json["info"] == nil, json["values"]?.array != nil {
                environments.append(source)
            } else {
                collections.append(read(json, source, &diagnostics))
            }
        }
        let parts = sources.filter { PostmanFolder.isPart($0.name) }
        if !parts.isEmpty {
            let folder = PostmanFolder(parts)
            diagnostics += folder.diagnostics
            environments += folder.environments
            if !folder.diagnostics.hasErrors {
                var reader = PostmanReader(parts[0], locations: folder)
                reader.readCollection(folder.json)
                diagnostics += reader.diagnostics
                reader.collection.losses += folder.losses
                collections.append(reader.collection)
            }
        }
        if collections.count == 1 {
            result = collections[0]
        } else {
            for collection in collections { result.add(collection) }
        }
        for source in environments {
            if let json = values(of: source, &diagnostics) { result.add(environment: json, source, &diagnostics) }
        }
        return (result, diagnostics)
    }

    /// Returns an environment, which is JSON or, in version 3, YAML.
    private static func values(of source: SourceFile, _ diagnostics: inout [Diagnostic]) -> JSON? {
        guard source.name.hasSuffix(".yaml") || source.name.hasSuffix(".yml") else { return source.json(&diagnostics) }
        let (node, found) = YAMLReader().read(source)
        diagnostics += found
        guard var json = node?.json.object, !found.hasErrors else { return nil }
        if source.name.contains(".globals.") { json["_postman_variable_scope"] = "globals" }
        return .object(json)
    }

    /// Reads a collection twice: the first time finds which locations are needed, so that the text is searched once.
    private static func read(_ json: JSON, _ source: SourceFile, _ diagnostics: inout [Diagnostic])
        -> ImportedCollection
    {
        var first = PostmanReader(source, locations: nil)
        first.readCollection(json)
        var second = PostmanReader(source, locations: JSONLocations(of: first.pointers, in: source))
        second.readCollection(json)
        diagnostics += second.diagnostics
        return second.collection
    }

    /// Returns the location of a value.
    mutating func span(_ pointer: JSONPointer) -> SourceSpan? {
        pointers.append(pointer)
        return locations?.span(at: pointer)
    }

    /// Notes something that is not imported.
    mutating func lose(_ what: String, _ reason: String, at json: LocatedJSON) {
        losses.add(what, reason, at: span(json.pointer))
    }

    private mutating func report(_ headline: String, at json: LocatedJSON) {
        diagnostics.report("import-syntax", headline, at: span(json.pointer) ?? file.start)
    }

    // MARK: Collections and folders

    private mutating func readCollection(_ json: JSON) {
        var root = LocatedJSON(json: json)
        if root["collection"].isObject, json["info"] == nil { root = root["collection"] }
        let info = root["info"]
        guard info.isObject else {
            return report("\(file.name) is not a Postman collection: 'info' is missing", at: root)
        }
        if info["schema"].text.contains("/v1") {
            return report("collections of version 1 are not read; export it as version 2.1", at: info["schema"])
        }
        collection.name = info["name"].string
        collection.description = Self.description(info["description"])
        guard let items = items(of: root) else { return }
        collection.auth = auth(root["auth"])
        readVariables(root["variable"])
        let scripts = scripts(root["event"])
        collection.losses = take()
        collection.comments += scripts.comments + takeNotes()
        collection.items = readItems(items, [scripts], depth: 0)
        collection.losses += take()
    }

    /// Returns and forgets what was not imported.
    private mutating func take() -> [ImportLoss] {
        defer { losses = [] }
        return losses
    }

    private mutating func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    private mutating func items(of json: LocatedJSON) -> [LocatedJSON]? {
        let list = json["item"]
        if list.isList { return list.elements }
        if list.json == .null {
            report("the list 'item' is missing", at: json)
        } else {
            report("expected a list for 'item', found \(list.json.kind.phrase)", at: list)
        }
        return nil
    }

    private mutating func readItems(_ items: [LocatedJSON], _ scripts: [ScriptTranslation], depth: Int)
        -> [ImportedItem]
    {
        var result: [ImportedItem] = []
        for item in items {
            guard item.isObject else {
                report("expected an object, found \(item.json.kind.phrase)", at: item)
                continue
            }
            guard depth < Self.maximumDepth, count < Self.maximumRequests else {
                let limits = "\(Self.maximumRequests) requests or \(Self.maximumDepth) levels"
                report("the collection has more than \(limits)", at: item)
                return result
            }
            guard item.json["item"] != nil else {
                count += 1
                result.append(.request(readRequest(item, scripts)))
                continue
            }
            guard let inner = self.items(of: item) else { continue }
            var folder = ImportedFolder(name: item["name"].string ?? "folder")
            folder.description = Self.description(item["description"])
            folder.auth = auth(item["auth"])
            readVariables(item["variable"])
            let own = self.scripts(item["event"])
            folder.losses = take()
            folder.comments = own.comments + takeNotes()
            folder.items = readItems(inner, scripts + [own], depth: depth + 1)
            result.append(.folder(folder))
        }
        return result
    }

    /// The text of a description: a string, or an object with it.
    static func description(_ json: LocatedJSON) -> String? {
        let text = (json.string ?? json["content"].string)?.trimmingSpaces
        return text == "" ? nil : text
    }

    // MARK: Requests

    private mutating func readRequest(_ item: LocatedJSON, _ outer: [ScriptTranslation]) -> ImportedRequest {
        let json = item["request"]
        var request = ImportedRequest(url: "")
        request.name = item["name"].string
        request.span = span(item["name"].pointer) ?? span(json.pointer)
        guard json.isObject || json.string != nil else {
            lose("the item '\(request.name ?? "")'", "it has no request", at: item)
            request.losses = take()
            return request
        }
        if json.string != nil {
            request.url = text(json)
        } else {
            readMethod(json["method"], into: &request)
            request.description = Self.description(json["description"]) ?? Self.description(item["description"])
            readURL(json["url"], into: &request)
            readHeaders(json["header"], into: &request)
            readBody(json["body"], into: &request)
            if let body = request.body, Self.methodsWithoutBody.contains(request.method),
                !item["protocolProfileBehavior"]["disableBodyPruning"].isTrue
            {
                request.body = nil
                let what = "Postman does not send a body with \(request.method)"
                request.comments.append("\(what): \(Self.summary(of: body))")
            }
            request.auth = auth(json["auth"]) ?? auth(item["auth"])
            let isUnknown = json["auth"]["type"].string.map { $0 != "noauth" && request.auth == nil } ?? false
            if isUnknown, request.headers.has("Authorization") {
                request.headers.remove("Authorization")
                request.comments.append("The header field Authorization, which Postman computes, is left out.")
            }
        }
        if request.url.isEmpty { lose("the request '\(request.name ?? "")'", "it has no URL", at: json) }
        readBehavior(item["protocolProfileBehavior"], into: &request)
        let own = scripts(item["event"])
        for script in outer + [own] { request.add(script) }
        request.comments += own.comments + takeNotes()
        for example in item["response"].elements where example.isObject {
            var result = ImportedExample(status: Int(example["code"].written) ?? 200)
            result.name = example["name"].string
            result.headers = example["header"].elements.compactMap { header in
                header["key"].string.map { ImportedField($0, ImportedText(header["value"].text)) }
            }
            result.body = example["body"].string
            request.examples.append(result)
        }
        request.losses = take()
        return request
    }

    /// The methods with which Postman sends a body only if a setting says so.
    private static let methodsWithoutBody: Set<String> = ["GET", "HEAD", "COPY", "PURGE", "UNLOCK"]

    private static func summary(of body: ImportedBody) -> String {
        switch body {
        case .text(let text, _), .graphQL(let text, _): ManifestWriter.source(text)
        case .form(let fields):
            fields.map { "\($0.name)=\(shown(ManifestWriter.source($0.value), of: $0.name))" }.joined(separator: "&")
        case .multipart(let parts): parts.map(\.name).joined(separator: ", ")
        case .file(let path, _): path
        case .bytes: ""
        }
    }

    private mutating func readMethod(_ json: LocatedJSON, into request: inout ImportedRequest) {
        let method = json.text.trimmingSpaces
        if method.isEmpty { return }
        guard method.isToken else {
            return lose("the method '\(method)'", "HTTP does not allow its characters", at: json)
        }
        request.method = method
    }

    /// Returns a string with its variables.
    mutating func text(_ json: LocatedJSON) -> ImportedText { text(json.text, at: json) }

    /// Returns a string with its variables.
    mutating func text(_ string: String, at json: LocatedJSON) -> ImportedText {
        let (text, unknown) = BracedText.text(string)
        for name in unknown { lose("the random value '{{\(name)}}'", "give one as an input", at: json) }
        return text
    }

    private mutating func readHeaders(_ json: LocatedJSON, into request: inout ImportedRequest) {
        for line in (json.string ?? "").split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1).map { String($0).trimmingSpaces }
            if parts.count == 2 { request.headers.append(ImportedField(parts[0], text(parts[1], at: json))) }
        }
        for header in json.elements where !(header["key"].string ?? "").isEmpty {
            guard let (name, value) = pair(header, "header field", &request) else { continue }
            request.headers.append(ImportedField(name, text(value, at: header)))
        }
    }

    /// A value for a comment, in which a secret has no value.
    static func shown(_ value: String, of name: String) -> String {
        SecretNames.containsHeader(name) && !value.isEmpty ? "***" : value
    }

    private mutating func readBehavior(_ json: LocatedJSON, into request: inout ImportedRequest) {
        for (name, value) in json.members {
            switch (name, value.json) {
            // Postman ignores what is not a number of redirects.
            case ("maxRedirects", _) where (Int(value.text) ?? -1) < 0,
                ("followRedirects", .bool(true)), ("strictSSL", .bool(true)), ("disableBodyPruning", _),
                ("disabledSystemHeaders", _), (_, .null):
                request.comments.append("Postman's setting \(name): \(value.written)")
            case ("maxRedirects", _):
                let count = Int(value.text) ?? 0
                if count > 100 { lose("the setting 'maxRedirects: \(count)'", "the maximum is 100", at: value) }
                let limit = count == 0 ? "false" : "\(min(count, 100))"
                request.settings.append(ManifestEntry("redirects", .literal(limit)))
            case ("followRedirects", .bool(false)):
                request.settings.append(ManifestEntry("redirects", .literal("false")))
            case ("strictSSL", .bool(false)):
                request.settings.append(ManifestEntry("tls", .map(("verify", .literal("false")))))
            case ("protocolVersion", "http1"): request.settings.append(ManifestEntry("http", .string("1.1")))
            case ("protocolVersion", "http2"): request.settings.append(ManifestEntry("http", .string("2")))
            default: lose("the setting '\(name): \(value.written)'", "a manifest has no setting for it", at: value)
            }
        }
    }
}

extension ImportedRequest {
    /// Adds what a script says.
    mutating func add(_ script: ScriptTranslation) {
        assignments += script.assignments
        checks += script.checks
        captures += script.captures
        endsRun = endsRun || script.endsRun
        if script.parsesJSON, script.mayPassWithoutJSON, !settings.contains(where: { $0.name == "decoding" }) {
            settings.append(ManifestEntry("decoding", .plain("json")))
        }
    }
}

extension ImportedCollection {
    /// Adds another collection as a folder.
    fileprivate mutating func add(_ other: ImportedCollection) {
        var folder = ImportedFolder(name: other.name ?? "collection", items: other.items)
        (folder.description, folder.auth, folder.losses) = (other.description, other.auth, other.losses)
        items.append(.folder(folder))
        variables += other.variables.filter { variable in !variables.contains { $0.name == variable.name } }
    }

    /// Adds an environment, or the globals, whose values those of the collection replace.
    fileprivate mutating func add(environment json: JSON, _ source: SourceFile, _ diagnostics: inout [Diagnostic]) {
        guard let values = json["values"]?.array else {
            let headline = "\(source.name) is not an environment of Postman: the list 'values' is missing"
            return diagnostics.report("import-syntax", headline, at: source.start)
        }
        let variables = values.compactMap { value -> ImportedVariable? in
            guard let name = value["key"]?.string, value["enabled"]?.bool != false else { return nil }
            let text = BracedText.text(LocatedJSON(json: value["value"] ?? .null).text).text
            return ImportedVariable(name: name, value: text, isSecret: value["type"]?.string == "secret")
        }
        if json["_postman_variable_scope"]?.string == "globals" {
            self.variables.insert(contentsOf: variables, at: 0)
        } else {
            environments.append(ImportedEnvironment(name: json["name"]?.string ?? "environment", variables: variables))
        }
    }
}
