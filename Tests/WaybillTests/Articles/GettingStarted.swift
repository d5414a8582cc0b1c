import Waybill

// The code of the article GettingStarted: each part between two marks is one block of the article.

// snippet
func plan(forUser name: String, manifest path: String) throws -> RunPlan {
    let manifest = try Manifest(contentsOf: path)
    for warning in manifest.warnings {
        print(warning)
    }
    return try manifest.plan(graphs: ["main"], inputs: ["username": .string(name)])
}
// end

// snippet
struct Spending: Decodable {
    var account: Int
    var spent: Double
}

func spending(_ plan: RunPlan, results: String) async throws -> Spending? {
    let run = plan.run(results: results, options: ManifestRun.Options(usesMock: true))
    let report = try await run.report
    for step in report.failedSteps {
        print(step.path, step.failure?.message ?? "")
    }
    return try report.outputs["main"]?.decode(Spending.self)
}
// end

// snippet
struct Customer: Encodable {
    var username: String
}

func plan(for customer: Customer, manifest path: String) throws -> RunPlan {
    try Manifest(contentsOf: path).plan(inputs: .init(encoding: customer))
}
// end

// snippet
func finish(_ results: String) async throws -> ManifestRun.Outcome {
    let run = try ManifestRun.resume(results)
    return try await run.report.outcome
}
// end
