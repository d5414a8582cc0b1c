import Testing
import WaybillFormats
import WaybillJSON
import WaybillTestSupport

@testable import WaybillResults

/// Journals that were modified, truncated or written by another program.
@Suite(.timeLimit(.minutes(5))) struct JournalReaderTests {
    private func journal() throws -> [UInt8] {
        var lines = JSONStream()
        for event in Samples.events {
            let start = lines.count
            lines.add(event)
            lines.addChecksum(from: start)
            lines.endLine()
        }
        return lines.bytes
    }

    @Test func `an unmodified journal is read`() throws {
        #expect(try RunRecord(journal: journal()).lastNumber == Samples.events.count)
    }

    private static let start = RunEvent.Kind.runStarted(
        RunEvent.RunStart(id: Samples.id, manifest: "a.yaml", environment: nil, graphs: [])
    )
    private static let end = RunEvent.Kind.runFinished(.passed, OutcomeCounts())

    /// Events with their seconds, and the duration of the run. Without its type, the compiler needs 20 seconds for it.
    static let durations: [(events: [(RunEvent.Kind, Int)], seconds: Int)] = [
        ([(start, 0), (.stepStarted, 4), (end, 5)], 5),
        // Killed after 4 s and resumed two hours later.
        ([(start, 0), (.stepStarted, 4), (start, 7204), (end, 7205)], 5),
        ([(start, 0), (.runPaused, 1), (.log("a"), 2), (.runUnpaused, 61), (end, 65)], 5),
        // Killed while it was paused.
        ([(start, 0), (.runPaused, 1), (.log("a"), 50), (start, 61), (end, 65)], 5),
        // The clock was set back.
        ([(start, 60), (.log("a"), 3), (start, 60), (.log("a"), 65)], 5),
    ]

    @Test(arguments: durations)
    func `the duration of a run is the time its processes ran, without pauses`(
        events: [(RunEvent.Kind, Int)],
        seconds: Int
    ) {
        var stopwatch = JournalStopwatch()
        for (kind, second) in events {
            let at = Timestamp(nanoseconds: Samples.start.nanoseconds + Int64(second) * 1_000_000_000)
            stopwatch.take(RunEvent(seq: 1, at: at, kind: kind))
        }
        #expect(stopwatch.total == .seconds(seconds))
    }

    @Test func `a changed digit is reported as damage, and the message names the line`() throws {
        var bytes = try journal()
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let digits = lines[3].indices.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) }
        // Not a digit of the event's number, because that change is detected without a checksum.
        let place = try #require(digits.dropFirst(2).first)
        bytes[place] = bytes[place] == UInt8(ascii: "7") ? UInt8(ascii: "8") : UInt8(ascii: "7")
        let error = #expect(throws: ResultsError.self) { try RunRecord(journal: bytes) }
        #expect(error?.description == "events.ndjson:4: the journal is damaged: its checksum is wrong")
    }

    @Test func `a journal without checksums is rejected, and the message says why`() throws {
        let line = JSONWriter().string(Samples.events[0].json) + "\n"
        let error = #expect(throws: ResultsError.self) { try RunRecord(journal: Array(line.utf8)) }
        let reason = "it has no checksum: an earlier version of waybill wrote it; start a new run"
        #expect(error?.description == "events.ndjson:1: the journal is damaged: \(reason)")
    }

    @Test(arguments: ["", "{\"seq\":1,\"at\":\"20"])
    func `a run that was killed before its first line cannot be resumed, and the message says what to do`(
        text: String
    ) throws {
        let error = #expect(throws: ResultsError.self) { try RunRecord(journal: Array(text.utf8)) }
        #expect(error?.description.contains("run the manifest again with '--out") == true)
    }

    @Test func `any journal is either read or rejected, whatever its lines contain`() throws {
        let numbers = ["-1", "9223372036854775807", "1e308", "1099511627776", "0.5", "null", "\"x\"", "[]"]
        for event in Samples.events.dropFirst() {
            let text = JSONWriter().string(event.json)
            for member in [
                "element", "page", "items", "offset", "records", "bytes", "count", "passed", "time", "status",
            ] {
                for number in numbers {
                    let changed = text.replacing("\"\(member)\":", with: "\"\(member)\":\(number),\"old\":")
                    guard changed != text else { continue }
                    _ = try? RunRecord(journal: sealed([JSONWriter().string(Samples.events[0].json), changed]))
                }
            }
        }
    }

    /// Lines with correct numbers and checksums.
    private func sealed(_ lines: [String]) -> [UInt8] {
        lines.enumerated().flatMap { index, line -> [UInt8] in
            guard var event = (try? JSONParser().parse(Array(line.utf8)))?.object else { return [] }
            event["seq"] = .number(JSONNumber(index + 1))
            let text = Array(JSONWriter().string(.object(event)).utf8).dropLast()
            return text + Array(",\"sum\":\"\(Checksum.text(of: text))\"}\n".utf8)
        }
    }
}
