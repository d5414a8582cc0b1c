import Testing
import WaybillJSON

@testable import WaybillManifest

/// The registries of constructs have what the schema of manifests allows, and nothing else.
@Suite(.timeLimit(.minutes(5))) struct ConstructTests {
    /// The keys of the mappings of one key that a definition of the schema allows.
    private func keys(of definition: String) throws -> [String] {
        let schema = try JSONParser().parse(EmbeddedSchema.manifest.text)
        let definition = try #require(schema["$defs"]?[definition])
        let alternatives = (definition["anyOf"] ?? definition["oneOf"])?.array ?? []
        return alternatives.compactMap { $0["required"]?.array?.first?.string }.sorted()
    }

    @Test func `the filter stages are those of the schema`() throws {
        #expect(try (FilterStages.all.map { $0.key } + ["filter"]).sorted() == keys(of: "filterStage"))
    }

    @Test func `the bodies are those of the schema`() throws {
        #expect(try RequestBodies.all.map { $0.key }.sorted() == keys(of: "body"))
        #expect(try MultipartPart.contents.map { $0.key }.sorted() == keys(of: "part"))
    }
}
