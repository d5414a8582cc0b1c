import WaybillDiagnostics
package import WaybillPlan

extension Plan {
    /// Throws if no step or graph has a path, which may be that of an element of a `forEach`, such as `main.items[3]`.
    package func check(step path: String) throws(RunError) {
        var index = PlanIndex(self)
        guard index.step(at: path) == nil, !graphs.contains(where: { $0.path == path }) else { return }
        let nearest = NearestName.of(path, among: graphs.flatMap(\.allSteps).map(\.path))
        throw RunError(
            .unknownStep,
            "no step has the path '\(path)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
        )
    }
}
