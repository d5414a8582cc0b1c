import Testing
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillRuntime
import WaybillSchema
import WaybillTestSupport

@testable import WaybillManifest

/// Every key that the schema allows is decoded. `ManifestSchemaTests` checks that the manifest has every key.
@Suite(.timeLimit(.minutes(5))) struct ReadKeyTests {
    private let path: String
    private let bytes: [UInt8]

    init() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        path = "\(root)/Tests/Manifests/every-key.yaml"
        bytes = try #require(TemporaryFolder.contents(of: path)) + Array("unknown: true\n".utf8)
    }

    private func document(_ bytes: [UInt8]) throws -> YAMLNode {
        try #require(YAMLReader().read(SourceFile(name: path, bytes: bytes)).document)
    }

    private func manifest(of bytes: [UInt8]) throws -> Manifest {
        let node = try document(bytes)
        let folder = FileContents.folder(of: path)
        let files = ManifestFiles(folder: folder, boundary: FolderBoundary(folder: folder, allowsOutside: false))
        return ManifestDecoder.decode(node, files: files).manifest
    }

    /// The decoded form of a manifest, or of one of its sections, without locations.
    private func model(of manifest: Manifest, section: String? = nil) -> String {
        var model = ""
        let part = Mirror(reflecting: manifest).children.first { $0.label == section }
        describe(part?.value ?? manifest, to: &model)
        return model
    }

    private func describe(_ value: Any, to model: inout String) {
        switch value {
        case is SourceSpan, is YAMLNode, is YAMLScalar: return
        case let expression as ManifestExpression: model += "\(expression.expression.text);"
        case let template as ManifestTemplate: model += "\(template.template.text);"
        case let schema as JSONSchema: model += JSONWriter().string(schema.document)
        case let json as JSON: model += JSONWriter().string(json)
        default:
            let mirror = Mirror(reflecting: value)
            if mirror.children.isEmpty { model += "\(value);" }
            var children = mirror.children.map { child in
                var text = "\(child.label ?? "")("
                describe(child.value, to: &text)
                return text + ")"
            }
            if mirror.displayStyle == .dictionary || mirror.displayStyle == .set { children.sort() }
            model += children.joined()
        }
    }

    /// The keys of mappings below a node, with their paths; the paths omit positions in lists.
    private func keys(below node: YAMLNode, at path: String = "") -> [(path: String, span: SourceSpan)] {
        let elements = (node.sequence ?? []).flatMap { keys(below: $0, at: path) }
        let members = node.entries.flatMap { key, value in
            let path = "\(path)/\(key.text ?? "")"
            return [(path, key.span)] + keys(below: value, at: path)
        }
        return elements + members
    }

    // Only the schema checks the format's version. No code reads `unknown`, which shows that the test finds such keys.
    @Test func `each key that the schema allows affects the decoded manifest`() async throws {
        // This computes for a long time, so it must not block a thread that other tasks need.
        try await withTaskExecutorPreference(OwnThread()) { try findUnreadKeys() }
    }

    private func findUnreadKeys() throws {
        let manifest = try manifest(of: bytes)
        let whole = model(of: manifest)
        var sections: [String: String] = [:]
        var seen: Set<String> = []
        var unread: Set<String> = []
        for (path, span) in keys(below: try document(bytes)) where seen.insert(path).inserted {
            var changed = bytes
            for index in span.range { changed[index] = UInt8(ascii: "z") }
            let other = try self.manifest(of: changed)
            // Most keys affect the section that they are in, and describing all others takes fifty times as long.
            let section = String(path.split(separator: "/")[0])
            let original = sections[section] ?? model(of: manifest, section: section)
            sections[section] = original
            if model(of: other, section: section) == original, model(of: other) == whole { unread.insert(path) }
        }
        #expect(seen.count > 300)
        let expected: Set = [
            "/unknown", "/waybill",
            // These are only for people.
            "/endpoints/login/description", "/services/accounts/description",
            // The manifest gives these keys their default values; 'returns' describes an object unless it has the key
            // 'collection'.
            "/defaults/filters", "/defaults/retry/backoff/first", "/defaults/retry/backoff/max",
            "/endpoints/login/returns/object", "/graphs/main/batch/returns/object", "/graphs/other/chain",
            // The files of these keys do not exist.
            "/endpoints/login/expect/schema", "/endpoints/elsewhere/returns", "/endpoints/elsewhere/returns/collection",
        ]
        #expect(unread == expected, "\(unread.symmetricDifference(expected))")
    }
}
