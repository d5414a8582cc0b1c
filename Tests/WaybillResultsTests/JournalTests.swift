import Synchronization
import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillPlatform
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct JournalTests {
    private let folder = TemporaryFolder()

    private func journal(_ name: String = "events.ndjson") throws -> Journal {
        try Journal(OutputFile("\(folder.path)/\(name)", .new), thread: FileThread())
    }

    @Test func `a flushed line is in the file, and all events can be read back`() throws {
        let journal = try journal()
        for event in Samples.events {
            _ = journal.append(event)
            journal.flush()
            let lines = try #require(folder.read("events.ndjson")).split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            #expect(lines.count == event.seq + 1 && lines.last == "")
            let line = Array(lines[event.seq - 1].utf8)
            #expect(JSONStream.hasRightChecksum(line) == true)
            #expect(try JSONParser().parse(line).withoutChecksum == event.json)
        }
        #expect(journal.error == nil)
    }

    @Test func `events from many tasks are numbered without gaps, in the file and for observers`() async throws {
        final class Observer: RunObserver {
            let numbers = Mutex<[Int]>([])
            func receive(_ event: RunEvent) { numbers.withLock { $0.append(event.seq) } }
        }
        let observer = Observer()
        let journal = try journal()
        let stream = EventStream(journal: journal, observers: [observer])
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { for _ in 0..<100 { stream.emit(.stepStarted, step: "main.\(task)") } }
            }
        }
        // The journal may still buffer the last events.
        stream.flush()
        try await journal.finish()
        let lines = try #require(folder.read("events.ndjson")).split(separator: "\n")
        let numbers = try lines.map { try JSONParser().parse(Array($0.utf8))["seq"]?.number?.int }
        #expect(numbers == Array(1...800))
        #expect(observer.numbers.withLock { $0 } == Array(1...800))
    }

    @Test(.enabled(if: access("/dev/full", W_OK) == 0))
    func `a full disk is a permanent error that names the file`() async throws {
        let journal = try Journal(OutputFile("/dev/full", .stream), thread: FileThread())
        for event in Samples.events { _ = journal.append(event) }
        journal.flush()
        #expect(journal.error?.description == "cannot write '/dev/full': No space left on device")
        let error = await #expect(throws: ResultsError.self) { try await journal.finish() }
        #expect(error == journal.error)
    }

    #if os(Linux)
        @Test func `a line that a full disk cut short is removed`() async throws {
            guard mount("tmpfs", folder.path, "tmpfs", 0, "size=16k") == 0 else {
                print("skipped: no file system can be mounted here")
                return
            }
            defer { umount2(folder.path, Int32(MNT_DETACH)) }
            let journal = try journal()
            let event = RunEvent(
                seq: 1,
                at: Samples.start,
                step: nil,
                kind: .log(Samples.redactor.text("twelve bytes"))
            )
            var lines = JSONStream()
            lines.add(event)
            lines.addChecksum(from: 0)
            let line = String(decoding: lines.bytes, as: UTF8.self) + "\n"
            while journal.error == nil {
                _ = journal.append(event)
                journal.flush()
            }
            await #expect(throws: ResultsError.self) { try await journal.finish() }
            let text = try #require(folder.read("events.ndjson"))
            #expect(text.utf8.count > 4_096)
            #expect(text == String(repeating: line, count: text.utf8.count / line.utf8.count))
        }
    #endif
}

extension JSON {
    /// The event without the checksum of its journal line.
    fileprivate var withoutChecksum: JSON {
        guard let object else { return self }
        return .object(JSONObject(object.filter { $0.name != "sum" }.map { ($0.name, $0.value) }))
    }
}

@Suite(.timeLimit(.minutes(5))) struct FileThreadTests {
    @Test func `jobs run in the order of their due times, and the thread runs the remaining ones when it ends`()
        async throws
    {
        let done = Mutex<[String]>([])
        var thread: FileThread? = try FileThread()
        thread?.submit(after: .seconds(3_600)) { done.withLock { $0.append("much later") } }
        thread?.submit { done.withLock { $0.append("first") } }
        thread?.submit { done.withLock { $0.append("second") } }
        let count = try await thread?.run { () throws(ResultsError) in done.withLock { $0.count } }
        #expect(count == 2)
        await withCheckedContinuation { continuation in
            thread?.submit(after: .seconds(7_200)) { continuation.resume() }
            thread = nil
        }
        #expect(done.withLock { $0 } == ["first", "second", "much later"])
    }
}
