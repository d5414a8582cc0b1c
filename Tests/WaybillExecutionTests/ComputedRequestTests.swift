import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillTransport

/// Requests whose method or expected status is computed, or that use another service.
@Suite(.timeLimit(.minutes(5))) struct ComputedRequestTests {
    private func graph(_ steps: String) -> String { "graphs:\n  main:\n    chain:\n      \(steps)\n" }

    @Test func `each element of a forEach can have its own method and expected status`() async throws {
        let fixture = try ExecutionFixture(
            graph(
                """
                - id: rows
                        forEach: {in: [{m: GET, s: 200}, {m: POST, s: 2xx}, {m: PROPFIND, s: [207, 404]}], as: row}
                        request:
                          method: ${row.m}
                          path: /${row.m}
                          params: {a: 1}
                          expect: {status: "${row.s}"}
                """
            ),
            ["/GET": .json("{}"), "/POST": .json("{}", status: 201), "/PROPFIND": .json("{}", status: 404)]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "rows:passed")
        let sent = fixture.transport.sent.map { "\($0.method) \($0.url)" }.sorted()
        #expect(sent == ["GET http://s/GET?a=1", "POST http://s/POST", "PROPFIND http://s/PROPFIND"])
        #expect(fixture.transport.sent.allSatisfy { ($0.method == "GET") == ($0.body == .none) })
    }

    @Test func `an unexpected status is a failure that names the expected ones`() async throws {
        let fixture = try ExecutionFixture(graph("- {get: /a, expect: {status: [\"${200 + 4}\", 5xx]}}"))
        let failure = try #require(await fixture.run().result.steps.first?.failure)
        #expect(failure.kind == .status)
        #expect(failure.message.string == "the status is 200, not 204 or 5xx")
    }

    @Test(arguments: [
        ("{request: {path: /a, method: \"${'GET IT'}\"}}", "'GET IT' is not a method: expected one word, such as GET"),
        ("{request: {path: /a, method: \"${secrets.key}\"}}", "a secret cannot be the method of a request"),
        (
            "{get: /a, expect: {status: \"${'ok'}\"}}",
            "expected a status such as 200 or 2xx, or a list of those, found \"ok\""
        ),
        (
            "{get: /a, expect: {status: \"${99}\"}}",
            "expected a status such as 200 or 2xx, or a list of those, found 99"
        ),
        (
            "{request: {path: /a, method: \"${'POST'}\", params: {a: 1}, body: {json: 1}}}",
            "a POST request cannot have both 'params' and 'body': 'params' would be its body"
        ),
    ])
    func `computed values are checked before the request is sent`(step: String, message: String) async throws {
        let fixture = try ExecutionFixture("secrets: {key: {env: KEY}}\n" + graph("- \(step)"))
        let failure = try #require(await fixture.run(secrets: ["key": "topsecret"]).result.steps.first?.failure)
        #expect(failure.kind == .input)
        #expect(failure.message.string == message)
        #expect(fixture.transport.sent.isEmpty)
    }

    @Test(arguments: [("PUT", 2), ("POST", 1)])
    func `a computed method determines whether a request is retried`(method: String, count: Int) async throws {
        let retry = "{times: 1, for: [503], backoff: {first: 1ms, jitter: false}}"
        let fixture = try ExecutionFixture(
            graph("- {request: {path: /a, method: \"${'\(method)'}\", retry: \(retry)}}"),
            ["/a": .json("{}", status: 503)]
        )
        _ = await fixture.run()
        #expect(fixture.transport.sent.count == count)
    }

    @Test func `a response to a computed HEAD has no content to filter`() async throws {
        let step = "- {id: a, request: {path: /a, method: \"${'HEAD'}\", filters: [{select: $.a}]}}"
        let fixture = try ExecutionFixture(graph(step), ["/a": .json("{}")])
        #expect(await fixture.run().summary == "a:passed")
        #expect(fixture.transport.sent.map(\.method) == ["HEAD"])
    }

    @Test func `a call can send an endpoint's request to another service, with that service's settings`()
        async throws
    {
        let fixture = try ExecutionFixture(
            """
                headers: {X-S: s}
                auth: {bearer: of-s}
              t:
                baseURL: http://t/base
                version: v2
                headers: {X-T: t}
                auth: {bearer: of-t}
            endpoints:
              item: {service: s, path: /item, headers: {X-Own: o}}
              open: {path: /open}
            \(graph("""
                - {call: item}
                      - {id: copy, call: item, service: t}
                      - {call: open, service: t}
                """))
            """
        )
        #expect(await fixture.run().summary == "item:passed copy:passed open:passed")
        let sent = fixture.transport.sent
        #expect(sent.map(\.url) == ["http://s/item", "http://t/base/v2/item", "http://t/base/v2/open"])
        let fields = sent.map { $0.headers.filter { !["Accept", "User-Agent"].contains($0.name) }.map(\.value) }
        #expect(fields == [["s", "o", "Bearer of-s"], ["t", "o", "Bearer of-t"], ["t", "Bearer of-t"]])
    }
}
