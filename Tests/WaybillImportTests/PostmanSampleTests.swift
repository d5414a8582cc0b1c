import Testing
import WaybillDiagnostics
import WaybillImport
import WaybillJSON
import WaybillTestSupport

/// Collections from public repositories.
@Suite(
    .enabled(if: SampleFolder.named("postman") != nil, "the samples of other tools are absent"),
    .timeLimit(.minutes(5))
) struct PostmanSampleTests {
    private static let folder = SampleFolder.named("postman") ?? ""
    private static let names = ConformanceSuite.files(in: folder, ending: ".json")

    /// The files among them that are no collections.
    private static let others = [
        "k6-params", "outside", "simple-cookie-jar", "test-data.postman_data", "sslClientCertList", "collection__bruno",
        "postman-malformed",
    ]

    private static func isOther(_ name: String) -> Bool { others.contains { name.hasSuffix("\($0).json") } }

    private static func source(_ name: String) throws -> SourceFile {
        SourceFile(name: name, bytes: try ConformanceSuite.bytes(of: "\(folder)/\(name)"))
    }

    @Test(arguments: names.filter { !isOther($0) })
    func `a collection becomes a valid manifest that has or reports each of its parts`(_ name: String) throws {
        let source = try Self.source(name)
        let (collection, diagnostics) = ImportKind.postman.read([source])
        #expect(diagnostics.isEmpty, "\(HumanRenderer().render(diagnostics))")
        let manifest = ImportedManifest(collection)
        let found = ImportFixture.diagnostics(of: manifest.text)
        #expect(!found.hasErrors, "\(HumanRenderer().render(found))")
        let missing = PostmanParts(try JSONParser().parse(source.bytes)).missing(from: manifest)
        #expect(missing.isEmpty, "\(missing)\n\(manifest.text)")
        for secret in manifest.secrets.compactMap(\.value) where secret.utf8.count > 8 {
            #expect(!manifest.text.contains(secret), "\(secret)")
        }
    }

    @Test(arguments: names.filter { isOther($0) })
    func `a file that is no collection is refused at a location`(_ name: String) throws {
        let (_, diagnostics) = ImportKind.postman.read([try Self.source(name)])
        #expect(diagnostics.map(\.id) == ["import-syntax"])
        #expect(diagnostics.first?.primary != nil)
    }

    @Test
    func `nine of ten requests have no loss, apart from those with methods of authentication that do not exist here`()
        throws
    {
        var (requests, lossy, unsupported) = (0, 0, 0)
        var (scripts, partial) = (0, 0)
        for name in Self.names where !Self.isOther(name) {
            let source = try Self.source(name)
            let collection = ImportKind.postman.read([source]).collection
            for request in collection.items.requests {
                requests += 1
                if request.losses.contains(where: { $0.what.hasPrefix("the authentication") }) {
                    unsupported += 1
                } else if !request.losses.isEmpty {
                    lossy += 1
                }
            }
            let lines = Set(
                (collection.losses + collection.items.losses).filter { $0.what.hasPrefix("the script") }.compactMap {
                    $0.span?.start.line
                }
            )
            let spans = PostmanParts(try JSONParser().parse(source.bytes)).scripts(in: source)
            scripts += spans.count
            partial += spans.count { span in lines.contains { span.start.line <= $0 && $0 <= span.end.line } }
        }
        print(
            "postman: \(requests) requests, \(lossy) with a loss, \(unsupported) with an unknown method of authentication;",
            "\(scripts) scripts, \(partial) of them not completely translated"
        )
        #expect(requests >= 190 && scripts >= 60)
        #expect(Double(lossy) <= 0.1 * Double(requests - unsupported))
        #expect(Double(partial) <= 0.15 * Double(scripts))
    }
}

extension [ImportedItem] {
    /// All requests, also those in folders.
    fileprivate var requests: [ImportedRequest] {
        flatMap { item -> [ImportedRequest] in
            switch item {
            case .request(let request): [request]
            case .folder(let folder): folder.items.requests
            }
        }
    }

    fileprivate var losses: [ImportLoss] {
        flatMap { item -> [ImportLoss] in
            switch item {
            case .request(let request): request.losses
            case .folder(let folder): folder.losses + folder.items.losses
            }
        }
    }
}

/// The parts of a collection that a manifest or the report must contain.
private struct PostmanParts {
    private var texts: [String] = []
    private var scriptPointers: [JSONPointer] = []

    init(_ json: JSON) {
        let isWrapped = json["collection"] != nil
        let root = json["collection"] ?? json
        let pointer = JSONPointer(isWrapped ? [.name("collection")] : [])
        add(root["info"]?["name"])
        add(description: root["info"]?["description"])
        addCommon(root, pointer)
        for variable in root["variable"]?.array ?? [] { addPair(variable) }
        addItems(root["item"], pointer.appending(.name("item")))
    }

    private mutating func add(_ json: JSON?) {
        switch json {
        case .string(let text)?: texts.append(text)
        case .number?, .bool?: texts.append(JSONWriter().string(json ?? .null))
        default: break
        }
    }

    private mutating func add(description json: JSON?) { add(json?["content"] ?? json) }

    private mutating func addPair(_ json: JSON) {
        add(json["key"])
        add(json["value"])
        add(description: json["description"])
    }

    /// Adds what collections, folders and requests have.
    private mutating func addCommon(_ json: JSON, _ pointer: JSONPointer) {
        for (index, event) in (json["event"]?.array ?? []).enumerated() {
            let lines =
                event["script"]?["exec"]?.array?.compactMap(\.string) ?? event["script"]?["exec"]?.string.map { [$0] }
                ?? []
            guard lines.contains(where: { $0.contains { !$0.isWhitespace } }) else { continue }
            let position = pointer.appending(.name("event")).appending(.index(index)).appending(.name("script"))
                .appending(
                    .name("exec")
                )
            scriptPointers.append(position)
        }
        addAuth(json["auth"])
    }

    private mutating func addAuth(_ json: JSON?) {
        guard let type = json?["type"]?.string, ["basic", "digest", "bearer", "apikey", "awsv4"].contains(type) else {
            if let type = json?["type"]?.string, type != "noauth", type != "oauth2" { texts.append(type) }
            return
        }
        let members = json?[type]
        let ignored: Set<String> = [
            "algorithm", "realm", "nonce", "qop", "nonceCount", "clientNonce", "opaque", "showPassword",
            "saveHelperData", "disableRetryRequest", "in",
        ]
        for member in members?.array ?? [] where !ignored.contains(member["key"]?.string ?? "") { add(member["value"]) }
        for (name, value) in members?.object ?? JSONObject() where !ignored.contains(name) { add(value) }
    }

    private mutating func addItems(_ json: JSON?, _ pointer: JSONPointer) {
        for (index, item) in (json?.array ?? []).enumerated() {
            let position = pointer.appending(.index(index))
            add(item["name"])
            add(description: item["description"])
            addCommon(item, position)
            if item["item"] != nil { addItems(item["item"], position.appending(.name("item"))) }
            guard let request = item["request"] else { continue }
            add(description: request["description"])
            addAuth(request["auth"])
            // Credentials replace this field.
            let hasAuth = request["auth"]?["type"] != nil && request["auth"]?["type"] != "noauth"
            for header in request["header"]?.array ?? [] where !hasAuth || header["key"] != "Authorization" {
                addPair(header)
            }
            let url = request["url"] ?? request
            if let text = url.string {
                texts += text.split { "/?&=#".contains($0) }.map {
                    $0.hasPrefix(":") ? String($0.dropFirst()) : String($0)
                }
            }
            for part in url["host"]?.array ?? [] { add(part) }
            for part in url["path"]?.array ?? [] { add(part["value"] ?? part) }
            for parameter in url["query"]?.array ?? [] { addPair(parameter) }
            for variable in url["variable"]?.array ?? [] where !(variable["value"]?.string?.isEmpty ?? true) {
                add(variable["value"])
            }
            let body = request["body"]
            if body?["mode"]?.string == "raw", let raw = body?["raw"]?.string { addLeaves(raw) }
            for field in (body?["urlencoded"]?.array ?? []) + (body?["formdata"]?.array ?? []) { add(field["key"]) }
            add(body?["graphql"]?["query"])
            for example in item["response"]?.array ?? [] { if let text = example["body"]?.string { addLeaves(text) } }
        }
    }

    /// Adds the strings and numbers of a text of JSON, or the text.
    private mutating func addLeaves(_ text: String) {
        guard let json = try? JSONParser().parse(text.utf8) else { return texts.append(text) }
        func visit(_ json: JSON, _ texts: inout [String]) {
            switch json {
            case .object(let members):
                for (name, value) in members {
                    texts.append(name)
                    visit(value, &texts)
                }
            case .array(let elements): for element in elements { visit(element, &texts) }
            case .string(let text): texts.append(text)
            case .number: texts.append(JSONWriter().string(json))
            default: break
            }
        }
        visit(json, &texts)
    }

    /// The texts that neither the manifest nor the report contains. Letters and digits count, not how they are written.
    func missing(from manifest: ImportedManifest) -> [String] {
        var all = Self.letters(manifest.text) + "|"
        for loss in manifest.losses { all += Self.letters(loss.what) + "|" }
        // Values of secrets are in the file of --env-file-out. What follows from a body is not written.
        for secret in manifest.secrets { all += Self.letters(secret.value ?? "") + "|" }
        all += [
            "applicationjson", "applicationxwwwformurlencoded", "multipartformdata", "textplain", "contenttype",
            "basic", "digest", "bearer", "authorization", "guid", "randomuuid", "timestamp", "isotimestamp", "",
        ]
        .joined(separator: "|")
        let words = all.utf8
        return texts.filter { text in
            // A text with a secret in it has *** instead, also for one that is encoded or that no request sends.
            let isMasked = { (word: Substring) in
                manifest.text.contains("***") && word.utf8.count >= 8 && word.contains(where: \.isNumber)
            }
            let lines = text.split(whereSeparator: \.isWhitespace).split(whereSeparator: isMasked)
            let pieces = manifest.secrets.compactMap(\.value).filter { $0.utf8.count >= 4 }
                .reduce(lines.map { $0.joined(separator: " ") }) { parts, secret in
                    parts.flatMap { $0.split(separator: secret).map(String.init) }
                }
            return pieces.contains { piece in
                piece.split { $0 == "{" || $0 == "}" }.contains { part in
                    let letters = Self.letters(String(part))
                    return !letters.isEmpty && !words.contains(letters.utf8)
                }
            }
        }
    }

    private static func letters(_ text: String) -> String {
        String(
            text.lowercased().replacing("\\n", with: "").unicodeScalars.filter {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
            }.map(Character.init)
        )
    }

    /// The locations of the scripts.
    func scripts(in file: SourceFile) -> [SourceSpan] {
        let locations = JSONLocations(of: scriptPointers, in: file)
        return scriptPointers.compactMap { locations.span(at: $0) }
    }
}

extension Sequence<UInt8> {
    /// Whether the bytes contain others next to each other.
    fileprivate func contains(_ other: String.UTF8View) -> Bool {
        String(decoding: Array(self), as: UTF8.self).utf8.firstRange(of: other) != nil
    }
}
