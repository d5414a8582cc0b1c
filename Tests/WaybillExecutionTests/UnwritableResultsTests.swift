import Synchronization
import Testing
import WaybillExecution
import WaybillPlatform
import WaybillTestSupport

@testable import WaybillResults

/// Runs whose results can no longer be written after some time.
@Suite(.timeLimit(.minutes(5))) struct UnwritableResultsTests {
    @Test(arguments: [("events.ndjson", "events.ndjson"), ("all.ndjson.part", "all.ndjson")])
    func `when a results file cannot be written, waiting steps are cancelled and no more requests are sent`(
        file: String,
        named name: String
    ) async throws {
        let folder = TemporaryFolder()
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                batch:
                  - {id: each, forEach: {in: "range(0, 30)", as: n, concurrency: 4}, get: "/${n}", write: {to: all.ndjson}}
                  - {id: later, delay: 1h, get: /later}
                finally: [{id: last, get: /last}]
            """,
            answering: { _ in .held }
        )
        let isFull = Atomic(false)
        let disk = Disk { _, path in isFull.load(ordering: .relaxed) && path.hasSuffix("/\(file)") ? ENOSPC : 0 }
        let run = try RunFolder.create(.at(folder.path), for: RunID(), disk: disk)
        async let running = fixture.run(events: EventStream(journal: run.journal), folder: run)
        await fixture.transport.waitForRequests(4)
        isFull.store(true, ordering: .relaxed)
        // Now there is something to write. The other responses stay held: the run ends because it is cancelled.
        fixture.transport.release("/0", .json("{\"n\": 0}"))
        let outcome = await running
        #expect(outcome.result.outcome == .interrupted)
        // The timed flush may have failed before there was room for the next element.
        let paths = fixture.transport.paths.sorted()
        #expect(paths.prefix(4) == ["/0", "/1", "/2", "/3"] && [[], ["/4"]].contains(paths.dropFirst(4)), "\(paths)")
        let error = await #expect(throws: ResultsError.self) { try await run.finish(outcome.result, outputs: []) }
        #expect(error?.description == "cannot write '\(folder.path)/\(name)': No space left on device")
        // The summary is written as far as the disk allows.
        #expect(folder.read("run.json")?.contains("\"outcome\": \"interrupted\"") == true)
    }

    @Test func `a file that cannot be completed because of the disk ends the run, even if failures are tolerated`()
        async throws
    {
        let folder = TemporaryFolder()
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, onFailure: continue, get: /a, write: {to: a.ndjson}}
                  - {id: later, get: /later}
            """
        )
        let isFull = Atomic(false)
        let disk = Disk { _, path in isFull.load(ordering: .relaxed) && path.hasSuffix("/a.ndjson.part") ? ENOSPC : 0 }
        let run = try RunFolder.create(.at(folder.path), for: RunID(), disk: disk)
        isFull.store(true, ordering: .relaxed)
        let outcome = await fixture.run(events: EventStream(journal: run.journal), folder: run)
        #expect(outcome.result.outcome == .interrupted)
        #expect(fixture.transport.paths == ["/a"])
        await #expect(throws: ResultsError.self) { try await run.finish(outcome.result, outputs: []) }
    }
}
