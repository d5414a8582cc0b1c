import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillTestSupport

@testable import WaybillSchema

/// The JSON Schemas in a manifest have only keywords and formats with an effect.
@Suite(.timeLimit(.minutes(5))) struct SchemaKeywordTests {
    private let manifest: JSON

    init() throws {
        manifest = try JSONParser().parse(EmbeddedSchema.manifest.text)
    }

    private func violations(_ schema: JSON) throws -> [SchemaViolation] {
        try JSONSchema(compiling: manifest).validate(["waybill": 1, "inputs": ["x": schema]])
    }

    @Test func `the formats of the manifest's schema are those that are checked`() throws {
        let formats = manifest["$defs"]?["keywords"]?["properties"]?["format"]?["enum"]?.array
        #expect(formats == StringFormat.allCases.map { .string($0.rawValue) })
    }

    @Test func `an unknown format is an error with a suggestion`() throws {
        let found = try violations(["type": "string", "format": "emial"])
        #expect(found.map(\.suggestion) == ["email"])
        #expect(found.map(\.instanceLocation.tokens.last) == [.name("format")])
    }

    @Test(
        arguments: [
            (["then": true], "is missing the key 'if', which 'then' requires"),
            (["else": false], "is missing the key 'if', which 'else' requires"),
            (["minContains": 2], "is missing the key 'contains', which 'minContains' requires"),
            (["maxContains": 2], "is missing the key 'contains', which 'maxContains' requires"),
        ] as [(JSON, String)]
    )
    func `a keyword that has no effect without another one is an error`(schema: JSON, message: String) throws {
        #expect(try violations(schema).map(\.message) == [message])
    }

    @Test func `a condition that selects nothing is an error`() throws {
        #expect(try violations(["if": true]).map(\.message) == ["must have one of the keys 'then' or 'else'"])
        #expect(try violations(["if": true, "else": false]).isEmpty)
    }

    @Test func `keywords without an effect in the files of schemas are warnings`() throws {
        let files = RememberedFiles([
            "/s.json": Array(#"{"$ref": "t.json", "type": "object", "format": "emial", "if": true}"#.utf8),
            "/t.json": Array(#"{"properties": {"a": {"then": true, "format": "int64"}}}"#.utf8),
        ])
        var loader = ManifestLoader(files: files)
        loader.allowsOutside = true
        let text = "waybill: 1\ndefaults: {expect: {schema: s.json}}\n"
        let loaded = loader.load(SourceFile(name: "/m.yaml", text: text))
        #expect(
            loaded.diagnostics.map { "\($0.severity) \($0.primary?.span.file.name ?? "") \($0.headline)" } == [
                "warning /s.json 'format' has no effect: the format 'emial' is unknown and not checked; did you mean 'email'?",
                "warning /s.json 'if' has no effect without 'then' or 'else'",
                "warning /t.json 'then' has no effect without 'if'",
            ]
        )
    }

    @Test func `keywords that have an effect are no errors`() throws {
        let schema: JSON = [
            "if": true, "then": true, "else": true, "contains": true, "minContains": 1, "maxContains": 2,
            "format": "date-time",
        ]
        #expect(try violations(schema).isEmpty)
    }
}
