import Synchronization
import Testing
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

@testable import WaybillResults
@testable import WaybillTracing

/// The exporter, with destinations that behave in various ways.
@Suite(.timeLimit(.minutes(5))) struct TraceExporterTests {
    /// A destination that replies from a list, and then accepts everything.
    private final class Destination: TraceDestination {
        let name = "http://c/v1/traces"
        private let replies: Mutex<[TraceDelivery]>
        private let requests = Mutex<[[UInt8]]>([])
        /// Whether it replies to nothing until the exporter stops waiting.
        private let isSilent: Bool

        init(_ replies: [TraceDelivery] = [], isSilent: Bool = false) {
            self.replies = Mutex(replies)
            self.isSilent = isSilent
        }

        /// The number of spans in each request.
        var counts: [Int] {
            requests.withLock { requests in
                requests.map { request in
                    let json: JSON? = try? JSONParser().parse(request)
                    return json?["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.array?.count ?? -1
                }
            }
        }

        func send(_ request: [UInt8]) async -> TraceDelivery {
            requests.withLock { $0.append(request) }
            if isSilent {
                try? await Task.sleep(for: .seconds(3600))
                return .refused(reason: "the request was cancelled")
            }
            return replies.withLock { $0.isEmpty ? .accepted(rejected: 0, message: nil) : $0.removeFirst() }
        }

        func close() async {}
    }

    /// Exports a run with this many steps, each of which is a span; returns the warning.
    private func export(
        _ steps: Int,
        to destination: Destination,
        timeout: Duration = .seconds(60)
    ) async throws -> String? {
        let id = try #require(RunID("20261121-052703-k3v9qa"))
        let exporter = TraceExporter(of: TraceContext(of: id), resource: [], to: destination, timeout: timeout)
        for number in 0..<steps {
            let result = StepResult(id: "a", path: "main.a", graph: "main", outcome: .passed)
            let at = Timestamp(nanoseconds: Int64(number))
            exporter.receive(RunEvent(seq: number + 1, at: at, step: "main.a", kind: .stepFinished(result)))
        }
        return await exporter.finish()?.headline
    }

    @Test func `all spans arrive, in batches`() async throws {
        let destination = Destination()
        #expect(try await export(1500, to: destination) == nil)
        #expect(destination.counts.reduce(0, +) == 1500)
        #expect(destination.counts.allSatisfy { $0 <= TraceExporter.batchSize })
    }

    @Test func `nothing is sent for a run without spans`() async throws {
        let destination = Destination()
        #expect(try await export(0, to: destination) == nil)
        #expect(destination.counts == [])
    }

    @Test func `a request that the collector wants later is sent again`() async throws {
        let destination = Destination([.later(after: nil, reason: "status 503")])
        #expect(try await export(3, to: destination) == nil)
        #expect(destination.counts == [3, 3])
    }

    @Test func `a collector that is busy for too long is not waited for`() async throws {
        let destination = Destination([.later(after: .seconds(3600), reason: "status 429")])
        let warning = try await export(3, to: destination)
        #expect(warning == "the trace is not complete at http://c/v1/traces: 3 spans were not sent: status 429")
        #expect(destination.counts == [3])
    }

    @Test func `a collector that cannot be reached is tried once at the end`() async throws {
        let destination = Destination([.unreachable(reason: "connection refused")])
        let warning = try await export(400, to: destination)
        #expect(
            warning == "the trace is not complete at http://c/v1/traces: 400 spans were not sent: connection refused"
        )
        #expect(destination.counts == [400])
    }

    @Test func `a collector that does not respond is not waited for`() async throws {
        let destination = Destination(isSilent: true)
        let warning = try await export(1, to: destination, timeout: .milliseconds(20))
        let reason = "1 span was not sent: it did not take them within 20ms"
        #expect(warning == "the trace is not complete at http://c/v1/traces: \(reason)")
    }

    @Test func `spans that the collector refuses are counted, and the others are sent`() async throws {
        let destination = Destination([.refused(reason: "status 400")])
        let warning = try #require(try await export(1500, to: destination))
        let first = try #require(destination.counts.first)
        #expect(warning.hasSuffix("\(first) spans were not sent: status 400"))
        #expect(destination.counts.reduce(0, +) == 1500)
    }

    @Test func `spans that the collector rejects are counted`() async throws {
        let destination = Destination([.accepted(rejected: 2, message: "too old")])
        let warning = try await export(3, to: destination)
        #expect(warning == "the trace is not complete at http://c/v1/traces: 2 spans were rejected: too old")
    }

    @Test func `a warning of the collector does not say that the trace is incomplete`() async throws {
        let destination = Destination([.accepted(rejected: 0, message: "use gzip")])
        let warning = try await export(3, to: destination)
        #expect(warning == "http://c/v1/traces accepted the trace with a warning: use gzip")
    }

    @Test func `spans that do not fit into the queue are dropped and counted`() async throws {
        let destination = Destination(isSilent: true)
        let steps = TraceExporter.queueSize + 1000
        let warning = try #require(try await export(steps, to: destination, timeout: .milliseconds(20)))
        let dropped = try #require(warning.firstMatch(of: /([0-9]+) spans were dropped/)?.1)
        // The batch that was in flight has left the queue.
        #expect((1000 - TraceExporter.batchSize...1000 + TraceExporter.batchSize).contains(Int(dropped) ?? 0))
        #expect(destination.counts.count <= 1)
    }
}
