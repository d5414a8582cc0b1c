import Synchronization
import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillTestSupport

/// Steps that passed are sent again only if that is needed, and safe or allowed.
@Suite(.timeLimit(.minutes(5))) struct RepeatedStepTests {
    private static func login(_ method: String, then last: String) -> String {
        """
        graphs:
          main:
            chain:
              - {id: login, \(method): /login, outputs: {token: {value: $.token, secret: true}, user: $.user}}
              - {id: order, post: /orders}
              \(last)
        """
    }

    private static let answer: @Sendable (String) -> ScriptedTransport.Reply? = { path in
        path == "/login" ? .json(#"{"token": "token-123456", "user": 7}"#) : nil
    }

    private static let usesToken = #"- {id: last, get: /last, auth: {bearer: "${steps.login.outputs.token}"}}"#
    private static let usesUser = #"- {id: last, get: "/last/${steps.login.outputs.user}"}"#

    private static func started(_ step: String) -> String { "\"type\":\"step.started\",\"step\":\"main.\(step)\"" }
    private static func passed(_ step: String) -> String { "\"type\":\"step.finished\",\"step\":\"main.\(step)\"" }

    @Test func `a POST whose secret output a later step needs stops the resumed run before anything is sent`()
        async throws
    {
        let text = Self.login("post", then: Self.usesToken)
        let run = try await ResumedRun(text, killedAfter: Self.passed("order"), answering: Self.answer)
        #expect(run.sent == [])
        #expect(
            run.messages == [
                "step 'main.login' passed and must not be sent again, but the journal does not contain its output 'token'"
            ]
        )
        #expect(run.decision.diagnostics.first?.help.first?.contains("--repeat-unsure") == true)
    }

    @Test func `repeat-unsure sends only the needed POST again`() async throws {
        let text = Self.login("post", then: Self.usesToken)
        let run = try await ResumedRun(
            text,
            killedAfter: Self.passed("order"),
            repeatsUnsure: true,
            answering: Self.answer
        )
        #expect(run.sent == ["POST /login", "GET /last"])
        #expect(run.outcome?.summary == "login:passed order:passed last:passed")
    }

    @Test func `a GET whose secret output a later step needs is sent again`() async throws {
        let text = Self.login("get", then: Self.usesToken)
        let run = try await ResumedRun(text, killedAfter: Self.passed("order"), answering: Self.answer)
        #expect(run.sent == ["GET /login", "GET /last"])
    }

    @Test func `outputs of a step that are not secret are kept`() async throws {
        let text = Self.login("post", then: Self.usesUser)
        let run = try await ResumedRun(text, killedAfter: Self.passed("order"), answering: Self.answer)
        #expect(run.sent == ["GET /last/7"])
    }

    @Test func `steps that a repeated step needs run again too`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - {id: a, get: /a, outputs: {token: {value: $.token, secret: true}}}
                  - id: b
                    get: /b
                    auth: {bearer: "${steps.a.outputs.token}"}
                    outputs: {key: {value: $.token, secret: true}}
                  - {id: order, post: /orders}
                  - {id: last, get: /last, auth: {bearer: "${steps.b.outputs.key}"}}
            """
        let run = try await ResumedRun(text, killedAfter: Self.passed("order")) { path in
            path == "/a" || path == "/b" ? .json(#"{"token": "token-123456"}"#) : nil
        }
        #expect(run.sent == ["GET /a", "GET /b", "GET /last"])
    }

    // MARK: finally

    private static let withFinally = """
        graphs:
          main:
            chain:
              - {id: create, post: /things}
              - {id: look, get: /look}
            finally:
              - {id: delete, delete: /things/1}
        """

    @Test(arguments: ["\"type\":\"graph.finishing\"", "\"type\":\"step.finished\",\"step\":\"main.finally.delete\""])
    func `in a graph whose finally had started, only finally runs again`(line: String) async throws {
        let run = try await ResumedRun(Self.withFinally, killedAfter: line)
        #expect(run.sent == ["DELETE /things/1"])
        #expect(run.outcome?.summary == "create:passed look:passed delete:passed")
    }

    @Test func `finally of a graph that passed does not run again`() async throws {
        let run = try await ResumedRun(Self.withFinally, killedAfter: "\"type\":\"graph.finished\"")
        #expect(run.sent == [])
        #expect(run.outcome?.summary == "create:passed look:passed delete:passed")
    }

    // MARK: Cookies

    private static func cookies(_ method: String, last: String = "get: /last") -> String {
        """
        graphs:
          main:
            chain:
              - {id: login, \(method): /login}
              - {id: order, post: /orders}
              - {id: last, \(last)}
        """
    }

    private static func setting(_ cookie: String) -> @Sendable (String) -> ScriptedTransport.Reply? {
        { $0 == "/login" ? .cookie(cookie) : nil }
    }

    @Test func `a GET that set a cookie is sent again`() async throws {
        let text = Self.cookies("get")
        let run = try await ResumedRun(text, killedAfter: Self.passed("order"), answering: Self.setting("a=1"))
        #expect(run.sent == ["GET /login", "GET /last"])
    }

    @Test func `a POST that set a cookie stops the resumed run, and repeat-unsure sends it again`() async throws {
        let text = Self.cookies("post")
        let line = Self.passed("order")
        let stopped = try await ResumedRun(text, killedAfter: line, answering: Self.setting("a=1"))
        #expect(stopped.sent == [])
        #expect(
            stopped.messages == [
                "step 'main.login' passed and must not be sent again, but the journal does not contain its cookies, which later "
                    + "requests need"
            ]
        )
        let allowed = try await ResumedRun(
            text,
            killedAfter: line,
            repeatsUnsure: true,
            answering: Self.setting("a=1")
        )
        #expect(allowed.sent == ["POST /login", "GET /last"])
    }

    @Test(arguments: [
        ("a=1", "get: /last, cookies: false"), ("a=1", #"get: "http://t/last""#),
        ("a=1; Domain=s.example", "get: /last"),
    ])
    func `a cookie that no later request receives is not obtained again`(cookie: String, last: String) async throws {
        let text = Self.cookies("post", last: last)
        let run = try await ResumedRun(text, killedAfter: Self.passed("order"), answering: Self.setting(cookie))
        #expect(run.messages == [])
        #expect(run.sent.count == 1)
    }

    @Test func `steps of a batch do not need each other's cookies`() async throws {
        let text = """
            graphs:
              main:
                batch:
                  - {id: order, post: /login}
                  - {id: look, get: /look, delay: 10ms}
            """
        let run = try await ResumedRun(text, killedAfter: Self.passed("order"), answering: Self.setting("a=1"))
        #expect(run.sent == ["GET /look"])
    }

    @Test func `cookies of elements that passed are reported as lost`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - {id: each, forEach: {in: [1, 2], as: n, concurrency: 1}, post: /login}
                  - {id: last, get: /last}
            """
        let run = try await ResumedRun(text, killedAfter: Self.passed("each"), answering: Self.setting("a=1"))
        #expect(run.sent == ["GET /last"])
        #expect(run.decision.lostCookies.map(\.step) == ["main.each"])
    }

    // MARK: Elements

    private static func elements(_ method: String) -> String {
        """
        graphs:
          main:
            chain:
              - id: each
                forEach: {in: [1, 2, 3], as: n, concurrency: 1}
                \(method): "/keys/${n}"
                outputs: {key: {value: $.key, secret: true}}
              - {id: order, post: /orders}
              - {id: last, get: /last, headers: {X-Key: "${steps.each.items[1].outputs.key}"}}
        """
    }

    @Test func `elements with needed secret outputs run again if that is safe`() async throws {
        let answer: @Sendable (String) -> ScriptedTransport.Reply? = { _ in .json(#"{"key": "key-1234567"}"#) }
        let gets = try await ResumedRun(Self.elements("get"), killedAfter: Self.passed("order"), answering: answer)
        #expect(gets.sent == ["GET /keys/1", "GET /keys/2", "GET /keys/3", "GET /last"])
        let posts = try await ResumedRun(Self.elements("post"), killedAfter: Self.passed("order"), answering: answer)
        #expect(posts.sent == [])
        #expect(posts.messages.count == 1)
    }

    /// The journal has nothing of secret elements: the list may have another order now.
    @Test(arguments: ["get", "put", "post"])
    func `all elements of a secret list run again if that is safe`(method: String) async throws {
        let text = """
            graphs:
              main:
                chain:
                  - {id: list, get: /list, outputs: {keys: {value: $.keys, secret: true}}}
                  - id: each
                    forEach: {in: steps.list.outputs.keys, as: key, concurrency: 1}
                    \(method): "/keys/${key}"
            """
        let lists = Mutex([#"["key-cccccc","key-aaaaaa","key-bbbbbb"]"#, #"["key-aaaaaa","key-bbbbbb"]"#])
        let answer: @Sendable (String) -> ScriptedTransport.Reply? = { url in
            url == "/list" ? .json(#"{"keys": \#(lists.withLock { $0.popLast()! })}"#) : nil
        }
        let run = try await ResumedRun(text, killedAfter: #""element":0"#, answering: answer)
        guard method == "get" else {
            #expect(run.sent == [])
            #expect(
                run.messages == [
                    "elements of step 'main.each' passed and must not be sent again, but its list is secret, so the "
                        + "journal cannot show which elements they were"
                ]
            )
            return
        }
        #expect(run.sent == ["GET /list", "GET /keys/key-cccccc", "GET /keys/key-aaaaaa", "GET /keys/key-bbbbbb"])
    }

    @Test func `elements of a literal list with secrets keep their results`() async throws {
        let text = """
            secrets: {one: {env: ONE}, two: {env: TWO}}
            graphs: {main: {chain: [{id: each, forEach: {in: ["${secrets.one}", "${secrets.two}"], as: key, concurrency: 1}, post: "/keys/${key}"}]}}
            """
        let secrets = ["one": "key-aaaaaa", "two": "key-bbbbbb"]
        let run = try await ResumedRun(text, killedAfter: #""element":0"#, secrets: secrets)
        #expect(run.sent == ["POST /keys/key-bbbbbb"])
        let list = "[\"${steps.l.outputs.k[0]}\", \"${steps.l.outputs.k[1]}\"]"
        let outputs = """
            graphs:
              main:
                chain:
                  - {id: l, get: /l, outputs: {k: {value: $.k, secret: true}}}
                  - {id: each, forEach: {in: \(list), as: key, concurrency: 1}, post: "/keys/${key}"}
            """
        let refused = try await ResumedRun(outputs, killedAfter: #""element":0"#) { _ in
            .json(#"{"k": ["key-aaaaaa", "key-bbbbbb"]}"#)
        }
        #expect(refused.sent == [] && refused.messages.count == 1)
    }

    // MARK: Graphs in graphs

    @Test func `a graph does not run again for a secret output that is no longer needed`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - {id: sub, graph: inner}
                  - {id: order, post: /orders, headers: {X-Key: "${steps.sub.outputs.token}"}}
                  - {id: last, get: /last}
              inner:
                chain:
                  - {id: login, post: /login, outputs: {token: {value: $.token, secret: true}}}
                outputs: {token: {value: steps.login.outputs.token, secret: true}}
            """
        let run = try await ResumedRun(text, killedAfter: Self.passed("order"), answering: Self.answer)
        #expect(run.sent == ["GET /last"])
        #expect(run.outcome?.summary == "login:passed order:passed last:passed")
        let early = try await ResumedRun(text, killedAfter: Self.passed("sub.login"), answering: Self.answer)
        #expect(early.sent == [])
        #expect(early.messages.count == 1)
    }

    // MARK: Pages

    @Test func `pages of a POST are not requested again`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - {id: all, post: /0, paginate: {next: $.next, items: $.rows}}
            """
        let answer: @Sendable (String) -> ScriptedTransport.Reply? = { path in
            .json(path == "/0" ? #"{"rows": [1], "next": "/1"}"# : #"{"rows": [2], "next": null}"#)
        }
        let first = try await ResumedRun(text, killedAfter: "\"page\":1", answering: answer)
        #expect(first.sent == ["POST /1"])
        let last = try await ResumedRun(text, killedAfter: "\"page\":2", answering: answer)
        #expect(last.sent == [])
        #expect(last.messages.count == 1)
    }

    // MARK: Sessions

    private static let session = """
            session: {call: login}
        endpoints:
          login:
            service: s
            method: POST
            path: /login
            outputs: {token: {value: $.token, secret: true}}
        graphs:
          main:
            chain:
              - {id: order, post: /orders, auth: {bearer: "${session.token}"}}
              - {id: last, get: /last}
        """

    @Test func `a session that was being fetched is fetched again`() async throws {
        let run = try await ResumedRun(
            Self.session,
            killedAfter: "\"type\":\"request.willSend\",\"step\":\"session.s\"",
            answering: Self.answer
        )
        #expect(run.sent == ["POST /login", "POST /orders", "GET /last"])
    }

    @Test func `a session whose cookies later requests need is fetched again before them`() async throws {
        let run = try await ResumedRun(Self.session, killedAfter: Self.passed("order")) { path in
            path == "/login" ? .cookie("a=1", body: #"{"token": "token-123456"}"#) : nil
        }
        #expect(run.sent == ["POST /login", "GET /last"])
    }
}
