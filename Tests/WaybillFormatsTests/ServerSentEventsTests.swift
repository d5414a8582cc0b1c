import Testing
import WaybillFormats
import WaybillJSON

@Suite struct ServerSentEventsTests {
    private static func event(_ data: String, _ event: String = "message", id: String? = nil) -> JSON {
        ["event": .string(event), "data": .string(data), "id": id.map(JSON.string) ?? .null]
    }

    /// The examples of WHATWG HTML, section 9.2.6, and the details of its grammar.
    static let streams: [(text: String, events: [JSON], lastID: String)] = [
        ("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")], ""),
        (
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [event("first event", id: "1"), event("second event"), event(" third event")], ""
        ),
        ("data\n\ndata\ndata\n\ndata:", [event(""), event("\n")], ""),
        ("data:test\n\ndata: test\n\n", [event("test"), event("test")], ""),
        ("\u{FEFF}data: a\r\rdata: b\r\n\r\ndata: c\n\n", [event("a"), event("b"), event("c")], ""),
        ("\n\u{FEFF}data: a\n\n", [], ""),
        ("event: add\ndata: 1\n\nevent: none\n\ndata: 2\n\n", [event("1", "add"), event("2")], ""),
        ("id: 7\n\ndata: a\n\nid: 8\n", [event("a", id: "7")], "7"),
        ("id: 7\nid: a\0b\ndata: a\n\n", [event("a", id: "7")], "7"),
        // No field of a request can have these.
        (
            "id: 7\nid: a\u{1}\ndata: a\n\nid: \u{1B}[2J\ndata: b\n\nid: \u{7F}\tc\n\n",
            [event("a", id: "7"), event("b", id: "7")], "7"
        ),
        ("Data: a\n\nfoo: b\ndata : c\n\n", [], ""),
        ("data: ünï\n\ndata: a:b\n\n", [event("ünï"), event("a:b")], ""),
    ]

    @Test(arguments: streams.indices)
    func `a stream has its events, wherever it is divided`(index: Int) {
        let (text, events, lastID) = Self.streams[index]
        let bytes = Array(text.utf8)
        for first in 0...bytes.count {
            for second in Set([first, min(first + 1, bytes.count), bytes.count]) {
                var reader = ServerSentEvents()
                var found = reader.take(bytes[..<first])
                found += reader.take(bytes[first..<second])
                found += reader.take(bytes[second...])
                #expect(found == events, "\(text.debugDescription) divided at \(first) and \(second)")
                #expect(reader.lastID == lastID)
            }
        }
    }

    @Test(arguments: [
        ("retry: 10000\n", Duration.seconds(10)), ("retry: 10\nretry: 1x\nretry:\nretry: -1\n", .milliseconds(10)),
        ("retry: \(String(repeating: "9", count: 400))\n", nil), ("retry\n", nil),
    ])
    func `only a number is the time before a reconnection`(text: String, time: Duration?) {
        var reader = ServerSentEvents()
        #expect(reader.take(Array(text.utf8)).isEmpty)
        #expect(reader.reconnectionTime == time)
    }

    @Test(arguments: [
        ("", nil), ("data: a\n\n", nil), (": ping\n", nil), ("\n\n", nil), ("retry: 1\n\n", nil),
        ("<html>\nMaintenance\n", "not an event stream"), ("{\"error\": \"quota\"}", "not an event stream"),
        ("x: a\ndata: a\n\n", nil), ("data: a\n", "incomplete"), ("data: a\n\ndata: b", "incomplete"),
        ("data: a\n\n:", "incomplete"),
    ])
    func `the end of a complete body shows whether it was a whole stream`(text: String, problem: String?) {
        var reader = ServerSentEvents()
        _ = reader.take(Array(text.utf8))
        #expect(problem.map { reader.problemAtEnd?.contains($0) == true } ?? (reader.problemAtEnd == nil), "\(text)")
    }

    @Test func `a stream that continues another has its last ID until it has one of its own`() {
        var reader = ServerSentEvents(after: "3")
        #expect(
            reader.take(Array("data: a\n\nid: 4\ndata: b\n\n".utf8)) == [
                Self.event("a", id: "3"), Self.event("b", id: "4"),
            ]
        )
        #expect(reader.take(Array("data: unfinished\n".utf8)).isEmpty)
        #expect(reader.unfinishedBytes == 11)
    }
}
