import Testing
import WaybillContract
import WaybillJSON
import WaybillSchema

@Suite(.timeLimit(.minutes(5))) struct ParameterStyleTests {
    /// The values of the specification's examples (OpenAPI 3.1.1, section 4.8.12.5): `color`.
    private static let values: [String: JSON] = [
        "empty": "", "string": "blue", "array": ["blue", "black", "brown"], "object": ["R": 100, "G": 200, "B": 150],
    ]

    @Test(arguments: [
        ("matrix", false, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
        ("matrix", true, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"),
        ("label", false, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
        ("label", true, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
        ("simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"),
        ("simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"),
        ("form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
        ("form", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
        ("spaceDelimited", false, nil, nil, "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"),
        ("pipeDelimited", false, nil, nil, "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"),
        ("deepObject", true, nil, nil, nil, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    ])
    func `values are written as in the examples of the specification`(
        style: String,
        explodes: Bool,
        empty: String?,
        string: String?,
        array: String?,
        object: String?
    ) throws {
        let part = ["matrix", "label", "simple"].contains(style) ? "path" : "query"
        let operation = try ContractFixture.operation(
            """
            "parameters": [{"name": "color", "in": "\(part)", "required": true, "style": "\(style)", "explode": \(explodes),
                            "schema": {}}]
            """,
            path: part == "path" ? "/{color}" : "/a"
        )
        let parameter = try #require(operation.parameters.first)
        for (name, expected) in [("empty", empty), ("string", string), ("array", array), ("object", object)] {
            #expect(parameter.text(of: Self.values[name] ?? .null) == expected, "\(name)")
        }
    }

    @Test(
        arguments: [
            ("query", "", "a b/c&d", "v=a%20b%2Fc%26d"),
            ("query", "\"allowReserved\": true,", "a b/c?d#e%20", "v=a%20b/c?d%23e%20"),
            ("header", "", "a b/é", "a b/é"), ("cookie", "", "a b", "v=a%20b"),
            ("cookie", "\"style\": \"cookie\",", "a b", "v=a b"),
        ] as [(String, String, String, String)]
    )
    func `a value is encoded as its part of the request requires`(
        part: String,
        members: String,
        value: String,
        expected: String
    ) throws {
        let operation = try ContractFixture.operation(
            #""parameters": [{"name": "v", "in": "\#(part)", \#(members) "schema": {"type": "string"}}]"#
        )
        #expect(operation.parameters.first?.text(of: .string(value)) == expected)
    }

    @Test func `a file in a multipart body satisfies the schema of a string`() throws {
        let operation = try ContractFixture.operation(
            """
            "requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object", "properties": {
              "f": {"type": "string", "format": "binary"}, "l": {"type": "array", "items": {"type": "string", "format": "binary"}},
              "o": {"type": "object"}}}}}}
            """
        )
        let media = try #require(operation.body?.preferred)
        let body: JSON = ["f": ["file": "a"], "l": [["file": "b"]], "o": ["file": "c"]]
        #expect(media.described(body) == ["f": "", "l": [""], "o": ["file": "c"]])
        #expect(media.schema?.isValid(media.described(body)) == true)
    }

    @Test func `a parameter with a media type is JSON, and the pairs of a cookie are separated as its field requires`()
        throws
    {
        let operation = try ContractFixture.operation(
            """
            "parameters": [{"name": "q", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}},
                           {"name": "c", "in": "cookie", "schema": {"type": "array"}},
                           {"name": "d", "in": "query", "style": "deepObject", "explode": true, "schema": {}}]
            """
        )
        let texts = zip(operation.parameters, [["a": [1]], ["x", "y"], ["a": ["b": "c"], "l": [1, 2]]] as [JSON])
            .map { $0.text(of: $1) }
        #expect(texts == ["q=%7B%22a%22%3A%5B1%5D%7D", "c=x; c=y", "d%5Ba%5D%5Bb%5D=c&d%5Bl%5D=1&d%5Bl%5D=2"])
    }
}
