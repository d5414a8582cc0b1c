import Synchronization
import Testing
import Waybill
import WaybillTestSupport

/// Runs with a transport and a clock of the program, without any network.
@Suite(.timeLimit(.minutes(5))) struct TransportTests {
    /// Returns what a function does, and keeps the requests.
    final class Recorder: ManifestTransport {
        private let received = Mutex<[ManifestTransportRequest]>([])
        private let answer: @Sendable (ManifestTransportRequest) async throws -> ManifestTransportResponse

        init(_ answer: @escaping @Sendable (ManifestTransportRequest) async throws -> ManifestTransportResponse) {
            self.answer = answer
        }

        var requests: [ManifestTransportRequest] { received.withLock { $0 } }

        func send(_ request: ManifestTransportRequest) async throws -> ManifestTransportResponse {
            received.withLock { $0.append(request) }
            return try await answer(request)
        }
    }

    private func report(
        _ steps: String,
        _ transport: Recorder,
        options: ManifestRun.Options = .init(),
        results: Bool = false
    ) async throws -> (report: ManifestRun.Report, fixture: LibraryFixture) {
        let fixture = LibraryFixture("secrets: {key: {env: NO_SUCH_KEY}}\ngraphs: {main: {chain: [\(steps)]}}")
        var options = options
        options.transport = transport
        return (
            try await fixture.plan().run(results: results ? fixture.results : nil, options: options).report, fixture
        )
    }

    @Test func `a transport receives the request as it would be sent, and its response is evaluated`() async throws {
        let transport = Recorder { _ in
            ManifestTransportResponse(
                status: 201,
                headers: ["X-Id": "a", "Content-Type": "application/json"],
                body: Array("{\"id\": 7}".utf8)
            )
        }
        let (report, fixture) = try await report(
            """
            {id: a, post: "https://shop.example/a", params: {n: 1}, encoding: json, headers: {X-Key: "${secrets.key}"},
             outputs: {id: $.id, header: "${response.headers['x-id']}"}, expect: {status: 201}},
            {id: b, get: "https://shop.example/${steps.a.outputs.id}/${steps.a.outputs.header}"}
            """,
            transport,
            options: .init(secrets: { $0 == "key" ? "hunter2" : nil })
        )
        #expect(report.steps.map(\.failure?.message) == [nil, nil])
        let requests = transport.requests
        #expect(requests.map(\.method) == ["POST", "GET"])
        #expect(requests.map(\.url) == ["https://shop.example/a", "https://shop.example/7/a"])
        #expect(requests[0].headers["x-key"] == "hunter2")
        #expect(requests[0].headers["content-type"] == "application/json")
        #expect(String(decoding: requests[0].body, as: UTF8.self) == "{\"n\":1}")
        #expect(report.folder == nil)
        #expect(fixture.folder.names() == ["manifest.yaml"])
    }

    @Test func `redirects are followed, and a file is sent from memory`() async throws {
        let transport = Recorder { request in
            request.url.hasSuffix("/old")
                ? ManifestTransportResponse(status: 307, headers: ["Location": "/new"])
                : ManifestTransportResponse(json: ["got": .string(String(decoding: request.body, as: UTF8.self))])
        }
        let fixture = LibraryFixture(
            "graphs: {main: {chain: [{id: a, post: \"http://a.example/old\", body: {file: body.txt}, expect: {body: [\"$.got == 'text'\"]}}]}}"
        )
        fixture.folder.write("text", to: "body.txt")
        let report = try await fixture.plan().run(options: ManifestRun.Options(transport: transport)).report
        #expect(report.steps.map(\.failure?.message) == [nil])
        #expect(transport.requests.map(\.url) == ["http://a.example/old", "http://a.example/new"])
    }

    @Test(arguments: [
        (ManifestTransportError.Kind.dns, ManifestRun.FailureKind.dns), (.connect, .connect), (.tls, .tls),
        (.timeout, .timeout), (.transfer, .transfer),
    ])
    func `a failure of the transport is that of the step, without secrets`(
        kind: ManifestTransportError.Kind,
        expected: ManifestRun.FailureKind
    ) async throws {
        let (report, _) = try await report(
            "{id: a, get: \"http://a.example/${secrets.key}\"}",
            Recorder { request in throw ManifestTransportError(kind, "no response to \(request.url)") },
            options: .init(secrets: { _ in "hunter2" })
        )
        let failure = try #require(report.failedSteps.first?.failure)
        #expect(failure.kind == expected)
        #expect(failure.message == "no response to http://a.example/***")
    }

    @Test func `any other error is a failed transfer`() async throws {
        struct Broken: Error {}
        let (report, _) = try await report(
            "{id: a, get: \"http://a.example/\"}",
            Recorder { _ in throw Broken() }
        )
        #expect(report.failedSteps.map(\.failure?.kind) == [.transfer])
        #expect(report.failedSteps.first?.failure?.message == "Broken()")
    }

    @Test func `maxBody and timeout hold for every transport`() async throws {
        let (report, _) = try await report(
            """
            {id: a, get: "http://a.example/large", maxBody: 4, onFailure: continue},
            {id: b, get: "http://a.example/slow", timeout: 50ms}
            """,
            Recorder { request in
                if request.url.hasSuffix("slow") { try await Task.sleep(for: .seconds(600)) }
                return ManifestTransportResponse(body: [1, 2, 3, 4, 5])
            }
        )
        #expect(report.steps.map(\.failure?.kind) == [.transfer, .timeout])
        #expect(report.steps[0].failure?.message == "the body is larger than the limit of 4 bytes")
    }

    @Test func `a transport that does not end its requests in time is not waited for`() async throws {
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        defer { end.finish() }
        let transport = Recorder { _ in
            // Another task, so that the cancellation of this one ends nothing.
            await Task { for await _ in stream {} }.value
            return ManifestTransportResponse()
        }
        let (report, _) = try await report("{id: a, get: \"http://a.example/\", timeout: 50ms}", transport)
        #expect(report.failedSteps.map(\.failure?.kind) == [.timeout])
    }

    @Test func `a request that was not sent is not reported as sent`() async throws {
        let transport = Recorder { _ in throw ManifestTransportError(.connect, "no route") }
        let fixture = LibraryFixture("graphs: {main: {chain: [{id: a, get: \"http://a.example/\"}]}}")
        let events = try await fixture.plan().run(options: ManifestRun.Options(transport: transport)).events()
        #expect(events.map(\.type).contains("request.willSend"))
        #expect(!events.map(\.type).contains("request.sent"))
    }

    @Test func `cancelling a step cancels its request`() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let transport = Recorder { _ in
            start.finish()
            try await Task.sleep(for: .seconds(600))
            return ManifestTransportResponse()
        }
        let fixture = LibraryFixture("graphs: {main: {chain: [{id: a, get: \"http://a.example/\"}]}}")
        let run = try fixture.plan().run(options: ManifestRun.Options(transport: transport))
        for await _ in started {}
        try run.cancel(step: "main.a")
        #expect(try await run.report.steps.map(\.outcome) == [.cancelled])
    }

    @Test func `a body is written to a file of download`() async throws {
        let body = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let (report, fixture) = try await report(
            "{id: a, get: \"http://a.example/\", download: {to: file.bin}}",
            Recorder { _ in ManifestTransportResponse(headers: ["Content-Length": "300000"], body: body) },
            results: true
        )
        #expect(report.steps.map(\.failure?.message) == [nil])
        #expect(TemporaryFolder.contents(of: "\(fixture.results)/file.bin") == body)
    }

    @Test func `the run's waits are those of its clock`() async throws {
        let clock = SkippingClock()
        let (report, _) = try await report(
            "{id: a, get: \"http://a.example/\", delay: 1h, retry: {times: 3, backoff: {first: 1h, factor: 1, max: 2h, jitter: false}}}",
            Recorder { _ in ManifestTransportResponse(status: 503) },
            options: .init(clock: clock)
        )
        #expect(report.outcome == .failed)
        #expect(clock.now.offset >= .seconds(4 * 3_600))
    }

    /// A clock that stands still, or whose waits fail.
    private struct BrokenClock: Clock {
        struct WaitError: Error {}
        let fails: Bool

        var now: ContinuousClock.Instant { Self.start }
        var minimumResolution: Duration { .zero }
        private static let start = ContinuousClock.now

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            await Task.yield()
            if fails { throw WaitError() }
        }
    }

    @Test(arguments: [false, true])
    func `a clock that stands still or fails neither stops a run nor repeats for ever`(fails: Bool) async throws {
        let fixture = LibraryFixture(
            """
            services: {s: {baseURL: "http://a.example", rate: 20/s}}
            graphs:
              main:
                batch:
                  - {id: a, service: s, get: /, until: {that: 1 == 2, every: 10ms, within: 100ms}, onFailure: continue}
                  - {id: b, service: s, get: /, forEach: {in: range(25), as: n}}
            """
        )
        let transport = Recorder { _ in ManifestTransportResponse() }
        let options = ManifestRun.Options(transport: transport, clock: BrokenClock(fails: fails))
        let report = try await fixture.plan().run(options: options).report
        #expect(report.steps.map(\.outcome) == [.tolerated, .passed])
        #expect(transport.requests.count < 60)
    }
}
