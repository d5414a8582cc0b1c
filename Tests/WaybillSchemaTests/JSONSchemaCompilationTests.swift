import Testing
import WaybillJSON
import WaybillSchema

/// Errors in a schema itself, and the resolution of references.
@Suite(.timeLimit(.minutes(5))) struct JSONSchemaCompilationTests {
    @Test(
        arguments: [
            (1, "", "must be a schema: a mapping, true or false"),
            (["type": "strng"], "/type", "names the unknown type 'strng'; did you mean 'string'?"),
            (["type": []], "/type", "must not be empty"),
            (["properties": ["a": 1]], "/properties/a", "must be a schema: a mapping, true or false"),
            (["anyOf": []], "/anyOf", "must be a nonempty list of schemas"),
            (["minLength": -1], "/minLength", "must be an integer, 0 or greater"),
            (["multipleOf": 0], "/multipleOf", "must be greater than 0"),
            (["required": "a"], "/required", "must be a list of names"),
            (["enum": "a"], "/enum", "must be a list of values"),
            (["uniqueItems": 1], "/uniqueItems", "must be true or false"),
            (
                ["$ref": "#/$defs/strin", "$defs": ["string": true]], "/$ref",
                "refers to 'strin' in '#/$defs/strin', which does not exist; did you mean 'string'?"
            ),
            (["$ref": "#nowhere"], "/$ref", "refers to the anchor 'nowhere', which does not exist"),
            (
                ["items": ["$ref": "https://example.com/none"]], "/items/$ref",
                "refers to the unknown schema 'https://example.com/none'"
            ),
            (["$ref": "#/%zz"], "/$ref", "has an invalid fragment: expected percent-encoded UTF-8"),
            (["$ref": "#"], "", "refers to itself in an endless loop"),
            (["$id": "a#b"], "/$id", "must not have a fragment"),
            (["$anchor": "1"], "/$anchor", "must be a name: letters, digits, '-', '_' and '.'"),
            (
                ["$schema": "http://json-schema.org/draft-07/schema#"], "/$schema",
                "is not a known dialect; expected 'https://json-schema.org/draft/2020-12/schema'"
            ),
        ] as [(JSON, String, String)]
    )
    func `an error in a schema is reported at its location`(schema: JSON, location: String, message: String) throws {
        let error = try #require(throws: JSONSchemaError.self) { try JSONSchema(compiling: schema) }
        #expect("\(error.location)" == location)
        #expect(error.message == message)
    }

    @Test(
        arguments: [
            (["type": "string", "nullable": true], .null, true, false),
            (["type": "string", "nullable": false], .null, false, false),
            (["nullable": true, "enum": ["a"]], .null, false, false),
            (["type": "integer", "minimum": 3, "exclusiveMinimum": false], 3, true, nil),
            (["type": "integer", "minimum": 3, "exclusiveMinimum": true], 3, false, nil),
            (["type": "integer", "maximum": 3, "exclusiveMaximum": true], 3, false, nil),
            (["type": "integer", "exclusiveMinimum": true], 3, true, nil),
            (["$ref": "#/components/schemas/other", "maxLength": 1], "long", true, false),
            (["$ref": "part.json#/a"], .null, true, false),
            (["$ref": "own.json"], .null, false, false),
        ] as [(JSON, JSON, Bool, Bool?)]
    )
    func `schemas of an OpenAPI document are read in its dialect`(
        schema: JSON,
        instance: JSON,
        isValidIn30: Bool,
        isValidIn31: Bool?
    ) throws {
        for (version, isValid) in [("3.0.4", isValidIn30), ("3.1.1", isValidIn31), ("3.2.0", isValidIn31)] {
            var registry = JSONSchemaRegistry()
            let schemas: JSON = ["own": schema, "other": ["type": "string"]]
            registry.register(
                ["openapi": .string(version), "components": ["schemas": schemas]],
                at: "file:///api.json"
            )
            registry.register(["a": ["type": "string", "nullable": true]], at: "file:///part.json")
            registry.register(
                ["$schema": "https://json-schema.org/draft/2020-12/schema", "type": "string", "nullable": true],
                at: "file:///own.json"
            )
            let reference: JSON = ["$ref": "file:///api.json#/components/schemas/own"]
            let compiled = Result { try JSONSchema(compiling: reference, registry: registry) }
            #expect((try? compiled.get())?.isValid(instance) == isValid, "\(version): \(compiled)")
        }
    }

    @Test func `an OpenAPI document may name the dialect of its schemas`() throws {
        func compile(_ dialect: String) throws -> JSONSchema {
            var registry = JSONSchemaRegistry()
            let schemas: JSON = ["a": ["type": "string"]]
            registry.register(
                ["openapi": "3.1.0", "jsonSchemaDialect": .string(dialect), "components": ["schemas": schemas]],
                at: "file:///api.json"
            )
            return try JSONSchema(compiling: ["$ref": "file:///api.json#/components/schemas/a"], registry: registry)
        }
        #expect(try compile("https://spec.openapis.org/oas/3.1/dialect/base").isValid("text"))
        let error = try #require(throws: JSONSchemaError.self) {
            try compile("http://json-schema.org/draft-07/schema#")
        }
        #expect("\(error)".hasPrefix("file:///api.json#/jsonSchemaDialect: is not a known dialect"))
    }

    @Test func `a cycle of references is rejected`() throws {
        let schema: JSON = [
            "$ref": "#/$defs/a", "$defs": ["a": ["allOf": [["$ref": "#/$defs/b"]]], "b": ["$ref": "#/$defs/a"]],
        ]
        let error = try #require(throws: JSONSchemaError.self) { try JSONSchema(compiling: schema) }
        #expect(error.message == "refers to itself in an endless loop")
    }

    @Test func `an unknown vocabulary that is required is rejected`() throws {
        var registry = JSONSchemaRegistry()
        registry.register(["$vocabulary": ["https://example.com/vocabulary": true]], at: "https://example.com/meta")
        let error = try #require(throws: JSONSchemaError.self) {
            try JSONSchema(compiling: ["$schema": "https://example.com/meta"], registry: registry)
        }
        #expect(error.message == "requires the unknown vocabulary 'https://example.com/vocabulary'")
    }

    @Test func `references are resolved against the base, also to identifiers inside registered schemas`()
        throws
    {
        var registry = JSONSchemaRegistry()
        registry.register(["$defs": ["x": ["$id": "inner", "type": "null"]]], at: "https://example.com/a/outer")
        let schema = try JSONSchema(
            compiling: ["$ref": "inner"],
            baseURI: "https://example.com/a/b",
            registry: registry
        )
        #expect(schema.isValid(.null))
        #expect(!schema.isValid(1))
    }

    @Test func `the meta-schema accepts a valid schema and rejects an invalid one`() throws {
        let metaSchema = try JSONSchema(compiling: ["$ref": "https://json-schema.org/draft/2020-12/schema"])
        #expect(metaSchema.isValid(["type": "object", "properties": ["a": true]]))
        let found = metaSchema.validate(["properties": ["a": ["minLength": -1]]])
        #expect(
            found.map { "\($0.instanceLocation): \($0.message)" } == [
                "/properties/a/minLength: must be at least 0, but is -1"
            ]
        )
    }

    @Test func `a deep instance can be checked, and endless references are stopped`() throws {
        let tree = try JSONSchema(compiling: ["properties": ["a": ["$ref": "#"]], "additionalProperties": false])
        var instance: JSON = ["b": 1]
        for _ in 0..<512 { instance = ["a": instance] }
        #expect(tree.validate(instance).map(\.message) == ["'b' is not a known key"])
        let endless = try JSONSchema(compiling: ["$dynamicAnchor": "x", "$dynamicRef": "#x"])
        #expect(endless.validate(1).map(\.message) == ["is too deeply nested or too complex to check"])
    }

    @Test func `nested alternatives do not take exponential time`() throws {
        let schema = try JSONSchema(compiling: [
            "anyOf": [
                ["type": "array", "items": ["$ref": "#"]],
                ["type": "array", "items": ["$ref": "#"], "maxItems": 2],
            ]
        ])
        var instance: JSON = 1
        for _ in 0..<100 { instance = [instance] }
        #expect(!schema.isValid(instance))
    }

    @Test func `schemas that refer to each other twice do not take exponential time`() throws {
        var definitions: JSON = ["d40": ["type": "integer"]]
        for number in 0..<40 {
            let next: JSON = ["$ref": .string("#/$defs/d\(number + 1)")]
            if case .object(var members) = definitions {
                members["d\(number)"] = ["allOf": [next, next]]
                definitions = .object(members)
            }
        }
        let schema = try JSONSchema(compiling: ["$ref": "#/$defs/d0", "$defs": definitions])
        #expect(!schema.isValid(1))
    }

    @Test func `deeply nested alternatives are cheap if a constant distinguishes them`() throws {
        let form: (String) -> JSON = { kind in
            [
                "properties": ["parts": ["items": ["$ref": "#"]], "kind": ["const": .string(kind)]],
                "required": ["kind", "parts"],
            ]
        }
        let schema = try JSONSchema(compiling: ["oneOf": [form("a"), form("b"), form("c")]])
        var instance: JSON = ["parts": [], "kind": "d"]
        for _ in 0..<200 { instance = ["parts": [instance], "kind": "c"] }
        let found = schema.validate(instance)
        #expect(found.map(\.message) == ["must be 'a', 'b' or 'c'"])
        #expect(found.first?.instanceLocation.tokens.count == 401)
    }
}
