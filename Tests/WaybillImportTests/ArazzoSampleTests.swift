import Testing
import WaybillDiagnostics
import WaybillImport
import WaybillJSON
import WaybillManifest
import WaybillPipeline
import WaybillTestSupport

/// Descriptions from public repositories, with their OpenAPI documents where these exist.
@Suite(
    .enabled(if: SampleFolder.named("arazzo") != nil, "the samples of other tools are absent"),
    .timeLimit(.minutes(5))
) struct ArazzoSampleTests {
    private static let folder = SampleFolder.named("arazzo") ?? ""
    private static let names = ConformanceSuite.files(in: folder, ending: ".yaml")
    private static let documentFolder = SampleFolder.named("arazzo-openapi") ?? ""
    private static let documents = ConformanceSuite.files(in: documentFolder, ending: "yaml")

    /// The documents of sources that have another name than the sample.
    private static let others: [String: (name: String, sample: String)] = [
        "https://petstore.example.com/v1": ("petstore.yaml", "test_data__petstore__petstore.openapi.yaml"),
        "https://users.example.com/v1": ("users.yaml", "mock_apis__users.openapi.yaml"),
        "../petstore.openapi.yaml": ("petstore.openapi.yaml", "arazzo-cli__testdata__petstore.openapi.yaml"),
        "bnpl-openapi.yaml": ("bnpl-openapi.yaml", "fixtures__bnpl__bnpl-openapi.yaml"),
    ]

    /// Returns the documents that a description names, as the manifest names them.
    private static func documents(of name: String, _ text: String) throws -> [SourceFile] {
        let prefix = name.lastIndex(of: "_").map { String(name[...$0]) } ?? ""
        var found: [(name: String, sample: String)] = documents.filter {
            $0.hasPrefix(prefix) && text.contains($0.dropFirst(prefix.count))
        }
        .map { (String($0.dropFirst(prefix.count)), $0) }
        for (url, other) in others where text.contains(url) && !found.contains(where: { $0.name == other.name }) {
            found += documents.filter { $0.hasSuffix(other.sample) }.map { (name: other.name, sample: $0) }
        }
        return try found.map {
            SourceFile(name: $0.name, bytes: try ConformanceSuite.bytes(of: "\(documentFolder)/\($0.sample)"))
        }
    }

    @Test(arguments: names)
    func `a description becomes a valid manifest that has or reports each of its parts`(_ name: String) throws {
        let source = SourceFile(name: name, bytes: try ConformanceSuite.bytes(of: "\(Self.folder)/\(name)"))
        let documents = try Self.documents(of: name, String(decoding: source.bytes, as: UTF8.self))
        let (collection, diagnostics) = ImportKind.arazzo.read([source] + documents)
        #expect(diagnostics.isEmpty, "\(HumanRenderer().render(diagnostics))")
        let manifest = ImportedManifest(collection)
        let folder = TemporaryFolder()
        for document in documents { folder.write(String(decoding: document.bytes, as: UTF8.self), to: document.name) }
        let pipeline = Pipeline()
        let file = SourceFile(name: "\(folder.path)/manifest.yaml", text: manifest.text)
        let found = pipeline.check(pipeline.load(file)).diagnostics.filter { $0.severity == .error }
        // What no sample has is not read.
        let errors = found.filter { $0.id != "unreadable-file" }
        #expect(errors.isEmpty, "\(manifest.text)\(HumanRenderer().render(errors))")
        #expect(documents.isEmpty || found.count < 2)
        let root = try #require(YAMLReader().read(source).document?.json)
        let missing = ArazzoParts(root, manifest).missing(from: manifest)
        #expect(missing.isEmpty, "\(missing)\n\(manifest.text)\n\(manifest.losses)")
        for secret in manifest.secrets.compactMap(\.value) where secret.utf8.count > 4 {
            #expect(!manifest.text.contains(secret), "\(secret)")
        }
    }
}

/// The words of a description that a manifest or the report must contain.
private struct ArazzoParts {
    private var words: [String] = []
    private let losses: [String]
    /// Members that say how something is read, and names that nothing refers to.
    private static let ignored: Set<String> = [
        "reference", "arazzo", "version", "type", "in", "url", "contentType", "format", "openIdConnectUrl", "required",
        "x-serverUrl",
    ]

    init(_ json: JSON, _ manifest: ImportedManifest) {
        losses = manifest.losses.map(\.what)
        add(json, "")
    }

    private mutating func add(_ json: JSON, _ owner: String) {
        switch json {
        case .object(let members):
            // A step, parameter or replacement that is reported is not searched for, nor are values that others replace.
            let names = [("stepId", "the step '"), ("name", "the parameter '"), ("target", "the replacement of '")]
            let isReported = names.contains { key, what in
                members[key]?.string.map { losses.contains("\(what)\($0)'") } ?? false
            }
            if isReported { return }
            for (name, value) in members where !Self.ignored.contains(name) {
                let isAction = members["type"] != nil && name == "name" && members["in"] == nil
                // An unused scheme name, and inputs and defaults of actions.
                // Expressions replace the names in paths.
                let isPathName = name == "name" && members["in"] == "path"
                if isPathName || isAction || name == "retryAfter" && value == 0 || name == "retryLimit" { continue }
                add(value, name)
            }
        case .array(let elements): for element in elements { add(element, owner) }
        case .string(let text):
            words += text.replacing("~1", with: " ").replacing("~0", with: " ")
                .split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
        case .number: words.append(JSONWriter().string(json))
        default: break
        }
    }

    /// Words of the samples that others replace: of components, payloads, repeated header fields and names in paths; and
    /// credentials in Base64.
    private static let replaced: Set<String> = [
        "100", "first", "second", "writer", "old", "overwritten", "once", "lviv", "orderid", "og",
    ]

    /// The words of the notation.
    private static let notation: Set<String> = [
        "statuscode", "response", "body", "header", "headers", "inputs", "outputs", "steps", "sourcedescriptions",
        "url",
        "paths", "get", "post", "put", "delete", "components", "parameters", "dependencies", "null", "workflows",
        "method",
        "env", "authorization", "500", "scheme", "successactions", "failureactions",
    ]

    func missing(from manifest: ImportedManifest) -> [String] {
        var text = manifest.text.lowercased()
        for loss in manifest.losses { text += " \(loss.what.lowercased()) \(loss.reason.lowercased())" }
        for secret in manifest.secrets { text += " \(secret.value?.lowercased() ?? "")" }
        let letters = text.filter { $0.isLetter || $0.isNumber }
        return words.filter {
            !Self.notation.contains($0) && !Self.replaced.contains($0)
                && !letters.contains($0.filter { $0.isLetter || $0.isNumber })
        }
    }
}
