import Testing
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// Secrets that a response contains and that its outputs name only later, or cannot name because the step has failed.
@Suite(.timeLimit(.minutes(5))) struct UnknownSecretTests {
    private static let secret = "hunter2hunter2hunter2"

    /// Executes a step with the secret output `k`, and returns its failure and all that the run has written.
    private func run(
        _ step: String,
        _ responses: [String: ScriptedTransport.Reply]
    ) async throws -> (message: String?, written: [String: String]) {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, debug: true, \(step), secret: true}}}
            """,
            responses
        )
        let folder = TemporaryFolder()
        let (outcome, _) = try await fixture.run(into: folder)
        var written = ["events.ndjson": folder.read("events.ndjson") ?? ""]
        for name in folder.names(in: "bodies") { written[name] = folder.read("bodies/\(name)") }
        return (outcome.result.steps[0].failure?.message.string, written)
    }

    @Test(arguments: [
        "{id: b, values: {t: \"concat('x', default(steps.a.data.token, ''))\"}}",
        "{id: b, get: \"/b?t=${default(steps.a.data.token, '')}\"}",
        "{id: b, when: exists(steps.a.data.user), values: {t: 1}}",
        "{id: b, values: {t: \"default(steps.a.headers['Retry-After'], '')\"}}",
    ])
    func `the data of a step whose secret output cannot be evaluated is secret for later steps`(step: String)
        async throws
    {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, onFailure: continue, get: /a, outputs: {k: {value: $.tokn, secret: true}}}
                  - \(step)
            """,
            ["/a": .json("{\"token\": \"\(Self.secret)\"}"), "/b?t=\(Self.secret)": .json("{}")]
        )
        let folder = TemporaryFolder()
        _ = try await fixture.run(into: folder)
        for name in ["events.ndjson", "run.json", "outputs.json"] {
            #expect(folder.read(name)?.contains(Self.secret) != true, "\(name)")
        }
    }

    private static let token = "outputs: {k: {value: $.token"

    @Test(arguments: [
        (
            "get: /a, decoding: json, \(token)",
            ScriptedTransport.Reply.text("{\"token\": \"\(secret)\"} <!-- x -->", type: "a/b")
        ),
        ("get: /a, accept: [text/html], \(token)", .json("{\"token\": \"\(secret)\"}")),
        ("get: /a, filters: [{require: {that: 1 == 2}}], \(token)", .json("{\"token\": \"\(secret)\"}")),
        ("get: /a, \(token)", .json("{\"token\": \"\(secret)\"}", status: 500)),
        ("get: /a, outputs: {k: {value: 'response.headers[\"Retry-After\"]'", .busy(retryAfter: secret)),
        (
            "get: /a, outputs: {k: {value: 'capture(response.headers[\"Retry-After\"], \"^([0-9]+)!\")'",
            .busy(retryAfter: secret)
        ),
        (
            "get: /a, until: {that: $.token == 1, every: 1ms, times: 1}, outputs: {k: {value: $.tokn",
            .json("{\"token\": \"\(secret)\"}")
        ),
        ("get: /a, outputs: {k: {value: date($.token)", .json("{\"token\": \"\(secret)\"}")),
        (
            "get: /a, filters: [{require: {that: 1 == 2, message: $.token}}], outputs: {k: {value: $.tokn",
            .json("{\"token\": \"\(secret)\"}")
        ),
    ])
    func `a secret of a response that is not accepted is not written`(
        step: String,
        response: ScriptedTransport.Reply
    ) async throws {
        let (message, written) = try await run(step, ["/a": response])
        #expect(message != nil)
        for (name, text) in written { #expect(!text.contains(Self.secret), "\(name)") }
    }

    @Test(arguments: [
        "text: \"user=${VALUE}&x=1\"", "json: {note: \"<${VALUE}>\"}", "form: {a: \"1-${VALUE}\"}",
        "text: \"${concat('user=', VALUE, ';')}\"",
    ])
    func `a value that is computed from a secret is redacted in a longer text and in its echo`(
        body: String
    ) async throws {
        for value in ["upper(secrets.k)", "split(secrets.k, ':')[0]", "capture(secrets.k, 'a(.*):.*')"] {
            let fixture = try ExecutionFixture(
                """
                secrets: {k: {env: K}}
                graphs:
                  main:
                    chain:
                      - {id: a, debug: true, post: /a, body: {\(body.replacing("VALUE", with: value))}, decoding: json}
                """
            ) { request in
                guard case .bytes(let bytes) = request.body else { return nil }
                let text = String(decoding: bytes, as: UTF8.self)
                return .text("no JSON: \(text)", type: "application/json")
            }
            let folder = TemporaryFolder()
            let (outcome, _) = try await fixture.run(into: folder, secrets: ["k": "abcdefgh:ijklmnop"])
            #expect(fixture.transport.sent.count == 1, "\(outcome.result.steps[0].failure?.message.string ?? "")")
            var written = folder.read("events.ndjson") ?? ""
            for name in folder.names(in: "bodies") { written += folder.read("bodies/\(name)") ?? "" }
            #expect(written.contains("***"))
            #expect(!written.lowercased().contains("bcdefgh"), "\(value)")
        }
    }

    @Test func `a body that cannot be decoded is hidden if the step has secret outputs`() async throws {
        let answer = ScriptedTransport.Reply.text("{\"token\": \"\(Self.secret)\"} x", type: "application/json")
        let (message, written) = try await run("get: /a, \(Self.token)", ["/a": answer])
        #expect(message?.hasSuffix("; the body is not shown, because it may contain secret outputs") == true)
        #expect(written.keys.sorted() == ["events.ndjson"])
    }

    @Test func `a secret in the address of a redirect is not written`() async throws {
        let output = "outputs: {k: {value: \"capture(response.redirects[0].url, 'token=(.*)')\""
        let (message, written) = try await run(
            "get: /a, \(output)",
            ["/a": .redirect("/b?token=\(Self.secret)", status: 302), "/b": .json("{}")]
        )
        #expect(message == nil)
        #expect(!(written["events.ndjson"] ?? "").contains(Self.secret))
    }

    @Test func `a redirect is reported without its query if the request fails after it`() async throws {
        let (message, written) = try await run(
            "get: /a, outputs: {k: {value: $.k",
            ["/a": .redirect("/b?token=\(Self.secret)", status: 302), "/b?token=\(Self.secret)": .failure(.connect)]
        )
        let events = try #require(written["events.ndjson"])
        #expect(message != nil && events.contains(#""url":"http://s/b""#))
        #expect(!events.contains(Self.secret))
    }

    @Test(arguments: [secret, "another\(secret)"])
    func `a secret item of a page is not written in the address of its redirect`(token: String) async throws {
        let (message, written) = try await run(
            "get: /a, paginate: {next: $.next, items: $.items}, outputs: {k: {value: \"$[*].key\"",
            [
                "/a": .redirect("/b?token=\(token)", status: 302),
                "/b?token=\(token)": .json("{\"items\": [{\"key\": \"\(Self.secret)\"}]}"),
            ]
        )
        #expect(message == nil)
        #expect(!(written["events.ndjson"] ?? "").contains(Self.secret))
    }

    @Test func `debug does not show the secret items of a page`() async throws {
        let (message, written) = try await run(
            "get: /a, paginate: {next: $.next, items: $.items}, outputs: {k: {value: \"$[*].key\"",
            [
                "/a": .json("{\"next\": \"/b\", \"items\": [{\"key\": \"\(Self.secret)\"}]}"),
                "/b": .json("{\"items\": [{\"key\": \"another\(Self.secret)\"}]}"),
            ]
        )
        #expect(message == nil)
        #expect(!(written["events.ndjson"] ?? "").contains(Self.secret))
    }

    @Test func `a credential that is written in a header field is redacted where a server repeats it`() async throws {
        let (message, written) = try await run(
            "get: /a, headers: {X-Api-Key: written-1, Authorization: Bearer written-2}, \(Self.token)",
            ["/a": .json("{\"token\": 1, \"message\": \"bad key written-1, bad token written-2\"}", status: 403)]
        )
        #expect(message?.contains("bad key") == true, "\(message ?? "")")
        for text in written.values + [message ?? ""] { #expect(!text.contains("written-"), "\(text)") }
    }
}
