import WaybillDiagnostics
import WaybillPlan

/// A plan of what will be sent: what ``CheckedManifest/plan(graphs:environment:inputs:variables:concurrency:)`` gives.
///
/// It may be run as often as you like, each time anew.
public struct RunPlan: Sendable {
    private let planned: PlanDescription
    private let variables: [String: String]

    /// What is probably not as it was meant, in the order of the text.
    public let warnings: [ManifestDiagnostic]

    init(_ planned: PlanDescription, _ diagnostics: [Diagnostic], _ variables: [String: String]) {
        self.planned = planned
        self.variables = variables
        warnings = diagnostics.map(ManifestDiagnostic.init)
    }

    /// The names of the graphs that are run, in order.
    public var graphs: [String] { planned.plan.graphs.map(\.name) }

    /// The environment that is laid over the manifest.
    public var environment: String? { planned.plan.environment }

    /// The plan as `waybill plan` shows it, for people; secrets are masked.
    public var text: String { TextPlanPrinter().document(for: planned) }

    /// The plan as `schemas/plan.schema.json` describes it; secrets are masked.
    public var value: Value { Value(JSONPlanPrinter().value(for: planned)) }

    /// Begins a run and returns at once. The run goes on whether or not somebody looks at it.
    ///
    /// - Parameters:
    ///   - results: The folder for the results; `nil`: `waybill-results/<run id>` in the current folder.
    ///   - options: Who is told of it, and whether it is answered by the mock server.
    public func run(results: String? = nil, options: Run.Options = Run.Options()) -> Run {
        var session = RunOptions()
        session.outputFolder = results
        session.variables = variables
        session.usesMock = options.usesMock
        session.stateFile = options.stateFile
        return Run(planned.plan, session, options, warnings: warnings)
    }
}

extension RunPlan: CustomStringConvertible, CustomReflectable {
    /// The manifest's path and the graphs.
    public var description: String { "\(planned.plan.manifest): \(graphs.joined(separator: ", "))" }

    /// The manifest and the graphs; never the values of inputs and variables, among which secrets are.
    public var customMirror: Mirror {
        Mirror(self, children: ["manifest": planned.plan.manifest, "graphs": graphs])
    }
}

extension Run {
    /// How a run is carried out, and who is told of it.
    public struct Options: Sendable {
        /// Whether every request is answered from the manifest's `mock` examples, and nothing leaves this machine. A run
        /// that is resumed is answered as it was before, whatever this says.
        public var usesMock: Bool
        /// The path of the file for the states of the graphs; `nil`: one in `waybill-results/state`, and with `usesMock` none.
        public var stateFile: String?
        /// Who is told of every event while the run waits.
        public var observers: [any Observer]
        /// How many events are kept for a loop that reads them more slowly than they come, from 1.
        public var eventCapacity: Int
        /// The paths of steps that are held up from the beginning, until ``Run/unpause(step:)``.
        public var pausedSteps: [String]

        /// Options; see the properties.
        public init(
            usesMock: Bool = false,
            stateFile: String? = nil,
            observers: [any Observer] = [],
            eventCapacity: Int = 16_384,
            pausedSteps: [String] = []
        ) {
            self.usesMock = usesMock
            self.stateFile = stateFile
            self.observers = observers
            self.eventCapacity = eventCapacity
            self.pausedSteps = pausedSteps
        }
    }
}
