import Waybill

// The code of the article ReadingResults: each part between two marks is one block of the article.

// snippet
func summaries(ofRunsIn folder: String) throws -> [String] {
    try ManifestRun.earlierRuns(in: folder).map { run in
        let report = try ManifestRun.Report(contentsOf: run.folder)
        return report.isFinished ? "\(report)" : "\(run.id) has not finished"
    }
}
// end

// snippet
func retries(in folder: String) async throws -> [String: Int] {
    var retries: [String: Int] = [:]
    for try await event in try ManifestRun.Report(contentsOf: folder).events {
        if case .requestRetrying = event.kind { retries[event.step ?? "", default: 0] += 1 }
    }
    return retries
}
// end

// snippet
func responses(toFailedStepsOf report: ManifestRun.Report) throws -> [String: String] {
    var bodies: [String: String] = [:]
    for step in report.failedSteps {
        if let body = try report.keptBody(of: step.path) {
            bodies[step.path] = String(decoding: body, as: UTF8.self)
        }
    }
    return bodies
}
// end

// snippet
func newFailures(in folder: String, since earlier: String) throws -> [String] {
    let comparison = try ManifestRun.Report(contentsOf: folder)
        .changes(since: ManifestRun.Report(contentsOf: earlier))
    return comparison.steps.compactMap { change in
        switch change {
        case .added(let step), .outcome(before: _, after: let step): step.outcome == .failed ? step.path : nil
        case .removed, .time: nil
        }
    }
}
// end

// snippet
func writeReports(of report: ManifestRun.Report, to folder: String) throws {
    try report.write(.junit, to: "\(folder)/junit.xml")
    try report.write(.html, to: "\(folder)/index.html")
    print(try report.text(in: .markdown))
}
// end

// snippet
func headline(of report: ManifestRun.Report) -> String {
    "\(report.manifest) \(report.outcome): \(report.failedSteps.map(\.path).joined(separator: ", "))"
}

func checkHeadline() -> Bool {
    let failure = ManifestRun.StepFailure(kind: .status, message: "the status is 401, not 2xx")
    let step = ManifestRun.Step(
        id: "login",
        path: "main.login",
        graph: "main",
        outcome: .failed,
        failure: failure
    )
    let report = ManifestRun.Report(manifest: "shop.yaml", outcome: .failed, steps: [step])
    return headline(of: report) == "shop.yaml failed: main.login"
}
// end
