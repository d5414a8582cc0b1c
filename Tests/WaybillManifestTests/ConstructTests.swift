import Testing
import WaybillJSON

@testable import WaybillManifest

/// The registries of constructs contain exactly what the manifest schema allows.
@Suite(.timeLimit(.minutes(5))) struct ConstructTests {
    /// The keys of the single-key mappings that a definition of the schema allows.
    private func keys(of definition: String) throws -> [String] {
        let schema = try JSONParser().parse(EmbeddedSchema.manifest.text)
        let definition = try #require(schema["$defs"]?[definition])
        let alternatives = (definition["anyOf"] ?? definition["oneOf"])?.array ?? []
        return alternatives.compactMap { $0["required"]?.array?.first?.string }.sorted()
    }

    @Test func `the filter stages are those in the schema`() throws {
        #expect(try (FilterStages.all.map { $0.key } + ["filter"]).sorted() == keys(of: "filterStage"))
    }

    @Test func `the kinds of bodies are those in the schema`() throws {
        #expect(try RequestBodies.all.map { $0.key }.sorted() == keys(of: "body"))
        #expect(try MultipartPart.contents.map { $0.key }.sorted() == keys(of: "part"))
    }

    @Test func `the record formats are those in the schema`() throws {
        let definitions = try #require(JSONParser().parse(EmbeddedSchema.manifest.text)["$defs"])
        let data = try #require(definitions["dataSource"]?["oneOf"]?.array?.first?["properties"]?["format"])
        let write = try #require(definitions["write"]?["properties"]?["format"])
        func names(_ format: JSON) -> [String]? { format["enum"]?.array?.compactMap(\.string).sorted() }
        #expect(RecordFormats.readable.map { $0.name }.sorted() == names(data))
        #expect(RecordFormats.writable.map { $0.name }.sorted() == names(write))
    }

    @Test func `each extension belongs to one format`() {
        let extensions = RecordFormats.all.flatMap { $0.extensions }
        #expect(Set(extensions).count == extensions.count)
        #expect(extensions.allSatisfy { $0 == $0.lowercased() && !$0.contains(".") })
    }
}
