import Testing
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// Whole runs of chains and batches of three steps, in every order of finishing and with every set of failures: once
/// with scripted responses, once with those of a server. The time limit ends a run that waits for a response that it
/// should have cancelled.
@Suite(.timeLimit(.minutes(10))) struct GroupOrderTests {
    private func check(_ group: GroupCase, _ outcome: Executor.Outcome, _ turns: ResponsesInTurn, sent: [String]) {
        #expect(outcome.summary == group.summary, "\(group)")
        #expect(outcome.result.outcome == group.runOutcome, "\(group)")
        #expect(turns.ends == group.ends, "\(group)")
        #expect(Set(sent) == group.sent && sent.count == group.sent.count, "\(group)")
    }

    @Test func `there are three policies, six orders of a batch, one of a chain, and eight sets of failures`() {
        #expect(GroupCase.Kind.all.map { GroupCase.all($0).count } == [8, 8, 8, 48, 48, 48])
    }

    @Test(arguments: GroupCase.Kind.all)
    func `every order of finishing and failing has the expected outcome`(kind: GroupCase.Kind) async throws {
        let fixture = try ExecutionFixture(kind.manifest)
        for group in GroupCase.all(kind) {
            let turns = ResponsesInTurn(group)
            let transport = ScriptedTransport { request in
                guard !request.url.hasSuffix("/z") else { return nil }
                turns.arrived()
                return .held
            }
            let outcome = await turns.carryOut { events, clock in
                await fixture.run(over: transport, events: events, clock: clock)
            } resumeWaiting: { step in
                let status = group.failing.contains(step) ? 500 : 200
                transport.release("/" + GroupCase.steps[step], .json("{}", status: status))
            }
            check(group, outcome, turns, sent: transport.paths)
        }
    }

    @Test(arguments: GroupCase.Kind.all)
    func `the outcomes are the same when a server responds`(kind: GroupCase.Kind) async throws {
        let server = try ResponsesOnCall()
        defer { server.stop() }
        let fixture = try ExecutionFixture(kind.manifest, at: server.url)
        let transport = try CurlTransport()
        for group in GroupCase.all(kind) {
            let turns = ResponsesInTurn(group)
            server.begin { if $0.target != "/z" { turns.arrived() } }
            server.answer("/z", ServerResponse(failing: false))
            let outcome = await turns.carryOut { events, clock in
                await fixture.run(over: transport, events: events, clock: clock)
            } resumeWaiting: { step in
                server.answer("/" + GroupCase.steps[step], ServerResponse(failing: group.failing.contains(step)))
            }
            check(group, outcome, turns, sent: server.targets)
        }
        await transport.shutDown()
    }
}

extension ServerResponse {
    fileprivate init(failing: Bool) {
        self.init(
            status: failing ? 500 : 200,
            headers: [("Content-Type", "application/json")],
            body: Array("{}".utf8)
        )
    }
}
