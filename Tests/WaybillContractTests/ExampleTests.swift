import Testing
import WaybillContract
import WaybillJSON
import WaybillSchema

@Suite(.timeLimit(.minutes(5))) struct ExampleTests {
    private static let components = """
        "components": {"schemas": {
          "Node": {"type": "object", "required": ["id"], "properties": {
            "id": {"type": "integer", "minimum": 3}, "next": {"$ref": "#/components/schemas/Node"}}},
          "Page": {"type": "object", "required": ["items"], "properties": {"total": {"type": "integer"}}},
          "Nodes": {"properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}}},
          "Cat": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "cat"}}, "additionalProperties": false},
          "Any": {"type": "object"}
        }}
        """

    @Test(arguments: [
        #"{"type": "string", "minLength": 7, "maxLength": 9}"#, #"{"type": "string", "pattern": "^[A-Z]{3}-\\d+$"}"#,
        #"{"type": "string", "pattern": "^[0-9a-f]+$", "minLength": 12}"#,
        #"{"type": "string", "format": "date-time"}"#,
        #"{"type": "integer", "minimum": 3, "multipleOf": 2}"#, #"{"type": "integer", "minimum": 0.5}"#,
        #"{"type": "number", "exclusiveMinimum": 0, "maximum": 0.5}"#,
        #"{"type": "integer", "exclusiveMaximum": -4.5}"#,
        #"{"type": "number", "multipleOf": 0.25, "maximum": -1}"#, #"{"type": "integer", "maximum": 0}"#,
        #"{"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": true}"#,
        #"{"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 2, "uniqueItems": true}"#,
        ##"{"type": "array", "items": {"$ref": "#/components/schemas/Node"}, "minItems": 2, "uniqueItems": true}"##,
        #"{"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}], "minItems": 2}"#,
        #"{"type": "array", "items": {"type": "integer"}, "contains": {"const": 7}}"#,
        #"{"type": "array", "maxItems": 0, "items": {}}"#,
        ##"{"$ref": "#/components/schemas/Node"}"##, #"{"type": "object", "required": ["a", "b"]}"#,
        #"{"type": "object", "required": ["a"], "additionalProperties": {"type": "integer"}}"#,
        ##"{"allOf": [{"$ref": "#/components/schemas/Page"}, {"$ref": "#/components/schemas/Nodes"}]}"##,
        ##"{"allOf": [{"$ref": "#/components/schemas/Node"}, {"required": ["next", "other"]}]}"##,
        ##"{"oneOf": [{"$ref": "#/components/schemas/Any"}, {"$ref": "#/components/schemas/Node"}, {"type": "string"}]}"##,
        ##"{"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"type": "null"}]}"##,
        #"{"anyOf": [false, {"type": "boolean"}]}"#,
        #"{"type": ["null", "integer"]}"#,
        #"{"type": "object", "minProperties": 3, "properties": {"key1": {"type": "integer"}}}"#,
        #"{"type": "string", "format": "relative-json-pointer"}"#, #"{"const": {"a": 1}}"#, "{}",
    ])
    func `a value made from a schema satisfies it`(schema: String) throws {
        let operation = try ContractFixture.operation(
            "",
            Self.components,
            responses: #"{"200": {"content": {"application/json": {"schema": \#(schema)}}}}"#
        )
        let media = try #require(operation.responses[0].media?.first)
        let example = try #require(media.example)
        #expect(media.schema?.isValid(example) == true, "\(example)")
        // It is always the same one.
        #expect(media.example == example)
    }

    @Test func `a value that would be large is not made`() throws {
        var schema = #"{"type": "string", "minLength": 1000}"#
        for _ in 0..<4 { schema = #"{"type": "array", "minItems": 100, "items": \#(schema)}"# }
        let large = (0..<100).map { #""p\#($0)": {"type": "string", "minLength": 100000}"# }.joined(separator: ", ")
        let object = #"{"type": "object", "properties": {\#(large)}}"#
        for (schema, isMade) in [(schema, false), (object, true)] {
            let responses = #"{"200": {"content": {"application/json": {"schema": \#(schema)}}}}"#
            let operation = try ContractFixture.operation("", Self.components, responses: responses)
            let example = operation.responses[0].media?[0].example
            #expect((example != nil) == isMade)
            #expect(example.map { JSONWriter().string($0).utf8.count < 5 << 20 } ?? true)
        }
    }

    @Test func `an example in the document comes first, wherever it is written`() throws {
        func example(_ members: String) throws -> JSON? {
            let responses = #"{"200": {"content": {"application/json": {\#(members)}}}}"#
            return try ContractFixture.operation("", Self.components, responses: responses).responses[0].media?[0]
                .example
        }
        #expect(try example(#""example": 1, "examples": {"a": {"value": 2}}"#) == 1)
        #expect(try example(#""examples": {"a": {"value": 2}, "b": {"value": 3}}, "schema": {"example": 4}"#) == 2)
        #expect(try example(#""schema": {"type": "integer", "example": 4, "default": 5}"#) == 4)
        #expect(try example(#""schema": {"type": "integer", "default": 5}"#) == 5)
        #expect(try example("") == nil)
        // A hundred times a hundred and so on are too many.
        var large = #"{"type": "string", "minLength": 1000}"#
        for _ in 0..<5 { large = #"{"type": "array", "minItems": 100, "items": \#(large)}"# }
        #expect(try example(#""schema": \#(large)"#) == nil)
        // A value within the limits does not exist.
        let endless =
            ##""schema": {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/components/schemas/Loop"}}}"##
        let loop =
            ##""components": {"schemas": {"Loop": {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/components/schemas/Loop"}}}}}"##
        let operation = try ContractFixture.operation(
            "",
            loop,
            responses: #"{"200": {"content": {"application/json": {\#(endless)}}}}"#
        )
        #expect(operation.responses[0].media?[0].example == nil)
    }
}
