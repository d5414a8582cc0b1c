import Testing
import WaybillExecution
import WaybillJSON
import WaybillResults

/// `response.body`, which keeps members that filters have removed from the data.
@Suite(.timeLimit(.minutes(5))) struct ResponseBodyTests {
    private func run(_ step: String) async throws -> Executor.Outcome {
        try await ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /a, filters: [{envelope: {code: $.code, ok: 0, data: $.data}}], \(step)}]
                outputs: {message: steps.a.outputs.message}

            """,
            ["/a": .json(#"{"code": 0, "message": "fine", "data": [{"id": 1}]}"#)]
        ).run()
    }

    @Test func `an output reads the envelope's message after the filters`() async throws {
        let outcome = try await run("outputs: {message: response.body.message}")
        #expect(outcome.summary == "a:passed")
        #expect(outcome.outputs.map(\.values.value) == [["message": "fine"]])
    }

    @Test func `an expectation can read response.body`() async throws {
        let step = "expect: {body: [\"response.body.code == 0 && length($) == 1\"]}, outputs: {message: \"'x'\"}"
        #expect(try await run(step).summary == "a:passed")
    }

    @Test func `a missing member of response.body is a failure that lists the existing members`() async throws {
        let failure = try await run("outputs: {message: response.body.massage}").result.steps.first?.failure
        #expect(failure?.message.string.contains("message") == true)
    }
}
