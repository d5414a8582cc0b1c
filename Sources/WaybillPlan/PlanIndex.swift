import WaybillDiagnostics

/// The steps of a plan by the paths that they have in a run.
package struct PlanIndex {
    /// The graphs, by the start of the paths of their steps.
    private let graphs: [String: GraphPlan]
    private var steps: [String: [String: StepPlan]] = [:]

    /// Creates the index of a plan.
    package init(_ plan: Plan) {
        graphs = Dictionary(plan.graphs.map { ($0.path, $0) }) { first, _ in first }
            .merging(plan.subgraphs) { first, _ in first }
    }

    /// Returns the step at a path, such as `main.items[3].get`. The step may belong to a graph that another step runs.
    package mutating func step(at path: String) -> StepPlan? {
        var path = Self.withoutElements(path)
        guard var graph = graphs.keys.filter({ path.hasPrefix($0 + ".") }).max(by: { $0.utf8.count < $1.utf8.count })
        else { return nil }
        while true {
            let known = steps(of: graph)
            if let step = known[path] { return step }
            guard let (prefix, inner) = Self.graphStep(above: path, in: known) else { return nil }
            path = inner + path.dropFirst(prefix.count)
            graph = inner
        }
    }

    private mutating func steps(of graph: String) -> [String: StepPlan] {
        if let known = steps[graph] { return known }
        let all = (graphs[graph]?.allSteps ?? []).map { ($0.path, $0) }
        let known = Dictionary(all) { _, last in last }
        steps[graph] = known
        return known
    }

    /// Returns the step along a path that runs another graph.
    private static func graphStep(above path: String, in steps: [String: StepPlan]) -> (path: String, graph: String)? {
        var end = path.endIndex
        while let dot = path[..<end].lastIndex(of: ".") {
            let prefix = String(path[..<dot])
            if case .graph(let call)? = steps[prefix]?.work { return (prefix, call.path) }
            end = dot
        }
        return nil
    }

    /// Returns the paths of the graph, the steps and the elements that enclose the step at a path.
    package static func enclosingPaths(of path: String) -> [String] {
        path.indices.filter { path[$0] == "." || path[$0] == "[" }.map { String(path[..<$0]) }
    }

    /// Returns a path without the indices of elements.
    package static func withoutElements(_ path: String) -> String {
        var result = ""
        var isInside = false
        for character in path.unicodeScalars {
            if character == "[" { isInside = true }
            if !isInside { result.unicodeScalars.append(character) }
            if character == "]" { isInside = false }
        }
        return result
    }
}
