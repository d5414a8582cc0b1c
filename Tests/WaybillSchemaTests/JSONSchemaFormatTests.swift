import Testing
import WaybillJSON

@testable import WaybillSchema

@Suite(.timeLimit(.minutes(5))) struct JSONSchemaFormatTests {
    @Test(
        arguments: [
            ("email", "joe.bloggs@example.com", true), ("email", "\"joe bloggs\"@example.com", true),
            ("email", "joe@[127.0.0.1]", true), ("email", "joe@[IPv6:::1]", true), ("email", "te~st@example.com", true),
            ("email", ".test@example.com", false), ("email", "te..st@example.com", false),
            ("email", "joe@invalid=domain.com", false), ("email", "joe@[127.0.0.300]", false), ("email", "2962", false),
            ("email", "é@example.com", false), ("uri-reference", "/abc?x#y", true), ("uri-reference", "", true),
            ("uri-reference", "a:b/c", true), ("uri-reference", "./a:b", true), ("uri-reference", "1:b", false),
            ("uri-reference", "\\\\WINDOWS", false), ("uri", "https://example.com:8080/a%20b", true),
            ("uri", "https://example.com/a b", false), ("iri-reference", "/é", true),
            ("iri-reference", "/\u{E000}", false),
        ] as [(String, String, Bool)]
    )
    func `a format is asserted if requested`(format: String, text: String, isValid: Bool) throws {
        let schema: JSON = ["format": .string(format)]
        #expect(try JSONSchema(compiling: schema, assertsFormats: true).isValid(.string(text)) == isValid)
        #expect(try JSONSchema(compiling: schema).isValid(.string(text)))
    }

    @Test func `a string of more than 64 KiB is not a regular expression`() throws {
        let schema = try JSONSchema(compiling: ["format": "regex"], assertsFormats: true)
        let characters = { JSON.string("[" + String(repeating: "a", count: $0) + "]") }
        #expect(schema.isValid(characters(65_534)))
        #expect(!schema.isValid(characters(65_535)))
    }

    @Test func `a long string is not checked after the time of the step`() async throws {
        let schema = try JSONSchema(compiling: ["format": "uri-reference"], assertsFormats: true)
        let text = JSON.string(String(repeating: "a", count: 2000))
        #expect(schema.isValid(text))
        #expect(await WorkLimit.limited({ true }) { !schema.isValid(text) })
    }

    @Test(arguments: ["uri", "iri", "uri-reference", "iri-reference", "uri-template"])
    func `a format stops after the time of the step`(name: String) async throws {
        let format = try #require(StringFormat(rawValue: name))
        let text = "a:" + String(repeating: "a", count: 100_000)
        #expect(format.accepts(text))
        #expect(await WorkLimit.limited({ true }) { !format.accepts(text) })
    }

    /// Schemas whose keywords do more than evaluate subschemas, and instances that take long.
    private static let work: [(JSON, JSON)] = [
        (["uniqueItems": true], .array((0..<3000).map { .number(JSONNumber($0)) })),
        (["items": true, "uniqueItems": true], .array((0..<3000).map { .string("\($0)") })),
        (["patternProperties": ["^x": true]], members), (["properties": ["a": true]], members),
        (["contains": false, "minContains": 0], .array(Array(repeating: 1, count: 3000))),
        (["multipleOf": 7], .number(JSONNumber(validated: String(repeating: "7", count: 200_000)))),
        (["multipleOf": 7e-60], .number(JSONNumber(validated: String(repeating: "7", count: 200_000)))),
    ]
    private static let members = JSON.object(JSONObject((0..<3000).map { ("k\($0)", 1) }))

    @Test(arguments: work.indices)
    func `a keyword stops after the time of the step`(index: Int) async throws {
        let (schema, instance) = (try JSONSchema(compiling: Self.work[index].0), Self.work[index].1)
        #expect(schema.isValid(instance))
        #expect(await WorkLimit.limited({ true }) { !schema.isValid(instance) })
    }
}
