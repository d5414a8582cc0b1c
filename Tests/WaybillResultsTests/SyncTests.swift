import Synchronization
import Testing
import WaybillJSON
import WaybillManifest
import WaybillPlatform
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillResults

/// The order in which files are synced to the disk.
@Suite(.timeLimit(.minutes(5))) struct SyncTests {
    private let folder = TemporaryFolder()
    private let log = SyncLog()

    private func append(_ text: String, to writer: RecordFileWriter) throws {
        try writer.append([Samples.redactor.json(.string(text))])
    }

    /// Appends a line to the journal, and waits until it is on the disk.
    private func sync(_ journal: Journal) async throws {
        _ = journal.append(Samples.events[0])
        try await journal.finish()
    }

    @Test func `files of records are synced before the journal, and only if they have changed`() async throws {
        let run = try RunFolder.create(.at(folder.path), for: Samples.id, disk: log.disk)
        let first = try await run.records(at: "a.ndjson", NDJSONFormat(), of: "main.a")
        let second = try await run.records(at: "b.ndjson", NDJSONFormat(), of: "main.b")
        try await sync(run.journal)
        #expect(log.take() == ["events.ndjson"])
        try append("one", to: first)
        try append("two", to: second)
        try await sync(run.journal)
        #expect(log.take() == ["a.ndjson.part", "b.ndjson.part", "events.ndjson"])
        try append("three", to: second)
        try await sync(run.journal)
        #expect(log.take() == ["b.ndjson.part", "events.ndjson"])
        _ = try await second.commit()
        #expect(log.take() == ["b.ndjson.part"])
        try await sync(run.journal)
        #expect(log.take() == ["events.ndjson"])
        try await run.journal.finish()
        #expect(log.take() == [])
        withExtendedLifetime(first) {}
    }

    @Test func `a file that an earlier process wrote is also synced`() async throws {
        folder.write("1\n", to: "a.ndjson.part")
        let run = try RunFolder.create(.at(folder.path), for: Samples.id, disk: log.disk)
        let writer = try await run.records(
            at: "a.ndjson",
            NDJSONFormat(),
            of: "main.a",
            from: .init(bytes: 2, records: 1)
        )
        try await sync(run.journal)
        #expect(log.take() == ["a.ndjson.part", "events.ndjson"])
        withExtendedLifetime(writer) {}
    }

    @Test func `the journal does not keep a file open`() async throws {
        let run = try RunFolder.create(.at(folder.path), for: Samples.id, disk: log.disk)
        weak var writer: RecordFileWriter?
        do {
            let open = try await run.records(at: "a.ndjson", NDJSONFormat(), of: "main.a")
            try append("one", to: open)
            writer = open
        }
        try await sync(run.journal)
        #expect(writer == nil)
        #expect(log.take() == ["events.ndjson"])
    }

    @Test func `nothing more is written to a file after a sync has failed`() async throws {
        log.fail("a.ndjson.part", with: EIO)
        let run = try RunFolder.create(.at(folder.path), for: Samples.id, disk: log.disk)
        let writer = try await run.records(at: "a.ndjson", NDJSONFormat(), of: "main.a")
        try append("one", to: writer)
        await #expect(throws: ResultsError.self) { try await sync(run.journal) }
        #expect(run.journal.hasFailed && run.journal.error == nil)
        #expect(writer.error?.description == "cannot write '\(folder.path)/a.ndjson': Input/output error")
        #expect(throws: ResultsError.self) { try append("two", to: writer) }
        await #expect(throws: ResultsError.self) { try await writer.commit() }
        #expect(folder.names() == ["a.ndjson.part", "events.ndjson"])
    }
}

/// A disk that records the names of synced files.
private final class SyncLog: Sendable {
    private struct State {
        var names: [String] = []
        var failures: [String: Int32] = [:]
    }

    private let state = Mutex(State())

    var disk: Disk {
        Disk { _, path in
            let name = FileContents.name(of: path)
            return self.state.withLock { state in
                state.names.append(name)
                return state.failures[name] ?? 0
            }
        }
    }

    /// Makes every sync of the file fail.
    func fail(_ name: String, with code: Int32) { state.withLock { $0.failures[name] = code } }

    /// The files synced since the last call, in order.
    func take() -> [String] {
        state.withLock { state in
            defer { state.names = [] }
            return state.names
        }
    }
}
