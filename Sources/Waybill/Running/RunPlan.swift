import WaybillDiagnostics
import WaybillPipeline
import WaybillPlan
import WaybillPlanPrinting

/// A plan of the requests to send: the result of
/// ``Manifest/plan(graphs:environment:inputs:variables:concurrency:)-(_,_,[String:JSONValue],_,_)``.
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

    /// The plan for people, as `waybill plan` shows it. Secrets are masked.
    public var text: String { planned.text() }

    /// The plan in the format of `schemas/plan.schema.json`. Secrets are masked.
    public var value: JSONValue { JSONValue(planned.json) }

    /// Starts a run and returns at once. The run continues even if its events are not read.
    ///
    /// - Parameters:
    ///   - results: The folder for the results; `nil` for `waybill-results/<run id>` in the current folder.
    ///   - options: The observers of the run, and whether it uses the mock server.
    public func run(results: String? = nil, options: ManifestRun.Options = ManifestRun.Options()) -> ManifestRun {
        var session = RunOptions()
        session.outputFolder = results
        session.variables = variables
        session.usesMock = options.usesMock
        session.stateFile = options.stateFile
        return ManifestRun(planned.plan, session, options, warnings: warnings)
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

extension ManifestRun {
    /// How a run is executed, and who observes it.
    public struct Options: Sendable {
        /// Whether the manifest's `mock` examples are the responses to all requests, and nothing leaves this machine. A
        /// resumed run keeps the setting of the earlier run, whatever this value is.
        public var usesMock: Bool
        /// The path of the file for the states of the graphs; `nil` for one in `waybill-results/state`, or none with
        /// `usesMock`.
        public var stateFile: String?
        /// The observers, which receive every event while the run waits.
        public var observers: [any Observer]
        /// The maximum number of events that are buffered for a slow reader, at least 1.
        public var eventCapacity: Int
        /// The paths of steps that are paused from the start, until ``ManifestRun/unpause(step:)``.
        public var pausedSteps: [String]

        /// Creates options; see the properties.
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
