import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillSchema
import WaybillTestSupport

@testable import WaybillExplanations

@Suite(.timeLimit(.minutes(5))) struct ReferenceTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    private static let schema = (try? JSONParser().parse(EmbeddedSchema.manifest.text)) ?? .null

    @Test(arguments: ReferencePage.allCases)
    func `a page of the reference is the one that the program prints`(page: ReferencePage) throws {
        let path = "\(Self.root)/docs/reference/\(page.rawValue).md"
        let file = String(decoding: try #require(TemporaryFolder.contents(of: path)), as: UTF8.self)
        #expect(
            file == page.markdown,
            "run: waybill explain --reference \(page.rawValue) > docs/reference/\(page.rawValue).md"
        )
    }

    @Test func `every key but those of JSON Schema has an example that its schema accepts`() throws {
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

    @Test func `an example is YAML for its value`() throws {
        for (name, property) in Self.properties(of: Self.schema) {
            let key = try #require(ManifestKeyReader(definitions: Self.schema["$defs"] ?? .null).key(name, property))
            let example = try #require(key.example, "\(name)")
            let text = YAMLExample.text(name, example)
            let read = YAMLReader().read(SourceFile(name: "example.yaml", text: text))
            #expect(read.diagnostics.isEmpty, "\(text)")
            #expect(try #require(read.document).json == [name: example], "\(text)")
        }
    }

    @Test func `the schema for editors is the published one, and follows its meta-schema`() throws {
        let file = TemporaryFolder.contents(of: "\(Self.root)/schemas/manifest.flat.schema.json")
        #expect(file == FlatSchema.text, "run: waybill schema --flat > schemas/manifest.flat.schema.json")
        let text = String(decoding: FlatSchema.text, as: UTF8.self)
        #expect(!text.contains("\"x-waybill") && !text.contains("\"$ref\": \"#/$defs/"))
    }

    @Test func `editors replace nothing in the snippets of the schema`() {
        let text = String(decoding: FlatSchema.text, as: UTF8.self)
        let snippets = text.matches(of: /"body": (\{[^\n]*|"[^\n]*)/).map { String($0.output.1) }
        #expect(snippets.contains { $0.contains(#"\\$"#) })
        #expect(snippets.allSatisfy { $0.replacing(#"\\$"#, with: "").contains("$") == false })
    }

    @Test func `the schema for editors accepts every key, and no unknown one at any place`() throws {
        var document = FlatSchema.json.object ?? JSONObject()
        document["$schema"] = nil
        let schema = try JSONSchema(compiling: .object(document))
        let path = "\(Self.root)/Tests/Manifests/every-key.yaml"
        let file = SourceFile(name: path, bytes: try #require(TemporaryFolder.contents(of: path)))
        let manifest = try #require(YAMLReader().read(file).document).json
        #expect(schema.validate(manifest) == [])
        let places: [[String]] = [
            [], ["defaults"], ["defaults", "retry"], ["services", "*"], ["endpoints", "*"], ["graphs", "*"],
            ["graphs", "*", "batch", "*"], ["endpoints", "*", "expect"],
        ]
        for place in places {
            let changed = Self.adding("noSuchKey", to: manifest, at: place[...])
            let (isChanged, isValid) = (changed != manifest, schema.isValid(changed))
            #expect(isChanged && !isValid, "\(place)")
        }
    }

    /// Returns a value with another member in the first object at a place, in which `*` is any member or element.
    private static func adding(_ name: String, to value: JSON, at place: ArraySlice<String>) -> JSON {
        guard let step = place.first else {
            guard var object = value.object else { return value }
            object[name] = 1
            return .object(object)
        }
        if var elements = value.array {
            for index in elements.indices {
                let changed = adding(name, to: elements[index], at: place.dropFirst())
                guard changed != elements[index] else { continue }
                elements[index] = changed
                return .array(elements)
            }
        }
        guard var object = value.object else { return value }
        for (member, inner) in object where step == "*" || step == member {
            let changed = adding(name, to: inner, at: place.dropFirst())
            guard changed != inner else { continue }
            object[member] = changed
            return .object(object)
        }
        return value
    }

    @Test func `a string is quoted if YAML would read something else`() throws {
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

    /// The properties of a schema at any depth that have a description.
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
