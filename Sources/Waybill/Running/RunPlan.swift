import WaybillDiagnostics
import WaybillManifest
import WaybillPipeline
import WaybillPlan
import WaybillPlanPrinting

/// A plan of the requests to send: the result of
/// ``Manifest/plan(graphs:environment:inputs:variables:only:tags:notTags:concurrency:part:)``.
///
/// You can run it any number of times.
public struct RunPlan: Sendable {
    let planned: PlanDescription
    private let variables: [String: String]

    /// The warnings about the manifest, in the order of the text.
    public let warnings: [ManifestDiagnostic]

    init(_ planned: PlanDescription, _ diagnostics: [Diagnostic], _ variables: [String: String]) {
        self.planned = planned
        self.variables = variables
        warnings = diagnostics.map(ManifestDiagnostic.init)
    }

    /// The names of the graphs to run, in order.
    public var graphs: [String] { planned.plan.graphs.map(\.name) }

    /// The environment that is applied to the manifest.
    public var environment: String? { planned.plan.environment }

    /// Its steps, in the order of the manifest: those of the graphs and of their `finally`. The steps of a graph that a step
    /// runs follow that step. At most 100,000 are listed.
    public var steps: [Step] {
        var steps: [Step] = []
        func add(_ graph: GraphPlan, at path: String) {
            for step in graph.allSteps {
                guard steps.count < 100_000 else { return }
                let stepPath = path + step.path.dropFirst(graph.path.count)
                steps.append(Step(step, at: stepPath))
                if case .graph(let call) = step.work, let inner = planned.plan.subgraphs[call.path] {
                    add(inner, at: stepPath)
                }
            }
        }
        for graph in planned.plan.graphs { add(graph, at: graph.path) }
        return steps
    }

    /// A step of a plan.
    public struct Step: Sendable, Hashable {
        /// The kinds of steps.
        @nonexhaustive
        public enum Kind: String, Sendable, CaseIterable {
            /// A request.
            case request
            /// Steps that run one after another.
            case chain
            /// Steps that run at the same time.
            case batch
            /// A run of another graph.
            case graph
            /// Values that are computed.
            case values
            /// The end of the enclosing chain, if a condition is true.
            case end
        }

        /// The path, as in events. The elements of a `forEach` have paths of their own, such as `main.items[3]`; the steps
        /// of a graph that a step runs follow the path of that step.
        public let path: String
        /// What it does.
        public let kind: Kind
        /// The endpoint that it calls, if it is a call.
        public let endpoint: String?
    }

    /// The plan for people, as `waybill plan` shows it. Secrets are masked.
    public var text: String { planned.text() }

    /// The plan in the format of `schemas/plan.schema.json`. Secrets are masked.
    public var value: JSONValue { JSONValue(planned.json) }

    /// Starts a run and returns at once. The run continues even if its events are not read.
    ///
    /// - Parameters:
    ///   - results: The folder for the results, which is created; an earlier run in it is replaced. With `nil`, nothing is
    ///     written: the results are only in the events and in the report, and the run cannot be resumed.
    ///   - options: The observers of the run, and how it is executed.
    public func run(results: String? = nil, options: ManifestRun.Options = ManifestRun.Options()) -> ManifestRun {
        var session = options.session(variables: variables)
        session.outputFolder = results
        return ManifestRun(planned.plan, session, options, warnings: warnings)
    }
}

extension RunPlan.Step {
    init(_ step: StepPlan, at path: String) {
        self.path = path
        var endpoint: String?
        switch step.work {
        case .request(let request):
            kind = .request
            endpoint = request.endpoint
        case .group(let group): kind = group.order == .chain ? .chain : .batch
        case .graph: kind = .graph
        case .values: kind = .values
        case .end: kind = .end
        }
        self.endpoint = endpoint
    }
}

extension RunPlan: CustomStringConvertible, CustomReflectable {
    /// The path of the manifest and the graphs.
    public var description: String { "\(planned.plan.manifest): \(graphs.joined(separator: ", "))" }

    /// The path of the manifest and the graphs, never the values of inputs and variables, which include secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["manifest": planned.plan.manifest, "graphs": graphs])
    }
}
