import Testing
import WaybillJSON
import WaybillTestSupport

@testable import WaybillResults

/// Events that are read from a journal.
@Suite struct RecordedEventTests {
    @Test(arguments: Samples.events)
    func `an event that is read is the one that was written`(event: RunEvent) throws {
        let read = try #require(RunEvent(json: event.json))
        #expect(String(decoding: read.jsonText(), as: UTF8.self) == String(decoding: event.jsonText(), as: UTF8.self))
    }

    @Test(arguments: Samples.events)
    func `what the journal keeps for later steps is not decoded until it is used`(event: RunEvent) throws {
        var event = event
        event.seq = 1
        let folder = TemporaryFolder()
        folder.write(String(decoding: JSONStream.journalLine(event.jsonText()), as: UTF8.self), to: "events.ndjson")
        let read = try #require(try JournalEvents(folder: folder.path).next())
        #expect(String(decoding: read.jsonText(), as: UTF8.self) == String(decoding: event.jsonText(), as: UTF8.self))
        let kept: [RedactedJSON?] =
            switch read.kind {
            case .stepFinished(_, let kept): [kept?.record]
            case .elementFinished(let end): [end.kept?.record]
            case .pageFinished(let end): [end.kept]
            default: []
            }
        #expect(kept.allSatisfy { $0.map { $0.bytes != nil } ?? true })
    }

    @Test func `an event of a later version and an incomplete one are not read`() {
        let at: JSON = "2026-11-21T05:27:03.041Z"
        #expect(RunEvent(json: ["seq": 1, "at": at, "type": "step.started"]) != nil)
        #expect(RunEvent(json: ["seq": 1, "at": at, "type": "step.dreamt"]) == nil)
        #expect(RunEvent(json: ["seq": 1, "at": at, "type": "graph.started"]) == nil)
    }

    @Test func `a journal is read event by event, up to the damage`() throws {
        let folder = TemporaryFolder()
        func line(_ number: Int) -> String {
            let object =
                "{\"seq\":\(number),\"at\":\"2026-11-21T05:27:03.041Z\",\"type\":\"step.started\",\"step\":\"a\"}"
            return String(decoding: JSONStream.journalLine(Array(object.utf8)), as: UTF8.self)
        }
        folder.write(line(1) + line(2) + "{\"seq\":3", to: "events.ndjson")
        let events = try JournalEvents(folder: folder.path)
        #expect(try [events.next()?.seq, events.next()?.seq, events.next()?.seq] == [1, 2, nil])

        folder.write(line(1) + line(3), to: "events.ndjson")
        let damaged = try JournalEvents(folder: folder.path)
        #expect(try damaged.next()?.seq == 1)
        #expect(throws: ResultsError.self) { try damaged.next() }
        #expect(throws: ResultsError.self) { try JournalEvents(folder: "\(folder.path)/none") }
    }

    @Test func `lines longer than a piece are read`() throws {
        let folder = TemporaryFolder()
        let message = String(repeating: "x", count: 3 << 20)
        let object = "{\"seq\":1,\"at\":\"2026-11-21T05:27:03.041Z\",\"type\":\"log\",\"message\":\"\(message)\"}"
        folder.write(String(decoding: JSONStream.journalLine(Array(object.utf8)), as: UTF8.self), to: "events.ndjson")
        let events = try JournalEvents(folder: folder.path)
        #expect(try events.next()?.kind == .log(RedactedText(redacted: message)))
        #expect(try events.next() == nil)
    }
}
