import Testing
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// The state that a graph keeps for its next run.
@Suite(.timeLimit(.minutes(5))) struct StateTests {
    private func run(_ next: String, _ path: String = "/a") async throws -> Executor.Outcome {
        let fixture = try ExecutionFixture(
            """
            secrets: {key: {env: KEY}}
            graphs:
              main:
                state: {since: {default: 0, next: "\(next)"}}
                chain: [{id: a, get: \(path), headers: {X-Key: "${secrets.key}"}}]
            """,
            ["/a": .json(#"{"last":7,"echo":"hunter2 was sent"}"#), "/bad": .json("{}", status: 500)]
        )
        return try await fixture.run(into: TemporaryFolder(), secrets: ["key": "hunter2"]).0
    }

    @Test func `a run that passed has state for the next run`() async throws {
        let outcome = try await run("steps.a.data.last + 1")
        #expect(outcome.state?["main"]?.value == ["since": 8])
    }

    @Test func `a run that failed has no state`() async throws {
        let outcome = try await run("steps.a.data.last", "/bad")
        #expect(outcome.result.outcome == .failed)
        #expect(outcome.state == nil)
    }

    @Test(
        arguments: [
            ("steps.a.data.echo", "state 'since': it contains a secret"),
            ("steps.a.data.lost", "state 'since': "),
        ]
    )
    func `a value that cannot be kept fails the run`(next: String, message: String) async throws {
        let outcome = try await run(next)
        #expect(outcome.result.outcome == .failed)
        #expect(outcome.result.steps.last?.failure?.message.string.hasPrefix(message) == true, "\(outcome.summary)")
        #expect(outcome.state == nil)
    }
}
