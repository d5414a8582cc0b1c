import Synchronization
import Waybill

// The code of the article TestingWithoutANetwork: each part between two marks is one block of the article.

// snippet
struct Shop: ManifestTransport {
    var responses: [String: ManifestTransportResponse]

    func send(_ request: ManifestTransportRequest) async throws -> ManifestTransportResponse {
        guard let response = responses["\(request.method) \(request.url)"] else {
            throw ManifestTransportError(.connect, "could not connect to the shop")
        }
        return response
    }
}

func outputs(of plan: RunPlan, from shop: Shop) async throws -> JSONValue {
    let options = ManifestRun.Options(transport: shop, secrets: { name in "the value of \(name)" })
    let report = try await plan.run(options: options).report
    return report.outcome == .passed ? report.outputs["main"] ?? .null : .null
}
// end

// snippet
final class SkippingClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Duration.zero
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let time = Mutex(Instant())
    let minimumResolution = Swift.Duration.zero

    var now: Instant { time.withLock { $0 } }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        try Task.checkCancellation()
        time.withLock { $0 = max($0, deadline) }
    }
}

func timeUntilFailure(of plan: RunPlan, from shop: Shop) async throws -> Duration {
    let clock = SkippingClock()
    let report = try await plan.run(options: ManifestRun.Options(transport: shop, clock: clock)).report
    return report.outcome == .failed ? SkippingClock.Instant().duration(to: clock.now) : .zero
}
// end
