import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct RequestBuildingTests {
    /// The request of a manifest whose only graph has one step.
    private func request(
        _ step: String,
        _ rest: String = "",
        service: String = "",
        files: [String] = []
    ) async throws -> HTTPRequest {
        let fixture = try ExecutionFixture(
            "    \(service)\n\(rest)\ngraphs:\n  main:\n    chain:\n      - \(step)\n",
            files: files
        )
        let outcome = await fixture.run()
        let failure = outcome.result.steps.first?.failure
        return try #require(fixture.transport.sent.first, "\(failure?.message.string ?? "nothing was sent")")
    }

    @Test(arguments: [
        ("{get: /a}", "http://s/a"),
        ("{get: a/b}", "http://s/a/b"),
        ("{get: \"/a?x=1&y=%20\"}", "http://s/a?x=1&y=%20"),
        ("{get: /ü b}", "http://s/%C3%BC%20b"),
        ("{get: \"/${'a/b ?#'}/c\"}", "http://s/a%2Fb%20%3F%23/c"),
        ("{get: \"/${raw('a/b c')}\"}", "http://s/a/b%20c"),
        ("{get: \"/a?q=${'x&y=1'}\"}", "http://s/a?q=x%26y%3D1"),
        (
            "{get: /a, query: {v: 1.10, n: 001, t: true, l: [1, \"${'b c'}\"]}}",
            "http://s/a?v=1.10&n=001&t=true&l=1&l=b%20c"
        ),
        (
            "{get: /a, query: {l: \"${split('b,c', ',')}\", w: \"${null}\"}}",
            "http://s/a?l=b&l=c"
        ),
        ("{get: \"/a?x=1\", query: {y: 2}}", "http://s/a?x=1&y=2"),
        ("{get: \"/${raw('a/b?x=1&y=%20z')}\"}", "http://s/a/b?x=1&y=%20z"),
        ("{get: \"${raw('/a/b?x=1#y')}\"}", "http://s/a/b?x=1%23y"),
        ("{get: \"/a?${raw('x=1&y=2')}\"}", "http://s/a?x=1&y=2"),
        ("{get: \"${'a/b'}/c\"}", "http://s/a%2Fb/c"),
        ("{get: \"users:search\"}", "http://s/users:search"),
        ("{get: \"${'http://other/x?y=1'}\"}", "http://other/x?y=1"),
        ("{get: \"${'HTTP://other'}/x/${'a/b'}\"}", "HTTP://other/x/a%2Fb"),
        ("{get: \"http${'s'}://other/x\"}", "https://other/x"),
        (
            "{get: /a, params: {f: {k: 1, l: [2, 3]}, z: 1.10}}",
            "http://s/a?f%5Bk%5D=1&f%5Bl%5D%5B%5D=2&f%5Bl%5D%5B%5D=3&z=1.10"
        ),
        ("{get: /a, arrays: repeat, params: {l: [2, 3]}}", "http://s/a?l=2&l=3"),
        ("{get: /a, arrays: comma, params: {l: [1.10, 'b,c', null], k: []}}", "http://s/a?l=1.10,b%2Cc,"),
        (
            "{get: /a, arrays: comma, params: {l: \"${split('x,y', ',')}\", o: {p: [1, 2]}}}",
            "http://s/a?l=x,y&o%5Bp%5D=1,2"
        ),
        (
            "{get: /a, arrays: comma, params: {l: [1, {b: 2}]}, query: {q: [4, 5]}}",
            "http://s/a?q=4&q=5&l%5B%5D=1&l%5B%5D%5Bb%5D=2"
        ),
        ("{get: /a, version: 1.10}", "http://s/1.10/a"),
        ("{get: /a, baseURL: \"http://t/base/\", version: v2}", "http://t/base/v2/a"),
        ("{get: \"http://other/x\"}", "http://other/x"),
        ("{get: \"HTTPS://Other:444/x\"}", "HTTPS://Other:444/x"),
    ])
    func `a URL is assembled and encoded`(step: String, url: String) async throws {
        #expect(try await request(step).url == url)
    }

    @Test(arguments: [
        ("{get: \"${'ftp://h/x'}\"}", "the scheme 'ftp' is not supported: requests can only use http and https"),
        ("{get: \"${'//h/x'}\"}", "the address '//h/x' has a host but no scheme"),
        ("{get: \"${'http://u@h/x'}\"}", "a URL with a user name or password cannot be requested"),
        ("{get: /a, baseURL: \"${'http://h/b?k=1'}\"}", "a base URL cannot have a query: paths are appended to it"),
        ("{get: /a, baseURL: \"${'http://h/b#x'}\"}", "a base URL cannot have a fragment: paths are appended to it"),
        ("{get: /a, baseURL: \"${'http://u:p@h'}\"}", "a URL with a user name or password cannot be requested"),
    ])
    func `a computed URL that cannot be requested is an input failure`(
        step: String,
        message: String
    ) async throws {
        let fixture = try ExecutionFixture("graphs:\n  main:\n    chain:\n      - \(step)\n")
        let failure = try #require(await fixture.run().result.steps.first?.failure)
        #expect(failure.kind == .input)
        #expect(failure.message.string == message)
        #expect(fixture.transport.sent.isEmpty)
    }

    @Test(arguments: [
        (
            "{post: /a, params: {a: 1.10, b: {c: x y}, d: [1, 2]}}", "a=1.10&b%5Bc%5D=x+y&d%5B%5D=1&d%5B%5D=2",
            "application/x-www-form-urlencoded"
        ),
        (
            "{post: /a, encoding: json, params: {a: 1.10, b: {c: \"${1 + 1}\"}, d: \"1\"}}",
            #"{"a":1.10,"b":{"c":2},"d":"1"}"#, "application/json"
        ),
        ("{put: /a, body: {json: [null, true, \"${concat('a', 'b')}\"]}}", #"[null,true,"ab"]"#, "application/json"),
        ("{post: /a, body: {form: {x: 1}}, params: {y: 2}}", "y=2&x=1", "application/x-www-form-urlencoded"),
        ("{patch: /a, body: {text: \"${'ü'}\"}}", "ü", "text/plain; charset=utf-8"),
        ("{post: /a, body: {text: x}, headers: {content-type: text/x}}", "x", "text/x"),
        ("{post: /a, body: {base64: aMO8}}", "hü", "application/octet-stream"),
        ("{post: /a, body: {base64: \"${base64('x')}\"}}", "x", "application/octet-stream"),
        (
            "{post: /a, body: {graphql: {query: \"{ me { id } }\", variables: {n: \"${1 + 1}\"}}}}",
            #"{"query":"{ me { id } }","variables":{"n":2}}"#, "application/json"
        ),
        (
            "{post: /a, encoding: plist, params: {a: 1, b: [x, true]}}",
            plist(
                "<key>a</key>",
                "<integer>1</integer>",
                "<key>b</key>",
                "<array>",
                "\t<string>x</string>",
                "\t<true/>",
                "</array>"
            ),
            "application/x-plist"
        ),
        ("{post: /a, body: {plist: {a: x}}}", plist("<key>a</key>", "<string>x</string>"), "application/x-plist"),
    ])
    func `a body is encoded and sent with its content type`(step: String, body: String, type: String) async throws {
        let request = try await request(step)
        #expect(request.body == .bytes(Array(body.utf8)))
        let types = request.headers.filter { $0.name.lowercased() == "content-type" }.map(\.value)
        #expect(types == [type])
    }

    /// A property list whose root is a dictionary with these members, as it is sent.
    private static func plist(_ members: String...) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \(members.map { "\t\($0)\n" }.joined())</dict>
        </plist>

        """
    }

    @Test func `header fields are sent as written, and a list as one field per element`() async throws {
        let request = try await request("{get: /a, headers: {X-A: 1.10, X-B: [a, b], X-C: \"\"}}")
        let fields = request.headers.filter { $0.name.hasPrefix("X-") }.map { "\($0.name)=\($0.value)" }
        #expect(fields == ["X-A=1.10", "X-B=a", "X-B=b", "X-C="])
        #expect(request.headers.contains { $0.name == "Accept" && $0.value == "*/*" })
        #expect(request.headers.contains { $0.name == "User-Agent" && $0.value.hasPrefix("waybill/") })
    }

    @Test(arguments: [
        ("{basic: {username: Aladdin, password: open sesame}}", "Authorization=Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("{bearer: abc}", "Authorization=Bearer abc"),
        ("{apiKey: {in: header, name: X-Key, value: k}}", "X-Key=k"),
        ("{apiKey: {in: cookie, name: key, value: k}}", "Cookie=key=k"),
    ])
    func `credentials become a header field`(auth: String, field: String) async throws {
        let request = try await request("{get: /a, headers: {Authorization: mine, X-Key: mine}, auth: \(auth)}")
        let fields = request.headers.map { "\($0.name)=\($0.value)" }
        let name = field.prefix { $0 != "=" }
        #expect(fields.filter { $0.hasPrefix(name + "=") } == [field])
    }

    @Test(arguments: [
        ("headers: {authorization: mine}", "authorization=mine"),
        ("headers: {Authorization: mine}, auth: {bearer: own}", "Authorization=Bearer own"),
        ("auth: {bearer: own}", "Authorization=Bearer own"),
        ("auth: none", "Authorization=far"),
        ("tag: t", "Authorization=Bearer token"),
    ])
    func `if both credentials and their header field are set, the innermost setting is sent`(
        settings: String,
        field: String
    ) async throws {
        let request = try await request(
            "{get: /a, \(settings)}",
            "defaults: {headers: {Authorization: far}}",
            service: settings == "auth: none" ? "" : "auth: {bearer: token}"
        )
        let fields = request.headers.map { "\($0.name)=\($0.value)" }
        #expect(fields.filter { $0.lowercased().hasPrefix("authorization=") } == [field])
    }

    @Test(arguments: [
        ("{apiKey: {in: header, name: X-Key, value: k}}", "{get: /a, headers: {x-key: mine}}", "x-key=mine"),
        ("{apiKey: {in: query, name: key, value: k}}", "{get: /a, query: {key: mine}}", "http://s/a?key=mine"),
        ("{apiKey: {in: query, name: key, value: k}}", "{get: /a, query: {Key: mine}}", "http://s/a?Key=mine&key=k"),
        ("{digest: {username: u, password: p}}", "{get: /a, headers: {Authorization: mine}}", "Authorization=mine"),
        ("{basic: {username: u, password: p}}", "{get: /a, headers: {Authorization: null}}", nil),
    ])
    func `fields and parameters of a request replace the credentials of its service`(
        auth: String,
        step: String,
        sent: String?
    ) async throws {
        let request = try await request(step, service: "auth: \(auth)")
        let fields = request.headers.filter { ["authorization", "x-key"].contains($0.name.lowercased()) }
        let all = fields.map { "\($0.name)=\($0.value)" } + (request.url.contains("?") ? [request.url] : [])
        #expect(all == [sent].compactMap { $0 })
        #expect(request.options.credentials == .none)
    }

    @Test func `an API key can be sent in the query`() async throws {
        let request = try await request("{get: \"/a?x=1\", auth: {apiKey: {in: query, name: key, value: a b}}}")
        #expect(request.url == "http://s/a?x=1&key=a%20b")
    }

    @Test func `a header field can be computed from the body`() async throws {
        let request = try await request(
            "{post: /a, body: {text: abc}, headers: {X-Digest: \"${sha256(request.body)}\"}}"
        )
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(request.headers.contains { $0.name == "X-Digest" && $0.value == digest })
    }

    @Test(arguments: ["null", "''"])
    func `a request without version has none in its URL`(version: String) async throws {
        let request = try await request("{get: /x, version: \(version)}", service: "version: v1")
        #expect(request.url == "http://s/x")
    }

    @Test func `a URL at another origin receives nothing from the service`() async throws {
        let service = "headers: {X-Service: secret}\n    params: {p: 1}\n    auth: {bearer: token}"
        let own = try await request("{get: \"http://s:80/x\"}", service: service)
        #expect(own.headers.contains { $0.name == "X-Service" } && own.url.contains("p=1"))
        #expect(own.headers.contains { $0.name == "Authorization" })
        let other = try await request("{get: \"http://t/x\"}", service: service)
        #expect(other.url == "http://t/x")
        #expect(!other.headers.contains { ["X-Service", "Authorization"].contains($0.name) })
    }

    @Test(arguments: [
        "{get: \"http://t/x\"}",
        "{get: /x, baseURL: \"http://t\"}",
        "{get: /x, baseURL: \"${'http://t'}\"}",
        "{get: /x, baseURL: \"http://s:81\"}",
        "{get: /x, baseURL: \"https://s\"}",
        "{request: {path: /x, baseURL: \"http://t\"}}",
        "{request: {url: \"http://t/x\"}}",
        "{call: elsewhere}",
        "{chain: [{get: /x}], baseURL: \"http://t\"}",
    ])
    func `a request to another origin has no credentials or content of its service, however its URL is formed`(
        step: String
    ) async throws {
        let service = """
            headers: {X-Service: secret}
                params: {p: 1}
                query: {q: 1}
                auth: {bearer: token}
                cookies: {jar: jar.txt}
                tls: {certificate: c.pem, key: c.key, verifyHost: false}
            """
        let rest = """
            defaults: {auth: {bearer: far}, headers: {X-Default: d}}
            endpoints:
              elsewhere: {path: /x, baseURL: "http://t"}
            """
        let request = try await request(step, rest, service: service, files: ["c.pem", "c.key"])
        #expect(request.url.hasSuffix("/x"))
        #expect(request.headers.map(\.name).filter { $0.hasPrefix("X-") } == ["X-Default"])
        #expect(!request.headers.contains { $0.name == "Authorization" })
        // A jar does not distinguish the ports and schemes of a host.
        let origin = try Origin(ofURL: request.url)
        #expect(request.options.cookies == (origin.endpoint.host == "s" ? .separate(origin) : .run))
        #expect(request.options.tls.clientCertificate == nil && request.options.tls.clientKey == nil)
        #expect(!request.options.tls.verifiesHost)
    }

    @Test(arguments: ["{get: /x}", "{get: /x, baseURL: \"http://S:80/base\"}", "{get: \"http://s/x\"}"])
    func `a request to the origin of its service has the additions of the service and the defaults`(step: String)
        async throws
    {
        let service = "headers: {X-Service: secret}\n    params: {p: 1}"
        let request = try await request(step, "defaults: {auth: {bearer: far}}", service: service)
        #expect(request.url.hasSuffix("?p=1"))
        #expect(request.headers.contains { $0.name == "X-Service" })
        #expect(request.headers.contains { $0.name == "Authorization" })
        #expect(request.options.cookies == .run)
    }

    @Test(arguments: [
        ("http://t/x", false), ("http://s/x", true),
    ])
    func `what a graph and the defaults set is not sent to an origin that a response chooses`(
        url: String,
        isSent: Bool
    ) async throws {
        let fixture = try ExecutionFixture(
            """
            defaults: {headers: {X-Default: d, Accept-Language: "${inputs.l}"}}
            inputs: {l: {type: string, default: en}}
            graphs:
              main:
                auth: {bearer: graph}
                headers: {X-Graph: g}
                chain:
                  - {id: list, get: /list, outputs: {url: $.url}}
                  - {get: "${steps.list.outputs.url}", headers: {X-Own: o}}

            """,
            ["/list": .json("{\"url\": \"\(url)\"}"), "/x": .json("{}")]
        )
        let result = await fixture.run().result
        let request = try #require(fixture.transport.sent.last)
        #expect(request.url == url, "\(result.steps.compactMap(\.failure?.message.string))")
        let names = request.headers.map(\.name).filter { !["Accept", "User-Agent"].contains($0) }
        let shared = ["X-Default", "Accept-Language", "X-Graph", "X-Own", "Authorization"]
        #expect(names == (isSent ? shared : ["X-Own"]))
    }

    @Test(arguments: [
        ("", "get: \"${steps.list.outputs.url}\"", false),
        ("baseURL: \"http://t\"", "get: \"${steps.list.outputs.url}\"", true),
        ("", "call: e, with: {u: \"${steps.list.outputs.url}\"}", false),
        ("", "call: e, with: {u: \"http://t/x\"}", true),
        ("", "forEach: {in: [\"http://t/x\"], as: u}, get: \"${u}\"", false),
        ("", "get: \"${manifest.inputs.u}\"", true),
        ("", "graph: g, with: {v: \"${steps.list.outputs.url}\"}", false),
        ("", "graph: g, with: {v: \"http://t/x\"}", true),
    ])
    func `without a service, the base URL of the graph is the origin for what the graph sets`(
        baseURL: String,
        step: String,
        isSent: Bool
    ) async throws {
        let fixture = try ExecutionFixture(
            """
              other: {baseURL: "http://o"}
            inputs: {u: {type: string, default: "http://t/x"}}
            endpoints: {e: {inputs: {u: string}, url: "${inputs.u}"}}
            graphs:
              g: {inputs: {v: string}, chain: [{graph: h, with: {w: "${inputs.v}"}}]}
              h: {inputs: {w: string}, auth: {bearer: h}, chain: [{get: "${inputs.w}", headers: {X-Own: o}}]}
              main:
                auth: {bearer: graph}
                \(baseURL)
                chain:
                  - {id: list, get: "http://t/list", outputs: {url: $.url}}
                  - {id: x, \(step)\(step.hasPrefix("graph") ? "" : ", headers: {X-Own: o}")}

            """,
            ["/list": .json("{\"url\": \"http://t/x\"}"), "/x": .json("{}")]
        )
        let result = await fixture.run().result
        let sent = fixture.transport.sent
        try #require(sent.count == 2, "\(result.steps.compactMap(\.failure?.message.string))")
        let isAuthorized = sent.map { $0.headers.contains { $0.name == "Authorization" } }
        #expect(isAuthorized == [true, isSent])
        #expect(sent[1].headers.contains { $0.name == "X-Own" })
    }

    @Test func `the defaults are not sent to an origin that a call passes to an endpoint without settings`()
        async throws
    {
        let fixture = try ExecutionFixture(
            """
              other: {baseURL: "http://o"}
            defaults: {headers: {X-Api-Key: k}}
            endpoints: {e: {inputs: {u: string}, url: "${inputs.u}"}}
            graphs:
              main:
                chain:
                  - {id: list, get: "http://t/list", outputs: {url: $.url}}
                  - {call: e, with: {u: "${steps.list.outputs.url}"}}

            """,
            ["/list": .json("{\"url\": \"http://t/x\"}"), "/x": .json("{}")]
        )
        _ = await fixture.run()
        let hasKey = fixture.transport.sent.map { $0.headers.contains { $0.name == "X-Api-Key" } }
        #expect(hasKey == [true, false])
    }

    @Test(arguments: [
        ("get: \"${steps.list.outputs.url}\"", "/ok", "because a response may have chosen the origin"),
        (
            "forEach: {in: [1, 2], as: n}, get: \"${steps.list.outputs.url}\"", "/ok",
            "because a response may have chosen"
        ),
        ("get: \"${inputs.origin}/ok\"", "/ok", "because it is not the origin of the service"),
        ("get: http://t/ok", "/ok", nil), ("get: http://t/401", "/401", "because it is not the origin of the service"),
        ("get: /hop", "/ok", nil), ("get: /hop", "/401", "because the server redirected the request"),
        ("get: /list, paginate: {next: $.url}", "/ok", "because the next page is at another origin"),
        ("get: \"${steps.list.outputs.url}\", auth: {bearer: own-token}", "/ok", nil),
    ])
    func `a warning names the origin that did not receive credentials`(
        step: String,
        path: String,
        reason: String?
    ) async throws {
        let fixture = try ExecutionFixture(
            """
                auth: {bearer: token-of-s}
            graphs:
              main:
                inputs: {origin: {type: string, default: "http://t"}}
                chain:
                  - {id: list, get: /list, outputs: {url: $.url}}
                  - {id: x, onFailure: continue, \(step)}

            """,
            [
                "/list": .json("{\"url\": \"http://t\(path)\"}"), "/hop": .redirect("http://t\(path)", status: 302),
                "/ok": .json("{}"), "/401": .json("{}", status: 401),
            ]
        )
        let listener = EventListener()
        _ = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        let isOwn = step.contains("own")
        #expect(fixture.transport.sent.last?.headers.contains { $0.name == "Authorization" } == isOwn)
        #expect(listener.warnings.count == (reason == nil ? 0 : 1), "\(listener.warnings)")
        if let reason {
            let start = "credentials were not sent to http://t:80, \(reason)"
            #expect(listener.warnings.first?.hasPrefix(start) == true, "\(listener.warnings)")
        }
    }

    /// The content of a request that is not a credential, and all of it.
    private static let plain = ["PlainField", "PlainQuery", "PlainBody"]
    private static let marks = ["CAuth", "CKey", "CSecret", "CVariable", "CQuery"] + plain

    @Test(arguments: [
        ("baseURL: \"${steps.list.outputs.url}\"", plain),
        ("baseURL: \"${inputs.u}\"", marks), ("baseURL: \"http://t\"", marks), ("", marks),
        ("proxy: \"${steps.list.outputs.url}\"", plain),
        ("proxy: \"http://${steps.list.outputs.url}@p:8080\"", marks), ("proxy: \"${inputs.u}\"", marks),
        ("forEach: {in: [\"http://p\"], as: p}, proxy: \"${p}\"", marks),
        ("forEach: {in: [\"${steps.list.outputs.url}\"], as: p}, proxy: \"${p}\"", plain),
    ])
    func `an endpoint's credentials are not sent to an origin or through a proxy that a response chooses`(
        setting: String,
        expected: [String]
    ) async throws {
        let fixture = try ExecutionFixture(
            """
                auth: {bearer: service}
            secrets: {key: {env: KEY}}
            endpoints:
              e:
                method: POST
                path: /x
                vars: {v: "${secrets.key}"}
                auth: {bearer: CAuth}
                headers: {X-Api-Key: CKey, X-A: "CSecret${secrets.key}", X-B: "CVariable${vars.v}", X-C: PlainField}
                query: {token: CQuery, q: PlainQuery}
                body: {text: PlainBody}
            graphs:
              main:
                inputs: {u: {type: string, default: "http://t"}}
                chain:
                  - {id: list, get: /list, outputs: {url: $.url}}
                  - {id: x, call: e\(setting.isEmpty ? "" : ", " + setting)}

            """,
            ["/list": .json("{\"url\": \"http://t\"}"), "/x": .json("{}")]
        )
        let listener = EventListener()
        let events = EventStream(journal: nil, observers: [listener])
        let result = await fixture.run(secrets: ["key": "hunter2"], events: events).result
        let sent = fixture.transport.sent
        try #require(sent.count == 2, "\(result.steps.compactMap(\.failure?.message.string))")
        var text = ([sent[1].url] + sent[1].headers.map(\.value)).joined(separator: " ")
        if case .bytes(let body) = sent[1].body { text += String(decoding: body, as: UTF8.self) }
        #expect(Self.marks.filter(text.contains) == expected, "\(text)")
        #expect(listener.warnings.contains { $0.hasPrefix("credentials were not sent") } == (expected != Self.marks))
        #expect(sent[1].options.cookies == (expected != Self.marks && setting.contains("proxy") ? .off : .run))
    }

    @Test(arguments: [
        // A secret in a setting of the service, beside no address.
        ("", "userAgent: \"agent ${secrets.key}\"", "{get: \"${steps.list.outputs.url}/x\"}", true),
        ("", "userAgent: \"agent ${secrets.key}\"", "{get: /x, proxy: \"${steps.list.outputs.url}\"}", true),
        // The address is in the endpoint, the credentials are in the step.
        (
            "e: {inputs: {u: string}, url: \"${inputs.u}/x\"}", "",
            "{call: e, with: {u: \"${steps.list.outputs.url}\"}, auth: {bearer: \"${secrets.key}\"}}", true
        ),
        // The path or the body is in the endpoint, the address is in the step.
        ("e: {path: \"/x/${secrets.key}\"}", "", "{call: e, baseURL: \"${steps.list.outputs.url}\"}", false),
        ("e: {path: \"/x?k=${secrets.key}\"}", "", "{call: e, proxy: \"${steps.list.outputs.url}\"}", false),
        ("", "version: \"${secrets.key}\"", "{get: /x, baseURL: \"${steps.list.outputs.url}\"}", false),
        (
            "e: {method: POST, path: /x, body: {text: \"${secrets.key}\"}}", "",
            "{call: e, baseURL: \"${steps.list.outputs.url}\"}", false
        ),
    ])
    func `a secret is not sent to an origin or through a proxy that a response chooses elsewhere`(
        endpoints: String,
        service: String,
        step: String,
        isSent: Bool
    ) async throws {
        let fixture = try ExecutionFixture(
            """
                \(service.isEmpty ? "timeout: 5s" : service)
            secrets: {key: {env: KEY}}
            endpoints: {login: {path: /login}\(endpoints.isEmpty ? "" : ", " + endpoints)}
            graphs:
              main:
                chain:
                  - {id: list, get: "http://s/list", version: null, outputs: {url: $.url}}
                  - \(step)

            """,
            ["/list": .json("{\"url\": \"http://t\"}"), "/x": .json("{}")]
        )
        let result = await fixture.run(secrets: ["key": "hunter2"]).result
        let sent = fixture.transport.sent
        try #require(sent.count == (isSent ? 2 : 1), "\(result.steps.compactMap(\.failure?.message.string))")
        let text = sent.dropFirst().flatMap { [$0.url] + $0.headers.map(\.value) }.joined(separator: " ")
        #expect(!text.contains("hunter2"), "\(text)")
        let message = result.steps.last?.failure?.message.string ?? ""
        #expect(isSent ? message.isEmpty : message.contains("so nothing was sent"), "\(message)")
    }

    @Test func `what a step sets beside a computed base URL or proxy is sent there`() async throws {
        for address in ["baseURL", "proxy"] {
            let fixture = try ExecutionFixture(
                """
                endpoints: {e: {path: /x, auth: {bearer: endpoint}}}
                graphs:
                  main:
                    chain:
                      - {id: list, get: /list, outputs: {url: $.url}}
                      - {call: e, \(address): "${steps.list.outputs.url}", auth: {bearer: mine}}

                """,
                ["/list": .json("{\"url\": \"http://t\"}"), "/x": .json("{}")]
            )
            _ = await fixture.run()
            let fields = try #require(fixture.transport.sent.last).headers
            #expect(fields.last?.value == "Bearer mine")
        }
    }

    @Test func `a step's own settings are sent to any origin`() async throws {
        let step = "{get: /x, baseURL: \"http://t\", headers: {X-A: a}, params: {p: 2}, auth: {bearer: mine}}"
        let request = try await request(step, service: "auth: {bearer: token}\n    headers: {X-A: s, X-B: s}")
        #expect(request.url == "http://t/x?p=2")
        let fields = request.headers.map { "\($0.name)=\($0.value)" }.filter { !$0.hasPrefix("User-") }
        #expect(fields == ["X-A=a", "Accept=*/*", "Authorization=Bearer mine"])
    }

    @Test func `limits and timeouts are passed to the transport`() async throws {
        let step = "{get: /a, timeout: 1.5s, connectTimeout: \"${200 + 50}ms\", maxBody: 64KiB, compression: false}"
        let request = try await request(step, service: "maxConnections: 3")
        #expect(request.timeout == .milliseconds(1500))
        #expect(request.connectTimeout == .milliseconds(250))
        #expect(request.maximumBodyBytes == 65536)
        #expect(request.maximumConnectionsPerOrigin == 3)
        #expect(!request.acceptsCompression)
    }

    @Test func `an expression reads the inputs of the level where it is written`() async throws {
        let request = try await request(
            "{call: e, with: {name: \"${inputs.name}/call\"}, headers: {X-Call: \"${inputs.name}\"}}",
            """
            inputs: {name: {type: string, default: outer}, other: {type: string, default: far}}
            endpoints:
              e:
                path: /e
                inputs: {name: string}
                headers:
                  X-Endpoint: ${inputs.name}
                  X-Manifest: ${manifest.inputs.name}
                  X-Other: ${inputs.other}
            """,
            service: "headers: {X-Service: \"${inputs.name}\"}"
        )
        let fields = request.headers.filter { $0.name.hasPrefix("X-") }.map { "\($0.name)=\($0.value)" }
        #expect(
            fields == [
                "X-Service=outer", "X-Endpoint=outer/call", "X-Manifest=outer", "X-Other=far", "X-Call=outer",
            ]
        )
    }
}
