import Testing
import WaybillExecution
import WaybillResults
import WaybillTestSupport

/// Elements of a `forEach` that have changed when the run is resumed.
@Suite(.timeLimit(.minutes(5))) struct ChangedElementsTests {
    private let folder = TemporaryFolder()

    private static func fixture(_ graphs: String, ids: [Int]) throws -> ExecutionFixture {
        let rows = "id\n" + ids.map { "\($0)\n" }.joined()
        return try ExecutionFixture("data: {ids: {file: ids.csv}}\ngraphs:\n" + graphs, contents: ["ids.csv": rows])
    }

    /// Graphs that mark all rows and tolerate failures in different ways.
    private static let tolerant = """
          main:
            chain:
              - {id: each, forEach: {in: data.ids, as: row, concurrency: 1}, onFailure: continue, post: "/mark/${row.id}"}
              - {id: after, post: /after}

        """
    private static let tolerantGraph = """
          main:
            onFailure: continue
            chain:
              - {id: sub, graph: inner, onFailure: continue}
              - {id: after, post: /after}
          inner:
            onFailure: continue
            chain:
              - {id: each, forEach: {in: data.ids, as: row, concurrency: 1}, post: "/mark/${row.id}"}

        """
    private static let tolerantBatches = """
          main:
            batch:
              - id: outer
                forEach: {in: [1], as: n}
                onFailure: continue
                batch:
                  - {id: each, forEach: {in: data.ids, as: row, concurrency: 1}, post: "/mark/${row.id}"}
              - {id: after, needs: [outer], post: /after}
            onFailure: continue

        """

    private func resume(_ graphs: String, ids: [Int]) async throws -> ResumedRun {
        try await ResumedRun(Self.fixture(graphs, ids: ids), in: folder)
    }

    @Test(
        arguments: [tolerant, tolerantGraph, tolerantBatches],
        [
            ([101, 102] + Array(1...9), "element 0 differs from the one that the run started with"),
            ([1, 2, 4, 5, 6, 7, 8, 9], "element 2 differs from the one that the run started with"),
            ([1, 2, 3], "element 3 finished before the run was resumed, but the list now has only 3 elements"),
        ]
    )
    func `nothing is sent if a finished element has changed, whatever failures are tolerated`(
        graphs: String,
        change: (ids: [Int], message: String)
    ) async throws {
        _ = try await Self.fixture(graphs, ids: Array(1...9)).run(into: folder)
        try folder.cutJournal(after: "\"element\":4,\"outcome\":\"passed\"")
        let run = try await resume(graphs, ids: change.ids)
        #expect(run.sent == [])
        #expect(run.outcome?.result.outcome == .failed)
        let failed = run.outcome?.result.steps.filter { $0.isCounted && $0.outcome == .failed }
        #expect(failed?.count == 1)
        let message =
            change.message
            + ", so the step is not executed; restore the list and resume again, or start a new run"
        #expect(failed?.first?.failure?.message.string == message)
        // The finished elements are still known, and elements added at the end are run too.
        let restored = try await resume(graphs, ids: Array(1...10))
        #expect(restored.sent == (6...10).map { "POST /mark/\($0)" } + ["POST /after"])
        #expect(restored.outcome?.result.outcome == .passed)
    }
}
