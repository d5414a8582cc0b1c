import OrderedCollections
package import WaybillDiagnostics
import WaybillExpressions
package import WaybillJSON
import WaybillManifest

/// The steps that a run is limited to: those with some tags, or named ones, and the steps that they need.
///
/// A step has the tags of its graph, of the enclosing steps, and of its endpoint and service. A step needs the steps
/// whose results its expressions use, and those that `needs` names. The steps of `finally` always run.
package struct StepSelection: Sendable, Equatable {
    /// The tags of which a step must have one. If empty, any step is selected.
    package var tags: [String] = []
    /// The tags that a step must not have.
    package var excludedTags: [String] = []
    /// The ids or paths of steps or groups of steps. If empty, any step is selected.
    package var steps: [String] = []
    /// Whether the manifest may lack some of the steps, because it is one of several.
    package var toleratesUnknownSteps = false

    /// Selects all steps.
    package init() {}

    /// Whether all steps are selected.
    package var isEverything: Bool { tags.isEmpty && excludedTags.isEmpty && steps.isEmpty }

    /// Limits a graph to the selected steps.
    ///
    /// - Parameter subgraphTags: The tags of the graphs that steps run, by name.
    /// - Returns: The graph; `nil` if none of its steps is selected.
    func limited(_ graph: GraphPlan, subgraphTags: [String: [String]]) -> GraphPlan? {
        if isEverything { return graph }
        let nodes = SelectableStep.all(in: graph, subgraphTags: subgraphTags)
        let indices = Dictionary(nodes.enumerated().compactMap { index, node in node.id.map { ($0, index) } }) {
            first,
            _ in
            first
        }
        var kept: Set<Int> = []
        var waiting = nodes.indices.filter { nodes[$0].isLeaf && selects(nodes[$0], nodes) }
        guard !waiting.isEmpty else { return nil }
        while let index = waiting.popLast() {
            guard kept.insert(index).inserted else { continue }
            let node = nodes[index]
            waiting += node.parent.map { [$0] } ?? []
            for id in node.needed {
                guard let needed = indices[id] else { continue }
                waiting += needed..<nodes[needed].end
            }
        }
        var graph = graph
        let paths = Set(kept.map { nodes[$0].path })
        graph.body.keep { paths.contains($0) }
        graph.omittedSteps = nodes.indices.filter { !kept.contains($0) }.compactMap { nodes[$0].id }
        graph.isLimited = kept.count < nodes.count
        let omitted = Set(graph.omittedSteps)
        graph.outputs.removeAll { !$0.stepReferences.isDisjoint(with: omitted) }
        return graph
    }

    /// Returns the error for a selection that selects nothing in a manifest, or names a step that does not exist.
    ///
    /// - Parameter graphs: The graphs without limits.
    func unmatched(in graphs: [GraphPlan], selected: [GraphPlan], _ manifest: Manifest) -> Diagnostic? {
        let nodes = graphs.flatMap { SelectableStep.all(in: $0, subgraphTags: [:]) }
        let names = Set(nodes.flatMap { [$0.id, $0.path].compactMap(\.self) })
        if !toleratesUnknownSteps, let name = steps.first(where: { !names.contains($0) }) {
            return .unknown("step", name, in: manifest, among: names.sorted())
        }
        guard selected.isEmpty, !isEverything else { return nil }
        let known = nodes.reduce(into: Set(manifest.graphs.values.flatMap { $0.value.tags.map(\.value) })) {
            $0.formUnion($1.tags)
        }
        let nearest = tags.lazy.compactMap { NearestName.of($0, among: known.sorted()) }.first
        let help =
            nearest.map { "Did you mean '\($0)'?" }
            ?? (known.isEmpty ? "It has no tags." : "Its tags are: \(known.sorted().joined(separator: ", ")).")
        return Diagnostic(
            "nothing-selected",
            "no step of \(manifest.file.name) is selected by --tag, --not-tag and --only",
            at: nil,
            help: [help]
        )
    }

    /// Returns the error for a named step that none of several plans has; `nil` if each is in one.
    package func unmatched(in plans: [Plan]) -> Diagnostic? {
        let nodes = plans.flatMap { $0.graphs.flatMap { SelectableStep.all(in: $0, subgraphTags: [:]) } }
        let names = Set(nodes.flatMap { [$0.id, $0.path].compactMap(\.self) })
        return steps.first { !names.contains($0) }.map { name in
            Diagnostic(
                "unknown-step",
                "no step of the manifests is named '\(name)'",
                at: nil,
                help: ["--only takes the id of a step, or its path, such as main.login."]
            )
        }
    }

    private func selects(_ node: SelectableStep, _ nodes: [SelectableStep]) -> Bool {
        if !steps.isEmpty {
            var current: SelectableStep? = node
            var isNamed = false
            while let step = current {
                isNamed = isNamed || step.id.map { steps.contains($0) } ?? false || steps.contains(step.path)
                current = step.parent.map { nodes[$0] }
            }
            guard isNamed else { return false }
        }
        return (tags.isEmpty || tags.contains { node.tags.contains($0) })
            && !excludedTags.contains { node.tags.contains($0) }
    }
}

extension StepSelection {
    /// The selection as it is written to the journal: `{tags, notTags, only}`, each a list unless it is empty; `nil`
    /// for all steps.
    package var json: JSON? {
        if isEverything { return nil }
        var object = JSONObject()
        for (name, words) in [("tags", tags), ("notTags", excludedTags), ("only", steps)] where !words.isEmpty {
            object[name] = .array(words.map(JSON.string))
        }
        return .object(object)
    }

    /// Creates the selection from its form in the journal.
    package init(json: JSON?) {
        func words(_ name: String) -> [String] { json?[name]?.array?.compactMap(\.string) ?? [] }
        (tags, excludedTags, steps) = (words("tags"), words("notTags"), words("only"))
    }
}

/// The properties of a step that decide whether it is selected.
private struct SelectableStep {
    let id: String?
    let path: String
    /// The index of the enclosing step.
    let parent: Int?
    /// The index after those of the steps inside it.
    var end = 0
    /// Whether it contains no other steps.
    let isLeaf: Bool
    let tags: Set<String>
    /// The ids of the steps that it needs.
    let needed: Set<String>

    /// Returns the steps of a graph's body, each before those inside it.
    static func all(in graph: GraphPlan, subgraphTags: [String: [String]]) -> [SelectableStep] {
        var nodes: [SelectableStep] = []
        func add(_ steps: [StepPlan], parent: Int?, tags: Set<String>) {
            for step in steps {
                var all = tags.union(step.tags)
                if case .graph(let call) = step.work { all.formUnion(subgraphTags[call.name.value] ?? []) }
                var inner: [StepPlan] = []
                if case .group(let group) = step.work { inner = group.steps }
                var needed = Set(step.flow?.needs.map(\.value) ?? [])
                step.visitOwnUses(
                    UseVisitor { use in needed.formUnion(use.text.references.compactMap(\.stepID)) }
                )
                nodes.append(
                    SelectableStep(
                        id: step.id,
                        path: step.path,
                        parent: parent,
                        isLeaf: inner.isEmpty,
                        tags: all,
                        needed: needed
                    )
                )
                let index = nodes.count - 1
                add(inner, parent: index, tags: all)
                nodes[index].end = nodes.count
            }
        }
        add(graph.body.steps, parent: nil, tags: Set(graph.tags))
        return nodes
    }

}

extension GroupPlan {
    /// Removes the steps whose paths are not kept, including nested ones.
    fileprivate mutating func keep(_ isKept: (String) -> Bool) {
        steps = steps.filter { isKept($0.path) }.map { step in
            guard case .group(var group) = step.work else { return step }
            var step = step
            group.keep(isKept)
            step.work = .group(group)
            return step
        }
    }
}

extension Reference {
    /// The id of the step in a path that starts with `steps.ID`.
    fileprivate var stepID: String? { name == "steps" ? segments.first?.name : nil }
}

extension OutputDefinition {
    fileprivate var stepReferences: Set<String> { Set(value.references.compactMap(\.stepID)) }
}
