import Testing
import WaybillDiagnostics
import WaybillImport

struct HurlImportTests {
    private static func manifest(_ text: String, environments: [String] = []) throws -> ImportedManifest {
        try ImportFixture.manifest(.hurl, [("a.hurl", text)], environments: environments)
    }

    /// An entry, and its step without indentation.
    private static let steps: [(entry: String, step: String)] = [
        ("GET https://a.example.com/a", "id: a\nget: /a\nexpect: {status: [2xx, 3xx, 4xx, 5xx]}"),
        ("GET https://a.example.com/a # why\n\n\nHTTP 200", "# why\n- id: a\nget: /a\nexpect: {status: 200}"),
        (
            "# Text\n#####\nPROPFIND https://a.example.com/a?x=1\nDepth: 1 # one\nX-Hash: \\#1\nHTTP 207",
            "# Text\n# one\n- id: propfindA\nrequest: {method: PROPFIND, path: /a}\nquery: {x: 1}\nheaders: {Depth: 1, X-Hash: \"#1\"}\nexpect: {status: 207}"
        ),
        (
            "GET https://a.example.com/a?x=1\n[Query]\ny: a b&c\nz: {{z}}\n$top: 5\nHTTP 200",
            "id: a\nget: /a\nquery: {x: 1, y: a b&c, z: \"${inputs.z}\", $top: 5}\nexpect: {status: 200}"
        ),
        (
            "POST https://a.example.com/a\n[FormParams]\nx: 1\nvalues\\u{5b}0\\u{5d}: {{y}}\nHTTP 200",
            "id: postA\npost: /a\nbody: {form: {x: 1, \"values[0]\": \"${inputs.y}\"}}\nexpect: {status: 200}"
        ),
        (
            "POST https://a.example.com/a\n[MultipartFormData]\nx: 1\nf: file,a\\ b.txt;\ng: file,c.bin; text/csv\nHTTP 200",
            "id: postA\npost: /a\nbody:\nmultipart:\n- {name: x, value: 1}\n- {name: f, file: a b.txt}\n- {name: g, file: c.bin, contentType: text/csv}\nexpect: {status: 200}"
        ),
        (
            "GET https://a.example.com/a\nHTTP 200\n[Asserts]\njsonpath \"$.n\" toInt == 3\nheader \"N\" toInt == 4",
            "id: a\nget: /a\nexpect:\nstatus: 200\nbody:\n- number(first(split(string($.n), '.'))) == 3\n- number(response.headers['N']) == 4"
        ),
        (
            "GET https://a.example.com/a\n[BasicAuth]\nbob: {{password}}\nHTTP 200",
            "id: a\nget: /a\nauth: {basic: {username: bob, password: \"${secrets.password}\"}}\nexpect: {status: 200}"
        ),
        (
            "GET https://a.example.com/a\n[Options]\nuser: bob:{{pw}}\ndigest: true\ninsecure: true\nmax-time: 3000\nconnect-timeout: 2s\ncompressed: false\nhttp1.1: true\nverbose: true\nHTTP 200",
            "id: a\nget: /a\nauth: {digest: {username: bob, password: \"${secrets.pw}\"}}\ncompression: false\ntls: {verify: false}\ntimeout: 3s\nconnectTimeout: 2s\nhttp: \"1.1\"\nexpect: {status: 200}"
        ),
        (
            "GET https://a.example.com/a\n[Options]\nskip: true\ndelay: 1m\nrepeat: 3\nHTTP 200",
            "id: a\nget: /a\nwhen: false\ndelay: 1m\nforEach: {in: range(3), as: turn, concurrency: 1}\nexpect: {status: 200}"
        ),
        (
            "POST https://a.example.com/a\n[Options]\nretry: -1\nHTTP 200",
            "id: postA\npost: /a\nretry:\ntimes: 1000\nfor: [dns, connect, timeout, transfer]\nbackoff: {first: 1s, factor: 1}\nunsafe: true\nuntil: {that: response.status == 200, every: 1s}\nexpect: {status: 200}"
        ),
        (
            "PUT https://a.example.com/a\n{\"a\": [{{n}}, \"{{s}}\"], \"id\": \"{{newUuid}}\"}\nHTTP 200",
            "id: putA\nput: /a\nbody: {json: {a: [\"${parse(inputs.n)}\", \"${inputs.s}\"], id: \"${uuid()}\"}}\nexpect: {status: 200}"
        ),
        (
            "POST https://a.example.com/a\n```\na,{{b}}\n\\u{41}\n```\nHTTP 200",
            "id: postA\npost: /a\nbody:\ntext: |\na,${inputs.b}\n\\u{41}\nexpect: {status: 200}"
        ),
        (
            "POST https://a.example.com/a\n```xml,novariable,escape\n<a>{{b}}\\u{41}</a>\n```\nHTTP 200",
            "id: postA\npost: /a\nheaders: {Content-Type: application/xml}\nbody:\ntext: |\n<a>{{b}}A</a>\nexpect: {status: 200}"
        ),
        (
            "POST https://a.example.com/a\n`a {{b}}`\nHTTP 200",
            "id: postA\npost: /a\nbody: {text: \"a ${inputs.b}\"}\nexpect: {status: 200}"
        ),
        (
            "POST https://a.example.com/a\n<a><!-- > --><b c=\"d\"/></a>\nHTTP 200",
            "id: postA\npost: /a\nheaders: {Content-Type: application/xml}\nbody: {text: <a><!-- > --><b c=\"d\"/></a>}\nexpect: {status: 200}"
        ),
        (
            "POST https://a.example.com/a\nhex,61 62;\nHTTP 200",
            "id: postA\npost: /a\nbody: {base64: YWI=}\nexpect: {status: 200}"
        ),
        (
            "POST https://a.example.com/a\nfile,data/a.bin;\nHTTP 200",
            "id: postA\npost: /a\nbody: {file: data/a.bin}\nexpect: {status: 200}"
        ),
        (
            "GET https://a.example.com/a\nHTTP 200\n[Captures]\nids: jsonpath \"$..id\"\n[Asserts]\nvariable \"ids\" count == 2\njsonpath \"$.n\" == \"x{{y}}\"",
            "id: a\nget: /a\noutputs: {ids: $..id}\nexpect: {status: 200, body: [count($..id) == 2, \"$.n == concat('x', inputs.y)\"]}"
        ),
        (
            "GET https://a.example.com/a\nHTTP 200\n[Asserts]\njsonpath \"$.l[?(@.id == '{{id}}')].n\" == {{n}}\njsonpath \"$.m\" > {{n}}",
            "id: a\nget: /a\nexpect:\nstatus: 200\nbody:\n- string(value($.l[?(@.id == string(inputs.id))].n)) == inputs.n\n- $.m > number(inputs.n)"
        ),
    ]

    @Test(arguments: steps)
    func `an entry becomes a step`(pair: (entry: String, step: String)) throws {
        let manifest = try Self.manifest(pair.entry)
        let lines = manifest.text.split(separator: "\n").map { $0.drop { $0 == " " } }
        let start = try #require(lines.firstIndex { $0 == "chain:" }) + 1
        let text = lines[start...].joined(separator: "\n")
        #expect((text.hasPrefix("- ") ? String(text.dropFirst(2)) : text) == pair.step)
        #expect(manifest.losses.isEmpty)
    }

    /// A malformed file, where it is malformed, and a part of the message.
    private static let errors: [(source: String, location: String, message: String)] = [
        ("get https://a.example.com", "1:1", "expected a request"), ("GET", "1:1", "expected a request"),
        ("GET \"https://a.example.com\"", "1:5", "expected a URL"),
        ("GET https://a.example.com\nHTTP/3.5 200", "2:6", "version"),
        ("GET https://a.example.com\nHTTP OK", "2:6", "expected a status"),
        ("GET https://a.example.com\n[Bad]\na: b", "2:1", "no section '[Bad]'"),
        ("GET https://a.example.com\nHTTP 200\n[Query]", "3:1", "no section '[Query]'"),
        ("GET https://a.example.com\n[Query]\n[Query]", "3:1", "twice"),
        ("GET https://a.example.com\n[Options]\nretries: 3", "3:1", "'retries' does not exist"),
        ("GET https://a.example.com\n[Options]\ndelay: 10mms", "3:8", "duration"),
        ("GET https://a.example.com\n[Options]\nlocation: yes", "3:11", "true or false"),
        ("GET https://a.example.com\nX: {{a", "2:7", "expected '}}'"),
        ("GET https://a.example.com\nX: \\q", "2:4", "escape"),
        ("GET https://a.example.com\n{\"a\": 1,}", "2:9", "not JSON"),
        ("GET https://a.example.com\n{\"a\": [1", "2:1", "no end"),
        ("GET https://a.example.com\n<a><b>", "2:1", "no end"),
        ("GET https://a.example.com\n```\nabc", "2:1", "no end"),
        ("GET https://a.example.com\nhex,abc;", "2:5", "hex digits"),
        ("GET https://a.example.com\nHTTP 200\n[Asserts]\nstatus = 200", "4:8", "predicate"),
        ("GET https://a.example.com\nHTTP 200\n[Asserts]\nstatus == x", "4:11", "expected a value"),
        ("GET https://a.example.com\nHTTP 200\n[Asserts]\nbody matches /a", "4:14", "no end"),
        ("GET https://a.example.com\nHTTP 200\n[Captures]\na: nope", "4:4", "expected a query"),
        ("GET https://a.example.com\nHTTP 200\n[Asserts]\nxpath \"//a\" exists yes", "4:20", "end of the line"),
    ]

    @Test(arguments: errors)
    func `a malformed file is refused at a location`(value: (source: String, location: String, message: String)) throws
    {
        let (_, found) = ImportKind.hurl.read([SourceFile(name: "a.hurl", text: value.source)])
        let diagnostic = try #require(found.first)
        #expect(found.map(\.id) == ["import-syntax"])
        let start = try #require(diagnostic.primary?.span.start)
        #expect("\(start.line):\(start.column)" == value.location)
        #expect(diagnostic.headline.contains(value.message), "\(diagnostic.headline)")
    }

    /// Lines that have no counterpart, and the reasons.
    private static let losses: [(line: String, reason: String)] = [
        ("xpath \"//h1\" exists", "XML"), ("version == \"2\"", "no value"), ("ip isIpv4", "no value"),
        ("certificate \"Subject\" exists", "no value"), ("cookie \"a[Path]\" == \"/\"", "attributes"),
        ("header \"X\" count == 2", "joined"), ("jsonpath \"$.a\" urlDecode == \"x\"", "urlDecode"),
        ("jsonpath \"$.a\" replaceRegex /a/ \"b\" == \"x\"", "replaceRegex"),
        ("jsonpath \"$.a || $.b\" == \"x\"", "not a path"), ("jsonpath \"$.a == 1\" == true", "not a path"),
        ("jsonpath \"$.a[{{i}}]\" == 1", "computed"), ("jsonpath \"$.a\" matches /(?i)a/", "I-Regexp"),
        ("jsonpath \"$.[0].a\" == 1", "cannot follow"), ("regex /a/ == \"a\"", "group"),
        ("jsonpath \"$.a\" isIpv6", "isIpv6"),
        ("variable \"x\" exists", "always exists"), ("jsonpath \"$.a\" jsonpath \"$..b\" not exists", "several values"),
        ("jsonpath \"$.a\" toDate \"%Y\" exists", "RFC 3339"), ("regex /a(.*?)b+c/ == \"a\"", "lazy"),
    ]

    @Test(arguments: losses)
    func `what has no counterpart is reported`(value: (line: String, reason: String)) throws {
        let manifest = try Self.manifest("GET https://a.example.com/a\nHTTP 200\n[Asserts]\n\(value.line)")
        #expect(manifest.losses.map(\.what) == ["the assertion '\(value.line)'"])
        #expect(manifest.losses.allSatisfy { $0.reason.contains(value.reason) }, "\(manifest.losses)")
        #expect(manifest.losses.first?.span?.start.line == 4)
        #expect(manifest.text.contains("# not imported: the assertion"))
    }

    @Test func `versions, random values, computed names and outputs are reported`() throws {
        let manifest = try Self.manifest(
            """
            POST http://a.example.com/{{randomInt 1 9}}
            {{name}}: x
            [Options]
            output: a.bin
            location-trusted: true
            http3: true
            file,{{f}}.bin;
            HTTP/2 302
            [Captures]
            a: header "Location"
            b: xpath "//a"
            [Asserts]
            variable "b" == "x"
            """
        )
        let whats = manifest.losses.map(\.what).joined(separator: "\n")
        for part in [
            "version HTTP/2", "randomInt", "{{name}}", "output", "location-trusted", "http3", "{{f}}", "variable 'a'",
            "variable \"b\"",
        ] {
            #expect(whats.contains(part), "\(part): \(whats)")
        }
    }

    @Test func `secrets are in no manifest, loss or comment`() throws {
        let manifest = try Self.manifest(
            """
            # password: tiger-17-a
            GET https://bob:tiger-17-b@a.example.com/a?api_key=tiger-17-c
            Authorization: Bearer tiger-17-d
            [Cookies]
            sid: tiger-17-e
            name: {{name}}
            [Options]
            variable: token=tiger-17-f
            HTTP 200
            Set-Cookie: sid=tiger-17-g; Path=/
            [Asserts]
            cookie "sid" == "tiger-17-g"
            cookie "sid[Path]" == "tiger-17-g"
            [Captures]
            key: jsonpath "$.key" redact

            GET https://a.example.com/b
            X-Key: {{key}}
            X-Env: {{getEnv "SHOP_TOKEN"}}
            X-Token: {{token}}
            """
        )
        let all = manifest.text + manifest.losses.map { $0.what + $0.reason }.joined()
        #expect(!all.contains("tiger-17"), "\(all)")
        #expect(all.contains("SHOP_TOKEN: {env: SHOP_TOKEN}"))
        #expect(all.contains("key: {value: $.key, secret: true}"))
    }

    @Test func `files are folders whose variables are their own`() throws {
        let files = [
            (
                "t/b.hurl",
                "GET {{host}}/b\nHTTP 200\n[Captures]\nid: jsonpath \"$.id\"\n\nGET {{host}}/b/{{id}}\n[Options]\nlocation: true"
            ),
            ("t/c.hurl", "GET {{host}}/c/{{id}}\nHTTP 200"),
        ]
        let manifest = try ImportFixture.manifest(.hurl, files, environments: ["host=https://a.example.com\n# x\nid=7"])
        for part in [
            "baseURL: \"https://a.example.com\"", "redirects: false", "redirects: 10", "- graph: b", "- id: c",
            "get: /b/${steps.b.outputs.id_1}", "get: /c/${inputs.id}", "id: {type: string, default: \"7\"}",
            "# The files share",
        ] {
            #expect(manifest.text.contains(part), "\(part)\n\(manifest.text)")
        }
    }

    @Test(arguments: [
        String(repeating: "GET http://a.example.com\n", count: 3_000),
        "GET http://a.example.com\n" + String(repeating: "[", count: 100_000),
        "GET http://a.example.com\n" + String(repeating: "<a>", count: 100_000),
        "GET http://a.example.com\n[Query]\n" + String(repeating: "a: {{b}}\n", count: 20_000),
        "GET http://a.example.com\nHTTP 200\n[Asserts]\n" + String(repeating: "jsonpath \"$.a\" == 1\n", count: 5_000),
        "GET http://a.example.com\nHTTP 200\n[Asserts]\njsonpath \"$\(String(repeating: "[?(@.a", count: 5_000))\" exists",
        "GET http://a.example.com\nX: \u{1}\u{7}\r\n\u{0}", "", "\u{FEFF}", "{{", "GET {{",
        "GET http://a.example.com\n[", "HTTP 200",
    ])
    func `hostile files end with a result`(text: String) {
        let (collection, diagnostics) = ImportKind.hurl.read([SourceFile(name: "a.hurl", text: text)])
        let manifest = ImportedManifest(collection)
        #expect(diagnostics.hasErrors || !manifest.text.isEmpty)
    }

    @Test func `bytes that are no UTF-8 are refused at a location`() {
        let bytes = Array("GET http://a.example.com\nX: ".utf8) + [0xFF]
        let (_, found) = ImportKind.hurl.read([SourceFile(name: "a.hurl", bytes: bytes)])
        #expect(found.first?.primary?.span.start.line == 2)
    }

    @Test(arguments: [
        ("GET https://a.example.com\nHTTP 200", true), ("# x\nPOST {{host}}/a\n[Form]\na: b", true),
        ("GET https://a.example.com\n\n###\nGET https://b.example.com", false), ("curl https://a.example.com", false),
    ])
    func `a Hurl file is recognised by its content`(text: String, isHurl: Bool) {
        #expect((ImportKind(recognizing: SourceFile(name: "a", text: text)) == .hurl) == isHurl)
    }
}
