import Testing
import WaybillData

/// What a person is told. Each line of an expectation is `instance location: message`.
@Suite struct JSONSchemaMessageTests {
    private func told(_ schema: JSON, _ instance: JSON) throws -> [String] {
        try JSONSchema(compiling: schema, assertsFormats: true).validate(instance)
            .map { "\($0.instanceLocation): \($0.message)" }
    }

    @Test(arguments: [1, 2, 3])
    func `no more faults are told than asked for, and the first of them`(limit: Int) throws {
        let schema = try JSONSchema(compiling: ["items": ["type": "string"], "maxItems": 1])
        let violations = schema.validate([1, "a", 2, 3], limit: limit)
        #expect(violations.map(\.instanceLocation.description) == ["", "/0", "/2"].prefix(limit).map(\.self))
        let names = try JSONSchema(compiling: ["required": ["a", "b", "c", "d"]])
        #expect(names.validate([:], limit: limit).count == limit)
    }

    @Test(
        arguments: [
            (["type": "string"], 1, "must be a string, but is a number"),
            (["type": "integer"], 1.5, "must be a whole number, but is 1.5"),
            (["type": ["object", "boolean"]], .null, "must be true or false or a mapping, but is null"),
            (["type": "array"], true, "must be a list, but is true"),
            (["const": "a"], "b", "must be 'a'"),
            (["enum": ["a", 1, .null]], "b", "must be 'a', 1 or null"),
            (["minimum": 1], 0, "must be at least 1, but is 0"),
            (["exclusiveMaximum": 1], 1, "must be less than 1, but is 1"),
            (["multipleOf": 5], 7, "must be a multiple of 5, but is 7"),
            (["minLength": 2], "", "must not be empty"),
            (["maxLength": 1], "ab", "must have at most 1 character, but has 2"),
            (["pattern": "^a"], "b", "must match the pattern '^a'"),
            (["format": "date"], "b", "must be a date such as 2026-11-21"),
            (["minItems": 1], [], "must not be empty"),
            (["minItems": 3], [1], "must have at least 3 elements, but has 1"),
            (["maxProperties": 1], ["a": 1, "b": 2], "must have at most 1 key, but has 2"),
            (["contains": ["type": "string"]], [1], "must have at least 1 element that is a string"),
            (["not": ["type": "string"]], "a", "must not be a string"),
            (["not": ["required": ["a"]]], ["a": 1], "must not have the key 'a'"),
            (["required": ["path"]], [:], "is missing the key 'path'"),
            (["dependentRequired": ["a": ["b"]]], ["a": 1], "is missing the key 'b', which 'a' needs"),
            (["if": true, "then": ["type": "null"]], 1, "must be null, but is a number"),
            (false, 1, "is not allowed"),
        ] as [(JSON, JSON, String)]
    )
    func `a fault is told in words`(schema: JSON, instance: JSON, message: String) throws {
        #expect(try told(schema, instance) == [": \(message)"])
    }

    @Test func `a repeated element is pointed at`() throws {
        #expect(
            try told(["uniqueItems": true], [1, 2, 1.0])
                == ["/2: stands in the list twice (as element 1 before), but elements must differ"]
        )
    }

    @Test func `each unknown name is told once with the names that are known`() throws {
        let schema = try JSONSchema(compiling: [
            "properties": ["path": true, "method": true], "additionalProperties": false,
        ])
        let found = schema.validate(["pth": 1, "path": 2, "mode": 3])
        #expect(found.map(\.instanceLocation) == [JSONPointer([.name("pth")]), JSONPointer([.name("mode")])])
        #expect(found.map(\.detail).first == .unknownName("pth", known: ["path", "method"]))
        #expect(found.allSatisfy { $0.concernsName && $0.keyword == "additionalProperties" })
    }

    @Test func `unevaluated names are told with all names that the applied schemas know, and nothing twice`() throws {
        let schema = try JSONSchema(compiling: [
            "$ref": "#/$defs/base",
            "properties": ["call": true],
            "anyOf": [
                ["properties": ["a": true], "required": ["a"]],
                ["properties": ["b": true], "required": ["b"]],
            ],
            "unevaluatedProperties": false,
            "$defs": ["base": ["properties": ["id": ["type": "string"], "name": true]]],
        ])
        let found = schema.validate(["id": 1, "a": 2, "b": 3, "cal": 4])
        #expect(found.map(\.message) == ["must be a string, but is a number", "'cal' is not a known key"])
        #expect(found.last?.detail == .unknownName("cal", known: ["call", "id", "name", "a", "b"]))
    }

    @Test func `a refused key's own words come along, and it is told once`() throws {
        let words: JSON = ["id": "not-yet", "message": "not in this release"]
        let schema = try JSONSchema(compiling: [
            "properties": [
                "proxy": ["not": [:], "x-waybill-error": words],
                "cache": ["$ref": "#/$defs/refused", "x-waybill-error": words],
            ],
            "unevaluatedProperties": false,
            "$defs": ["refused": ["not": true, "x-waybill-error": ["id": "general"], "x-more": 1]],
        ])
        let found = schema.validate(["proxy": 1, "cache": 2])
        #expect(found.map(\.instanceLocation) == [JSONPointer([.name("proxy")]), JSONPointer([.name("cache")])])
        #expect(found.allSatisfy { $0.annotation?["x-waybill-error"] == words && $0.detail == .notAllowed })
        #expect(found.last?.annotation?["x-more"] == 1)
    }

    @Test func `a name that propertyNames refuses is told as a name`() throws {
        let schema = try JSONSchema(compiling: ["propertyNames": ["pattern": "^[a-z]+$"]])
        let found = try #require(schema.validate(["A": 1]).first)
        #expect(found.message == "the key 'A' must match the pattern '^[a-z]+$'")
        #expect(found.concernsName)
        #expect(found.instanceLocation == JSONPointer([.name("A")]))
    }

    @Test func `a violation says where its keyword stands`() throws {
        let schema = try JSONSchema(
            compiling: ["properties": ["a": ["$ref": "#/$defs/b"]], "$defs": ["b": ["type": "null"]]],
            baseURI: "https://example.com/s"
        )
        let found = try #require(schema.validate(["a": 1]).first)
        #expect(found.keywordLocation == JSONPointer([.name("properties"), .name("a"), .name("$ref"), .name("type")]))
        #expect(found.absoluteKeywordLocation == "https://example.com/s#/$defs/b/type")
    }
}
