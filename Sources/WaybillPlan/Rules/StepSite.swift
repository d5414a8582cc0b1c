import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A step and where it stands.
final class StepSite: Sendable {
    /// What a step calls.
    enum Callee: Sendable {
        /// An endpoint, and which one of the manifest's it is.
        case endpoint(Endpoint, position: Int)
        /// A graph.
        case graph(Graph)
        /// What does not exist, or of which it cannot be told what it is.
        case unknown
    }

    /// The graph.
    let graph: Definition<Graph>
    /// The steps around it, outer to inner.
    let around: [Step]
    /// The step.
    let step: Step
    /// What it calls; `nil` where it is no call.
    let callee: Callee?
    /// Whether it is one of those that always run at the end, or inside one.
    let isFinal: Bool
    /// Which of all steps of the manifest it is, an outer one before those inside it.
    let number: Int
    /// The steps inside it.
    let steps: [StepSite]

    fileprivate init(
        graph: Definition<Graph>,
        around: [Step],
        step: Step,
        callee: Callee?,
        isFinal: Bool,
        number: Int,
        steps: [StepSite]
    ) {
        self.graph = graph
        self.around = around
        self.step = step
        self.callee = callee
        self.isFinal = isFinal
        self.number = number
        self.steps = steps
    }

    /// The settings of the graph, of the steps around and of the step, outer to inner.
    var settings: [Settings] { [graph.value.settings] + around.map(\.settings) + [step.settings] }

    /// Whether any of those says something.
    var hasSettings: Bool {
        !step.settings.isEmpty || !graph.value.settings.isEmpty || around.contains { !$0.settings.isEmpty }
    }

    /// The endpoint that it calls.
    var endpoint: Endpoint? {
        if case .endpoint(let endpoint, _) = callee { endpoint } else { nil }
    }

    /// Whether it calls what does not exist, or of which it cannot be told what it is.
    var callsUnknown: Bool {
        if case .unknown = callee { true } else { false }
    }
}

/// A graph and its steps.
final class GraphSite: Sendable {
    /// The graph.
    let definition: Definition<Graph>
    /// The steps of its body.
    let body: [StepSite]
    /// The steps that always run at the end.
    let finally: [StepSite]
    /// All steps, an outer one before those inside it.
    let all: [StepSite]
    /// The steps whose id an earlier step has.
    let repeated: [StepSite]
    /// Whether some id may be that of a step which cannot be told: one that calls what does not exist, for example.
    let mayHaveOtherIDs: Bool
    /// Whether some step may be one that runs before another, though it does not look like that.
    let isOrderUnknown: Bool

    private let byID: [String: StepSite]

    /// - Parameter number: How many steps the graphs before it have.
    init(_ definition: Definition<Graph>, in manifest: Manifest, number: Int) {
        self.definition = definition
        let reader = StepReader(manifest: manifest, graph: definition, number: number)
        body = reader.sites(of: definition.value.body.steps, around: [], isFinal: false)
        finally = reader.sites(of: definition.value.finally?.steps ?? [], around: [], isFinal: true)
        all = Self.flattened(body + finally)
        let lacksSteps = definition.value.unknown.contains(.steps)
        mayHaveOtherIDs = lacksSteps || all.contains { $0.callsUnknown || $0.step.mayHaveOtherIDs }
        isOrderUnknown =
            lacksSteps || all.contains { $0.step.unknown.contains(.form | .steps | .loop | .needs) }
        var byID: [String: StepSite] = [:]
        byID.reserveCapacity(all.count)
        var repeated: [StepSite] = []
        for site in all {
            guard let id = site.step.effectiveID else { continue }
            if let first = byID.updateValue(site, forKey: id) {
                // Of two steps with one id, which is a mistake, the first counts.
                byID[id] = first
                repeated.append(site)
            }
        }
        self.byID = byID
        self.repeated = repeated
    }

    /// The step that has an id.
    subscript(id: String) -> StepSite? { byID[id] }

    /// The first step without an id of the form that a name is: `get` for a step `get: /a`.
    func firstStepWithoutID(of form: String) -> Step? {
        all.lazy.map(\.step).first { $0.effectiveID == nil && $0.form.rawValue == form }
    }

    /// The ids, sorted.
    var ids: [String] { byID.keys.sorted() }

    private static func flattened(_ steps: [StepSite]) -> [StepSite] {
        steps.contains { !$0.steps.isEmpty } ? steps.flatMap { [$0] + flattened($0.steps) } : steps
    }
}

/// Goes through the steps of a graph, and looks up what they call.
private final class StepReader {
    private let manifest: Manifest
    private let graph: Definition<Graph>
    private var number: Int

    init(manifest: Manifest, graph: Definition<Graph>, number: Int) {
        self.manifest = manifest
        self.graph = graph
        self.number = number
    }

    func sites(of steps: [Step], around: [Step], isFinal: Bool) -> [StepSite] {
        steps.map { step in
            let number = number
            self.number += 1
            let inner = step.steps
            return StepSite(
                graph: graph,
                around: around,
                step: step,
                callee: callee(of: step),
                isFinal: isFinal,
                number: number,
                steps: inner.isEmpty ? [] : sites(of: inner, around: around + [step], isFinal: isFinal)
            )
        }
    }

    private func callee(of step: Step) -> StepSite.Callee? {
        if step.unknown.contains(.form) { return .unknown }
        switch step.action {
        case .call(let call):
            if manifest.unknown.isDefined(call.name.value, in: .endpoints) { return .unknown }
            guard let position = manifest.endpoints.index(forKey: call.name.value) else { return .unknown }
            return .endpoint(manifest.endpoints.values[position].value, position: position)
        case .graph(let call):
            if manifest.unknown.isDefined(call.name.value, in: .graphs) { return .unknown }
            return manifest.graphs[call.name.value].map { .graph($0.value) } ?? .unknown
        case .request, .group, .values, .end: return nil
        }
    }
}

extension Step {
    /// Whether the step, or one inside it, may have another id than it seems to.
    fileprivate var mayHaveOtherIDs: Bool {
        unknown.contains(.steps) || effectiveID == nil && unknown.contains(.id | .form)
    }
}

extension Manifest {
    /// Every graph with its steps.
    var graphSites: [GraphSite] {
        var count = 0
        return graphs.values.map { graph in
            let site = GraphSite(graph, in: self, number: count)
            count += site.all.count
            return site
        }
    }
}
