import Testing
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTestSupport

/// Schemas in a manifest that refer to files, and the formats they assert.
@Suite(.timeLimit(.minutes(5))) struct SchemaFileTests {
    private let folder = TemporaryFolder()

    init() {
        folder.write(#"{"$ref": "id.yaml#/$defs/id"}"#, to: "order.json")
        folder.write("$defs: {id: {type: integer, minimum: 1}}", to: "id.yaml")
        folder.write(#"{"type": "integr"}"#, to: "invalid.json")
        folder.write(#"{"$ref": "gone.json"}"#, to: "leads-nowhere.json")
        folder.write("{", to: "syntax.json")
    }

    /// The errors of a manifest in the folder.
    private func diagnostics(_ text: String, allowsOutside: Bool = false) throws -> [Diagnostic] {
        let path = folder.write("waybill: 1\n" + text, to: "manifest.yaml")
        var loader = ManifestLoader()
        loader.allowsOutside = allowsOutside
        let loaded = loader.load(path)
        let found = loaded.manifest.map { PlanBuilder.check($0).diagnostics } ?? []
        return (loaded.diagnostics + found).filter { $0.severity == .error }
    }

    @Test(
        arguments: [
            ("inputs: {id: {$ref: order.json, default: 0}}", "invalid-input", "at least 1"),
            ("inputs: {id: {$ref: \"id.yaml#/$defs/id\", default: a}}", "invalid-input", "integer"),
            ("inputs: {id: {$ref: gone.json}}", "unreadable-file", "gone.json cannot be read"),
            (
                "endpoints: {a: {url: \"http://h/\", expect: {schema: \"id.yaml#/$defs/no\"}}}", "invalid-schema", "no"
            ),
            ("inputs: {id: {$ref: leads-nowhere.json}}", "unreadable-file", "gone.json cannot be read"),
            ("inputs: {id: {$ref: invalid.json}}", "invalid-schema", "integr"),
            ("inputs: {id: {$ref: \"https://example.com/a.json\"}}", "invalid-schema", "https://example.com/a.json"),
            ("inputs: {id: {$ref: \"/etc/hostname\"}}", "outside-folder", "/etc/hostname is outside"),
            (
                "endpoints: {a: {url: \"http://h/\", returns: {object: {$ref: gone.json}}}}", "unreadable-file",
                "gone.json"
            ),
            (
                "endpoints: {a: {url: \"http://h/\", expect: {schema: {properties: {a: {$ref: gone.json}}}}}}",
                "unreadable-file", "gone.json"
            ),
            ("inputs: {at: {type: string, format: date-time, default: lastweek}}", "invalid-input", "date and time"),
            ("inputs: {id: {type: string, format: uuid, default: 7-8}}", "invalid-input", "UUID"),
        ]
    )
    func `a schema is checked together with the files and formats it names`(text: String, id: String, words: String)
        throws
    {
        let found = try diagnostics(text)
        #expect(found.map(\.id.name) == [id], "\(HumanRenderer().render(found))")
        #expect(found.first?.headline.contains(words) == true, "\(found.map(\.headline))")
        #expect(found.first?.primary != nil)
    }

    @Test func `a part of a file is a schema, in the dialect of its file`() throws {
        let pet = """
            {"type": "object", "properties": {"age": {"type": "integer", "nullable": true, "minimum": 0, "exclusiveMinimum": true}}}
            """
        folder.write(#"{"openapi": "3.0.3", "components": {"schemas": {"Pet": \#(pet)}}}"#, to: "pets.json")
        folder.write(#"{"openapi": "3.1.0", "components": {"schemas": {"Pet": \#(pet)}}}"#, to: "pets31.json")
        func diagnostics(_ file: String) -> [Diagnostic] {
            let path = folder.write(
                """
                waybill: 1
                endpoints:
                  a: {url: "http://h/", expect: {schema: "id.yaml#/$defs/id"}}
                  b: {url: "http://h/", expect: {schema: "\(file)#/components/schemas/Pet"}}

                """,
                to: "manifest.yaml"
            )
            return ManifestLoader().load(path).diagnostics
        }
        #expect(diagnostics("pets.json").isEmpty)
        #expect(diagnostics("pets31.json").map(\.id.name) == ["invalid-schema"])
    }

    @Test(arguments: [
        "inputs: {id: {$ref: order.json, default: 7}}",
        "endpoints: {a: {url: \"http://h/\", returns: {collection: {$ref: order.json}}}}",
        "endpoints: {a: {url: \"http://h/\", expect: {schema: {items: {$ref: ./order.json}}}}}",
        "endpoints: {a: {url: \"http://h/\", expect: {schema: order.json}}}",
        "inputs: {at: {type: string, format: date-time, default: \"2026-11-21T05:27:03Z\"}}",
    ])
    func `a schema may refer to files in the manifest's folder`(text: String) throws {
        let found = try diagnostics(text)
        #expect(found.isEmpty, "\(HumanRenderer().render(found))")
    }

    @Test func `a file outside the folder requires permission`() throws {
        let other = TemporaryFolder()
        let path = other.write(#"{"type": "integer"}"#, to: "a.json")
        let text = "inputs: {id: {$ref: \"\(path)\", default: 1}}"
        #expect(try diagnostics(text).map(\.id.name) == ["outside-folder"])
        #expect(try diagnostics(text, allowsOutside: true).isEmpty)
    }

    @Test func `errors in a referenced file are shown in that file`() throws {
        let found = try diagnostics("inputs: {id: {$ref: leads-nowhere.json}}")
        #expect(found.first?.primary?.span.file.name.hasSuffix("/leads-nowhere.json") == true)
        let syntax = try diagnostics("inputs: {id: {$ref: syntax.json}}")
        #expect(syntax.first?.primary?.span.file.name.hasSuffix("/syntax.json") == true)
    }
}
