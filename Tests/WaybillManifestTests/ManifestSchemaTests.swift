import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillSchema
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct ManifestSchemaTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

    private func published(_ schema: EmbeddedSchema) throws -> [UInt8] {
        try #require(TemporaryFolder.contents(of: "\(Self.root)/schemas/\(schema).schema.json"))
    }

    private func manifestSchema() throws -> SchemaTree {
        SchemaTree(try JSONParser().parse(try published(.manifest)))
    }

    @Test(arguments: EmbeddedSchema.allCases)
    func `the embedded schema equals the published one and conforms to the meta-schema`(schema: EmbeddedSchema) throws {
        #expect(schema.text == (try published(schema)))
        let metaSchema = try JSONSchema(compiling: ["$ref": "https://json-schema.org/draft/2020-12/schema"])
        #expect(metaSchema.validate(try JSONParser().parse(schema.text)) == [])
    }

    @Test func `every published schema is embedded and has its own identifier`() throws {
        let files = TemporaryFolder.files(in: "\(Self.root)/schemas", ending: ".schema.json")
        let names = EmbeddedSchema.allCases.map(\.rawValue) + ["manifest.flat"]
        #expect(Set(files) == Set(names.map { "\(Self.root)/schemas/\($0).schema.json" }))
        for name in names {
            let text = try #require(TemporaryFolder.contents(of: "\(Self.root)/schemas/\(name).schema.json"))
            #expect(try JSONParser().parse(text)["$id"]?.string == EmbeddedSchema.identifier(name))
        }
    }

    // `JSONSchema(trusting:)` relies on this.
    @Test func `the whole manifest schema compiles, and only its root has an identifier`() throws {
        _ = try JSONSchema(compiling: try JSONParser().parse(try published(.manifest)))
        for schema in try manifestSchema().subschemas.dropFirst() {
            for keyword in ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$schema"] {
                #expect(schema.keywords[keyword] == nil, "\(schema.place)")
            }
        }
    }

    @Test(arguments: [
        #"{"waybill": 1}"#, #"{"waybill": 1, "graphs": {"main": {"chain": [{"get": "http://127.0.0.1/", "if": 1}]}}}"#,
        #"{"waybill": "1", "endpoint": {}, "defaults": {"timeout": [], "retry": {"atempts": 3}}}"#, "[]",
        #"{"waybill": 1, "services": {"s": {"baseURL": 5}}, "endpoints": {"e": {"service": "s", "path": "/", "get": 1}}}"#,
    ])
    func `the schema reports the same errors whether it is compiled in parts or as a whole`(text: String) throws {
        let document = try JSONParser().parse(try published(.manifest))
        let instance = try JSONParser().parse(Array(text.utf8))
        let (whole, inParts) = (try JSONSchema(compiling: document), try JSONSchema(trusting: document))
        #expect(inParts.isValid(instance) == whole.isValid(instance))
        #expect(inParts.validate(instance) == whole.validate(instance))
    }

    @Test func `every key and every definition has a description that is a sentence`() throws {
        for schema in try manifestSchema().subschemas {
            let isDefinition = schema.place.split(separator: "/").dropLast() == ["$defs"]
            guard schema.property != nil || isDefinition else { continue }
            let description = schema.keywords["description"]?.string ?? ""
            #expect(description.hasSuffix("."), "\(schema.place)")
            #expect(description.first?.isUppercase ?? false, "\(schema.place)")
        }
    }

    @Test func `every object in the schema is closed`() throws {
        for schema in try manifestSchema().subschemas
        where schema.keywords["type"] == "object" && schema.keywords["properties"] != nil {
            let closes = ["additionalProperties", "unevaluatedProperties"].contains { schema.keywords[$0] != nil }
            #expect(closes, "\(schema.place)")
        }
    }

    @Test func `every reference has a definition, and every definition is used`() throws {
        let schemas = try manifestSchema().subschemas
        let references = Set(schemas.compactMap { $0.keywords["$ref"]?.string })
        let definitions = Set(
            (schemas[0].keywords["$defs"]?.object ?? JSONObject()).names.map { "#/$defs/\($0)" }
        )
        #expect(references.symmetricDifference(definitions) == [])
    }

    @Test func `a template or expression marker is only where a string is allowed, and never both are`() throws {
        for schema in try manifestSchema().subschemas {
            let marks = ["x-waybill-template", "x-waybill-expression"].filter { schema.keywords[$0] != nil }
            guard let mark = marks.first else { continue }
            #expect(marks.count == 1 && schema.keywords[mark] == true, "\(schema.place)")
            let types = schema.keywords["type"].map { Set(($0.array ?? [$0]).compactMap(\.string)) }
            if mark == "x-waybill-expression" {
                #expect(
                    types.map { $0.isSubset(of: ["string", "number", "boolean", "null"]) && $0.contains("string") }
                        ?? (schema.keywords["additionalProperties"] != nil),
                    "\(schema.place)"
                )
            } else {
                #expect(
                    types.map { !$0.isDisjoint(with: ["string", "object", "array"]) } ?? true,
                    "\(schema.place)"
                )
            }
            let fixed = ["enum", "const", "anyOf", "oneOf"].filter { schema.keywords[$0] != nil }
            #expect(fixed.isEmpty, "\(schema.place) has \(fixed) beside \(mark)")
        }
    }

    @Test func `a string is a template or an expression, or it rejects ${…}`() throws {
        let document = try JSONParser().parse(try published(.manifest))
        // The name of a definition is looked up, and an unknown name is an error.
        let names: Set = ["call", "service", "graph", "filter", "input", "description"]
        let others: Set = [
            "/$defs/constant/not",
            "/$defs/label/not",
            "/$defs/filterStage/anyOf/0",  // the name of a filter
            "/$defs/mockAnswer/properties/headers/additionalProperties",  // has a warning
        ]
        for schema in SchemaTree(document).subschemas {
            let types = schema.keywords["type"].map { ($0.array ?? [$0]).compactMap(\.string) } ?? []
            let marks = ["x-waybill-template", "x-waybill-expression"]
            guard types.contains("string"), !marks.contains(where: { schema.keywords[$0] != nil }),
                !schema.place.hasPrefix("/$defs/keywords/"), !names.contains(schema.property ?? ""),
                !others.contains(schema.place)
            else { continue }
            var whole = JSONObject()
            whole["$defs"] = document["$defs"]
            whole["allOf"] = .array([.object(schema.keywords)])
            let compiled = try JSONSchema(compiling: .object(whole))
            // '$${' has a meaning in templates and labels only.
            let isLabel = schema.place == "/$defs/label" || schema.keywords["$ref"] == "#/$defs/label"
            for text in ["${inputs.x}", "a/${x};${y}.pem"] + (isLabel ? [] : ["$${x}"]) {
                #expect(!compiled.validate(.string(text)).isEmpty, "\(schema.place) accepts \(text)")
            }
        }
    }

    @Test func `defaults and examples conform to their schemas`() throws {
        let document = try JSONParser().parse(try published(.manifest))
        for schema in SchemaTree(document).subschemas {
            let values = (schema.keywords["default"].map { [$0] } ?? []) + (schema.keywords["examples"]?.array ?? [])
            guard !values.isEmpty else { continue }
            var whole = JSONObject()
            whole["$defs"] = document["$defs"]
            whole["allOf"] = .array([.object(schema.keywords)])
            let compiled = try JSONSchema(compiling: .object(whole))
            for value in values { #expect(compiled.validate(value) == [], "\(schema.place)") }
        }
    }

    @Test func `every key that a mapping requires has an example, which help messages show`() throws {
        let document = try JSONParser().parse(try published(.manifest))
        let forms = ManifestForms(schema: document)
        var required = 0
        // Keywords of JSON Schema require each other only to tell which ones have an effect.
        for schema in SchemaTree(document).subschemas where !schema.place.hasPrefix("/$defs/keywords") {
            let dependent = (schema.keywords["dependentRequired"]?.object ?? JSONObject()).map {
                ("dependentRequired", $0.value)
            }
            for (keyword, names) in [("required", schema.keywords["required"] ?? [])] + dependent {
                let location = try #require(JSONPointer(parsing: "\(schema.place)/\(keyword)"))
                for name in (names.array ?? []).compactMap(\.string) {
                    required += 1
                    #expect(forms.example(of: name, requiredBy: location) != nil, "\(name) at \(location)")
                }
            }
        }
        #expect(required > 60)
    }

    @Test func `the manifest with every key conforms to the schema, and no key is missing from it`() throws {
        let path = "\(Self.root)/Tests/Manifests/every-key.yaml"
        let file = SourceFile(name: path, bytes: try #require(TemporaryFolder.contents(of: path)))
        let manifest = try #require(YAMLReader().read(file).document)
        let schema = try JSONSchema(compiling: try JSONParser().parse(try published(.manifest)))
        #expect(schema.validate(manifest.json) == [])

        var used: Set<String> = []
        func visit(_ value: JSON) {
            for (name, member) in value.object ?? JSONObject() {
                used.insert(name)
                visit(member)
            }
            for element in value.array ?? [] { visit(element) }
        }
        visit(manifest.json)
        let keys = Set(try manifestSchema().subschemas.compactMap(\.property))
        #expect(keys.subtracting(used) == [])
    }
}
