import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillPlatform
import WaybillResults
import WaybillTestSupport

/// Requests that were in flight when the run was killed and whose failure the manifest tolerates.
@Suite(.timeLimit(.minutes(5))) struct UnsureRequestTests {
    private let folder = TemporaryFolder()

    private static func text(_ step: String) -> String {
        """
        graphs:
          main:
            chain:
              - \(step)
              - {id: after, get: /after}

        """
    }

    private static let elements = text(
        "{id: each, forEach: {in: [0, 1, 2], as: n, concurrency: 1}, onFailure: continue, post: \"/${n}\"}"
    )
    private static let step = text("{id: once, post: /1, onFailure: continue}")
    private static let chains = text(
        "{id: each, forEach: {in: [0, 1, 2], as: n, concurrency: 1}, onFailure: continue, "
            + "chain: [{id: new, post: \"/${n}\"}, {get: \"/use/${n}\"}]}"
    )

    private static func willSend(_ path: String) -> String { "\"type\":\"request.willSend\",\"step\":\"\(path)\"" }

    private func resume(_ text: String, repeatsUnsure: Bool = false) async throws -> ResumedRun {
        try await ResumedRun(ExecutionFixture(text), in: folder, repeatsUnsure: repeatsUnsure)
    }

    private func kill(_ text: String, while path: String) async throws {
        _ = try await ExecutionFixture(text).run(into: folder)
        try folder.cutJournal(after: Self.willSend(path))
    }

    @Test(arguments: [
        "{id: a, post: /1, write: {to: a.sqlite, table: t, key: [id]}}",
        "{id: a, forEach: {in: [1], as: n}, post: /1, write: {to: a.sqlite, table: t, key: [id]}}",
    ])
    func `a request whose records could not be written is sent again only with repeat-unsure`(step: String) async throws
    {
        let fixture = { try ExecutionFixture(Self.text(step), ["/1": .json(#"[{"x": 1}]"#)]) }
        let (outcome, _) = try await fixture().run(into: folder)
        #expect(outcome.result.outcome == .failed)
        let refused = try await ResumedRun(fixture(), in: folder)
        #expect(refused.sent.isEmpty)
        #expect(refused.messages.count == 1)
        #expect(refused.messages.allSatisfy { $0.hasSuffix("its response is not recorded") })
        #expect(try await ResumedRun(fixture(), in: folder, repeatsUnsure: true).sent == ["POST /1"])
    }

    @Test(arguments: [
        (elements, "main.each[1]", ["POST /2", "GET /after"], ["POST /1"]),
        (step, "main.once", ["GET /after"], ["POST /1"]),
        (chains, "main.each[1].new", ["POST /2", "GET /use/2", "GET /after"], ["POST /1", "GET /use/1"]),
    ])
    func `a tolerated request is reported, and sent again only with repeat-unsure`(
        text: String,
        path: String,
        rest: [String],
        repeated: [String]
    ) async throws {
        try await kill(text, while: path)
        let warning =
            "'\(path)' may have been sent before the run was resumed, without a recorded response: not sent again; "
            + "'waybill resume --repeat-unsure' sends such requests again"
        let first = try await resume(text)
        #expect(first.sent == rest)
        #expect(first.outcome?.result.outcome == .passed)
        #expect(first.outcome?.result.steps.first?.outcome == .tolerated)
        #expect(first.warnings == [warning])
        // The next run has nothing to do, and repeats the warning.
        let second = try await resume(text)
        #expect(second.sent == [])
        #expect(second.warnings == [warning])
        #expect(second.outcome?.result.steps.first?.outcome == .tolerated)
        let third = try await resume(text, repeatsUnsure: true)
        #expect(third.sent == repeated)
        #expect(third.warnings == [])
        #expect(third.outcome?.result.steps.map(\.outcome) == [.passed, .passed])
        #expect(third.outcome?.result.steps.first?.elements.map { $0.counts[.passed] } ?? 3 == 3)
        let last = try await resume(text, repeatsUnsure: true)
        #expect(last.sent == [])
        #expect(last.warnings == [])
    }

    @Test(arguments: [
        ("{id: new, post: /new}", "main.new", true),
        ("{id: each, forEach: {in: [1, 2], as: n, concurrency: 1}, post: \"/${n}\"}", "main.each[1]", true),
        ("{id: new, put: /new}", "main.new", false),
        ("{id: new, post: /new, onFailure: continue}", "main.new", false),
    ])
    func `nothing is sent, not even by finally, until the user decides whether a POST is sent again`(
        step: String,
        path: String,
        stops: Bool
    ) async throws {
        let text = """
            graphs:
              main:
                chain: [\(step)]
                finally: [{delete: /new}]

            """
        try await kill(text, while: path)
        let first = try await resume(text)
        #expect(first.sent.isEmpty == stops)
        #expect(first.decision.diagnostics.map(\.id) == (stops ? ["unsafe-repeat"] : []))
        guard stops else { return }
        let message =
            "the POST of step '\(path)' may have been sent before the run ended, and its response is not recorded"
        #expect(first.messages == [message])
        let second = try await resume(text, repeatsUnsure: true)
        #expect(second.sent.first?.hasPrefix("POST /") == true)
        #expect(second.sent.last == "DELETE /new")
    }

    @Test func `an element whose records can no longer be inserted in the file is not sent again`() async throws {
        let text = Self.elements.replacing("post:", with: "write: {to: a.ndjson}, post:")
        try await kill(text, while: "main.each[1]")
        // The file was not yet at its final path.
        folder.write(try #require(folder.read("a.ndjson")), to: "a.ndjson.part")
        unlink("\(folder.path)/a.ndjson")
        for repeatsUnsure in [false, true] {
            let run = try await resume(text, repeatsUnsure: repeatsUnsure)
            #expect(run.sent == (repeatsUnsure ? [] : ["POST /2", "GET /after"]))
            #expect(run.warnings.count == 1)
            #expect(run.warnings.first?.hasSuffix("start a new run to send it") == true, "\(run.warnings)")
        }
        #expect(folder.read("a.ndjson") == "{}\n{}\n")
    }

    // MARK: Recorded elements

    @Test func `the summary has the failures of elements that finished before the kill, in order with the others`()
        async throws
    {
        let text = Self.text(
            "{id: each, forEach: {in: \"range(0, 150)\", as: n, concurrency: 1}, onFailure: continue, get: \"/${n}\"}"
        )
        let fixture = { try ExecutionFixture(text) { _ in .json("{}", status: 500) } }
        _ = try await fixture().run(into: folder)
        try folder.cutJournal(after: "\"type\":\"element.finished\",\"step\":\"main.each\",\"element\":59")
        let run = try await ResumedRun(fixture(), in: folder)
        #expect(run.sent.count == 91)  // with 'after'
        let elements = try #require(run.outcome?.result.steps.first?.elements)
        #expect(elements.counts[.tolerated] == 150)
        #expect(elements.failures.map(\.index) == Array(0..<100))
        #expect(elements.failures.map { $0.subject.url?.string } == (0..<100).map { "http://s/\($0)" })
        #expect(Set(elements.failures.map(\.failure.message.string)) == ["the status is 500, not 2xx"])
        #expect(Set(elements.failures.map { $0.failure.serverCode?.value }) == [.number(JSONNumber(500))])
        #expect(run.outcome?.result.steps.first?.failure?.kind == .status)
    }

    @Test func `an element of a repeated chain that had passed is still ok`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - {id: each, forEach: {in: [0, 1], as: n, concurrency: 1}, chain: [{post: "/${n}"}]}
                  - {id: after, get: "/after", query: {ok: "${json(steps.each.items[*].ok)}"}}

            """
        _ = try await ExecutionFixture(text).run(into: folder)
        try folder.cutJournal(after: "\"element\":0")
        let run = try await resume(text)
        #expect(run.sent == ["POST /1", "GET /after?ok=%5Btrue%2Ctrue%5D"])
    }

    @Test func `outputs of a tolerated step with a wrong status are restored for finally`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - {id: new, post: /new, expect: {status: 200}, outputs: {id: $.id}, onFailure: continue}
                  - {id: after, post: /after}
                finally: [{when: exists(steps.new.outputs.id), delete: "/${steps.new.outputs.id}"}]

            """
        let fixture = { try ExecutionFixture(text, ["/new": .json(#"{"id": 7}"#, status: 201)]) }
        _ = try await fixture().run(into: folder)
        try folder.cutJournal(after: "\"type\":\"step.finished\",\"step\":\"main.new\"")
        let run = try await ResumedRun(fixture(), in: folder)
        #expect(run.sent == ["POST /after", "DELETE /7"])
    }
}
