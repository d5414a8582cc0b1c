import Testing
import WaybillData
import WaybillManifest
import WaybillTestSupport

@Suite struct ManifestSchemaTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

    private func published(_ schema: EmbeddedSchema) throws -> [UInt8] {
        try #require(TemporaryFolder.contents(of: "\(Self.root)/schemas/\(schema).schema.json"))
    }

    @Test(arguments: EmbeddedSchema.allCases)
    func `an embedded schema is the published one, and follows the meta-schema`(schema: EmbeddedSchema) throws {
        #expect(schema.text == (try published(schema)))
        let metaSchema = try JSONSchema(compiling: ["$ref": "https://json-schema.org/draft/2020-12/schema"])
        #expect(metaSchema.validate(try JSONParser().parse(schema.text)) == [])
    }

    @Test func `every key of the schema has a description, and every object is closed`() throws {
        var missing: [String] = []
        func visit(_ schema: JSON, at place: String) {
            for (name, property) in schema["properties"]?.object ?? JSONObject() {
                if property["description"]?.string?.isEmpty ?? true, property["$ref"] == nil {
                    missing.append("\(place).\(name)")
                }
            }
            let isClosed = schema["additionalProperties"] != nil || schema["unevaluatedProperties"] != nil
            if schema["properties"] != nil, schema["type"] == "object", !isClosed { missing.append("\(place) is open") }
            for (name, value) in schema.object ?? JSONObject() { visit(value, at: "\(place)/\(name)") }
            for (index, value) in (schema.array ?? []).enumerated() { visit(value, at: "\(place)/\(index)") }
        }
        visit(try JSONParser().parse(try published(.manifest)), at: "")
        #expect(missing.isEmpty, "\(missing)")
    }
}
