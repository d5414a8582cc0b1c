import Testing
import WaybillExecution
import WaybillResults
import WaybillTestSupport

/// The bodies of failed responses in the results folder.
@Suite(.timeLimit(.minutes(5))) struct KeptBodyTests {
    private let folder = TemporaryFolder()

    private func run(_ step: String, _ reply: ScriptedTransport.Reply) async throws -> Executor.Outcome {
        let fixture = try ExecutionFixture(
            "secrets: {key: {env: KEY}}\ngraphs: {main: {chain: [{id: a, get: /a, \(step)}]}}\n",
            ["/a": reply]
        )
        return try await fixture.run(into: folder, secrets: ["key": "hunter2"]).outcome
    }

    @Test(
        arguments: [
            "intercept: {beforeSuccess: [{fail: no}]}", "intercept: {beforeSuccess: [{when: $.x == 1, fail: no}]}",
            "paginate: {items: $.rows, next: $.next}",
            "write: {to: a.ndjson, records: $.rows}", "until: {that: $.a == 2, every: 1ms, times: 1}",
            "expect: {json: {a: 2}}", "expect: {status: 404}",
        ]
    )
    func `the response body of a failed request is kept, whatever the reason for the failure`(step: String) async throws
    {
        let outcome = try await run(step, .json(#"{"a": 1, "list": [], "next": {"p": "hunter2"}}"#))
        #expect(outcome.summary == "a:failed")
        #expect(folder.names(in: "bodies") == ["main.a.json"])
        #expect(folder.read("bodies/main.a.json") == #"{"a": 1, "list": [], "next": {"p": "***"}}"#)
    }

    @Test func `no body is kept when an interceptor recovers from a failure that another one caused`() async throws {
        let step = "intercept: {beforeSuccess: [{fail: no}], beforeFailure: [{recover: 1}]}"
        #expect(try await run(step, .json("{}")).summary == "a:passed")
        #expect(folder.names(in: "bodies").isEmpty)
    }

    @Test func `a secret is redacted in a kept body in UTF-16`() async throws {
        func utf16(_ text: String) -> [UInt8] { text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
        let body = utf16("\u{FEFF}{\"p\": \"hunter2\"}")
        let outcome = try await run("expect: {json: {p: 1}}", .bytes(body, type: "application/json; charset=utf-16"))
        #expect(outcome.summary == "a:failed")
        let path = try #require(folder.names(in: "bodies").first)
        let kept = try #require(TemporaryFolder.contents(of: "\(folder.path)/bodies/\(path)"))
        #expect(kept == utf16("\u{FEFF}{\"p\": \"***\"}"))
    }

    @Test func `a long body is neither searched for secrets nor kept after the deadline, and a warning reports that`()
        async throws
    {
        let fixture = try ExecutionFixture(
            """
            secrets: {key: {env: KEY}}
            graphs:
              main:
                chain:
                  - id: a
                    get: /a
                    deadline: 200ms
                    expect: {body: ["count($[?count($[?count($[?@ > 1]) > 5]) > 3]) > 7"]}
            """,
            ["/a": .json("[" + (0..<30_000).map(String.init).joined(separator: ",") + "]")]
        )
        let (outcome, events) = try await fixture.run(into: folder, secrets: ["key": "hunter2"])
        #expect(outcome.summary == "a:failed")
        #expect(folder.names(in: "bodies").isEmpty)
        let warnings = events.compactMap { event in
            if case .warning(let message, _) = event.kind { message.string } else { nil }
        }
        #expect(
            warnings == [
                "the response body is not shown: the time of the step was over before it was searched for secrets"
            ]
        )
    }
}
