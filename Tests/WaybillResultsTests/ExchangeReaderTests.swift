import Testing
import WaybillJSON

@testable import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct ExchangeReaderTests {
    /// The exchanges of the given events, which are one millisecond apart.
    private func exchanges(_ events: [(type: String, members: JSONObject)]) throws -> [Exchange] {
        var reader = ExchangeReader()
        var exchanges: [Exchange] = []
        for (index, event) in events.enumerated() {
            var members = event.members
            members["type"] = .string(event.type)
            members["at"] = .string("2026-11-21T05:27:03.\(100 + index)Z")
            // Like a line of the journal, this starts with the members that all events have.
            let names = ["at", "type", "step"]
            let sorted = names.map { ($0, members[$0]) } + members.filter { !names.contains($0.name) }.map { ($0, $1) }
            let line = Array(
                JSONWriter().string(.object(JSONObject(sorted.compactMap { name, value in value.map { (name, $0) } })))
                    .utf8
            )
            guard let part = ExchangeReader.part(of: line) else { continue }
            reader.take(try JSONParser().parse(part)) { exchanges.append($0) }
        }
        reader.finish { exchanges.append($0) }
        return exchanges
    }

    private func event(_ type: String, _ step: String, _ members: JSON = [:]) -> (type: String, members: JSONObject) {
        var members = members.object ?? JSONObject()
        members["step"] = .string(step)
        return (type, members)
    }

    private func sending(_ step: String, attempt: Int = 1) -> (type: String, members: JSONObject) {
        let headers: JSON = [["name": "Accept", "value": "*/*"]]
        return event(
            "request.willSend",
            step,
            ["attempt": .number(JSONNumber(attempt)), "method": "GET", "url": "http://x/a", "headers": headers]
        )
    }

    @Test func `an exchange has a request, a response, a duration and a failure`() throws {
        let found = try exchanges([
            event("step.started", "main.a"), sending("main.a"), event("request.sent", "main.a", ["bytes": 7]),
            event("cache.used", "main.a", ["cache": "miss"]),
            event(
                "response.head",
                "main.a",
                ["status": 404, "httpVersion": "2", "headers": [["name": "Content-Type", "value": "text/csv"]]]
            ), event("response.finished", "main.a", ["time": ["total": 5, "firstByte": 3]]),
            event("step.finished", "main.a", ["result": ["failure": ["message": "the status is 404"]]]),
        ])
        let exchange = try #require(found.first)
        #expect(found.count == 1)
        #expect(exchange.method == "GET" && exchange.url == "http://x/a" && exchange.bodyBytes == 7)
        #expect(exchange.headers.first?["value"] == "*/*")
        #expect(exchange.response?.status == 404 && exchange.response?.httpVersion == "2")
        #expect(exchange.time == PhaseTimes(total: .milliseconds(5), firstByte: .milliseconds(3)))
        #expect(exchange.failure == "the status is 404")
        #expect(exchange.cache == .miss)
        #expect(exchange.bodyFiles().first == "main.a.csv")
    }

    @Test func `each hop of a redirect is an exchange with its own duration`() throws {
        let found = try exchanges([
            sending("main.a"),
            event(
                "request.redirected",
                "main.a",
                [
                    "attempt": 1, "status": 302, "method": "GET", "url": "http://x/b", "time": ["total": 4],
                    "nextHeaders": [["name": "X", "value": "y"]],
                ]
            ), event("response.head", "main.a", ["status": 200, "headers": []]),
            event("response.finished", "main.a", ["time": ["total": 10, "firstByte": 5]]),
            event("step.finished", "main.a", ["result": [:]]),
        ])
        #expect(found.map(\.response?.status) == [302, 200])
        #expect(found.map(\.response?.redirectURL) == ["http://x/b", nil])
        #expect(found.map(\.url) == ["http://x/a", "http://x/b"])
        #expect(found.map(\.time?.total) == [.milliseconds(4), .milliseconds(6)])
        #expect(found.last?.headers == [["name": "X", "value": "y"]])
    }

    @Test func `each attempt is an exchange, and one without a response lasts until its failure`() throws {
        let found = try exchanges([
            sending("main.a"), event("request.retrying", "main.a", ["failure": ["message": "could not connect"]]),
            sending("main.a", attempt: 2), event("response.head", "main.a", ["status": 200, "headers": []]),
            event("response.finished", "main.a", ["time": ["total": 1]]),
            event("step.finished", "main.a", ["result": [:]]),
        ])
        #expect(found.map(\.attempt) == [1, 2])
        #expect(found.map(\.failure) == ["could not connect", nil])
        #expect(found.map(\.time?.total) == [.milliseconds(1), .milliseconds(1)])
        #expect(found.map { $0.bodyFiles().first } == [nil, "main.a.bin"])
    }

    @Test func `exchanges inside an element end with the element, and exchanges in flight end with the process`() throws
    {
        let found = try exchanges([
            sending("main.each[1]"), sending("main.each[1].inner"), sending("main.each[10]"),
            event("element.finished", "main.each", ["element": 1, "failure": ["message": "no"]]), sending("main.b"),
            ("run.started", JSONObject()), sending("main.c"),
        ])
        #expect(found.map(\.step) == ["main.each[1]", "main.each[1].inner", "main.each[10]", "main.b", "main.c"])
        #expect(found.map(\.failure) == ["no", nil, nil, nil, nil])
    }

    @Test func `a response from the cache and each page are exchanges, with the start of their bodies`() throws {
        let request: JSON = ["cache": "hit", "method": "GET", "url": "http://x/a", "headers": []]
        let found = try exchanges([
            event("cache.used", "main.a", request),
            event(
                "response.head",
                "main.a",
                ["status": 200, "headers": [], "body": ["bytes": 9, "text": "a", "cut": true]]
            ),
            event("step.finished", "main.a"),
            sending("main.b[3]"), event("page.finished", "main.b[3]", ["page": 1]), sending("main.b[3]", attempt: 2),
            event("page.finished", "main.b[3]", ["page": 2]), event("element.finished", "main.b", ["element": 3]),
        ])
        #expect(found.map(\.step) == ["main.a", "main.b[3]", "main.b[3]"])
        #expect(found[0].url == "http://x/a" && found[0].cache == .hit && found[0].isLast)
        #expect(found[0].response?.body?.isCut == true && found[0].response?.body?.bytes == 9)
        #expect(found.map(\.page) == [nil, 1, 2])
        #expect(
            found[2].bodyFiles() == []
                && found[2].bodyFiles(ofRequest: true) == ["main.b[3]@request.bin", "main.b[3].page-2@request.bin"]
        )
    }
}
