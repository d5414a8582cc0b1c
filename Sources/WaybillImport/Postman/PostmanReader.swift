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
    static func read(
        _ sources: [SourceFile],
        _ options: ImportOptions
    ) -> (collection: ImportedCollection, diagnostics: [Diagnostic]) {
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
    mutating func lose(_ what: String, _ reason: String, at pointer: JSONPointer) {
        losses.add(what, reason, at: span(pointer))
    }

    private mutating func report(_ headline: String, at pointer: JSONPointer) {
        diagnostics.report(
            "import-syntax",
            headline,
            at: span(pointer) ?? SourceSpan(file: file, range: 0..<min(1, file.bytes.count))
        )
    }

    // MARK: Collections and folders

    private mutating func readCollection(_ json: JSON) {
        let isWrapped = json["collection"]?.object != nil && json["info"] == nil
        let root = isWrapped ? json["collection"] ?? json : json
        let pointer = isWrapped ? JSONPointer([.name("collection")]) : JSONPointer()
        guard let info = root["info"]?.object else {
            return report("\(file.name) is not a Postman collection: 'info' is missing", at: pointer)
        }
        if let schema = info["schema"]?.string, schema.contains("/v1") {
            return report(
                "collections of version 1 are not read; export it as version 2.1",
                at: pointer.member("info").member("schema")
            )
        }
        collection.name = info["name"]?.string
        collection.description = Self.description(info["description"])
        guard let items = list(root["item"], "item", at: pointer) else { return }
        collection.auth = auth(root["auth"], at: pointer.member("auth"))
        readVariables(root["variable"], at: pointer.member("variable"))
        let scripts = scripts(root["event"], at: pointer.member("event"))
        collection.losses = take()
        collection.comments += scripts.comments + takeNotes()
        collection.items = readItems(items, at: pointer.member("item"), [scripts], depth: 0)
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

    private mutating func list(_ json: JSON?, _ name: String, at pointer: JSONPointer) -> [JSON]? {
        switch json {
        case .array(let elements)?: return elements
        case .null?, nil:
            report("the list '\(name)' is missing", at: pointer)
            return nil
        case let value?:
            report("expected a list for '\(name)', found \(value.kind.phrase)", at: pointer.member(name))
            return nil
        }
    }

    private mutating func readItems(
        _ items: [JSON],
        at pointer: JSONPointer,
        _ scripts: [ScriptTranslation],
        depth: Int
    ) -> [ImportedItem] {
        var result: [ImportedItem] = []
        for (index, item) in items.enumerated() {
            let position = pointer.appending(.index(index))
            guard let members = item.object else {
                report("expected an object, found \(item.kind.phrase)", at: position)
                continue
            }
            guard depth < Self.maximumDepth, count < Self.maximumRequests else {
                report(
                    "the collection has more than \(Self.maximumRequests) requests or \(Self.maximumDepth) levels",
                    at: position
                )
                return result
            }
            if members["item"] != nil {
                guard let inner = list(members["item"], "item", at: position) else { continue }
                var folder = ImportedFolder(name: members["name"]?.string ?? "folder")
                folder.description = Self.description(members["description"])
                folder.auth = auth(members["auth"], at: position.member("auth"))
                readVariables(members["variable"], at: position.member("variable"))
                let own = self.scripts(members["event"], at: position.member("event"))
                folder.losses = take()
                folder.comments = own.comments + takeNotes()
                folder.items = readItems(inner, at: position.member("item"), scripts + [own], depth: depth + 1)
                result.append(.folder(folder))
            } else {
                count += 1
                result.append(.request(readRequest(item, at: position, scripts)))
            }
        }
        return result
    }

    /// The text of a description: a string, or an object with it.
    static func description(_ json: JSON?) -> String? {
        let text = json?.string ?? json?["content"]?.string
        return text.flatMap { $0.trimmingSpaces.isEmpty ? nil : $0.trimmingSpaces }
    }

    // MARK: Requests

    private mutating func readRequest(_ item: JSON, at pointer: JSONPointer, _ outer: [ScriptTranslation])
        -> ImportedRequest
    {
        let position = pointer.member("request")
        var request = ImportedRequest(url: "")
        request.name = item["name"]?.string
        request.span = span(pointer.member("name")) ?? span(position)
        guard let json = item["request"], json.object != nil || json.string != nil else {
            lose("the item '\(request.name ?? "")'", "it has no request", at: pointer)
            request.losses = take()
            return request
        }
        if let url = json.string {
            request.url = text(url, at: position)
        } else {
            readMethod(json["method"], at: position.member("method"), into: &request)
            request.description = Self.description(json["description"]) ?? Self.description(item["description"])
            readURL(json["url"], at: position.member("url"), into: &request)
            readHeaders(json["header"], at: position.member("header"), into: &request)
            readBody(json["body"], at: position.member("body"), into: &request)
            if let body = request.body, Self.methodsWithoutBody.contains(request.method),
                item["protocolProfileBehavior"]?["disableBodyPruning"]?.bool != true
            {
                request.body = nil
                request.comments.append(
                    "Postman does not send a body with \(request.method): \(Self.summary(of: body))"
                )
            }
            request.auth =
                auth(json["auth"], at: position.member("auth")) ?? auth(item["auth"], at: pointer.member("auth"))
            let isUnknown = json["auth"]?["type"]?.string.map { $0 != "noauth" && request.auth == nil } ?? false
            if isUnknown, request.headers.contains(where: { $0.name.lowercased() == "authorization" }) {
                request.headers.removeAll { $0.name.lowercased() == "authorization" }
                request.comments.append("The header field Authorization, which Postman computes, is left out.")
            }
        }
        if request.url.isEmpty { lose("the request '\(request.name ?? "")'", "it has no URL", at: position) }
        readBehavior(item["protocolProfileBehavior"], at: pointer.member("protocolProfileBehavior"), into: &request)
        let own = scripts(item["event"], at: pointer.member("event"))
        for script in outer + [own] { request.add(script) }
        request.comments += own.comments + takeNotes()
        readExamples(item["response"], at: pointer.member("response"), into: &request)
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

    private mutating func readMethod(_ json: JSON?, at pointer: JSONPointer, into request: inout ImportedRequest) {
        let method = Self.string(json).trimmingSpaces
        if method.isEmpty { return }
        guard method.isToken else {
            return lose("the method '\(method)'", "HTTP does not allow its characters", at: pointer)
        }
        request.method = method
    }

    /// Returns a string with its variables.
    mutating func text(_ string: String, at pointer: JSONPointer) -> ImportedText {
        let (text, unknown) = BracedText.text(string)
        for name in unknown { lose("the random value '{{\(name)}}'", "give one as an input", at: pointer) }
        return text
    }

    private mutating func readHeaders(_ json: JSON?, at pointer: JSONPointer, into request: inout ImportedRequest) {
        if let lines = json?.string {
            for line in lines.split(whereSeparator: \.isNewline) {
                let parts = line.split(separator: ":", maxSplits: 1).map { String($0).trimmingSpaces }
                if parts.count == 2 { request.headers.append(ImportedField(parts[0], text(parts[1], at: pointer))) }
            }
        }
        for (index, header) in (json?.array ?? []).enumerated() {
            let position = pointer.appending(.index(index))
            guard let name = header["key"]?.string, !name.isEmpty else { continue }
            let value = Self.string(header["value"])
            if header["disabled"]?.bool == true {
                request.comments.append("disabled header field: \(name): \(Self.shown(value, of: name))")
            } else {
                request.headers.append(ImportedField(name, text(value, at: position)))
                if let note = Self.description(header["description"]) { request.comments.append("\(name): \(note)") }
            }
        }
    }

    /// A value for a comment, in which a secret has no value.
    static func shown(_ value: String, of name: String) -> String {
        SecretNames.containsHeader(name) && !value.isEmpty ? "***" : value
    }

    /// A value as a string: numbers and booleans as they are written.
    static func string(_ json: JSON?) -> String {
        switch json {
        case .string(let text)?: text
        case .null?, nil: ""
        case let value?: JSONWriter().string(value)
        }
    }

    private mutating func readBehavior(_ json: JSON?, at pointer: JSONPointer, into request: inout ImportedRequest) {
        for (name, value) in json?.object ?? JSONObject() {
            switch (name, value) {
            case ("maxRedirects", _):
                // Postman ignores what is not a number of redirects.
                guard let count = Int(Self.string(value)), count >= 0 else {
                    request.comments.append("Postman's setting \(name): \(JSONWriter().string(value))")
                    continue
                }
                if count > 100 {
                    lose("the setting 'maxRedirects: \(count)'", "the maximum is 100", at: pointer.member(name))
                }
                request.settings.append(
                    ManifestEntry("redirects", .literal(count == 0 ? "false" : "\(min(count, 100))"))
                )
            case ("followRedirects", .bool(false)):
                request.settings.append(ManifestEntry("redirects", .literal("false")))
            case ("strictSSL", .bool(false)):
                request.settings.append(ManifestEntry("tls", .map(("verify", .literal("false")))))
            case ("protocolVersion", "http1"): request.settings.append(ManifestEntry("http", .string("1.1")))
            case ("protocolVersion", "http2"): request.settings.append(ManifestEntry("http", .string("2")))
            case ("followRedirects", .bool(true)), ("strictSSL", .bool(true)), ("disableBodyPruning", _),
                ("disabledSystemHeaders", _), (_, .null):
                request.comments.append("Postman's setting \(name): \(JSONWriter().string(value))")
            default:
                lose(
                    "the setting '\(name): \(JSONWriter().string(value))'",
                    "a manifest has no setting for it",
                    at: pointer.member(name)
                )
            }
        }
    }

    private mutating func readExamples(_ json: JSON?, at pointer: JSONPointer, into request: inout ImportedRequest) {
        for example in json?.array ?? [] {
            guard example.object != nil else { continue }
            let status = example["code"].flatMap { Int(JSONWriter().string($0)) }
            var result = ImportedExample(status: status ?? 200)
            result.name = example["name"]?.string
            result.headers = (example["header"]?.array ?? []).compactMap { header in
                header["key"]?.string.map { ImportedField($0, ImportedText(Self.string(header["value"]))) }
            }
            result.body = example["body"]?.string
            request.examples.append(result)
        }
    }
}

extension JSONPointer {
    /// Returns the pointer to a member.
    func member(_ name: String) -> JSONPointer { appending(.name(name)) }
}

extension ImportedRequest {
    /// Adds what a script says.
    mutating func add(_ script: ScriptTranslation) {
        assignments += script.assignments
        checks += script.checks
        captures += script.captures
        endsRun = endsRun || script.endsRun
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
            diagnostics.report(
                "import-syntax",
                "\(source.name) is not an environment of Postman: the list 'values' is missing",
                at: SourceSpan(file: source, range: 0..<min(1, source.bytes.count))
            )
            return
        }
        let variables = values.compactMap { value -> ImportedVariable? in
            guard let name = value["key"]?.string, value["enabled"]?.bool != false else { return nil }
            let text = BracedText.text(PostmanReader.string(value["value"])).text
            return ImportedVariable(name: name, value: text, isSecret: value["type"]?.string == "secret")
        }
        if json["_postman_variable_scope"]?.string == "globals" {
            self.variables.insert(contentsOf: variables, at: 0)
        } else {
            environments.append(ImportedEnvironment(name: json["name"]?.string ?? "environment", variables: variables))
        }
    }
}
