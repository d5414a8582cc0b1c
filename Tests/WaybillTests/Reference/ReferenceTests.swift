import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillSchema
import WaybillTestSupport

@testable import Waybill

@Suite(.timeLimit(.minutes(5))) struct ReferenceTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    private static let schema = (try? JSONParser().parse(EmbeddedSchema.manifest.text)) ?? .null

    @Test(arguments: ReferencePage.allCases)
    func `a published page of the reference equals the one that the program prints`(page: ReferencePage) throws {
        let path = "\(Self.root)/docs/reference/\(page.rawValue).md"
        let file = String(decoding: try #require(TemporaryFolder.contents(of: path)), as: UTF8.self)
        #expect(
            file == page.markdown,
            "run: waybill explain --reference \(page.rawValue) > docs/reference/\(page.rawValue).md"
        )
    }

    @Test func `every key except those of JSON Schema has an example that its schema accepts`() throws {
        var count = 0
        for (name, property) in Self.properties(of: Self.schema) {
            let key = try #require(ManifestKeyReader(definitions: Self.schema["$defs"] ?? .null).key(name, property))
            let example = try #require(key.example, "\(name)")
            var schema = property.object ?? JSONObject()
            schema["$defs"] = Self.schema["$defs"]
            #expect(try JSONSchema(compiling: .object(schema)).validate(example) == [], "\(name): \(example)")
            count += 1
        }
        #expect(count > 200)
    }

    @Test func `an example is the YAML form of its value`() throws {
        for (name, property) in Self.properties(of: Self.schema) {
            let key = try #require(ManifestKeyReader(definitions: Self.schema["$defs"] ?? .null).key(name, property))
            let example = try #require(key.example, "\(name)")
            let text = YAMLExample.text(name, example)
            let read = YAMLReader().read(SourceFile(name: "example.yaml", text: text))
            #expect(read.diagnostics.isEmpty, "\(text)")
            #expect(try #require(read.document).json == [name: example], "\(text)")
        }
    }

    @Test func `a string is quoted if YAML would read it as another value`() throws {
        let texts = [
            "", " a", "a ", "a: b", "a #b", "- a", "-", "true", "NO", "~", "1.10", "2026-11-23", "0x1", "{a}", "a, b",
            "[a",
            "'a'", "a\nb", "a:", "*a", "&a", "!a", "%a", "@a", "`a`", "|", ">", "?", "\"", "\u{FEFF}a", "15s",
            "$.a[?@.b > 1]",
        ]
        for text in texts {
            for value in [JSON.string(text), [.string(text)], ["k": .string(text)]] as [JSON] {
                let yaml = YAMLExample.text("key", value)
                let read = YAMLReader().read(SourceFile(name: "example.yaml", text: yaml))
                #expect(read.document?.json == ["key": value], "\(yaml)")
            }
        }
    }

    /// The properties of a schema, at any depth, that have a description.
    private static func properties(of schema: JSON) -> [(name: String, schema: JSON)] {
        var found: [(name: String, schema: JSON)] = []
        switch schema {
        case .array(let parts): found = parts.flatMap { properties(of: $0) }
        case .object(let members):
            for (name, value) in members where name != "keywords" && name != "examples" {
                if name == "properties", let properties = value.object {
                    found += properties.filter { $0.value["description"] != nil }.map { ($0.name, $0.value) }
                    found += properties.flatMap { Self.properties(of: $0.value) }
                } else {
                    found += properties(of: value)
                }
            }
        default: break
        }
        return found
    }
}
