import Testing
import WaybillDiagnostics
import WaybillImport
import WaybillTestSupport

struct HTTPFileImportTests {
    private static let host = "https://a.example.com"

    /// A request, and its step without indentation.
    private static let steps: [(source: String, step: String)] = [
        ("\(host)/x", "id: x\nget: /x"),
        ("delete \(host)/x HTTP/1.1", "id: deleteX\ndelete: /x"),
        (
            "### List all\nGET \(host)/x\n  ?a=1\n  &b=2\n  /ignored: 1",
            "id: listAll\nget: /x\nquery: {a: 1, b: \"2/ignored: 1\"}"
        ),
        ("GET \(host)\n    /api\n    /x?a=\n    1&b=2", "id: x\nget: /api/x\nquery: {a: 1, b: 2}"),
        ("GET /x\nHost: a.example.com:8443", "id: x\nget: /x"),
        (
            "// why\n# @name x1\nGET \(host)/x\n# X-Off: 1\nX-A: 1\n  2",
            "# why\n# X-Off: 1\nid: x1\nget: /x\nheaders: {X-A: 1 2}"
        ),
        (
            "# @no-redirect\n# @no-cookie-jar\n# @timeout 600\n// @connection-timeout 2 m\nGET \(host)/x",
            "id: x\nget: /x\nredirects: false\ncookies: false\ntimeout: 600s\nconnectTimeout: 2m"
        ),
        (
            "# @loop for 3\nGET \(host)/x",
            "# not imported: the setting '@loop': a manifest has no setting for it\nid: x\nget: /x"
        ),
        ("# @prompt code The code\nGET \(host)/x/{{code}}", "# input code: The code\nid: x\nget: /x/${inputs.code}"),
        (
            "POST \(host)/x\nContent-Type: application/json\n\n{\"a\": {{n}},\n# no\n\"b\": \"{{$guid}}\"}",
            "# no\nid: postX\npost: /x\nbody: {json: {a: \"${parse(inputs.n)}\", b: \"${uuid()}\"}}"
        ),
        (
            "POST \(host)/x\nContent-Type: application/x-www-form-urlencoded\n\na = 1 &\nb=c%20d\n&c=e+f",
            "id: postX\npost: /x\nbody: {form: {a: 1, b: c d, c: e f}}"
        ),
        ("PUT \(host)/x\n\n< ./a.bin", "id: putX\nput: /x\nbody: {file: a.bin}"),
        (
            "PUT \(host)/x\n\n<@ a.txt",
            "# not imported: the variables in the file 'a.txt': a file is sent as it is\nid: putX\nput: /x\nbody: {file: a.txt}"
        ),
        (
            "PUT \(host)/x\n\na\n< b.txt",
            "# not imported: the body: it consists of files and other parts\nid: putX\nput: /x"
        ),
        (
            "GRAPHQL \(host)/g\n\n{ a }\n\n{\"n\": 1}",
            "id: postG\npost: /g\nbody: {graphql: {query: \"{ a }\", variables: {n: 1}}}"
        ),
        (
            "GET \(host)/x\nAuthorization: Basic demo tiger-17",
            "id: x\nget: /x\nauth: {basic: {username: demo, password: \"${secrets.password}\"}}"
        ),
        (
            "GET \(host)/x\nAuthorization: Digest {{user}}:{{pw}}",
            "id: x\nget: /x\nauth: {digest: {username: \"${inputs.user}\", password: \"${secrets.pw}\"}}"
        ),
        (
            "GET https://s3.eu-west-1.amazonaws.com/x\nAuthorization: AWS AKIA1 wJalr17",
            "id: x\nget: /x\nauth:\nawsSigV4:\nregion: eu-west-1\nservice: s3\naccessKey: ${secrets.accessKey}\nsecretKey: ${secrets.secretKey}"
        ),
        ("@a = {{b}}/y\n@b = x\nGET \(host)/{{a}}", "id: root\nget: /${inputs.a}"),
        (
            "@t = {{$datetime 'YYYY-MM-DD' -1 d}}\nGET \(host)/x?t={{t}}&s={{$timestamp 2 h}}",
            "id: x\nget: /x\nquery: {t: \"${date(epoch() - 86400, '%Y-%m-%d')}\", s: \"${epoch() + 7200}\"}"
        ),
        (
            "GET \(host)/x?r={{$randomInt 1 5}}",
            "# not imported: the value '{{$randomInt 1 5}}': give one as an input\nid: x\nget: /x\nquery: {r: \"${inputs.randomInt}\"}"
        ),
        (
            "GET \(host)/x\n\n?? status == 200\n>> out.json\n<> old.json",
            "# not imported: the assertion '?? status == 200': assertions of httpYac are not imported\n# saves the response: out.json\n# a saved response: old.json\nid: x\nget: /x"
        ),
        (
            "GET \(host)/x\n\n> check.js",
            "# not imported: the script 'check.js': scripts in files are not read\nid: x\nget: /x"
        ),
        (
            "GET \(host)/x\n\n> {%\nclient.test('ok', () => client.assert(response.status === 201 || response.status === 202));\nclient.assert(response.headers.valueOf('X-Id') === 'a', 'no id');\nfoo();\n%}",
            "# not imported: the script statement 'foo()': this statement is not one of those that are translated\nid: x\nget: /x\nexpect:\nstatus: [201, 202]\nbody: [{that: \"response.headers['X-Id'] == 'a'\", message: no id}]"
        ),
        (
            "WEBSOCKET wss://a.example.com/x\n###\nGET \(host)/x",
            "# not imported: the request WEBSOCKET wss://a.example.com/x: only requests of HTTP are imported\nid: x"
        ),
    ]

    @Test(arguments: steps)
    func `a request becomes a step`(_ source: String, _ step: String) throws {
        let manifest = try ImportFixture.manifest(.http, [("a.http", source)])
        let chain = manifest.text.split(separator: "    chain:\n").last ?? ""
        let lines = chain.split(separator: "\n").map { $0.drop { $0 == " " } }.map {
            $0.hasPrefix("- ") ? $0.dropFirst(2) : $0
        }
        #expect(lines.joined(separator: "\n").replacing("\n#   ", with: " ").hasPrefix(step), "\(manifest.text)")
        #expect(!["tiger-17", "AKIA1", "wJalr17"].contains { manifest.text.contains($0) })
    }

    @Test func `later requests use responses, variables belong to their files, and environments replace them`() throws {
        let first = """
            @host = https://a.example.com
            # @name login
            POST {{host}}/login

            > {% client.global.set("user", response.body.user.id); %}
            ###
            @token = Bearer {{login.response.body.$.data[0].access-token}}
            GET {{host}}/{{user}}?v={{version}}&s={{$shared size}}
            Authorization: {{token}}
            X-Trace: {{login.response.headers.X-Trace}}
            X-Late: {{later.response.body.$.id}}
            X-Path: {{login.response.body.//a}}
            X-Key: {{$processEnv SHOP_USER}}
            """
        let manifest = try ImportFixture.manifest(
            .http,
            [("one.http", first), ("two.rest", "@host = https://b.example.com\nGET {{host}}/x?p={{password}}")],
            environments: [
                #"{"$shared": {"size": 3}, "dev": {"version": "v1", "host": "https://dev.example.com"}, "live": {"version": "v2"}}"#,
                #"{"dev": {"password": "pa55-word"}}"#,
            ]
        )
        #expect(
            manifest.text == """
                waybill: 1
                inputs:
                  size: {type: string, default: "3"}
                  SHOP_USER: {type: string, env: SHOP_USER}
                  version: string
                  id: string
                  loginResponseBodyA: string
                secrets:
                  password: {env: PASSWORD}
                environments:
                  # The value of password comes from PASSWORD.
                  dev: {services: {api: {baseURL: "https://dev.example.com"}}, inputs: {version: v1}}
                  live: {inputs: {version: v2}}
                services:
                  api: {baseURL: "https://a.example.com"}
                  host2: {baseURL: "https://b.example.com"}
                graphs:
                  main:
                    chain:
                      - graph: one
                      - graph: two
                  one:
                    chain:
                      - id: login
                        service: api
                        post: /login
                        outputs:
                          user: $.user.id
                          access-token: {value: "$.data[0].access-token", secret: true}
                          trace: response.headers['X-Trace']
                      # not imported: the value '{{later.response.body.$.id}}': no earlier request has the name
                      #   'later'
                      # not imported: the value '{{login.response.body.//a}}': only simple JSON paths are imported
                      - id: root
                        service: api
                        get: /${steps.login.outputs.user}
                        query: {v: "${inputs.version}", s: "${inputs.size}"}
                        headers:
                          X-Trace: ${steps.login.outputs.trace}
                          X-Late: ${inputs.id}
                          X-Path: ${inputs.loginResponseBodyA}
                          X-Key: ${inputs.SHOP_USER}
                        auth: {bearer: "${steps.login.outputs.access-token}"}
                  two:
                    chain:
                      - id: x
                        service: host2
                        get: /x
                        query: {p: "${secrets.password}"}

                """
        )
        #expect(
            manifest.losses.map(\.what) == [
                "the value '{{later.response.body.$.id}}'", "the value '{{login.response.body.//a}}'",
            ]
        )
    }

    @Test(arguments: [
        ("GET \"https://a.example.com\"", "this is the dialect of dothttp", 1),
        ("@name(\"a\")\nGET https://a.example.com", "this is the dialect of dothttp", 1),
        ("POST https://a.example.com\njson({})", "this is the dialect of dothttp", 2),
        ("POST https://a.example.com\n? (\"a\", \"b\")", "this is the dialect of dothttp", 2),
        (
            "POST https://a.example.com\n{\"a\": 1}",
            "expected a header field 'Name: value', or an empty line before the body", 2
        ),
        ("\n\nhello", "expected a request line such as 'GET https://example.com/orders'", 3),
        ("# nothing\n###", "a.http has no request", 1),
    ])
    func `a malformed file is an error at its location`(_ text: String, _ headline: String, _ line: Int) {
        let (_, diagnostics) = ImportKind.http.read([SourceFile(name: "a.http", text: text)])
        #expect(diagnostics.count == 1 && diagnostics[0].headline.hasPrefix(headline), "\(diagnostics.map(\.headline))")
        #expect(diagnostics.first?.primary?.span.start.line == line)
    }

    @Test(.enabled(if: SampleFolder.named("http") != nil, "the samples of other tools are absent"))
    func `the examples of the specification are read`() throws {
        let folder = try #require(SampleFolder.named("http"))
        let name = "JetBrains__http-request-in-editor-spec__spec.md"
        let text = String(decoding: try ConformanceSuite.bytes(of: "\(folder)/\(name)"), as: UTF8.self)
        let blocks = text.split(separator: "```", omittingEmptySubsequences: false).enumerated().filter {
            $0.offset % 2 == 1
        }.map { String($0.element) }
        var (read, refused) = (0, 0)
        for block in blocks {
            let (collection, diagnostics) = ImportKind.http.read([SourceFile(name: "a.http", text: block)])
            guard diagnostics.isEmpty else {
                refused += 1
                #expect(!block.contains("http") && diagnostics.allSatisfy { $0.primary != nil }, "\(block)")
                continue
            }
            read += 1
            let manifest = ImportedManifest(collection)
            let found = ImportFixture.diagnostics(of: manifest.text)
            #expect(!found.hasErrors, "\(manifest.text)\(HumanRenderer().render(found))")
            #expect(manifest.losses.isEmpty || block.contains("OPTIONS *"), "\(manifest.losses)")
        }
        #expect(read >= 24 && refused == 4, "\(read) \(refused)")
    }

    @Test func `a hostile file ends in a result or an error`() {
        let cyclic = (0..<60).map { "@v\($0) = {{v\(($0 + 1) % 60)}}{{v\(($0 + 1) % 60)}}{{$guid}}" }.joined(
            separator: "\n"
        )
        let sources = [
            cyclic + "\nGET https://a.example.com/{{v0}}",
            "GET https://a/\n\n> {% " + String(repeating: "(", count: 50_000),
            "\u{0}\u{1}\u{FEFF}", "GET https://a/{{" + String(repeating: "{", count: 50_000),
            "POST https://a/\nContent-Type: multipart/form-data; boundary=\n\n--\n--",
            String(repeating: "###\n", count: 50_000),
            "POST https://a/\n\n" + String(repeating: "some text {{v}}\n", count: 5_000),
            "GET https://a/\n\n> {%\n" + String(repeating: "a.b", count: 60_000) + "\n%}",
            "GET https://a/\n\n> {%\n" + String(repeating: "let a = f();\n", count: 3_000) + "\n%}",
            "GET https://a/\n\n> {%\nx = 1" + String(repeating: "+1", count: 500_000) + "\n%}",
        ]
        for source in sources {
            let (collection, diagnostics) = ImportKind.http.read([SourceFile(name: "a.http", text: source)])
            #expect(!diagnostics.isEmpty || !ImportedManifest(collection).text.isEmpty)
        }
    }
}
