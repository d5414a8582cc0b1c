import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// The time limit of a step covers the evaluation of its response.
@Suite(.timeLimit(.minutes(5))) struct EvaluationBudgetTests {
    private static let list = "[" + (0..<20_000).map { "{\"k\": \($0)}" }.joined(separator: ",") + "]"
    private static let numbers = "[" + (0..<3000).map(String.init).joined(separator: ",") + "]"

    /// The body of the response, and the key that evaluates it. Each would take minutes.
    private static let work = [
        "map": (list, "filters: [{map: {x: \"${first($[?@.k == 5]).k}\"}}]"),
        "decode": (String(repeating: "[1, 2, 3]\n", count: 400_000), "decoding: ndjson"),
        "where": (list, "filters: [{where: \"contains($[*].k, item.k)\"}]"),
        "select": (numbers, "filters: [{select: \"$[?count($[?count($[?@ > 1]) > 5]) > 3]\"}]"),
        "captures": (
            "\"" + String(repeating: "a", count: 1_000_000) + "\"", "outputs: {x: \"captures($, 'a*b|a')\"}"
        ),
        "schema": (
            "[" + Array(repeating: "{\"z49\": 1}", count: 60_000).joined(separator: ",") + "]",
            "expect: {schema: {items: {anyOf: [" + (0..<50).map { "{required: [z\($0)]}" }.joined(separator: ", ")
                + "]}}}"
        ),
        "pattern": (
            "\"" + String(repeating: "a", count: 300_000) + "\"",
            "expect: {schema: {type: string, pattern: '^(a+)\\1b'}}"
        ),
        "xpath": (
            "<r>" + String(repeating: "<a/>", count: 30_000) + "</r>",
            "decoding: text, expect: {body: [\"xpath($, 'count(//a/following::*)') > 3\"]}"
        ),
        "attributes": (
            "<p" + (0..<100_000).map { " a\($0)='1'" }.joined() + "/>",
            "decoding: xml"
        ),
        "expect": (numbers, "expect: {body: [\"\(condition)\"]}"),
        "recover": (
            numbers,
            "intercept: {beforeSuccess: [{fail: bad, when: \"\(condition)\"}], beforeFailure: [{recover: []}]}"
        ),
        "until": (numbers, "until: {that: \"\(condition)\", every: 1ms}, intercept: {beforeFailure: [{recover: []}]}"),
    ]
    private static let condition = "count($[?count($[?count($[?@ > 1]) > 5]) > 3]) > 7"

    @Test(arguments: work.keys.sorted())
    func `a request whose response takes too long to evaluate fails at its deadline`(name: String) async throws {
        let (body, key) = try #require(Self.work[name])
        let fixture = try ExecutionFixture(
            "graphs:\n  main:\n    chain:\n      - {id: a, get: /a, deadline: 200ms, \(key)}\n",
            ["/a": .json(body)]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:failed")
        let failure = try #require(outcome.result.steps.first?.failure)
        #expect(failure.kind == .timeout)
        #expect(failure.message.string == "the deadline of 200ms has passed")
    }

    @Test(arguments: ["captures(steps.a.data, 'a.*c|a')", "search(steps.a.data, '[ab]{1,100}c')"])
    func `a pattern in values ends at the deadline of its step`(expression: String) async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, get: /a}
                  - {id: b, deadline: 200ms, values: {x: "\(expression)"}}
            """,
            ["/a": .json("\"" + String(repeating: "ab", count: 200_000) + "\"")]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:passed b:failed")
        #expect(outcome.result.steps.last?.failure?.kind == .timeout)
    }

    @Test func `a condition that takes too long ends at the deadline of its step`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, get: /a}
                  - {id: b, deadline: 200ms, when: "search(steps.a.data, '[ab]{1,100}c')", get: /b}
            """,
            ["/a": .json("\"" + String(repeating: "ab", count: 200_000) + "\"")]
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:passed b:failed")
        #expect(outcome.result.steps.last?.failure?.message.string == "the deadline of 200ms has passed")
    }

    @Test func `a POST whose evaluation was stopped is not sent again without repeat-unsure`() async throws {
        let fixture = {
            try ExecutionFixture(
                "graphs: {main: {chain: [{id: a, post: /a, deadline: 2s, \(Self.work["select"]?.1 ?? "")}]}}\n",
                ["/a": .json(Self.numbers)]
            )
        }
        let folder = TemporaryFolder()
        let (outcome, _) = try await fixture().run(into: folder)
        #expect(outcome.summary == "a:failed")
        let resumed = try await ResumedRun(fixture(), in: folder)
        #expect(resumed.sent == [])
        #expect(resumed.messages.count == 1)
    }

    @Test func `a secret value with too many parts is refused`() async throws {
        let fixture = try ExecutionFixture(
            "graphs:\n  main:\n    chain:\n      - {id: a, get: /a, outputs: {t: {value: $, secret: true}}}\n",
            ["/a": .json("[" + (0..<10_001).map { "\"secret \($0)\"" }.joined(separator: ",") + "]")]
        )
        let failure = try #require(await fixture.run().result.steps.first?.failure)
        #expect(
            failure.message.string
                == "output 't': a secret value has more than 10000 parts, which cannot all be redacted"
        )
    }
}
