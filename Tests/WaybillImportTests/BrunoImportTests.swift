import Testing
import WaybillDiagnostics
import WaybillImport

struct BrunoImportTests {
    /// Returns the manifest of a request to `https://a.example.com/x` with more blocks.
    private static func manifest(of blocks: String, body: String = "none", auth: String = "none") throws
        -> ImportedManifest
    {
        let request =
            "meta {\n  name: x\n}\npost {\n  url: https://a.example.com/x\n  body: \(body)\n  auth: \(auth)\n}\n"
        return try ImportFixture.manifest(.bruno, [("c/x.bru", request + blocks)])
    }

    /// An assertion, and the expectation that it becomes.
    private static let assertions: [(assertion: String, expectation: String)] = [
        ("res.status: 201", "expect: {status: 201}"), ("res.status: in [200, 201]", "expect: {status: [200, 201]}"),
        ("res.status: neq 500", "response.status != 500"), ("res.responseTime: lte 500", "expect: {maxTime: 500ms}"),
        ("res.body.a: eq 7", "[$.a == 7]"), ("res.body.a: gt 7", "[$.a > 7]"), ("res.body.a: gte 7", "[$.a >= 7]"),
        ("res.body.a: lt 7", "[$.a < 7]"), ("res.body.a: between 1, 7", "$.a >= 1 && $.a <= 7"),
        ("res.body.a: notIn 1, b", "!contains(list(1, 'b'), $.a)"), ("res.body: eq pong", "[$ == 'pong']"),
        ("res.body: two words", "[$ == 'two words']"), ("res.body.a: eq \"7\"", "[$.a == '7']"),
        ("res.body.a: eq 'true'", "[$.a == 'true']"), ("res.body.a: eq true", "[$.a == true]"),
        ("res.body.a: eq a\\nb", "$.a == 'a\\nb'"), ("res.body.a: eq undefined", "!exists($.a)"),
        ("res.body.a: neq undefined", "[exists($.a)]"), ("res.body.a: contains b/c", "contains($.a, 'b/c')"),
        ("res.body.a: notContains b", "!contains($.a, 'b')"), ("res.body.a: startsWith b", "startsWith($.a, 'b')"),
        ("res.body.a: endsWith b", "endsWith($.a, 'b')"), ("res.body.a: matches ^\\d+/b$", "match($.a, '([0-9]+/b)')"),
        ("res.body.a: notMatches /b.c/", "!search($.a, 'b.c')"), ("res.body.a: length 3", "[length($.a) == 3]"),
        ("res.body.a: isEmpty", "[length($.a) == 0]"), ("res.body.a: isNotEmpty", "[length($.a) > 0]"),
        ("res.body.a: isNull", "[$.a == null]"), ("res.body.a: isDefined", "[exists($.a)]"),
        ("res.body.a: isUndefined", "!exists($.a)"), ("res.body.a: isTruthy", "[$.a == true]"),
        ("res.body.a: isFalsy", "[$.a == false]"), ("res.body: isJson", "startsWith(json($), '{')"),
        ("res.body.a: isArray", "startsWith(json($.a), '[')"),
        ("res.body.a: isBoolean", "contains(list(true, false), $.a)"),
        ("res(\"a[0].b\"): eq 7", "$.a[0].b == 7"), ("res.headers['x-a']: eq b", "response.headers['x-a'] == 'b'"),
        ("res.getHeader(\"x-a\"): eq b", "response.headers['x-a'] == 'b'"), ("res.body.a: eq {{b}}", "$.a == inputs.b"),
        ("res.body.a: eq {{n}}", "[$.a == 5]"), ("res.body.a: eq x{{t}}y{{b}}", "$.a == concat('xty', inputs.b)"),
        ("~res.body.a: eq 7", "# disabled assertion: res.body.a: eq 7"),
        ("res.body.token: eq tigerlily", "$.token == secrets."),
        ("res.body.a: eq 07", "# not imported: the assertion 'res.body.a: eq 07'"),
        ("res.body.f(x => x): eq 7", "# not imported: the assertion 'res.body.f(x => x): eq 7'"),
    ]

    @Test(arguments: assertions)
    func `an assertion becomes an expectation or a loss`(_ pair: (assertion: String, expectation: String)) throws {
        let variables = "vars:pre-request {\n  @number\n  n: 5\n  t: t\n}\n"
        let manifest = try Self.manifest(of: variables + "assert {\n  \(pair.assertion)\n}\n")
        #expect(manifest.text.contains(pair.expectation), "\(manifest.text)")
    }

    @Test func `an assertion about a variable that the response sets is a loss`() throws {
        let script = "script:post-response {\n  bru.setVar('v', res.body.a);\n}\n"
        let manifest = try Self.manifest(of: script + "assert {\n  res.body.b: eq {{v}}\n  res.body.c: eq {{w}}\n}\n")
        #expect(manifest.text.contains("# not imported: the assertion 'res.body.b: eq {{v}}'"), "\(manifest.text)")
        #expect(manifest.text.contains("$.c == inputs.w"), "\(manifest.text)")
    }

    /// Blocks of a request, its modes, and what the manifest contains.
    private static let blocks: [(text: String, body: String, auth: String, parts: [String])] = [
        (
            "body:json {\n  {\n    // why\n    \"a\": [\"//b\", {{n}}] /* c */\n  }\n}\n", "json", "none",
            [
                #"body: {json: {a: [//b, "${parse(inputs.n)}"]}}"#, "# comment in the body: why",
                "comment in the body: c",
            ]
        ),
        (
            "body:text {\n  a\n    }\n  b\n}\n", "text", "none",
            ["text: |-\n            a\n              }\n            b\n", "Content-Type: text/plain"]
        ),
        ("body:xml {\n  <a/>\n}\n", "xml", "none", ["text: <a/>", "Content-Type: application/xml"]),
        (
            "body:form-urlencoded {\n  a: 1\n  ~b: 2\n  \"c:d\": 3\n  a: 4\n}\n", "formUrlEncoded", "none",
            [#"form: {a: [1, 4], "c:d": 3}"#, "# disabled field: b: 2"]
        ),
        (
            "body:multipart-form {\n  f: @file(a.png|b.png) @contentType(image/png)\n  t: '''\n    one\n      two\n  ''' @contentType(text/x)\n}\n",
            "multipartForm", "none",
            ["file: a.png, contentType: image/png", "file: b.png", "one\n                  two\n", "text/x"]
        ),
        (
            "body:file {\n  file: @file(a.bin) @contentType(image/png)\n}\n", "file", "none",
            ["Content-Type: image/png", "file: a.bin"]
        ),
        (
            "body:graphql {\n  query { a }\n}\nbody:graphql:vars {\n  {\"b\": 1}\n}\n", "graphql", "none",
            ["graphql: {query: \"query { a }\", variables: {b: 1}}"]
        ),
        ("body:text {\n  a\n}\n", "none", "none", ["# body that is not used: a"]),
        (
            "auth:basic {\n  username: me\n  password: tiger-17\n}\n", "none", "basic",
            [#"auth: {basic: {username: me, password: "${secrets.password}"}}"#]
        ),
        (
            "auth:digest {\n  username: me\n  password: tiger-17\n}\n", "none", "digest",
            ["auth: {digest: {username: me"]
        ),
        (
            "auth:bearer {\n  token: {{process.env.SHOP_KEY}}\n}\n", "none", "bearer",
            [#"auth: {bearer: "${secrets.SHOP_KEY}"}"#, "SHOP_KEY: {env: SHOP_KEY}"]
        ),
        (
            "auth:apikey {\n  key: k\n  value: tiger-17\n  placement: queryparams\n}\n", "none", "apikey",
            ["apiKey: {in: query, name: k"]
        ),
        (
            "auth:awsv4 {\n  accessKeyId: AKIA1234567\n  secretAccessKey: tiger-17\n  service: s3\n  region: eu\n  profileName: p\n}\n",
            "none", "awsv4",
            ["awsSigV4:", "service: s3", "# not imported: the AWS profile"]
        ),
        (
            "auth:oauth2 {\n  grant_type: client_credentials\n  access_token_url: https://id.example.com/t\n  client_id: c\n  client_secret: tiger-17\n}\n",
            "none", "oauth2",
            ["oauth2:", "tokenURL: https://id.example.com/t", "grant: client_credentials", "clientAuth: body"]
        ),
        (
            "auth:ntlm {\n  username: me\n  password: tiger-17\n}\n", "none", "ntlm",
            ["# not imported: the authentication 'ntlm'"]
        ),
        (
            "auth:basic {\n  username: me\n  password: tiger-17\n}\nheaders {\n  X-A: tiger-17\n}\n", "none", "none",
            ["# credentials that are not used: basic", #"X-A: "${secrets.password}""#]
        ),
        (
            "headers {\n  @description('why')\n  X-A: b\n  ~X-Off: 1\n}\n", "none", "none",
            ["headers: {X-A: b}", "# X-A: why", "# disabled header field: X-Off: 1"]
        ),
        (
            "settings {\n  timeout: 1500\n  followRedirects: false\n  new: 1\n}\n", "none", "none",
            ["timeout: 1500ms", "redirects: false", "# not imported: the setting 'new: 1'"]
        ),
        (
            "vars:post-response {\n  t: res.body.t\n}\nscript:post-response {\n  bru.runner.stopExecution();\n}\n",
            "none", "none", ["outputs: {t: $.t}"]
        ),
        ("params:query {\n  a: 1\n}\n", "none", "none", ["# not imported: the query parameter 'a: 1'"]),
        ("mystery {\n  a: 1\n}\n", "none", "none", ["# not imported: the block 'mystery'"]),
        (
            "vars:pre-request {\n  a: {{a}}\n  b: {{c}}\n  c: {{b}}\n}\nheaders {\n  X-A: {{b}}\n}\n", "none", "none",
            ["# variable that is not used: a"]
        ),
        (
            "vars:pre-request {\n  password: tigerlily\n}\nheaders {\n  X-A: {{password}}\n}\n", "none", "none",
            [#"X-A: "${secrets.password}""#]
        ),
        (
            "auth:oauth2 {\n  grant_type: password\n  access_token_url: https://id.example.com/t\n  token_source: id_token\n}\n",
            "none", "oauth2", ["grant: password", "# OAuth 2.0: token_source: ***"]
        ),
        ("auth:apikey {\n  key:\n}\n", "none", "apikey", ["# not imported: the authentication 'apikey': it is empty"]),
        ("auth:awsv4 {\n  service: s3\n}\n", "none", "awsv4", ["region: ${inputs.region}"]),
        (
            "example {\n  name: ok\n  response: {\n    headers: {\n      Location: /y\n    }\n    status: {\n      code: 201\n    }\n    body: {\n      type: json\n      content: '''\n        {\n          \"a\": 1\n        }\n      '''\n    }\n  }\n}\n",
            "none", "none", ["mock: {status: 201, headers: {Location: /y}, body: {a: 1}}"]
        ),
        (
            "script:pre-request {\n  bru.setVar('a', 1);\n\n  req.setUrl('y');\n}\n", "none", "none",
            ["# not imported: the script statement 'req.setUrl('y')'"]
        ),
    ]

    @Test(arguments: blocks)
    func `a block becomes what a person would write`(
        _ block: (text: String, body: String, auth: String, parts: [String])
    )
        throws
    {
        let manifest = try Self.manifest(of: block.text, body: block.body, auth: block.auth)
        for part in block.parts { #expect(manifest.text.contains(part), "\(part)\n\(manifest.text)") }
        let isHidden = ["tiger-17", "tigerlily"].allSatisfy { !manifest.text.contains($0) }
        #expect(isHidden, "\(manifest.text)")
    }

    /// A collection with folders, whose order is not that of the files.
    private static let collection: [(name: String, text: String)] = [
        ("c/bruno.json", #"{"version": "1", "name": "Shop", "type": "collection", "proxy": {"enabled": true}}"#),
        (
            "c/collection.bru",
            "headers {\n  X-All: 1\n  X-Some: 1\n}\nauth {\n  mode: bearer\n}\nauth:bearer {\n  token: {{token}}\n}\nvars:pre-request {\n  base: {{host}}/v1\n  page: 1\n}\n"
        ),
        (
            "c/environments/b.bru",
            "vars {\n  host: https://b.example.com\n  page: 2\n  token: {{process.env.TOKEN_B}}\n  ~old: 1\n}\nvars:secret [\n  pin,\n  ~gone\n]\n"
        ),
        (
            "c/environments/a.bru",
            "vars {\n  name: a\n  host: https://{{name}}.example.com\n  other: x{{process.env.Y}}\n}\ncolor: #fff\n"
        ),
        (
            "c/last.bru",
            "meta {\n  name: last\n  seq: 2\n}\nget {\n  url: {{base}}/last?page={{page}}\n  auth: none\n}\n"
        ),
        ("c/first.bru", "meta {\n  name: first\n  seq: 1\n}\nget {\n  url: {{base}}/first\n  auth: inherit\n}\n"),
        (
            "c/z/folder.bru",
            "meta {\n  name: Zed\n  seq: 1\n}\nheaders {\n  X-Some: 2\n}\nvars:pre-request {\n  page: 9\n}\ndocs {\n  Last letter.\n}\ntests {\n  test(\"ok\", () => expect(res.getStatus()).to.equal(200));\n}\n"
        ),
        ("c/z/one.bru", "meta {\n  name: one\n}\nget {\n  url: {{base}}/one?page={{page}}\n  auth: inherit\n}\n"),
        (
            "c/b/two.bru",
            "meta {\n  name: two\n}\nget {\n  url: {{base}}/:id\n  auth: inherit\n}\nparams:path {\n  id: 7\n}\n"
        ),
    ]

    @Test func `folders come first, and headers, variables, scripts and credentials are inherited`() throws {
        let manifest = try ImportFixture.manifest(.bruno, Self.collection)
        #expect(
            manifest.text == """
                # not imported: the setting 'proxy' of bruno.json: a manifest has no setting for it
                # disabled variable of b: old: 1
                # disabled variable of b: gone
                waybill: 1
                name: Shop
                inputs:
                  page: {type: string, default: "1"}
                  host: string
                secrets:
                  TOKEN_B: {env: TOKEN_B}
                environments:
                  # No request uses pin.
                  b: {inputs: {host: "https://b.example.com", page: "2"}}
                  # No request uses name: a
                  # not imported: the value 'x{{process.env.Y}}' of the variable 'other': a variable in it has no
                  #   value, or refers back to it
                  a: {inputs: {host: "https://a.example.com"}}
                services:
                  api: {baseURL: "${inputs.host}", headers: {X-All: 1}, auth: {bearer: "${secrets.TOKEN_B}"}}
                endpoints:
                  two:
                    path: /v1/${inputs.id}
                    inputs: {id: string}
                    headers: {X-Some: 1}
                graphs:
                  main:
                    chain:
                      - graph: zed
                      - graph: b
                      - id: first
                        get: /v1/first
                        headers: {X-Some: 1}
                      - id: last
                        get: /v1/last
                        query: {page: "${inputs.page}"}
                        headers: {X-Some: 1}
                        auth: none
                  zed:
                    description: Last letter.
                    chain:
                      - id: one
                        get: /v1/one
                        query: {page: 9}
                        headers: {X-Some: 2}
                        expect: {status: 200}
                  b:
                    chain:
                      - call: two
                        with: {id: "7"}

                """,
            "\(manifest.text)"
        )
    }

    /// Malformed files, with the location and the start of the message.
    private static let malformed: [(text: String, location: String, message: String)] = [
        ("get {\n  url: x\n", "1:1", "the block 'get' is not closed"),
        ("meta {\n  name: x\n}\n\nnot a block\n", "5:1", "expected a block such as 'get {'"),
        ("meta {\n  name\n}\n", "2:3", "expected 'name: value'"),
        ("body:json {\n  {}\n", "1:1", "the block 'body:json' is not closed"),
        ("vars:secret [\n  a\n", "1:1", "the block 'vars:secret' is not closed"),
        ("get {\n  url: x\n  }\n", "3:3", "expected 'name: value'"), ("\u{FEFF}{}", "1:1", "expected a block"),
    ]

    @Test(arguments: malformed)
    func `a malformed file is an error at its location`(_ file: (text: String, location: String, message: String)) {
        let (_, diagnostics) = ImportKind.bruno.read([SourceFile(name: "a.bru", text: file.text)])
        #expect(diagnostics.map(\.id) == ["import-syntax"])
        #expect(diagnostics.first?.primary.map { "\($0.span)" } == "a.bru:\(file.location)")
        #expect(diagnostics.first?.headline.hasPrefix(file.message) == true, "\(diagnostics)")
    }

    @Test(arguments: [
        ("opencollection.yml", "x: 1"), ("a.yaml", "opencollection: 1.0.0\n"),
        ("a/b.yml", "info:\n  name: a\nhttp:\n  method: GET\n"),
    ])
    func `a collection in YAML is refused with what to do`(_ name: String, _ text: String) {
        let source = SourceFile(name: name, text: text)
        #expect(ImportKind(recognizing: source) == .bruno)
        let diagnostics = ImportKind.bruno.read([source]).diagnostics
        #expect(diagnostics.first?.help.first?.hasPrefix("Save the collection as .bru files") == true)
    }

    @Test func `several collections are refused with their names`() {
        let sources = ["a/bruno.json", "b/bruno.json"].map { SourceFile(name: $0, text: "{}") }
        let (_, diagnostics) = ImportKind.bruno.read(sources)
        #expect(diagnostics.first?.help.first?.contains("a, b") == true)
    }

    @Test func `hostile files end in bounded time`() {
        let doubled = (1..<200).map { "  v\($0): {{v\($0 - 1)}}{{v\($0 - 1)}}\n" }.joined()
        let texts = [
            "vars {\n  v0: xxxxxxxx\n\(doubled)}\n",
            "get {\n  url: http://a/{{v199}}\n}\nvars:pre-request {\n  v0: {{v199}}\n\(doubled)}\n",
            "meta {\n" + String(repeating: "  @a(b: c\n", count: 2_000) + "}\n",
            "meta {\n" + String(repeating: "  a: [\n", count: 2_000) + "}\n",
            "tests {\n" + String(repeating: "  x()\n", count: 1_000) + "}\n",
        ]
        for text in texts {
            _ = ImportedManifest(ImportKind.bruno.read([SourceFile(name: "a.bru", text: text)]).collection)
        }
        let deep = SourceFile(name: String(repeating: "a/", count: 10_000) + "x.bru", text: "get {\n  url: x\n}\n")
        let root = SourceFile(name: "collection.bru", text: "meta {\n  a: \u{0}\n}\n")
        #expect(ImportKind.bruno.read([deep, root]).diagnostics.first?.headline.contains("levels of folders") == true)
        let invalid = SourceFile(
            name: "a.bru",
            bytes: Array("get {\n  url: http://a/".utf8) + [0xFF, 0xFE] + Array("\n}\n".utf8)
        )
        #expect(ImportKind.bruno.read([invalid]).diagnostics.map(\.id) == ["import-syntax"])
    }
}
