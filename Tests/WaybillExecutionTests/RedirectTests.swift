import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults

@testable import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct RedirectTests {
    private func run(
        _ step: String,
        _ replies: [String: ScriptedTransport.Reply],
        secrets: [String: String] = [:]
    ) async throws -> (outcome: Executor.Outcome, sent: [HTTPRequest], hops: [String]) {
        let fixture = try ExecutionFixture(
            "secrets: {key: {env: KEY}}\ngraphs: {main: {chain: [{id: a, \(step)}]}}\n",
            replies
        )
        let listener = EventListener()
        let events = EventStream(journal: nil, observers: [listener])
        let outcome = await fixture.run(secrets: secrets, events: events)
        return (outcome, fixture.transport.sent, listener.redirections)
    }

    @Test func `redirects are followed, and each hop is reported`() async throws {
        let (outcome, sent, hops) = try await run(
            "post: /a, body: {text: x}",
            ["/a": .redirect("/b", status: 303), "/b": .redirect("http://s/c", status: 301)]
        )
        #expect(outcome.summary == "a:passed")
        #expect(sent.map { "\($0.method) \($0.url)" } == ["POST http://s/a", "GET http://s/b", "GET http://s/c"])
        #expect(hops == ["303 GET http://s/b", "301 GET http://s/c"])
    }

    @Test func `an expectation can check the redirects, in which secrets are redacted`() async throws {
        let conditions = """
            [length(response.redirects) == 2, "response.redirects[0].status == 303",
              "response.redirects[1].url == 'http://s/c?k=***'"]
            """
        let (outcome, _, _) = try await run(
            "get: /a, headers: {X-Key: \"${secrets.key}\"}, expect: {body: \(conditions)}",
            ["/a": .redirect("/b", status: 303), "/b": .redirect("http://s/c?k=hunter2hunter2", status: 301)],
            secrets: ["key": "hunter2hunter2"]
        )
        #expect(outcome.summary == "a:passed", "\(outcome.result.steps)")
    }

    @Test func `another origin receives only harmless header fields without secrets`() async throws {
        let (_, sent, _) = try await run(
            "get: /a, auth: {bearer: t}, headers: {Accept-Language: \"${secrets.key}\", X-Plain: p, Range: bytes=0-}",
            ["/a": .redirect("http://other/b", status: 302)],
            secrets: ["key": "k"]
        )
        #expect(sent.count == 2)
        #expect(sent.last?.headers.map(\.name) == ["Range", "Accept", "User-Agent"])
    }

    /// Steps whose bodies contain a secret: every kind of body, and every encoding of `params`.
    static let secretBodies = [
        "body: {json: {a: [{b: \"${secrets.key}\"}]}}", "body: {plist: {a: \"${secrets.key}\"}}",
        "body: {form: {a: {b: \"x${secrets.key}\"}}}", "body: {text: \"x ${upper(secrets.key)}\"}",
        "body: {base64: \"${secrets.key}\"}", "body: {graphql: {query: q, variables: {a: \"${secrets.key}\"}}}",
        "body: {graphql: {query: \"q ${secrets.key}\"}}",
        "body: {multipart: [{name: a, value: \"${secrets.key}\"}]}",
        "body: {multipart: [{name: \"${secrets.key}\", text: x}]}",
        "body: {multipart: [{name: a, json: {b: \"${secrets.key}\"}}]}",
        "body: {multipart: [{name: a, text: x, headers: {X-A: \"${secrets.key}\"}}]}",
        "body: {multipart: [{name: a, base64: \"${secrets.key}\"}]}", "params: {a: {b: \"${secrets.key}\"}}",
        "params: {a: \"${secrets.key}\"}, encoding: json", "params: {a: \"${secrets.key}\"}, encoding: plist",
        "params: {a: \"${secrets.key}\"}, body: {multipart: [{name: b, value: x}]}",
        "params: {a: \"${secrets.key}\"}, body: {form: {b: x}}",
        "vars: {v: \"${secrets.key}\"}, body: {text: \"${vars.v}\"}", "body: {text: \"${secrets.key}\"}",
        "body: {json: \"${secrets.key}\"}", "body: {text: \"${unbase64(secrets.key)}\"}",
        "body: {json: \"${unbase64(secrets.key)}\"}",
        "body: {multipart: [{name: a, text: \"${unbase64(secrets.key)}\"}]}",
    ]

    @Test(
        arguments: [
            "text: \"${steps.key.outputs.k}\"", "base64: \"${steps.key.outputs.k}\"",
            "multipart: [{name: a, text: \"${steps.key.outputs.k}\"}]",
            "multipart: [{name: a, base64: \"${steps.key.outputs.k}\"}]",
        ],
        [307, 308]
    )
    func `a redirect does not send secret bytes to another origin`(body: String, status: Int) async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: key, get: /key, decoding: bytes, outputs: {k: {value: $, secret: true}}}
                  - post: /a
                    body: {\(body)}
            """,
            [
                "/key": .bytes([0xFF, 0, 1, 0xFE, 2, 3, 4], type: "a/b"),
                "/a": .redirect("http://s:81/b", status: status),
            ]
        )
        let failure = try #require(await fixture.run().result.steps[1].failure)
        #expect(failure.message.string.contains("contains a secret, or values that neither the step"))
        #expect(fixture.transport.paths == ["/key", "/a"])
    }

    @Test(arguments: [
        "params: {api_key: literal}", "body: {text: literal}", "encoding: json\n    params: {a: literal}",
    ])
    func `a redirect does not send the content of a service to another origin`(setting: String) async throws {
        let fixture = try ExecutionFixture(
            "    \(setting)\ngraphs: {main: {chain: [{id: a, post: /a}]}}\n",
            ["/a": .redirect("http://other/b", status: 307)]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:failed")
        #expect(fixture.transport.paths == ["/a"])
    }

    @Test(
        arguments: ["params: {api_key: literal}", "body: {text: literal}"],
        [
            ("defaults: {SETTING}\ngraphs: {main: {chain: [{id: a, post: /a}]}}", "a:failed"),
            ("graphs: {main: {SETTING, chain: [{id: a, post: /a}]}}", "a:failed"),
            ("graphs: {main: {chain: [{chain: [{id: a, post: /a}], SETTING}]}}", "a:failed"),
            ("graphs: {main: {chain: [{id: a, post: /a, SETTING}]}}", "a:passed"),
            ("endpoints: {a: {method: POST, path: /a, SETTING}}\ngraphs: {main: {chain: [{call: a}]}}", "a:passed"),
        ]
    )
    func `of a body, another origin receives after a redirect only what the step or its endpoint sets itself`(
        setting: String,
        manifest: (text: String, summary: String)
    ) async throws {
        let fixture = try ExecutionFixture(
            "\(manifest.text.replacing("SETTING", with: setting))\n",
            ["/a": .redirect("http://other/b", status: 307)]
        )
        #expect(await fixture.run().summary == manifest.summary)
        #expect(fixture.transport.paths == (manifest.summary == "a:failed" ? ["/a"] : ["/a", "/b"]))
    }

    @Test(arguments: ["X-Api-Key", "PRIVATE-TOKEN", "Authorization"])
    func `a field that is named like a credential is sensitive, whatever its value`(name: String) async throws {
        let (_, sent, _) = try await run("get: /a, headers: {\(name): literal, X-Plain: p}", ["/a": .json("{}")])
        let field = try #require(sent.first?.headers.first)
        #expect(field == HTTPField(name: name, value: "literal", isSensitive: true))
        #expect(sent.first?.headers.filter(\.isSensitive).count == 1)
    }

    @Test(arguments: secretBodies, [307, 308])
    func `a redirect does not send a body with a secret to another origin`(body: String, status: Int) async throws {
        let (outcome, sent, hops) = try await run(
            "post: /a, \(body)",
            ["/a": .redirect("http://s:81/b", status: status)],
            secrets: ["key": "bm90aGluZw=="]
        )
        #expect(outcome.summary == "a:failed")
        #expect(sent.map(\.url) == ["http://s/a"])
        #expect(hops.isEmpty)
        let failure = try #require(outcome.result.steps[0].failure)
        #expect(failure.kind == .transfer)
        #expect(
            failure.message.string
                == "s:80 redirected the request to another origin, http://s:81, with status \(status); the request's body "
                + "contains a secret, or values that neither the step nor its endpoint sets itself, so it was not sent there. If that origin may receive it, use its address in the manifest"
        )
    }

    @Test(arguments: [
        ("put: /a, body: {text: \"${secrets.key}\"}", "http://other/b", 301, "a:failed", 1),
        ("patch: /a, body: {text: \"${secrets.key}\"}", "https://s/b", 302, "a:failed", 1),
        ("post: /a, body: {text: \"${secrets.key}\"}", "http://other/b", 302, "a:passed", 2),
        ("post: /a, body: {text: \"${secrets.key}\"}", "http://other/b", 303, "a:passed", 2),
        ("post: /a, body: {text: \"${secrets.key}\"}", "/b", 307, "a:passed", 2),
        ("post: /a, body: {text: \"${sha256(secrets.key)}\"}", "http://other/b", 307, "a:passed", 2),
        ("post: /a, body: {text: plain}", "http://other/b", 308, "a:passed", 2),
    ])
    func `a redirect is followed if the body has no secret, stays at its origin, or is dropped`(
        step: String,
        location: String,
        status: Int,
        summary: String,
        count: Int
    ) async throws {
        let (outcome, sent, _) = try await run(
            step,
            ["/a": .redirect(location, status: status)],
            secrets: ["key": "k-secret"]
        )
        #expect(outcome.summary == summary)
        #expect(sent.count == count)
        if let last = sent.dropFirst().last, location.hasPrefix("http://other"), status < 304 {
            #expect(last.body == .none)
        }
    }

    @Test func `a redirect does not send a session's login to another origin`() async throws {
        let fixture = try ExecutionFixture(
            """
                session: {call: login, with: {password: "${secrets.key}"}}
            secrets: {key: {env: KEY}}
            endpoints:
              login:
                {method: POST, path: /login, inputs: {password: string}, params: {password: "${inputs.password}"}, outputs: {token: $.token}}
            graphs: {main: {chain: [{id: a, get: /a, headers: {X-Token: "${session.token}"}}]}}

            """,
            ["/login": .redirect("http://evil/login", status: 307)]
        )
        #expect(await fixture.run(secrets: ["key": "k-secret"]).summary == "a:failed")
        #expect(fixture.transport.sent.map(\.url) == ["http://s/login"])
    }

    @Test func `a page at another origin does not receive a body with a secret`() async throws {
        let (outcome, sent, _) = try await run(
            "post: /a, body: {text: \"${secrets.key}\"}, paginate: {next: $.next, items: $.rows}",
            ["/a": .json("{\"rows\": [1], \"next\": \"http://s:81/b\"}")],
            secrets: ["key": "k-secret"]
        )
        #expect(outcome.summary == "a:failed")
        #expect(sent.map(\.url) == ["http://s/a"])
    }

    @Test(arguments: ["minVersion: \"1.2\"", "verifyHost: false"])
    func `a next page without TLS is not requested if tls demands something`(tls: String) async throws {
        let (outcome, sent, _) = try await run(
            "get: \"https://s/a\", tls: {\(tls)}, paginate: {next: $.next, items: $.rows}",
            ["/a": .json(#"{"rows": [1], "next": "http://s/b"}"#), "/b": .json(#"{"rows": []}"#)],
            secrets: ["key": "k-secret"]
        )
        let isRefused = tls.hasPrefix("minVersion")
        #expect(outcome.summary == (isRefused ? "a:failed" : "a:passed"), "\(outcome.result.steps)")
        #expect(sent.map(\.url) == (isRefused ? ["https://s/a"] : ["https://s/a", "http://s/b"]))
    }

    @Test func `a user agent with a secret is not sent to another origin`() async throws {
        let (_, sent, _) = try await run(
            "get: /a, userAgent: \"a/${secrets.key}\"",
            ["/a": .redirect("http://other/b", status: 302)],
            secrets: ["key": "k-secret"]
        )
        #expect(sent.map { $0.headers.contains { $0.isNamed("User-Agent") } } == [true, false])
    }

    @Test(arguments: [("redirects: false, expect: {status: 302}", "a:passed", 1), ("redirects: 1", "a:failed", 2)])
    func `the limit of redirects applies, and redirects can be turned off`(
        settings: String,
        summary: String,
        count: Int
    ) async throws {
        let (outcome, sent, _) = try await run(
            "get: /a, \(settings)",
            ["/a": .redirect("/b", status: 302), "/b": .redirect("/a", status: 302)]
        )
        #expect(outcome.summary == summary)
        #expect(sent.count == count)
    }

    @Test func `the total time covers all redirects, and the phases are those of the last request`() async throws {
        let transport = ScriptedTransport(["/a": .redirect("/b", status: 302)])
        transport.respond(
            in: TransferTimings(
                dns: .zero,
                connect: .zero,
                tls: .zero,
                firstByte: .milliseconds(500),
                total: .seconds(1)
            )
        )
        let response = try await transport.send(HTTPRequest(url: "http://s/a"), followingRedirects: 1).get()
        #expect(response.timings.total == .seconds(2))
        #expect(response.timings.firstByte == .milliseconds(500))
    }
}
