import Testing
import WaybillJSON
import WaybillSchema

/// Which alternative is reported if no alternative of `anyOf` or `oneOf` is valid.
@Suite(.timeLimit(.minutes(5))) struct JSONSchemaAlternativesTests {
    static let body: JSON = [
        "oneOf": [
            ["type": "string"],
            ["type": "object", "properties": ["json": true], "required": ["json"], "additionalProperties": false],
            [
                "type": "object", "properties": ["form": ["type": "object"]], "required": ["form"],
                "additionalProperties": false,
            ],
            [
                "type": "object", "properties": ["text": ["type": "string"]], "required": ["text"],
                "additionalProperties": false,
            ],
        ]
    ]

    static let shape: JSON = [
        "oneOf": [
            [
                "properties": ["kind": ["const": "circle"], "radius": ["type": "number"]],
                "required": ["kind", "radius"],
            ],
            ["properties": ["kind": ["const": "square"], "side": ["type": "number"]], "required": ["kind", "side"]],
        ]
    ]

    static let stage: JSON = [
        "anyOf": [
            [
                "type": "object", "properties": ["filter": ["type": "string"], "for": ["enum": ["any"]]],
                "required": ["filter"], "additionalProperties": false,
            ],
            [
                "type": "object", "properties": ["flatten": ["const": true]], "required": ["flatten"],
                "additionalProperties": false,
            ],
            [
                "type": "object", "properties": ["limit": ["type": "integer"]], "required": ["limit"],
                "additionalProperties": false,
            ],
        ]
    ]

    static let step: JSON = [
        "anyOf": [
            ["$ref": "#/$defs/call"],
            ["allOf": [["$ref": "#/$defs/request"]]],
        ],
        "$defs": [
            "call": ["required": ["call"], "properties": ["call": ["type": "string"]]],
            "request": ["required": ["get"], "properties": ["get": ["type": "string"], "timeout": ["minimum": 1]]],
        ],
    ]

    @Test(
        arguments: [
            (
                Self.body, 1,
                [": must be a string or a mapping with one of the keys 'json', 'form' or 'text', but is a number"]
            ),
            (Self.body, ["form": 1], ["/form: must be a mapping, but is a number"]),
            (Self.body, ["text": "a", "more": 1], ["/more: 'more' is not a known key"]),
            (Self.body, ["json": 1, "text": "a"], [": can have only one of the keys 'json' and 'text'"]),
            (Self.body, [:], [": must have one of the keys 'json', 'form' or 'text'"]),
            (Self.body, ["jsn": 1], ["/jsn: 'jsn' is not a known key"]),
            (Self.shape, ["kind": "circle"], [": is missing the key 'radius'"]),
            (Self.shape, ["kind": "square", "side": "a"], ["/side: must be a number, but is a string"]),
            (Self.shape, ["kind": "line"], ["/kind: must be 'circle' or 'square'"]),
            (Self.shape, ["side": 1], [": is missing the key 'kind' ('circle' or 'square')"]),
            (Self.stage, ["filter": "a", "for": "2xx"], ["/for: must be 'any'"]),
            (Self.stage, ["flatten": false], ["/flatten: must be true"]),
            (Self.stage, ["flatten": true, "filter": "a"], [": can have only one of the keys 'filter' and 'flatten'"]),
            (Self.step, ["get": "/", "timeout": 0], ["/timeout: must be at least 1, but is 0"]),
            (Self.step, ["call": 1], ["/call: must be a string, but is a number"]),
            (Self.step, ["id": 1], [": must have one of the keys 'call' or 'get'"]),
            (
                ["oneOf": [["required": ["a"]], ["required": ["b"]]]], ["a": 1, "b": 2],
                [": can have only one of the keys 'a' and 'b'"]
            ),
            (
                ["anyOf": [["const": "auto"], ["type": "integer"]]], 1.5,
                [": must be 'auto' or an integer, but is 1.5"]
            ),
            (["anyOf": [["const": "auto"], ["type": "integer"]]], "x", [": must be 'auto' or an integer"]),
            (["anyOf": [["enum": ["a", "b"]], ["const": "c"]]], "d", [": must be 'a', 'b' or 'c'"]),
            (["anyOf": [["minimum": 5], ["multipleOf": 4]]], 3, [": must be at least 5 or a multiple of 4"]),
            (
                ["anyOf": [["pattern": "^[0-9]+s$"], ["const": "none"]]], "x",
                [": must match the pattern '^[0-9]+s$' or must be 'none'"]
            ),
            (
                ["anyOf": [["items": ["type": "string"]], ["items": ["type": "object"], "maxItems": 1]]], [1, "a"],
                ["/0: must be a string, but is a number"]
            ),
        ] as [(JSON, JSON, [String])]
    )
    func `the intended alternative is reported`(schema: JSON, instance: JSON, messages: [String]) throws {
        let found = try JSONSchema(compiling: schema).validate(instance)
        #expect(found.map { "\($0.instanceLocation): \($0.message)" } == messages)
    }

    @Test func `violations tell programs which names are missing, unknown or conflicting, and which types are allowed`()
        throws
    {
        let body = try JSONSchema(compiling: Self.body)
        #expect(body.validate([:]).map(\.detail) == [.missingName(["json", "form", "text"])])
        #expect(body.validate(["jsn": 1]).map(\.detail) == [.unknownName("jsn", known: ["json", "form", "text"])])
        #expect(body.validate(["json": 1, "form": [:]]).map(\.detail) == [.conflictingNames(["json", "form"])])
        #expect(
            body.validate(1).map(\.detail) == [.wrongType(expected: [.string, .object], found: .integer, booleans: [])]
        )
    }

    @Test(
        arguments: [
            (["a": 1, "c": 2], true), (["c": 1, "b": 2], true), (["c": 1], false), (["a": 1, "b": 2], false),
            (JSON.object(JSONObject()), false), (1, false), ("a", false),
        ] as [(JSON, Bool)]
    )
    func `alternatives that each require one name accept exactly one of the names`(instance: JSON, isValid: Bool) throws
    {
        let schema = try JSONSchema(compiling: ["oneOf": [["required": ["a"]], ["required": ["b"]]]])
        #expect(schema.isValid(instance) == isValid)
    }

    @Test func `alternatives that require the same name are both valid`() throws {
        let schema = try JSONSchema(compiling: ["oneOf": [["required": ["a"]], ["required": ["a"]]]])
        #expect(!schema.isValid(["a": 1]))
    }
}
