import Testing
import WaybillContract
import WaybillJSON
import WaybillSchema

@Suite(.timeLimit(.minutes(5))) struct ResponseContractTests {
    /// The messages for a response.
    private func messages(
        _ responses: String,
        status: Int = 200,
        type: String? = "application/json",
        headers: [(name: String, value: String)] = [],
        _ body: ReceivedResponse.Body,
        version: String = "3.1.0"
    ) throws -> [String] {
        let operation = try ContractFixture.operation(
            "",
            version: version,
            """
            "components": {"schemas": {"Node": {"type": "object", "properties": {
              "next": {"$ref": "#/components/schemas/Node"}, "id": {"type": "integer", "readOnly": true},
              "password": {"type": "string", "writeOnly": true}}, "required": ["id", "password"]}}}
            """,
            responses: responses
        )
        let fields = headers + (type.map { [(name: "content-type", value: $0)] } ?? [])
        return operation.violations(of: ReceivedResponse(status: status, headers: fields, body: body)).map(\.message)
    }

    private static let node =
        ##"{"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}}"##

    @Test func `a body is checked by its schema, without the properties that are only sent`() throws {
        #expect(try messages(Self.node, .json(["id": 1, "next": ["id": 2]])).isEmpty)
        let found = try messages(Self.node, .json(["id": "x", "next": [:]]))
        #expect(
            found == [
                "the body: the value at /id must be an integer, but is a string",
                "the body: the value at /next is missing the key 'id'",
            ]
        )
    }

    @Test(arguments: [
        ("integer", "12", true), ("integer", "x", false), ("boolean", "true", true), ("string", "12", true),
    ])
    func `a text stands for a value of the type that its schema names`(type: String, text: String, isValid: Bool) throws
    {
        let responses = #"{"200": {"content": {"text/plain": {"schema": {"type": "\#(type)"}}}}}"#
        #expect(try messages(responses, type: "text/plain", .text(text)).isEmpty == isValid)
    }

    @Test(arguments: [
        ("*/*", "application/json"), ("application/*", "application/json"), ("image/*", "image/png"),
        ("text/*", "text/plain"), ("x/*", "x/example"), ("image/gif", "image/gif"),
    ])
    func `an example of a range of media types matches it`(range: String, example: String) {
        #expect(MediaTypeName(range).example.text == example)
    }

    @Test(
        arguments: [
            (#"{"enum": ["a", "b"]}"#, "c", ", but is 'c'"), (#"{"type": "integer"}"#, "c", ": 'c'"),
            (#"{"minimum": 3}"#, 2, ""), (#"{"type": "integer"}"#, 1.5, ""),
            (#"{"pattern": "^a"}"#, .string(String(repeating: "ä", count: 81)), ", but is a string of 81 characters"),
            (#"{"const": 1}"#, true, ", but is true"), (#"{"const": 1}"#, [2], ""),
        ] as [(String, JSON, String)]
    )
    func `the scalar that was found ends the message`(schema: String, value: JSON, end: String) throws {
        let operation = try ContractFixture.operation(
            "",
            responses: #"{"200": {"content": {"application/json": {"schema": \#(schema)}}}}"#
        )
        let fields = [(name: "content-type", value: "application/json")]
        let found = operation.violations(of: ReceivedResponse(status: 200, headers: fields, body: .json(value)))
        #expect(found.map(\.found) == [end])
    }

    @Test(arguments: [
        (200, #"{"200": {}, "2XX": {}, "default": {}}"#, true), (201, #"{"200": {}, "2xx": {}}"#, true),
        (404, #"{"200": {}, "default": {}}"#, true), (404, #"{"200": {}}"#, false), (404, "{}", true),
    ])
    func `a status must be declared`(status: Int, responses: String, isDeclared: Bool) throws {
        #expect(try messages(responses, status: status, .empty).isEmpty == isDeclared)
    }

    @Test(
        arguments: [
            ("application/json", "application/json; charset=utf-8", true), ("application/*", "application/xml", true),
            ("*/*", "image/png", true), ("application/json", "text/html", false), ("application/json", nil, false),
        ] as [(String, String?, Bool)]
    )
    func `a media type must be declared`(declared: String, type: String?, isDeclared: Bool) throws {
        let responses = #"{"200": {"content": {"\#(declared)": {}}}}"#
        let body: ReceivedResponse.Body = type?.contains("json") == true ? .json([:]) : .bytes
        #expect(try messages(responses, type: type, body).isEmpty == isDeclared)
        #expect(try messages(#"{"200": {}}"#, type: type, .bytes).isEmpty)
    }

    @Test(arguments: [ReceivedResponse.Body.empty, .text("{"), .bytes])
    func `a body that is not JSON does not satisfy any schema of JSON`(body: ReceivedResponse.Body) throws {
        #expect(try messages(#"{"200": {"content": {"application/json": {}}}}"#, body).count == 1)
    }

    @Test(arguments: [
        ("integer", "7", true), ("integer", "x", false), ("boolean", "true", true), ("string", "7", true),
    ])
    func `a header field is checked by its schema`(type: String, value: String, isValid: Bool) throws {
        let responses = #"{"200": {"headers": {"X-A": {"required": true, "schema": {"type": "\#(type)"}}}}}"#
        #expect(try messages(responses, headers: [("x-a", value)], .empty).isEmpty == isValid)
        #expect(try messages(responses, .empty) == ["the header field 'X-A' is missing"])
    }

    @Test(arguments: [
        ##"{"allOf": [{"$ref": "#/components/schemas/Base"}], "required": ["id", "sku"]}"##,
        ##"{"allOf": [{"$ref": "#/components/schemas/Base"}, {"type": "object", "required": ["id", "sku"]}]}"##,
        ##"{"required": ["id", "sku"], "properties": {"id": {"allOf": [{"$ref": "#/components/schemas/Id"}]}}}"##,
    ])
    func `readOnly properties are not required in requests, wherever they are described`(schema: String) throws {
        let operation = try ContractFixture.operation(
            #""requestBody": {"content": {"application/json": {"schema": \#(schema)}}}"#,
            """
            "components": {"schemas": {"Base": {"properties": {"id": {"$ref": "#/components/schemas/Id"}, "sku": {}}},
                                       "Id": {"type": "integer", "readOnly": true}}}
            """
        )
        let media = try #require(operation.body?.preferred)
        #expect(media.violations(in: ["sku": "a"], as: nil).isEmpty)
        #expect(media.violations(in: ["id": 1], as: nil).map(\.message) == ["is missing the key 'sku'"])
    }

    @Test func `a header field with content is JSON`() throws {
        let responses =
            #"{"200": {"headers": {"X-J": {"content": {"application/json": {"schema": {"required": ["a"]}}}}}}}"#
        #expect(try messages(responses, headers: [("X-J", #"{"a": 1}"#)], .empty).isEmpty)
        #expect(
            try messages(responses, headers: [("X-J", "{}")], .empty) == [
                "the header field 'X-J' is missing the key 'a'"
            ]
        )
    }

    @Test func `lists and objects in header fields are read in their style`() throws {
        let responses = """
            {"200": {"headers": {
              "X-L": {"schema": {"type": "array", "items": {"type": "integer"}}},
              "X-O": {"explode": true, "schema": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}}}}
            """
        #expect(try messages(responses, headers: [("X-L", "1, 2"), ("X-O", "a=1,b=x")], .empty).isEmpty)
        #expect(try messages(responses, headers: [("X-L", "1,x"), ("X-O", "b=1")], .empty).count == 2)
    }

    @Test func `schemas of version 3_0 are read in their dialect`() throws {
        let responses = #"{"200": {"content": {"application/json": {"schema": {"type": "string", "nullable": true}}}}}"#
        #expect(try messages(responses, .json(.null), version: "3.0.3").isEmpty)
        #expect(try messages(responses, .json(.null), version: "3.1.0").count == 1)
    }

    @Test func `an example satisfies its schema`() throws {
        let operation = try ContractFixture.operation(
            "",
            responses: """
                {"200": {"content": {"application/json": {"schema": {"type": "object", "required": ["a", "b", "c", "d", "e"],
                  "properties": {"a": {"type": "integer", "minimum": 5}, "b": {"type": "string", "format": "date-time"},
                    "c": {"enum": ["x", "y"]}, "d": {"type": "array", "minItems": 2, "items": {"type": "number", "exclusiveMinimum": 3}},
                    "e": {"allOf": [{"type": "object", "properties": {"f": {"type": "boolean"}}}, {"required": ["f"]}]},
                    "g": {"type": "string", "minLength": 9, "maxLength": 9}}}}}}}
                """
        )
        let media = try #require(operation.responses.first?.media?.first)
        let example = try #require(media.example)
        #expect(media.schema?.isValid(example) == true, "\(example)")
    }
}
