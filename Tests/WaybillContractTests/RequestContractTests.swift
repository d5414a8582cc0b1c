import Testing
import WaybillContract
import WaybillJSON
import WaybillSchema

@Suite(.timeLimit(.minutes(5))) struct RequestContractTests {
    /// The reasons against a request with a parameter.
    private func reasons(
        _ parameter: String,
        path: String = "/a",
        target: String = "/base/a",
        query: String? = nil,
        headers: [(name: String, value: String)] = []
    ) throws -> [String] {
        let operation = try ContractFixture.operation("\"parameters\": [\(parameter)]", path: path)
        return operation.violations(of: ReceivedRequest(path: target, query: query, headers: headers, body: []))
    }

    @Test(
        arguments: [
            (#""in": "query", "schema": {}"#, [], false), (#""in": "query", "schema": {}"#, [.null], false),
            (#""in": "query", "schema": {}"#, [:], false),
            (#""in": "query", "schema": {}"#, [1], true), (#""in": "query", "schema": {}"#, "", true),
            (#""in": "path", "schema": {}"#, [:], true),
            (#""in": "query", "content": {"application/json": {}}"#, [], true),
            (#""in": "header", "schema": {}"#, .null, false),
        ] as [(String, JSON, Bool)]
    )
    func `a value without values is not sent`(parameter: String, value: JSON, isSent: Bool) throws {
        let path = parameter.contains("path") ? "/{p}" : "/a"
        let operation = try ContractFixture.operation(#""parameters": [{"name": "p", \#(parameter)}]"#, path: path)
        #expect(operation.parameters[0].isSent(value) == isSent)
    }

    @Test func `a parameter that allows empty values has no other schema for them`() throws {
        let schema = #""schema": {"type": "boolean"}"#
        for (members, isValid) in [(#""allowEmptyValue": true, "#, true), ("", false)] {
            let parameter = #"{"name": "p", "in": "query", \#(members)\#(schema)}"#
            let operation = try ContractFixture.operation("\"parameters\": [\(parameter)]")
            #expect((operation.parameters[0].violation(in: "") == nil) == isValid)
            #expect(operation.parameters[0].violation(in: "x") != nil)
        }
    }

    @Test(arguments: ["application/x-www-form-urlencoded", "multipart/form-data"])
    func `a required field of a form must have a value that is sent`(type: String) throws {
        let schema =
            #"{"type": "object", "required": ["a"], "properties": {"a": {"type": ["array", "null"]}, "b": {"type": ["null", "string"]}}}"#
        let operation = try ContractFixture.operation(
            #""requestBody": {"content": {"\#(type)": {"schema": \#(schema)}}}"#
        )
        let media = try #require(operation.body?.preferred)
        for (body, isValid) in [
            (["a": [1]], true), (["a": []], false), (["a": .null], false), (["a": [1], "b": .null], true),
        ] as [(JSON, Bool)] {
            #expect(media.violations(in: body, as: nil).isEmpty == isValid, "\(body)")
        }
    }

    private static let schemas = [
        "string": #"{"type": "string", "pattern": "^b, ü&=$"}"#,
        "array": #"{"type": "array", "items": {"type": "integer"}, "minItems": 2, "contains": {"const": 12}}"#,
        "object":
            #"{"type": "object", "required": ["R", "n"], "properties": {"R": {"type": "string"}, "n": {"type": "number", "const": 2.5}}}"#,
    ]
    private static let values: [String: JSON] = [
        "string": "b, ü&=", "array": [12, 5], "object": ["R": "x-y", "n": 2.5],
    ]

    @Test(
        arguments: [
            ("path", "matrix"), ("path", "label"), ("path", "simple"), ("query", "form"), ("query", "spaceDelimited"),
            ("query", "pipeDelimited"), ("query", "deepObject"), ("header", "simple"), ("cookie", "form"),
        ],
        [true, false]
    )
    func `what is written in a style is read as the same value`(location: (part: String, style: String), explodes: Bool)
        throws
    {
        let (part, style) = location
        for (kind, schema) in Self.schemas {
            // A header field or the pairs of a cookie cannot tell these characters.
            if kind == "string", part == "header" { continue }
            let operation = try ContractFixture.operation(
                """
                "parameters": [{"name": "color", "in": "\(part)", "required": true, "style": "\(style)",
                                "explode": \(explodes), "schema": \(schema)}]
                """,
                path: part == "path" ? "/x{color}/z" : "/a"
            )
            // The label of a number with a fraction has a dot, as the style has.
            if style == "label", explodes, kind == "object" { continue }
            guard let text = operation.parameters[0].text(of: Self.values[kind] ?? .null) else { continue }
            func reasons(_ text: String) -> [String] {
                operation.violations(
                    of: ReceivedRequest(
                        path: part == "path" ? "/v1/x\(text)/z" : "/v1/a",
                        query: part == "query" ? text : nil,
                        headers: part == "header"
                            ? [("Color", text)] : part == "cookie" ? [("cookie", "a=b; \(text)")] : [],
                        body: []
                    )
                )
            }
            #expect(reasons(text).isEmpty, "\(kind): \(text): \(reasons(text))")
            #expect(
                !reasons(text.replacing("12", with: "13").replacing("2.5", with: "3.5").replacing("b", with: "c"))
                    .isEmpty,
                "\(kind): \(text)"
            )
        }
    }

    @Test func `parameters that are missing are named, and values that cannot be read are not`() throws {
        #expect(
            try reasons(#"{"name": "a", "in": "query", "required": true, "schema": {"type": "integer"}}"#, query: "b=1")
                == ["the parameter 'a' in query is missing"]
        )
        #expect(
            try reasons(#"{"name": "X-A", "in": "header", "required": true, "schema": {}}"#)
                == ["the parameter 'X-A' in header is missing"]
        )
        let some = #"{"name": "a", "in": "query", "schema": {"oneOf": [{"type": "integer"}]}}"#
        #expect(try reasons(some, query: "a=x").count == 1 && reasons(some, query: "a=7").isEmpty)
        let object = #"{"name": "a", "in": "query", "schema": {"oneOf": [{"type": "object"}, {"type": "integer"}]}}"#
        #expect(try reasons(object, query: "a=x").isEmpty)
        #expect(
            try reasons(#"{"name": "a", "in": "query", "schema": {"type": "boolean"}}"#, query: "x=1&a=yes&a=true")
                == ["the parameter 'a' in query is sent more than once"]
        )
    }

    @Test func `a whole query is written and read as a form`() throws {
        let operation = try ContractFixture.operation(
            """
            "parameters": [{"name": "q", "in": "querystring", "content": {"application/x-www-form-urlencoded": {
              "schema": {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}}}}}}]
            """,
            version: "3.2.0"
        )
        #expect(operation.parameters[0].text(of: ["a": "1 &", "n": 2]) == "a=1+%26&n=2")
        func reasons(_ query: String) -> Int {
            operation.violations(of: ReceivedRequest(path: "/a", query: query, headers: [], body: [])).count
        }
        #expect(reasons("a=1+%26&n=2") == 0 && reasons("a=1&n=x") == 1)
    }

    @Test func `the path of the server is before that of the operation, and several parameters share a segment`() throws
    {
        let two = """
            {"name": "x", "in": "path", "required": true, "schema": {"type": "integer"}},
            {"name": "y", "in": "path", "required": true, "schema": {"type": "string", "maxLength": 3}}
            """
        #expect(try reasons(two, path: "/p/{x}.{y}", target: "/v1/p/12.abc").isEmpty)
        #expect(try reasons(two, path: "/p/{x}.{y}", target: "/v1/p/a.abcd").count == 2)
        #expect(try reasons(two, path: "/p/{x}.{y}", target: "/other").isEmpty)
    }

    @Test(
        arguments: [
            (#"{"a": 1}"#, "application/json", 0), (#"{"a": "x"}"#, "application/json; charset=utf-8", 1),
            ("{", "application/json", 1),
            ("", nil, 1), ("x", nil, 1), ("x", "text/html", 1), ("xx", "text/plain", 1), ("x", "text/plain", 0),
            ("a=b", "application/x-www-form-urlencoded", 0),
        ] as [(String, String?, Int)]
    )
    func `a body has a declared media type and satisfies its schema`(body: String, type: String?, count: Int) throws {
        let operation = try ContractFixture.operation(
            """
            "requestBody": {"required": true, "content": {
              "application/json": {"schema": {"properties": {"a": {"type": "integer"}}}}, "text/plain": {"schema": {"maxLength": 1}},
              "application/x-www-form-urlencoded": {"schema": {"required": ["z"]}}}}
            """
        )
        let fields = type.map { [(name: "content-type", value: $0)] } ?? []
        let request = ReceivedRequest(path: "/a", query: nil, headers: fields, body: Array(body.utf8))
        #expect(operation.violations(of: request).count == count)
        #expect(operation.violations(of: ReceivedRequest(path: "/a", query: nil, headers: [], body: nil)).count == 1)
    }
}
