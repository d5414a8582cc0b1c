import Testing
import WaybillExecution
import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct TeardownTests {
    /// Runs a chain that creates something and a teardown that deletes it.
    private func run(
        _ chain: String,
        finally: String,
        _ replies: [String: ScriptedTransport.Reply]
    ) async throws -> (summary: String, paths: [String], failure: Failure?) {
        let fixture = try ExecutionFixture(
            """
            endpoints:
              create: {path: /x, method: POST, outputs: {id: $.id}, mock: {}}
            graphs:
              main:
                chain: [\(chain)]
                finally: [{id: gone, \(finally), delete: "/x/${steps.create.outputs.id}"}]
            """,
            replies
        )
        let outcome = await fixture.run()
        let last = outcome.result.steps.last
        return (outcome.summary, fixture.transport.paths, last?.failure)
    }

    private static let created = ["/x": ScriptedTransport.Reply.json(#"{"id":7}"#)]
    private static let failed = ["/x": ScriptedTransport.Reply.json("{}", status: 500)]
    private static let unexpected = ["/x": ScriptedTransport.Reply.json(#"{"id":7,"state":"bad"}"#)]

    @Test(
        arguments: [
            (
                "{call: create}, {id: b, get: /b}", "when: steps.create.ok", created,
                "create:passed b:passed gone:passed", ["/x", "/b", "/x/7"]
            ),
            (
                "{call: create}, {id: b, get: /b, expect: {status: 204}}", "when: steps.create.ok", created,
                "create:passed b:failed gone:passed", ["/x", "/b", "/x/7"]
            ),
            ("{call: create}", "when: steps.create.ok", failed, "create:failed gone:skipped", ["/x"]),
            (
                "{id: b, get: /b, expect: {status: 204}}, {call: create}", "when: steps.create.ok", created,
                "b:failed create:skipped gone:skipped", ["/b"]
            ),
            (
                "{id: b, get: /b, expect: {status: 204}}, {chain: [{batch: [{call: create}]}]}",
                "when: steps.create.ok", created, "b:failed create:skipped gone:skipped", ["/b"]
            ),
            (
                "{id: b, get: /b, expect: {status: 204}}, {chain: [{batch: [{call: create}]}]}",
                "when: exists(steps.create.outputs.id)", created, "b:failed create:skipped gone:skipped", ["/b"]
            ),
            (
                "{call: create, expect: {body: [$.state == 'good']}}", "when: exists(steps.create.outputs.id)",
                unexpected, "create:failed gone:passed", ["/x", "/x/7"]
            ),
            (
                "{call: create, expect: {body: [$.state == 'good']}}", "when: steps.create.ok", unexpected,
                "create:failed gone:skipped", ["/x"]
            ),
        ] as [(String, String, [String: ScriptedTransport.Reply], String, [String])]
    )
    func `a teardown deletes a resource only if it was created`(
        chain: String,
        finally: String,
        replies: [String: ScriptedTransport.Reply],
        summary: String,
        paths: [String]
    ) async throws {
        let result = try await run(chain, finally: finally, replies)
        #expect(result.summary == summary, "\(String(describing: result.failure))")
        #expect(result.paths == paths)
    }
}
