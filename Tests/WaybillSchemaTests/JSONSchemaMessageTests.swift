import Testing
import WaybillJSON
import WaybillSchema

/// Messages for people. Each line of an expectation is `instance location: message`.
@Suite(.timeLimit(.minutes(5))) struct JSONSchemaMessageTests {
    private func told(_ schema: JSON, _ instance: JSON) throws -> [String] {
        try JSONSchema(compiling: schema, assertsFormats: true).validate(instance)
            .map { "\($0.instanceLocation): \($0.message)" }
    }

    @Test(arguments: [1, 2, 3])
    func `at most the requested number of violations is reported, starting with the first`(limit: Int) throws {
        let schema = try JSONSchema(compiling: ["items": ["type": "string"], "maxItems": 1])
        let violations = schema.validate([1, "a", 2, 3], limit: limit)
        #expect(violations.map(\.instanceLocation.description) == ["", "/0", "/2"].prefix(limit).map(\.self))
        let names = try JSONSchema(compiling: ["required": ["a", "b", "c", "d"]])
        #expect(names.validate([:], limit: limit).count == limit)
    }

    @Test(
        arguments: [
            (["type": "string"], 1, "must be a string, but is a number"),
            (["type": "integer"], 1.5, "must be an integer, but is 1.5"),
            (["type": ["object", "boolean"]], .null, "must be true, false or a mapping, but is null"),
            (["type": "array"], true, "must be a list, but is true"),
            (["type": "boolean"], "no", "must be true or false, but is a string"),
            (["type": "object", "required": ["a"]], 1, "must be a mapping with the key 'a', but is a number"),
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
            (["dependentRequired": ["a": ["b"]]], ["a": 1], "is missing the key 'b', which 'a' requires"),
            (["if": true, "then": ["type": "null"]], 1, "must be null, but is a number"),
            (false, 1, "is not allowed"),
        ] as [(JSON, JSON, String)]
    )
    func `a violation has a message in plain words`(schema: JSON, instance: JSON, message: String) throws {
        #expect(try told(schema, instance) == [": \(message)"])
    }

    @Test(
        arguments: [
            // A typing error in a required name.
            (["pth": 1], ["/pth: 'pth' is not a known key, but 'path'"]),
            (["path": 1, "mehtod": 2], ["/mehtod: 'mehtod' is not a known key, but 'method'"]),
            // Two misspelt names cause two violations.
            (
                ["pth": 1, "hots": 1],
                [
                    "/pth: 'pth' is not a known key, but 'path'", "/hots: 'hots' is not a known key, but 'host'",
                ]
            ),
            (
                ["mehtod": 1],
                [
                    ": is missing the key 'path'", "/mehtod: 'mehtod' is not a known key, but 'method'",
                ]
            ),
            // An unknown name that resembles no other.
            (["other": 1], [": is missing the key 'path'", "/other: 'other' is not a known key"]),
            // Only one name is left that it could be.
            (["method": 1, "host": 1, "other": 1], ["/other: 'other' is not a known key, but 'path'"]),
            (
                ["method": 1, "host": 1, "other": 1, "more": 1],
                [
                    ": is missing the key 'path'", "/other: 'other' is not a known key",
                    "/more: 'more' is not a known key",
                ]
            ),
        ] as [(JSON, [String])]
    )
    func `a misspelt required name is one violation, at its location`(instance: JSON, told: [String]) throws {
        let schema = try JSONSchema(compiling: [
            "properties": ["path": true, "method": true, "host": true], "required": ["path"],
            "additionalProperties": false,
        ])
        let found = schema.validate(instance).map { violation in
            "\(violation.instanceLocation): \(violation.message)" + (violation.suggestion.map { ", but '\($0)'" } ?? "")
        }
        #expect(found == told)
    }

    @Test func `a misspelt name that selects an alternative is one violation`() throws {
        let schema = try JSONSchema(compiling: [
            "properties": ["id": true, "get": true, "call": true],
            "oneOf": [["required": ["get"]], ["required": ["call"]]],
            "unevaluatedProperties": false,
        ])
        let found = schema.validate(["id": 1, "cal": 2])
        #expect(found.map(\.detail) == [.unknownName("cal", known: ["id", "get", "call"])])
        #expect(found.map(\.suggestion) == ["call"])
    }

    @Test(
        arguments: [
            (["enum": ["low", "high"]], "hgih", "high"),
            (["anyOf": [["const": "none"], ["type": "object"]]], "noen", "none"),
            (["anyOf": [["enum": ["connect", "dns"]], ["pattern": "^[1-5]xx$"]]], "conect", "connect"),
            (["enum": ["low", "high"]], "fast", nil),
            (["enum": ["low", "high"]], 1, nil),
        ] as [(JSON, JSON, String?)]
    )
    func `the nearest allowed value is suggested`(schema: JSON, instance: JSON, suggestion: String?) throws {
        #expect(try JSONSchema(compiling: schema).validate(instance).map(\.suggestion) == [suggestion])
    }

    @Test func `thousands of unknown names do not cause thousands of searches for similar names`() throws {
        let schema = try JSONSchema(compiling: ["properties": ["path": true], "additionalProperties": false])
        var many = JSONObject()
        for scalar in (0x4E00..<0x5E00).compactMap({ UnicodeScalar($0 as UInt32) }) { many["pat\(scalar)"] = 1 }
        let found = schema.validate(.object(many))
        #expect(found.count == 0x1000)
        #expect(found.count { $0.suggestion == "path" } == 1000)
    }

    @Test func `a repeated element is reported at its location`() throws {
        #expect(
            try told(["uniqueItems": true], [1, 2, 1.0])
                == ["/2: is equal to element 1, but the elements must be unique"]
        )
    }

    @Test func `each unknown name is reported once, with the known names`() throws {
        let schema = try JSONSchema(compiling: [
            "properties": ["path": true, "method": true], "additionalProperties": false,
        ])
        let found = schema.validate(["pth": 1, "path": 2, "mode": 3])
        #expect(found.map(\.instanceLocation) == [JSONPointer([.name("pth")]), JSONPointer([.name("mode")])])
        #expect(found.map(\.detail).first == .unknownName("pth", known: ["path", "method"]))
        #expect(found.allSatisfy { $0.concernsName && $0.keyword == "additionalProperties" })
    }

    @Test func `unevaluated names are reported once, with the names known to all applied schemas`() throws {
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

    @Test func `a forbidden key is reported once, with its own message`() throws {
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

    @Test func `a name that propertyNames rejects is reported as a name`() throws {
        let schema = try JSONSchema(compiling: ["propertyNames": ["pattern": "^[a-z]+$"]])
        let found = try #require(schema.validate(["A": 1]).first)
        #expect(found.message == "the key 'A' must match the pattern '^[a-z]+$'")
        #expect(found.concernsName)
        #expect(found.instanceLocation == JSONPointer([.name("A")]))
    }

    @Test func `a violation has the location of its keyword`() throws {
        let schema = try JSONSchema(
            compiling: ["properties": ["a": ["$ref": "#/$defs/b"]], "$defs": ["b": ["type": "null"]]],
            baseURI: "https://example.com/s"
        )
        let found = try #require(schema.validate(["a": 1]).first)
        #expect(found.keywordLocation == JSONPointer([.name("properties"), .name("a"), .name("$ref"), .name("type")]))
        #expect(found.absoluteKeywordLocation == "https://example.com/s#/$defs/b/type")
    }
}
