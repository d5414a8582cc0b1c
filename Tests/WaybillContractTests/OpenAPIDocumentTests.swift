import Testing
import WaybillContract
import WaybillJSON

@Suite(.timeLimit(.minutes(5))) struct OpenAPIDocumentTests {
    @Test(
        arguments: [
            (#"{"swagger": "2.0", "paths": {}}"#, "this is a document of OpenAPI 2.0 (Swagger)"),
            (#"{"paths": {}}"#, "this is not an OpenAPI document: it has no 'openapi'"),
            (#"[1]"#, "this is not an OpenAPI document: it has no 'openapi'"),
            (#"{"openapi": "4.0.0"}"#, "this version of OpenAPI is not supported"),
            (#"{"openapi": 3.1}"#, nil), (#"{"openapi": "3.2.0"}"#, nil), (#"{"openapi": "3.0.4"}"#, nil),
        ] as [(String, String?)]
    )
    func `only documents of OpenAPI 3 are read`(text: String, message: String?) throws {
        do {
            _ = try ContractFixture.document(text)
            #expect(message == nil)
        } catch let error as ContractError {
            #expect(error.message == message)
        }
    }

    @Test func `operations are found by id, and by method and path, also in other files`() throws {
        let document = try ContractFixture.document(
            """
            {"openapi": "3.2.0", "paths": {
              "/a": {"get": {"operationId": "list"}, "query": {}, "additionalOperations": {"LINK": {}}, "summary": "x"},
              "/b": {"$ref": "paths/b.json"}, "/loop": {"$ref": "#/paths/~1loop"}, "x-internal": {}}}
            """,
            [
                "paths/b.json":
                    ##"{"delete": {"operationId": "remove", "parameters": [{"$ref": "#/p"}]}, "p": {"name": "i", "in": "query", "schema": {}}}"##
            ]
        )
        #expect(document.operations.map(\.name) == ["list", "QUERY /a", "LINK /a", "remove"])
        #expect(document.entries(named: "LINK /a").count == 1 && document.entries(named: "GET /a").count == 1)
        let removal = try document.operation(try #require(document.entries(named: "DELETE /b").first))
        #expect(removal.parameters.map(\.name) == ["i"])
        #expect(document.unreadPaths.map(\.error.message) == ["this reference leads back to itself"])
    }

    @Test(arguments: [
        (
            ##""parameters": [{"$ref": "#/components/parameters/p"}]"##,
            "the reference '#/components/parameters/p' leads to nothing"
        ),
        (#""parameters": [{"$ref": "p.json"}]"#, "the file of the reference 'p.json' cannot be read"),
        (#""parameters": [{"$ref": "https://h/p"}]"#, "'https://h/p' is not a file: nothing is fetched from a network"),
        (#""parameters": [{"in": "query"}]"#, "a parameter must have a 'name'"),
        (
            #""parameters": [{"name": "p", "in": "body"}]"#,
            "'in' must be one of path, query, header, cookie and querystring"
        ),
        (
            #""parameters": [{"name": "p", "in": "query", "style": "simple"}]"#,
            "the style of a parameter in 'query' must be one of form, spaceDelimited, pipeDelimited, deepObject"
        ),
        (
            #""parameters": [{"name": "p", "in": "query", "schema": {"type": "strin"}}]"#,
            "this is not a valid schema: it "
        ),
        (
            #""parameters": [{"name": "p", "in": "query", "schema": {}}, {"name": "p", "in": "query", "schema": {}}]"#,
            "the parameter 'p' in 'query' is listed twice"
        ),
        (
            "\"parameters\": [{\"name\": \"\u{E9}\", \"in\": \"query\", \"schema\": {}}, "
                + "{\"name\": \"e\u{301}\", \"in\": \"query\", \"schema\": {}}]",
            "the input 'e\u{301}' occurs twice: the names of two parameters differ only in how their characters are"
        ),
        (
            #""parameters": [{"name": "p", "in": "query", "schema": {}}, {"name": "p", "in": "header", "schema": {}}, {"name": "query.p", "in": "header", "schema": {}}]"#,
            "the input 'query.p' occurs twice"
        ),
        (#""parameters": {"name": "p", "in": "query"}"#, "'parameters' must be a list"),
        (
            #""parameters": [{"name": "p", "in": "query", "required": "true", "schema": {}}]"#,
            "'required' must be true or false"
        ),
        (
            #""parameters": [{"name": "p", "in": "query", "explode": "false", "schema": {}}]"#,
            "'explode' must be true or false"
        ),
        (#""parameters": [{"name": "p", "in": "query", "content": "x"}]"#, "'content' must be a mapping"),
        (#""parameters": [{"name": "p", "in": "query"}]"#, "a parameter must have a 'schema' or 'content'"),
        (
            #""parameters": [{"name": "a b", "in": "header", "schema": {}}]"#,
            "'a b' cannot be the name of a header field"
        ),
        (#""security": {"key": []}"#, "'security' must be a list"),
        (#""security": ["key"]"#, "this must be a mapping of security schemes"),
        (
            #""requestBody": {"content": {"multipart/form-data": {"encoding": {"a": "x"}}}}"#,
            "this must be an object"
        ),
        (
            #""parameters": [{"name": "p", "in": "path", "schema": {}}]"#,
            "the path has no '{p}', but the operation has a parameter in 'path' with this name"
        ),
        (##""requestBody": {"$ref": "#/paths/~1a/post/requestBody"}"##, "this reference leads back to itself"),
    ])
    func `an error in an operation is reported when it is used`(members: String, message: String) throws {
        do {
            _ = try ContractFixture.operation(members)
            Issue.record("it was read")
        } catch let error as ContractError {
            #expect(error.message.hasPrefix(message), "\(error.message)")
        }
    }

    @Test func `a response whose fields have wrong types is an error`() {
        for members in [#""headers": []"#, #""headers": {"a": {"required": "true"}}"#, #""content": []"#] {
            #expect(throws: ContractError.self, "\(members)") {
                try ContractFixture.operation("", responses: #"{"200": {"description": "", \#(members)}}"#)
            }
        }
    }

    @Test(arguments: [
        ("http://h/v1?a=1", false), ("http://h/v1#a", false), ("http://u:p@h/v1", false), ("http:///v1", false),
        ("http://{host}/v1", false), ("ftp://h/", false), ("http://h:8080/v1", true),
    ])
    func `the address of a server has no query, fragment, user or unknown variable`(url: String, isValid: Bool) throws {
        let document = try ContractFixture.document(#"{"openapi": "3.1.0", "servers": [{"url": "\#(url)"}]}"#)
        #expect((document.server != nil) == isValid)
    }

    @Test func `a path needs a parameter for each of its names`() throws {
        #expect(throws: ContractError.self) { try ContractFixture.operation("", path: "/{id}") }
        #expect(throws: ContractError.self) { try ContractFixture.operation("", path: "/{id") }
    }

    @Test func `inputs with the same name are named by their parts`() throws {
        let operation = try ContractFixture.operation(
            """
            "parameters": [{"name": "id", "in": "query", "schema": {}}, {"name": "id", "in": "header", "schema": {}},
                           {"name": "body", "in": "query", "schema": {}}, {"name": "x", "in": "query", "schema": {}},
                           {"name": "Accept", "in": "header", "schema": {}}],
            "requestBody": {"content": {"text/plain": {}, "application/json": {}}}
            """
        )
        #expect(operation.inputNames == ["query.id", "header.id", "query.body", "x"])
        #expect(operation.body?.preferred.name.text == "application/json")
    }

    @Test func `the first server has the defaults of its variables, and must be absolute`() throws {
        let server = { (servers: String) in
            try ContractFixture.document(#"{"openapi": "3.1.0", "servers": [\#(servers)]}"#).server?.url
        }
        let variable = #"{"url": "https://{h}/v1", "variables": {"h": {"default": "api.test"}}}"#
        #expect(try server(variable) == "https://api.test/v1")
        #expect(try server(#"{"url": "/v1"}"#) == nil)
    }

    @Test func `the text of an operation changes with what it refers to, and only with that`() throws {
        let text = { (type: String, other: String) in
            try ContractFixture.operation(
                ##""parameters": [{"name": "p", "in": "query", "schema": {"$ref": "#/components/schemas/A"}}]"##,
                ##""components": {"schemas": {"A": {"items": {"$ref": "#/components/schemas/B"}}, "B": {"type": "\##(type)"}, "C": {"type": "\##(other)"}}}"##
            ).text
        }
        #expect(try text("string", "string") == text("string", "null"))
        #expect(try text("string", "string") != text("null", "string"))
        let plain = try ContractFixture.operation("").text
        #expect(try ContractFixture.operation("", path: "/b").text != plain)
        #expect(try ContractFixture.operation("", version: "3.0.4").text != plain)
    }
}
