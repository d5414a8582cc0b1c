import Testing
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@testable import WaybillExecution

/// The fields of requests with `trace`, as a server receives them.
@Suite(.timeLimit(.minutes(5))) struct TraceFieldTests {
    /// Runs a manifest against a server that responds to `/busy` with 503, redirects `/moved`, and accepts everything
    /// else. Returns the requests.
    private func requests(_ manifest: String, trace: TraceContext? = nil) async throws -> [ReceivedRequest] {
        try await LoopbackServer.run { request in
            switch request.target {
            case "/busy": ServerResponse(status: 503)
            case "/moved": ServerResponse(status: 307, headers: [("Location", "/target")])
            default: ServerResponse()
            }
        } _: { server in
            let fixture = try ExecutionFixture(manifest, at: server.url(""))
            let transport = try CurlTransport()
            _ = await fixture.run(over: transport, trace: trace)
            await transport.shutDown()
            return server.requests
        }
    }

    private func parents(_ manifest: String, trace: TraceContext? = nil) async throws -> [TraceParent?] {
        try await requests(manifest, trace: trace).map { request in
            let values = request.values(named: "traceparent")
            #expect(values.count <= 1)
            return try values.first.map { try #require(TraceParent($0)) }
        }
    }

    @Test func `each attempt names a span of its own in the trace of the run`() async throws {
        let trace = TraceContext(of: RunID())
        let step = "{id: a, get: /busy, trace: true, retry: {times: 2, backoff: {first: 1ms}}}"
        let parents = try await parents("graphs: {main: {chain: [\(step)]}}\n", trace: trace).compactMap(\.self)
        #expect(parents.count == 3)
        #expect(Set(parents.map(\.span)).count == 3)
        #expect(Set(parents.map(\.trace)) == [trace.trace])
    }

    @Test func `requests without the setting have no traceparent`() async throws {
        let steps = "[{id: a, get: /}, {id: b, get: /, trace: false}]"
        #expect(try await parents("graphs: {main: {chain: \(steps)}}\n") == [nil, nil])
    }

    @Test func `a step overrides the defaults`() async throws {
        let steps = "[{id: a, get: /}, {id: b, get: /, trace: false}]"
        let parents = try await parents("defaults: {trace: true}\ngraphs: {main: {chain: \(steps)}}\n")
        #expect(parents.map { $0 != nil } == [true, false])
    }

    @Test func `a redirect keeps the traceparent`() async throws {
        let parents = try await parents("graphs: {main: {chain: [{id: a, get: /moved, trace: true}]}}\n")
        #expect(parents.count == 2)
        #expect(parents[0] == parents[1] && parents[0] != nil)
    }

    @Test func `the fields of the manifest take precedence, and null unsets the field`() async throws {
        let own = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let steps =
            "[{id: a, get: /, headers: {Traceparent: \(own)}}, {id: b, get: /, headers: {traceparent: null}}, "
            + "{id: c, get: /, headers: {tracestate: own=1}}]"
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let trace = TraceContext(of: RunID(), variables: ["TRACEPARENT": parent, "TRACESTATE": "theirs=1"])
        let manifest = "defaults: {trace: true}\ngraphs: {main: {chain: \(steps)}}\n"
        let requests = try await requests(manifest, trace: trace)
        #expect(requests[0].values(named: "traceparent") == [own])
        #expect(requests[0].values(named: "tracestate") == [])
        #expect(requests[1].values(named: "traceparent") == [])
        #expect(requests[2].values(named: "traceparent")[0].hasPrefix("00-0af7651916cd43dd8448eb211c80319c-"))
        #expect(requests[2].values(named: "tracestate") == ["own=1"])
    }

    @Test func `equal requests are shared although their spans differ`() async throws {
        let step = "get: /e, trace: true, duplicates: share"
        let fixture = try ExecutionFixture(
            "graphs: {main: {batch: [{id: a, \(step)}, {id: b, \(step)}]}}\n",
            ["/e": .held]
        )
        let watch = RunWatch()
        async let running = fixture.run(watch: watch)
        await watch.waitForShared(2)
        fixture.transport.release("/e", .json("{}"))
        #expect(await running.summary == "a:passed b:passed")
        #expect(fixture.transport.sent.map { $0.headers.contains { $0.isNamed("traceparent") } } == [true])
    }
}
