import Synchronization
import Waybill

// The code of the article WatchingAndSteering: each part between two marks is one block of the article.

// snippet
func follow(_ run: ManifestRun) async throws -> [String] {
    var lines: [String] = []
    for try await event in run {
        switch event.kind {
        case .stepStarted:
            lines.append("\(event.step ?? "") …")
        case .stepFinished(let step):
            lines.append("\(step.path) \(step.outcome) \(step.status ?? 0)")
        case .requestRetrying(let retry):
            lines.append("again in \(retry.pause): \(retry.failure.message)")
        default:
            break
        }
    }
    return lines
}
// end

// snippet
final class Tally: ManifestRun.Observer {
    private let received = Mutex(0)

    var bytes: Int { received.withLock { $0 } }

    func receive(_ event: ManifestRun.Event) {
        if case .responseFinished(let response) = event.kind {
            received.withLock { $0 += response.bytes.received }
        }
    }
}

func bytesReceived(by plan: RunPlan, results: String) async throws -> Int {
    let tally = Tally()
    let run = plan.run(results: results, options: ManifestRun.Options(observers: [tally]))
    _ = try await run.report
    return tally.bytes
}
// end

// snippet
func runUntilFirstFailure(_ plan: RunPlan, results: String) async throws -> ManifestRun.Report {
    let run = plan.run(results: results)
    for try await event in run {
        if case .stepFinished(let step) = event.kind, step.outcome == .failed || step.outcome == .tolerated {
            run.cancel()
        }
    }
    return try await run.report
}
// end

// snippet
func runAfterApproval(
    of step: String,
    in plan: RunPlan,
    results: String,
    approve: () async -> Bool
) async throws -> ManifestRun.Report {
    let run = plan.run(results: results, options: ManifestRun.Options(pausedSteps: [step]))
    if await approve() {
        try run.unpause(step: step)
    } else {
        try run.cancel(step: step)
    }
    return try await run.report
}
// end
