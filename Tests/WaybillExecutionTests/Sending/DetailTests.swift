import Testing
import WaybillJSON
import WaybillResults

@testable import WaybillExecution
@testable import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct DetailTests {
    @Test func `debug reports everything, but redacts secrets that only the response reveals`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    get: /a
                    debug: true
                    headers: {Authorization: abcdef}
                    outputs: {token: {value: $.token, secret: true}}
            """,
            ["/a": .redirect("/b", status: 302), "/b": .json(#"{"token": "hunter2"}"#)]
        )
        let listener = EventListener()
        #expect(await fixture.run(events: EventStream(journal: nil, observers: [listener])).summary == "a:passed")
        let record = try #require(listener.debugRecords.first)
        #expect(record["built"]?["url"] == "http://s/a")
        #expect(record["sent"]?["url"] == "http://s/b")
        #expect(record["response"]?["body"]?["text"] == #"{"token": "***"}"#)
        let text = JSONWriter().string(record)
        #expect(!text.contains("hunter2") && !text.contains("abcdef"))
    }

    @Test func `transport events are reported in order and before any later event`() async {
        let listener = EventListener()
        let events = EventStream(journal: nil, observers: [listener])
        var expected: [RunEvent.Kind] = []
        for count in 0..<500 {
            let progress = ProgressReport(attempt: 2, sent: count, sentTotal: 3, received: 0, receivedTotal: nil)
            events.note(.requestProgress(progress), step: "main.a")
            expected.append(.requestProgress(progress))
            if count % 100 == 99 {
                events.note(.requestSent(attempt: 2, bytes: 3), step: "main.a")
                events.emit(.stepStarted, step: "main.a")
                expected += [.requestSent(attempt: 2, bytes: 3), .stepStarted]
            }
        }
        #expect(listener.kinds == expected)
    }

    @Test(arguments: [(false, 0), (true, 2)])
    func `elements of a forEach report their details only with debug`(debug: Bool, count: Int) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, debug: \(debug), forEach: {in: [1, 2], as: n}, get: '/${n}'}]}}"
        )
        let listener = EventListener()
        _ = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        #expect(listener.lines.filter { $0.hasPrefix("request.willSend") }.count == count)
        #expect(listener.lines.filter { $0.hasPrefix("request.debug") }.count == count)
    }
}
