import WaybillDiagnostics
package import WaybillPlan

extension Plan {
    /// Throws if no step or graph has a path, which may be that of an element of a `forEach`, such as `main.items[3]`.
    package func check(step path: String) throws(RunError) {
        var index = PlanIndex(self)
        let isInside = graphs.contains { path.hasPrefix($0.path + ".") }
        guard !isInside || !Self.hasElements(path) || index.step(at: path) == nil,
            !graphs.contains(where: { $0.path == path })
        else { return }
        let nearest = NearestName.of(path, among: graphs.flatMap(\.allSteps).map(\.path))
        throw RunError(
            .unknownStep,
            "no step has the path '\(path)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
        )
    }

    /// Throws if no step calls an endpoint with a name.
    package func check(endpoint name: String) throws(RunError) {
        let steps = (graphs + subgraphs.values).flatMap(\.allSteps)
        let requests = steps.compactMap { if case .request(let request) = $0.work { request } else { nil } }
        let endpoints = Set(requests.compactMap(\.endpoint))
        guard !endpoints.contains(name) else { return }
        let nearest = NearestName.of(name, among: endpoints.sorted())
        throw RunError(
            .unknownEndpoint,
            "no step calls an endpoint with the name '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
        )
    }

    /// Whether what is in brackets are numbers of elements, such as in `main.items[3].get`.
    private static func hasElements(_ path: String) -> Bool {
        path.split(separator: "[", omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
            guard let end = part.firstIndex(of: "]") else { return false }
            let digits = part[..<end]
            return Int(digits) != nil && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
                && [nil, "."].contains(part[end...].dropFirst().first)
        }
    }
}
