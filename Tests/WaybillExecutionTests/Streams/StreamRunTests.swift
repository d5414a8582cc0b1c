import Synchronization
import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@testable import WaybillExecution

/// Runs that receive streams of events over sockets.
@Suite(.timeLimit(.minutes(5)), .ownThread) struct StreamRunTests {
    private let folder = TemporaryFolder()

    /// A server whose streams start after `Last-Event-ID` and have ten events. Parameters of the target: after how many of
    /// them the connection of the first requests `ends` (in the middle of an event, if it is `torn`) or is `cut`, and how many requests that concerns (`times`); `every` how
    /// many of them one has an ID; `deaf` ignores `Last-Event-ID`; `held` keeps the connection open instead of ending it.
    private static func server() throws -> LoopbackServer {
        let count = Mutex(0)
        return try LoopbackServer { connection in
            while let request = connection.readRequest() {
                let parts = request.target.split { "?&".contains($0) }
                func number(_ name: String) -> Int? {
                    parts.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
                }
                if request.target.contains("status=") {
                    connection.write("HTTP/1.1 \(number("status") ?? 0) X\r\nContent-Length: 0\r\n\r\n")
                    continue
                }
                let isLines = request.target.contains("lines")
                let type =
                    isLines
                    ? "application/x-ndjson" : request.target.contains("page") ? "text/html" : "text/event-stream"
                let id = request.target.contains("deaf") ? nil : request.values(named: "Last-Event-ID").first
                let start = id.flatMap { Int($0) } ?? 0
                let isFirst = count.withLock { count in
                    count += 1
                    return count <= number("times") ?? 1
                }
                let last = isFirst ? min(10, start + (number("cut") ?? number("ends") ?? 10)) : 10
                connection.write("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n")
                func send(_ text: String) {
                    connection.write("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
                }
                if let time = number("retry") { send("retry: \(time)\n\n") }
                if request.target.contains("none") {
                    if request.target.contains("held") {
                        _ = connection.readRequest()
                        return
                    }
                    connection.write("0\r\n\r\n")
                    continue
                }
                if request.target.contains("html") { send("<html>") }
                if request.target.contains("json") { send("{\"error\": \"quota\"}") }
                if request.target.contains("flood") {
                    let event = "data: [\((1...300).map { "\"n\($0)\"" }.joined(separator: ", "))]\n\n"
                    let large = "data: \(String(repeating: "x", count: 1 << 20))\n\n"
                    let events = request.target.contains("large") ? large : String(repeating: event, count: 10)
                    while connection.write("\(String(events.utf8.count, radix: 16))\r\n\(events)\r\n") {}
                    return
                }
                let isStream = !request.target.contains("html") && !request.target.contains("json")
                for event in stride(from: start + 1, through: isStream ? last : start, by: 1) {
                    let hasID = !request.target.contains("noid") && event % (number("every") ?? 1) == 0
                    let id = hasID ? "id: \(event)\n" : ""
                    send(isLines ? "{\"n\": \(event)}\n" : "\(id)data: {\"n\": \(event)}\n\n")
                }
                if request.target.contains("held") {
                    _ = connection.readRequest()
                    return
                }
                if isFirst, number("cut") != nil {
                    if isLines { send("{\"n\": ") } else { send("data: lost") }
                    return
                }
                if isFirst, request.target.contains("torn") { send(isLines ? "{\"n\": " : "data: lost") }
                connection.write("0\r\n\r\n")
            }
        }
    }

    private struct Ran {
        let outcome: Executor.Outcome
        let events: [RunEvent]
        let requests: [ReceivedRequest]
        var failure: Failure? { outcome.result.steps.compactMap(\.failure).first }
        var data: [JSON?]? { outcome.outputs.first?.values.value["numbers"]?.array }
        var warnings: [String] {
            events.compactMap { if case .warning(let message, _) = $0.kind { message.string } else { nil } }
        }
        var ids: [String] { requests.map { $0.values(named: "Last-Event-ID").first ?? "-" } }
    }

    private func run(_ target: String, _ step: String, numbers: String = "$[*].data", at url: String? = nil)
        async throws -> Ran
    {
        let server = try Self.server()
        defer { server.stop() }
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, onFailure: continue, get: "\(target)", \(step)}]
                outputs: {numbers: "default(steps.a.data\(numbers.dropFirst()), list())"}

            """,
            at: url ?? server.url("")
        )
        let transport = try CurlTransport()
        let run = try RunFolder.create(.at(folder.path), for: RunID())
        let listener = EventListener()
        let outcome = await fixture.run(
            over: transport,
            events: EventStream(journal: run.journal, observers: [listener]),
            folder: run
        )
        try await run.journal.finish()
        await transport.shutDown()
        return Ran(outcome: outcome, events: listener.all, requests: server.requests)
    }

    private static func data(_ numbers: ClosedRange<Int>) -> [JSON] { numbers.map { .string("{\"n\": \($0)}") } }

    /// Streams that end, with the numbers of their events, or that fail, with the start of the message.
    static let streams: [(target: String, step: String, count: Int?, failure: String?)] = [
        ("/e", "stream: {until: \"item.id == '3'\"}", 3, nil),
        ("/e?held", "stream: {until: \"parse(item.data).n == 7\"}", 7, nil),
        ("/e?held", "stream: {max: 4}", 4, nil),
        ("/e?held", "stream: {for: 2s}", 10, nil),
        ("/e?held", "stream: {until: \"item.id == 'x'\", for: 2s}", 10, nil),
        ("/e", "stream: {}", 10, nil),
        ("/e", "decoding: sse", 10, nil),
        ("/e", "stream: {max: 11}", 10, "the server ended the stream after 10 events, before 'max'"),
        (
            "/e", "stream: {until: \"item.id == 'x'\", max: 20, for: 1h}", 10,
            "the server ended the stream after 10 events, before 'until' or 'max'"
        ),
        ("/e?held", "stream: {max: 11}, timeout: 2s", 10, "no complete response from 127.0.0.1:"),
        ("/e?held", "stream: {max: 11}, deadline: 2s", 10, "the deadline of 2s has passed"),
        ("/e?page", "stream: {max: 2}", 0, "the response has the content type 'text/html', so it is not known how"),
        ("/e?page", "stream: {max: 2}, decoding: sse", 2, nil),
        // What is no stream ends it at once: nothing of the server ends these.
        (
            "/e?held&html", "stream: {max: 2}, decoding: sse, timeout: 1m", 0,
            "the body is not an event stream: it does not"
        ),
        ("/e?held&json", "stream: {for: 2s}, decoding: sse", 0, "the body is not an event stream: it does not"),
        ("/e?held&html", "stream: {for: 2s}, decoding: ndjson", 0, "line 1 of the response is not JSON"),
        (
            "/e?none&page", "stream: {}, decoding: ndjson", 0,
            "the response has no body and the content type 'text/html'"
        ),
        // The same while the server holds the body open without a byte.
        (
            "/e?none&page&held", "stream: {for: 2s}, decoding: sse", 0,
            "the response has no body and the content type 'text/html'"
        ),
        ("/e?none&held", "stream: {for: 2s}", 0, nil),
        ("/e?none&page", "decoding: csv", 0, "the response has no body and the content type 'text/html', so it is not"),
        ("/e?none", "stream: {}", 0, nil),
        (
            "/e?status=204", "stream: {max: 2}", 0,
            "the server ended the stream for good (status 204) after 0 events, before"
        ),
        ("/e?status=404", "stream: {max: 2}", 0, "the status is 404"),
        ("/e", "stream: {until: item.missing}", 0, "nothing matches item.missing"),
        ("/e", "stream: {max: 3}, expect: {body: [length($) == 4]}", 3, "'length($) == 4' is false"),
        ("/e", "stream: {max: 3}, maxBody: 60B", nil, "the events are larger than the limit of 60 bytes"),
        ("/e?cut=3", "stream: {max: 9}, retry: {times: 1, backoff: {first: 1ms}}", 9, nil),
        ("/e?ends=3", "stream: {max: 9}, retry: {times: 1, backoff: {first: 1ms}}", 9, nil),
        ("/e?ends=3&torn", "stream: {max: 9}, retry: {times: 1, backoff: {first: 1ms}}", 9, nil),
        ("/e?cut=3&noid", "stream: {max: 9}, retry: {times: 1, backoff: {first: 1ms}}", 9, nil),
        (
            "/e?ends=3&retry=90000", "stream: {max: 9}, retry: {times: 1}", 3,
            "the server ended the stream after 3 events, before 'max'; the stream's 'retry' asks to wait longer than"
        ),
        ("/e?cut=2&times=3", "stream: {max: 9}, retry: {times: 2, backoff: {first: 1ms}}", 6, "127.0.0.1:"),
    ]

    @Test(arguments: streams.indices)
    func `a stream ends, and its events are its data`(index: Int) async throws {
        let stream = Self.streams[index]
        let ran = try await run(stream.target, stream.step)
        let message = ran.failure?.message.string
        #expect(
            stream.count.map { ran.data == ($0 == 0 ? [] : Self.data(1...$0)) } ?? true,
            "\(stream): \(message ?? "passed")"
        )
        #expect(
            stream.failure.map { message?.hasPrefix($0) ?? false } ?? (message == nil),
            "\(stream): \(message ?? "passed")"
        )
    }

    @Test func `the time of 'for' ends a stream with success while an event is evaluated`() async throws {
        let filter = "filters: [where: \"length(unique(parse(item.data)[*])) == 300\"]"
        let ran = try await run("/e?flood", "stream: {for: 1s}, write: {to: a.ndjson}, \(filter)", numbers: "$")
        #expect(ran.failure == nil && ran.outcome.result.outcome == .passed, "\(String(describing: ran.failure))")
        #expect(folder.read("a.ndjson")?.isEmpty == false)
    }

    @Test func `the timeout ends a stream whose events always wait to be processed`() async throws {
        let step =
            "stream: {max: 100000000}, timeout: 500ms, write: {to: a.ndjson}, filters: [where: \"parse(item.data)[0] == 'n1'\"]"
        let ran = try await run("/e?flood", step, numbers: "$")
        #expect(ran.failure?.kind == .timeout, "\(String(describing: ran.failure))")
    }

    /// The records of the others cannot be written after those of the element that failed.
    @Test func `the timeout ends streams whose events wait for an element that failed`() async throws {
        let server = try Self.server()
        defer { server.stop() }
        // Two of these records are more than may wait for their turn.
        let columns = (1...8).map { "{c\($0): item.data}" }.joined(separator: ", ")
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    onFailure: collect
                    forEach: {in: [status=500, flood&large, flood&large], as: kind, concurrency: 3}
                    get: "/e?${raw(kind)}"
                    stream: {max: 100000}
                    decoding: sse
                    timeout: 6s
                    write: {to: a.ndjson, columns: [\(columns)]}
            """,
            at: server.url("")
        )
        let transport = try CurlTransport()
        let run = try RunFolder.create(.at(folder.path), for: RunID())
        let events = EventStream(journal: run.journal, observers: [])
        let outcome = await fixture.run(over: transport, events: events, folder: run)
        try await run.journal.finish()
        await transport.shutDown()
        let failures = try #require(outcome.result.steps.first?.elements?.failures)
        #expect(failures.map(\.failure.kind) == [.status, .timeout, .timeout], "\(failures)")
    }

    @Test func `a reconnection sends the last ID and waits as long as the server asks`() async throws {
        let ran = try await run(
            "/e?cut=3&retry=70",
            "decoding: sse, stream: {max: 10}, retry: {times: 3, backoff: {first: 1h, max: 2h}}"
        )
        #expect(ran.data == Self.data(1...10))
        #expect(ran.ids == ["-", "3"])
        #expect(ran.requests.first?.values(named: "Accept") == ["text/event-stream"])
        let pauses = ran.events.compactMap {
            if case .requestRetrying(let retry) = $0.kind { retry.pause } else { nil }
        }
        #expect(pauses == [.milliseconds(70)])
    }

    @Test(arguments: ["", ", accept: [text/event-stream]", ", write: {to: a.ndjson}"])
    func `a stream that the server ends for good is not connected to again`(key: String) async throws {
        let retry = "retry: {times: 5, backoff: {first: 1ms}, for: [transfer, decode, content-type]}"
        let step = "stream: {max: 2}, \(retry)\(key)"
        let ran = try await run("/e?status=204", step, numbers: "$")
        #expect(ran.failure != nil)
        #expect(ran.requests.count == 1)
        #expect(try await run("/e?status=204", "stream: {}, retry: {times: 1}").data == [])
    }

    @Test func `a server that sends events again after a reconnection is reported once`() async throws {
        let step = "stream: {max: 9}, retry: {times: 1, backoff: {first: 1ms}}"
        let deaf = try await run("/e?cut=3&deaf", step)
        #expect(deaf.data == Self.data(1...3) + Self.data(1...6))
        #expect(deaf.warnings.count == 1)
        #expect(deaf.warnings.first?.hasPrefix("the server ignores 'Last-Event-ID'") == true)
        for target in ["/e?cut=3", "/e?cut=3&every=2", "/e?cut=3&noid&deaf"] {
            #expect(try await run(target, step).warnings.isEmpty, "\(target)")
        }
    }

    @Test(arguments: [
        ("/e", "stream: {max: 2}, expect: {body: [length($) == 3]}"), ("/e?cut=2", "stream: {max: 3}"),
        ("/e?held", "stream: {max: 11}, timeout: 500ms, filters: [limit: 1]"),
    ])
    func `the events of a stream that failed are kept like a body`(target: String, step: String) async throws {
        let ran = try await run(target, "outputs: {n: {value: \"$[0].data\", secret: true}}, \(step)")
        #expect(ran.failure != nil)
        let lines = (folder.read("bodies/main.a.ndjson") ?? "").split(separator: "\n")
        let count = target.contains("held") ? 10 : 2
        #expect(lines.count == count, "\(folder.names(in: "bodies"))")
        // The first one is a secret output.
        #expect(lines.first == #"{"event":"message","data":"***","id":"1"}"#)
        #expect(lines.dropFirst().first == #"{"event":"message","data":"{\"n\": 2}","id":"2"}"#)
    }

    @Test(arguments: [("$[9].data", nil), ("$[0].data", 3)] as [(String, Int?)])
    func `no file has the events of a stream whose secret outputs are not known`(value: String, count: Int?)
        async throws
    {
        let step = "stream: {max: 3}, write: {to: a.ndjson}, expect: {body: [length($) == 9]}"
        let ran = try await run("/e", "outputs: {n: {value: \"\(value)\", secret: true}}, \(step)", numbers: "$")
        #expect(ran.failure != nil)
        let lines = folder.read("a.ndjson")?.split(separator: "\n").count
        #expect(lines == count, "\(String(describing: ran.failure))")
        #expect(folder.read("a.ndjson.part")?.isEmpty ?? true)
    }

    @Test(arguments: [
        ("/e?cut=3", "records: \"$[*].data\"", "{\"n\": 1}"), ("/e?cut=3&noid", "records: \"$[*].data\"", "{\"n\": 1}"),
        ("/e?cut=3&every=2", "records: \"$[*].data\"", "{\"n\": 1}"),
        ("/lines?cut=3", "records: $", "{\"n\":1}"),
    ])
    func `records are written as the events arrive, once each`(target: String, records: String, first: String)
        async throws
    {
        let ran = try await run(
            target,
            "stream: {max: 9}, retry: {times: 1, backoff: {first: 1ms}}, filters: [where: true], write: {to: a.ndjson, \(records)}",
            numbers: "$"
        )
        #expect(ran.failure == nil, "\(String(describing: ran.failure))")
        let lines = (folder.read("a.ndjson") ?? "").split(separator: "\n")
        #expect(lines.count == 9, "\(lines)")
        #expect(Set(lines).count == 9)
        #expect(ran.requests.count == 2)
    }

    @Test func `the records of a stream that failed are kept`() async throws {
        let ran = try await run("/e?held", "stream: {max: 11}, timeout: 500ms, write: {to: a.ndjson}", numbers: "$")
        #expect(ran.failure?.kind == .timeout)
        // The failure is tolerated.
        #expect(folder.read("a.ndjson")?.split(separator: "\n").count == 10)
    }

    @Test(.enabled(if: NginxServer.isWanted, "nginx is not installed"))
    func `events of a compressed stream over HTTP/2 are used before it ends`() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let directives = """
            location / {
                proxy_pass http://127.0.0.1:\(server.port); proxy_http_version 1.1; proxy_buffering off;
                gzip on; gzip_types text/event-stream; gzip_min_length 1; gzip_proxied any; gzip_http_version 1.0;
            }
            """
        try await NginxServer.run(directives, listen: "http2") { nginx in
            let ran = try await run("/e?held", "http: 2-prior-knowledge, stream: {max: 10}", at: nginx.url(""))
            #expect(ran.data == Self.data(1...10), "\(String(describing: ran.failure))")
            let heads = ran.events.compactMap { if case .responseHead(let head) = $0.kind { head } else { nil } }
            #expect(heads.first?.httpVersion == "2")
            #expect(heads.first?.headers.contains { $0.name.string.lowercased() == "content-encoding" } == true)
        }
    }
}
