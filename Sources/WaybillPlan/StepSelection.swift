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
    /// Whether the manifest may be without some of the steps and tags, because it is one of several.
    package var toleratesUnknownNames = false

    /// Selects all steps.
    package init() {}

    /// Whether all steps are selected.
    package var isEverything: Bool { tags.isEmpty && excludedTags.isEmpty && steps.isEmpty }

    /// Limits a graph, and the graphs that its steps run, to the selected steps.
    ///
    /// - Parameter subgraphs: The graphs that steps run, each for one step only, by path. They are limited, too.
    /// - Returns: The graph; `nil` if none of its steps is selected.
    func limited(_ graph: GraphPlan, _ subgraphs: inout [String: GraphPlan]) -> GraphPlan? {
        if isEverything { return graph }
        let nodes = SelectableStep.all(in: graph, subgraphs)
        let indices = Dictionary(
            nodes.enumerated().compactMap { index, node in node.id.map { ([node.graph, $0], index) } }
        ) { first, _ in first }
        var kept: Set<Int> = []
        var waiting = nodes.indices.filter { nodes[$0].isLeaf && selects(nodes[$0], nodes) }
        guard !waiting.isEmpty else { return nil }
        while let index = waiting.popLast() {
            guard kept.insert(index).inserted else { continue }
            let node = nodes[index]
            waiting += node.parent.map { [$0] } ?? []
            for id in node.needed {
                guard let needed = indices[[node.graph, id]] else { continue }
                waiting += needed..<nodes[needed].end
            }
        }
        let paths = Set(kept.map { nodes[$0].path })
        let ofGraphs = Dictionary(grouping: nodes, by: \.graph)
        // The innermost graphs first: outputs of a graph may use those of a graph that it runs.
        var lost: [String: Set<String>] = [:]
        for (path, steps) in ofGraphs.sorted(by: { $0.key.utf8.count > $1.key.utf8.count }) where path != graph.path {
            lost[path] = subgraphs[path]?.limit(to: paths, of: steps, lost)
        }
        var graph = graph
        _ = graph.limit(to: paths, of: ofGraphs[graph.path] ?? [], lost)
        graph.isLimited = kept.count < nodes.count
        return graph
    }

    /// Returns warnings about steps with excluded tags that run nevertheless, because selected steps need them.
    ///
    /// - Parameters:
    ///   - graphs: The limited graphs.
    ///   - subgraphs: The graphs that their steps run, by path, which are limited, too.
    func excludedButNeeded(in graphs: [GraphPlan], _ subgraphs: [String: GraphPlan]) -> [Diagnostic] {
        guard !excludedTags.isEmpty else { return [] }
        let nodes = graphs.flatMap { SelectableStep.all(in: $0, subgraphs) }
        return nodes.filter { $0.isLeaf && excludedTags.contains(where: $0.tags.contains) }.map { node in
            Diagnostic(
                "excluded-step",
                "step '\(node.path)' has an excluded tag, but runs, because another step needs it",
                severity: .warning,
                at: node.span,
                help: ["Exclude the steps that need it, too, or let them do without it."]
            )
        }
    }

    /// Returns warnings about tags that some manifests do not have, which are probably misspelled.
    ///
    /// - Parameter known: The tags of the manifests.
    package func unmatchedTags(among known: [String]) -> [Diagnostic] {
        let known = Set(known)
        return (tags + excludedTags).filter { !known.contains($0) }.map { tag in
            Diagnostic(
                "unmatched-tag",
                "no graph and no step has the tag '\(tag)'",
                severity: .warning,
                help: [
                    NearestName.of(tag, among: known.sorted()).map { "Did you mean '\($0)'?" }
                        ?? Self.list(of: known)
                ]
            )
        }
    }

    private static func list(of tags: Set<String>) -> String {
        tags.isEmpty ? "There are no tags." : "The tags are: \(tags.sorted().joined(separator: ", "))."
    }

    /// Returns the error for a selection that selects nothing in a manifest, or names a step that does not exist.
    ///
    /// - Parameters:
    ///   - graphs: The graphs without limits.
    ///   - subgraphs: The graphs that their steps run, by path.
    func unmatched(
        in graphs: [GraphPlan],
        _ subgraphs: [String: GraphPlan],
        selected: [GraphPlan],
        _ manifest: Manifest
    ) -> Diagnostic? {
        let nodes = graphs.flatMap { SelectableStep.all(in: $0, subgraphs) }
        let names = Set(nodes.flatMap { [$0.id, $0.path].compactMap(\.self) })
        if !toleratesUnknownNames, let name = steps.first(where: { !names.contains($0) }) {
            return .unknown("step", name, in: manifest, among: names.sorted())
        }
        guard selected.isEmpty, !isEverything else { return nil }
        let known = nodes.reduce(into: Set(manifest.graphs.values.flatMap { $0.value.tags.map(\.value) })) {
            $0.formUnion($1.tags)
        }
        let nearest = tags.lazy.compactMap { NearestName.of($0, among: known.sorted()) }.first
        let help = nearest.map { "Did you mean '\($0)'?" } ?? Self.list(of: known)
        return Diagnostic(
            "nothing-selected",
            "no step of \(manifest.file.name) is selected",
            at: nil,
            help: [help]
        )
    }

    /// Returns the error for a named step that none of several plans has; `nil` if each is in one.
    package func unmatched(in plans: [Plan]) -> Diagnostic? {
        let nodes = plans.flatMap { plan in plan.graphs.flatMap { SelectableStep.all(in: $0, plan.subgraphs) } }
        let names = Set(nodes.flatMap { [$0.id, $0.path].compactMap(\.self) })
        return steps.first { !names.contains($0) }.map { name in
            Diagnostic(
                "unknown-step",
                "no step of the manifests is named '\(name)'",
                at: nil,
                help: ["A step is named by its id, or by its path, such as main.login."]
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
    let span: SourceSpan
    /// The path of its graph.
    let graph: String
    /// The index of the enclosing step.
    let parent: Int?
    /// The index after those of the steps inside it.
    var end = 0
    /// Whether it contains no other steps.
    let isLeaf: Bool
    let tags: Set<String>
    /// The ids of the steps that it needs.
    let needed: Set<String>

    /// Returns the steps of a graph's body and of the graphs that they run, each before those inside it.
    static func all(in graph: GraphPlan, _ subgraphs: [String: GraphPlan]) -> [SelectableStep] {
        var nodes: [SelectableStep] = []
        func add(_ steps: [StepPlan], of graph: GraphPlan, parent: Int?, tags: Set<String>) {
            for step in steps {
                var all = tags.union(step.tags)
                var inner: [StepPlan] = []
                var innerGraph = graph
                switch step.work {
                case .group(let group): inner = group.steps
                case .graph(let call):
                    guard let called = subgraphs[call.path] else { break }
                    all.formUnion(called.tags)
                    (inner, innerGraph) = (called.body.steps, called)
                case .request, .values, .end: break
                }
                var needed = Set(step.flow?.needs.map(\.value) ?? [])
                step.visitOwnUses(
                    UseVisitor { use in needed.formUnion(use.text.references.compactMap(\.stepID)) }
                )
                nodes.append(
                    SelectableStep(
                        id: step.id,
                        path: step.path,
                        span: step.span,
                        graph: graph.path,
                        parent: parent,
                        isLeaf: inner.isEmpty,
                        tags: all,
                        needed: needed
                    )
                )
                let index = nodes.count - 1
                add(inner, of: innerGraph, parent: index, tags: all)
                nodes[index].end = nodes.count
            }
        }
        add(graph.body.steps, of: graph, parent: nil, tags: Set(graph.tags))
        return nodes
    }
}

extension GraphPlan {
    /// Removes the steps whose paths are not kept, and the outputs that use them.
    ///
    /// - Parameters:
    ///   - steps: The steps of its body.
    ///   - lost: The names of the removed outputs of the graphs that its steps run, by the paths of the steps.
    /// - Returns: The names of the removed outputs.
    fileprivate mutating func limit(
        to paths: Set<String>,
        of steps: [SelectableStep],
        _ lost: [String: Set<String>]
    ) -> Set<String> {
        var missing: [String: Set<String>] = [:]
        for step in steps {
            if let id = step.id, let names = lost[step.path] { missing[id] = names }
        }
        body.keep { paths.contains($0) }
        omittedSteps = steps.filter { !paths.contains($0.path) }.compactMap(\.id)
        let ids = Set(omittedSteps)
        let isLost = { (output: OutputDefinition) in
            !output.stepReferences.isDisjoint(with: ids)
                || output.value.references.contains { reference in
                    guard let names = reference.stepID.flatMap({ missing[$0] }), !names.isEmpty else { return false }
                    let path = reference.segments.dropFirst()
                    return path.first?.name == "outputs" && path.dropFirst().first?.name.map(names.contains) ?? true
                }
        }
        let removed = Set(outputs.filter(isLost).map(\.name.value))
        outputs.removeAll(where: isLost)
        return removed
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
    var stepID: String? { name == "steps" ? segments.first?.name : nil }
}

extension OutputDefinition {
    fileprivate var stepReferences: Set<String> { Set(value.references.compactMap(\.stepID)) }
}
