import Testing
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// What `steps.ID.written` says of the file that a step has written.
@Suite(.timeLimit(.minutes(5))) struct WrittenTests {
    private let folder = TemporaryFolder()

    private static let replies: [String: ScriptedTransport.Reply] = [
        "/a": .json(#"{"rows":[1,2],"next":"/b"}"#), "/b": .json(#"{"rows":[3],"next":null}"#),
        "/bad": .json("{}", status: 500),
    ]

    /// A graph of a step that writes, whose outputs are what it has written.
    private func fixture(_ step: String) throws -> ExecutionFixture {
        try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, \(step)}]
                outputs: {written: "default(steps.a.written, 'nothing')"}
            """,
            Self.replies
        )
    }

    @Test(
        arguments: [
            ("get: /a, write: {to: a.ndjson, records: $.rows}", 2, 4),
            ("get: /a, write: {to: a.ndjson}, filters: [{select: $.next}]", 1, 5),
            ("get: /a, paginate: {next: $.next, items: $.rows}, write: {to: a.ndjson}", 3, 6),
            ("forEach: {in: [a, b], as: n}, get: \"/${n}\", write: {to: a.ndjson, records: $.rows}", 3, 6),
            (
                "onFailure: continue, forEach: {in: [a, bad], as: n}, get: \"/${n}\", write: {to: a.ndjson, records: $.rows}",
                2, 4
            ),
            ("onFailure: continue, get: /bad, write: {to: a.ndjson}", 0, 0),
        ] as [(String, Int, Int)]
    )
    func `it is the file with its records and bytes`(step: String, records: Int, bytes: Int) async throws {
        let (outcome, _) = try await fixture(step).run(into: folder)
        let written: JSON = [
            "file": "a.ndjson", "records": .number(JSONNumber(records)), "bytes": .number(JSONNumber(bytes)),
        ]
        #expect(outcome.outputs.first?.values.value["written"] == written, "\(outcome.summary)")
        #expect(folder.read("a.ndjson")?.utf8.count == bytes)
    }

    @Test func `there is nothing where the file was not moved to its place`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /bad, write: {to: a.ndjson}}]
                finally:
                  - {id: w, when: exists(steps.a.written), get: "/${steps.a.written.file}"}
                  - {id: x, when: not(exists(steps.a.written)), get: /a}
            """,
            Self.replies
        )
        let (outcome, _) = try await fixture.run(into: folder)
        #expect(outcome.summary == "a:failed w:skipped x:passed")
    }

    @Test(
        arguments: [
            ("get: /a, paginate: {next: $.next, items: $.rows}, write: {to: a.ndjson}", "step.finished"),
            ("forEach: {in: [a, b], as: n}, get: \"/${n}\", write: {to: a.ndjson, records: $.rows}", "step.finished"),
            ("forEach: {in: [a, b], as: n}, get: \"/${n}\", write: {to: a.ndjson, records: $.rows}", "write.committed"),
        ]
    )
    func `a resumed run knows it`(step: String, lastEvent: String) async throws {
        let fixture = try fixture(step)
        _ = try await fixture.run(into: folder)
        let lines = try #require(folder.read("events.ndjson")).split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.contains("\"\(lastEvent)\"") })
        folder.write(lines[...last].joined(separator: "\n") + "\n", to: "events.ndjson")
        let requests = fixture.transport.sent.count

        let earlier = try RunRecord(folder: folder.path)
        let run = try RunFolder.reopen(folder.path, after: earlier)
        let events = EventStream(journal: run.journal, after: earlier.lastNumber)
        let outcome = await fixture.run(events: events, folder: run, earlierRun: earlier)
        try await run.journal.finish()
        let written: JSON = ["file": "a.ndjson", "records": 3, "bytes": 6]
        #expect(outcome.outputs.first?.values.value["written"] == written, "\(outcome.summary)")
        #expect(fixture.transport.sent.count == requests)
    }
}
