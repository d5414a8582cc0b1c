import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillManifest
import WaybillResults
import WaybillTestSupport

/// What is reported of the steps that contain other steps.
@Suite(.timeLimit(.minutes(5))) struct GroupReportTests {
    private static let bad = ScriptedTransport.Reply.json("{}", status: 500)

    private static let text = """
        graphs:
          inner: {chain: [{id: x, get: /x}]}
          main:
            chain:
              - {id: both, name: Both, batch: [{id: a, get: /a}]}
              - {id: sub, name: The graph, graph: inner}
              - {id: soft, onFailure: continue, chain: [{id: b, get: /b}, {id: c, get: /c}]}
              - {id: off, when: 1 == 2, chain: [{id: d, get: /d}]}
              - {id: last, get: "/${steps.both.ok}/${steps.sub.ok}/${steps.soft.ok}/${steps.soft.error.kind}"}

        """

    private static func line(_ step: StepResult) -> String {
        [step.path, step.group?.rawValue, step.name == step.id ? nil : step.name, step.outcome.rawValue]
            .compactMap { $0 }.joined(separator: " ")
    }

    @Test func `chains, batches and graphs have results before those of their steps, and are not counted`()
        async throws
    {
        let fixture = try ExecutionFixture(Self.text, ["/b": Self.bad])
        let (outcome, events) = try await fixture.run(into: TemporaryFolder())
        let steps = outcome.result.steps
        #expect(
            steps.filter { $0.group != nil || $0.id == "x" }.map(Self.line)
                == [
                    "main.both batch Both passed", "main.sub graph The graph passed", "main.sub.x passed",
                    "main.soft chain tolerated", "main.off chain skipped",
                ]
        )
        #expect(steps.map(\.id) == ["both", "a", "sub", "x", "soft", "b", "c", "off", "d", "last"])
        #expect(steps.filter { $0.group != nil && $0.outcome != .skipped }.allSatisfy { $0.time != nil })
        #expect(outcome.result.counts[.passed] == 4)
        #expect(outcome.result.counts[.tolerated] == 1)
        #expect(outcome.result.counts[.skipped] == 1)
        // A step has an event before and after those of the steps in it.
        let lines = events.filter { $0.step?.hasPrefix("main.sub") == true }.compactMap { event -> String? in
            switch event.kind {
            case .stepStarted: "started \(event.step ?? "")"
            case .stepFinished: "finished \(event.step ?? "")"
            default: nil
            }
        }
        #expect(lines == ["started main.sub", "started main.sub.x", "finished main.sub.x", "finished main.sub"])
        // One whose failure was tolerated is not 'ok'.
        #expect(fixture.transport.paths.last == "/true/true/false/status")
    }

    @Test(arguments: [
        ("until: {that: 1 == 2, times: 2, every: 1ms}", FailureKind.expect),
        ("deadline: 5s, until: {that: 1 == 2, every: 1m}", .timeout),
    ])
    func `a failure of the step itself is one of the run, and the steps in it keep their results`(
        settings: String,
        kind: FailureKind
    ) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: g, \(settings), chain: [{id: a, values: {n: \"1\"}}]}, {id: z, get: /z}]}}"
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "g:failed a:passed z:skipped")
        #expect(outcome.result.steps.first?.failure?.kind == kind)
        #expect(outcome.result.counts[.failed] == 1)
    }

    @Test func `a resumed run skips what a tolerated failure had skipped`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - id: soft
                    onFailure: continue
                    chain:
                      - {id: g, chain: [{id: b, get: /b}, {id: c, get: /c}]}
                  - {id: ask, get: "/ask/${steps.soft.ok}"}
                  - {id: last, get: /last}

            """
        let run = try await ResumedRun(text, killedAfter: "\"step.finished\",\"step\":\"main.soft.g.b\"") { path in
            path == "/b" ? Self.bad : nil
        }
        #expect(run.sent == ["GET /ask/false", "GET /last"])
        #expect(run.outcome?.summary == "b:tolerated c:skipped ask:passed last:passed")
    }

    @Test func `a resumed run reports a step once if everything in it had finished`() async throws {
        let folder = TemporaryFolder()
        _ = try await ExecutionFixture(Self.text, ["/b": Self.bad]).run(into: folder)
        try folder.cutJournal(after: "\"step.finished\",\"step\":\"main.sub\"")
        let run = try await ResumedRun(ExecutionFixture(Self.text, ["/b": Self.bad]), in: folder)
        #expect(run.sent == ["GET /b", "GET /c", "GET /true/true/false/status"])
        #expect(run.outcome?.result.steps.map(\.id) == ["both", "a", "sub", "x", "soft", "b", "c", "off", "d", "last"])
        let journal = try #require(folder.read("events.ndjson"))
        #expect(journal.split(separator: "\n").count { $0.contains("\"step.finished\",\"step\":\"main.both\"") } == 1)
    }
}
