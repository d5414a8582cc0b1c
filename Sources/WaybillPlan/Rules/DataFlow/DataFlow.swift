import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// `steps.ID` may be used only where that step has certainly run before, and only with fields that it has.
struct DataFlow: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.graphs.indices.flatMap { index -> [Diagnostic] in
            let flow = GraphFlow(subject: subject, graph: subject.graphs[index])
            flow.visit(subject.references.ofGraph(at: index).filter { $0.reference.root == .steps })
            return flow.diagnostics
        }
    }
}

/// A traversal of a graph, in the order in which it runs.
final class GraphFlow {
    let subject: RuleSubject
    let graph: GraphSite
    private(set) var diagnostics: [Diagnostic] = []
    /// The paths whose value may be missing, which their expressions expect.
    var uncertain: [UncertainReference] = []
    /// Whether a step might run before another one although nothing shows it, because of an error in the manifest.
    private(set) var isOrderUnknown: Bool

    /// For each step of the graph, by position: whether it has certainly passed; `nil` if it may not have run.
    private var visible: [Certainty?]

    /// The ids of all steps, sorted.
    lazy var ids = graph.ids

    /// The batches that contain the current step, the innermost last.
    private var batches: [VisitedBatch] = []

    /// A batch during the traversal. Which finished steps the current one sees depends on its `needs`, and is computed
    /// only when a reference asks for it.
    private struct VisitedBatch {
        let needs: BatchNeeds
        /// The index of the current step in the batch.
        var current = 0
        /// The finished steps, by position in the graph: the step of the batch that contains or is each of them.
        var ended: [Int: (step: Int, certainty: Certainty)] = [:]
    }

    /// The requirements of the conditions (`when`) of the current step and of the enclosing ones.
    private(set) var conditions = StepConditions()

    /// Finished steps, by position, and how certain it is that they have passed.
    typealias Ended = [(position: Int, certainty: Certainty)]

    init(subject: RuleSubject, graph: GraphSite) {
        self.subject = subject
        self.graph = graph
        isOrderUnknown = graph.isOrderUnknown
        visible = Array(repeating: nil, count: graph.all.count)
    }

    /// Checks a graph.
    ///
    /// - Parameter uses: The paths of the graph that start with `steps` and are not part of a step.
    func visit(_ uses: [ReferenceSite]) {
        let definition = graph.definition.value
        for use in uses where use.moment != .end { check(use) }
        let ended = visit(graph.body, definition.body.order, onFailure: definition.onFailure)
        for (position, certainty) in ended { visible[position] = certainty }
        if let finally = definition.finally {
            for (position, _) in ended { visible[position] = .uncertain("'finally' also runs after a failure") }
            for (position, _) in visit(graph.finally, finally.order, onFailure: .collect) { visible[position] = nil }
        }
        for (position, certainty) in ended { visible[position] = certainty }
        for use in uses where use.moment == .end { check(use) }
    }

    /// Whether a step has certainly passed; `nil` if it may not have run.
    func certainty(of site: StepSite) -> Certainty? {
        let position = position(of: site)
        if let certainty = visible[position] { return certainty }
        for batch in batches {
            if let (step, certainty) = batch.ended[position], batch.needs.needs(batch.current, step) {
                return certainty
            }
        }
        return nil
    }

    /// The position of a step in the graph. Steps that share an id, which is an error, have the position of the first.
    private func position(of site: StepSite) -> Int {
        let first = graph.repeated.isEmpty ? site : site.step.effectiveID.flatMap { graph[$0] } ?? site
        return first.number - graph.all[0].number
    }

    private func check(_ use: ReferenceSite) {
        if let diagnostic = diagnostic(of: use) { diagnostics.append(diagnostic) }
    }

    // MARK: Groups

    /// Checks the steps of a group, and returns the steps that are visible after it.
    private func visit(_ steps: [StepSite], _ order: Group.Order, onFailure: FailureMode) -> Ended {
        var ended = order == .chain ? visitChain(steps, onFailure) : visitBatch(steps)
        // With 'collect', later steps run only if all have passed; with 'continue', they run in any case.
        if onFailure == .continue {
            ended = ended.uncertain("the \(order) continues after a failure (onFailure: continue)")
        }
        return ended
    }

    private func visitChain(_ chain: [StepSite], _ onFailure: FailureMode) -> Ended {
        var ended: Ended = []
        var mayHaveEnded = false
        for site in chain {
            for name in site.step.flow?.needs ?? [] where !isOrderUnknown {
                let message = "'needs' has no meaning here: the steps of a chain run in order anyway"
                diagnostics.report("misplaced-key", message, at: name.span)
            }
            var own = visit(site)
            var seen = own
            if onFailure != .stop {
                seen = own.uncertain("the chain continues after a failure (onFailure: \(onFailure))")
            }
            for (position, certainty) in seen { visible[position] = certainty }
            if mayHaveEnded { own = own.uncertain("the chain may end before it") }
            ended += own
            if case .end = site.step.action { mayHaveEnded = true }
        }
        for (position, _) in ended { visible[position] = nil }
        return ended
    }

    private func visitBatch(_ batch: [StepSite]) -> Ended {
        let needs = BatchNeeds(batch.map(\.step), mayHaveOtherIDs: graph.mayHaveOtherIDs)
        diagnostics += needs.diagnostics
        let outer = isOrderUnknown
        defer { isOrderUnknown = outer }
        // If the cycle is removed, any of the steps might run before another.
        if needs.hasCycle { isOrderUnknown = true }
        var ended = [Ended](repeating: [], count: batch.count)
        batches.append(VisitedBatch(needs: needs))
        let level = batches.count - 1
        for index in needs.order {
            batches[level].current = index
            ended[index] = visit(batch[index])
            for (position, certainty) in ended[index] { batches[level].ended[position] = (index, certainty) }
        }
        batches.removeLast()
        return ended.flatMap { $0 }
    }

    /// Checks a step, and returns the steps that are visible after it.
    private func visit(_ site: StepSite) -> Ended {
        let step = site.step
        let outer = conditions
        defer { conditions = outer }
        let inner = outer.adding(step)
        var ofUntil: [ReferenceSite] = []
        for use in subject.references.of(site) where use.reference.root == .steps {
            if !step.isRequest, step.flow?.until?.evaluates(use.text) == true {
                ofUntil.append(use)
                continue
            }
            // Everything but the condition itself is evaluated only if the condition is true.
            conditions = use.text === step.flow?.when ? outer : inner
            check(use)
        }
        conditions = inner
        var own: Ended = []
        if case .group(let inner) = step.action { own = visit(site.steps, inner.order, onFailure: step.groupOnFailure) }
        if !ofUntil.isEmpty {
            // The conditions of 'until' are evaluated after each try of the step has passed.
            let before = visible
            for (position, certainty) in own { visible[position] = certainty }
            if step.flow?.forEach == nil, step.effectiveID != nil { visible[position(of: site)] = .certain }
            for use in ofUntil { check(use) }
            visible = before
        }
        // The steps inside a 'forEach' run once for each element, and are visible only there.
        if step.flow?.forEach != nil { own = [] }
        if step.effectiveID != nil { own.append((position(of: site), .certain)) }
        if step.flow?.forEach == nil, let mode = duplicates(of: site) {
            own = own.uncertain("an identical request may replace it (duplicates: \(mode.rawValue))")
        }
        if step.flow?.when != nil { own = own.uncertain("it runs only if its condition is true") }
        if step.onFailure == .continue {
            let reason = "its failure is tolerated (onFailure: continue)"
            // The elements of a 'forEach' are there even if some of them failed.
            own = step.flow?.forEach == nil ? own.uncertain(reason) : own.tolerated(reason)
        }
        return own
    }

    /// The duplicate mode that may cancel the request of a step or replace it by another; `nil` if none does.
    private func duplicates(of site: StepSite) -> DuplicatePolicy.Mode? {
        let modes = subject.requests.of(site).lazy.compactMap {
            $0.nearest(DuplicatePolicy.key, { $0.duplicates })?.value.mode
        }
        return modes.first { $0 == .cancelPrevious || $0 == .discard }
    }
}

extension Until {
    /// Whether a text is evaluated after each try.
    fileprivate func evaluates(_ text: any EvaluatedText) -> Bool {
        text === that || text === fail?.when || text === fail?.message?.template
    }
}

/// Whether a step that has run has certainly passed.
enum Certainty {
    /// It has passed.
    case certain
    /// It has run, but may have failed, for this reason.
    case tolerated(String)
    /// It may not have run, or may have failed, for this reason.
    case uncertain(String)
}

extension [(position: Int, certainty: Certainty)] {
    /// The same steps, none of them certain to have passed.
    fileprivate func uncertain(_ reason: String) -> Self {
        map { step in
            if case .uncertain = step.certainty { step } else { (step.position, .uncertain(reason)) }
        }
    }

    /// The same steps, whose failures are tolerated.
    fileprivate func tolerated(_ reason: String) -> Self {
        map { step in
            if case .certain = step.certainty { (step.position, .tolerated(reason)) } else { step }
        }
    }
}

/// What is known about other steps inside a step, because its `when`, or that of an enclosing step, requires it.
struct StepConditions {
    /// A property of a step that a condition can guarantee.
    enum Question {
        /// Whether it has passed, or at least whether the value exists.
        case passed
        /// Whether the value exists, which a passed step does not guarantee.
        case present
    }

    private var requirements: [PathRequirement] = []
    /// Whether a condition has an error, so that it might require anything.
    private var areUnknown = false

    /// Returns these conditions and those of a step inside them.
    func adding(_ step: Step) -> StepConditions {
        guard step.flow?.when != nil || step.unknown.contains(.condition) else { return self }
        var inner = self
        inner.requirements += step.flow?.when?.expression.requirements ?? []
        inner.areUnknown = areUnknown || step.unknown.contains(.condition)
        return inner
    }

    /// Whether the conditions, or those before the path in its own expression, guarantee that a path starting with
    /// `steps` has the property.
    func guarantee(_ reference: Reference, _ question: Question) -> Bool {
        areUnknown || (requirements + reference.assumptions).contains { $0.guarantees(reference, question) }
    }
}

extension PathRequirement {
    fileprivate func guarantees(_ reference: Reference, _ question: StepConditions.Question) -> Bool {
        let path = reference.segments.map(\.key)
        guard name == "steps", keys.count > 1, path.count > 1, keys[0] == path[0] else { return false }
        switch kind {
        case .isTrue: return question == .passed && keys == [path[0], .name("ok")]
        case .exists:
            switch keys[1] {
            case .name("outputs"): return keys.count > 2 && keys.prefix(3) == path.prefix(3)
            case .name("status"), .name("headers"), .name("time"):
                return [.name("status"), .name("headers"), .name("time")].contains(path[1])
            case .name("ok"), .name("error"): return false
            default: return keys[1] == path[1]
            }
        }
    }
}
