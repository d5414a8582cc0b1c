package import WaybillDiagnostics

/// Workflow commands of GitHub Actions, which annotate each failure's line in the manifest.
package enum GitHubAnnotations {
    /// Returns one command per line: an error for each failed step, and a warning for each tolerated failure.
    ///
    /// - Parameter paths: How files are named.
    package static func commands(for runs: [RunResult], _ paths: GitHubPaths = GitHubPaths()) -> String {
        runs.map { run in
            run.steps.filter(\.hasFailed).map { command(for: $0, run.prefix(among: runs.count), paths) }.joined()
        }.joined()
    }

    /// Returns an annotation without a location for each of some errors.
    package static func errors(_ messages: [String]) -> String {
        messages.map { GitHubRenderer.command("error", [], PrintableText.oneLine($0)) }.joined()
    }

    private static func command(for step: StepResult, _ prefix: String, _ paths: GitHubPaths) -> String {
        var properties: [(name: String, value: String)] = []
        if let location = step.failure?.location {
            properties = [
                ("file", paths.path(of: location.file)), ("line", String(location.line)),
                ("col", String(location.column)),
            ]
        }
        properties.append(("title", prefix + step.title))
        var lines = [step.failure?.message.description ?? "the step failed"]
        lines += (step.failure?.details ?? []).map(\.message.description).filter { $0 != lines[0] }
        if let request = step.request { lines.append(request) }
        if let elements = step.elements { lines.append("elements: \(elements.summary)") }
        let name = step.outcome == .tolerated ? "warning" : "error"
        return GitHubRenderer.command(name, properties, lines.map(PrintableText.oneLine).joined(separator: "\n"))
    }
}
