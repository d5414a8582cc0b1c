import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A step and its location in the manifest.
final class StepSite: Sendable {
    /// The callee of a step.
    enum Callee: Sendable {
        /// An endpoint, with its index in the manifest.
        case endpoint(Endpoint, position: Int)
        /// A graph.
        case graph(Graph)
        /// A callee that does not exist, or is unknown because of an error.
        case unknown
    }

    /// The graph.
    let graph: Definition<Graph>
    /// The enclosing steps, from the outermost in.
    let around: [Step]
    /// The step.
    let step: Step
    /// The callee; `nil` if the step is not a call.
    let callee: Callee?
    /// Whether it is part of `finally`, whose steps always run at the end.
    let isFinal: Bool
    /// Its number among all steps of the manifest. An enclosing step comes before those inside it.
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

    /// The settings of the graph, of the enclosing steps and of the step, from the outermost in.
    var settings: [Settings] { [graph.value.settings] + around.map(\.settings) + [step.settings] }

    /// Whether any of those has settings.
    var hasSettings: Bool {
        !step.settings.isEmpty || !graph.value.settings.isEmpty || around.contains { !$0.settings.isEmpty }
    }

    /// The endpoint that it calls.
    var endpoint: Endpoint? {
        if case .endpoint(let endpoint, _) = callee { endpoint } else { nil }
    }

    /// Whether its callee does not exist or is unknown because of an error.
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
    /// The steps of `finally`, which always run at the end.
    let finally: [StepSite]
    /// All steps. An enclosing step comes before those inside it.
    let all: [StepSite]
    /// The steps that repeat the id of an earlier step.
    let repeated: [StepSite]
    /// Whether an id may belong to a step whose id is unknown, such as one with a callee that does not exist.
    let mayHaveOtherIDs: Bool
    /// Whether a step might run before another one although nothing shows it, because of an error in the manifest.
    let isOrderUnknown: Bool

    private let byID: [String: StepSite]

    /// - Parameter number: The number of steps in the graphs before it.
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
                // If two steps share an id, which is an error, the first one takes precedence.
                byID[id] = first
                repeated.append(site)
            }
        }
        self.byID = byID
        self.repeated = repeated
    }

    /// The step with an id.
    subscript(id: String) -> StepSite? { byID[id] }

    /// Returns the first step without an id whose form is the given name: `get` for a step `get: /a`.
    func firstStepWithoutID(of form: String) -> Step? {
        all.lazy.map(\.step).first { $0.effectiveID == nil && $0.form.rawValue == form }
    }

    /// The ids, sorted.
    var ids: [String] { byID.keys.sorted() }

    private static func flattened(_ steps: [StepSite]) -> [StepSite] {
        steps.contains { !$0.steps.isEmpty } ? steps.flatMap { [$0] + flattened($0.steps) } : steps
    }
}

/// Traverses the steps of a graph, and resolves their callees.
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
    /// Whether the id of the step, or of one inside it, may differ from the known one.
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
