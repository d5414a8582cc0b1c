import Testing
import WaybillData
import WaybillExecution
import WaybillResults

@Suite struct DetailTests {
    @Test func `debug tells all there is to know, without secrets that only the answer shows`() async throws {
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

    @Test(arguments: [(false, 0), (true, 2)])
    func `elements of a forEach tell their details only where debug asks for it`(debug: Bool, count: Int) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, debug: \(debug), forEach: {in: [1, 2], as: n}, get: '/${n}'}]}}"
        )
        let listener = EventListener()
        _ = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        #expect(listener.lines.filter { $0.hasPrefix("request.willSend") }.count == count)
        #expect(listener.lines.filter { $0.hasPrefix("request.debug") }.count == count)
    }
}
