package import WaybillDiagnostics
package import WaybillJSON
package import WaybillManifest
package import WaybillSchema

/// What a run will do: everything resolved, merged and checked, nothing sent yet.
package struct Plan: Sendable {
    /// The name of the manifest.
    package var name: String
    /// The path of the manifest as it was given.
    package var manifest: String
    /// The texts that the plan was made from: the manifest and what it includes.
    package var sources: [SourceFile]
    /// The schemas that were read from files, by where the files are named.
    package var schemaFiles: [SourceSpan: JSON]
    /// The environment that was laid over it.
    package var environment: String?
    /// The values of the manifest's inputs.
    package var inputs: JSONObject
    /// What was read from the manifest's data files, by name.
    package var data: JSONObject
    /// The file or pattern that each data was read from, by its name.
    package var dataFiles: [String: Spanned<String>]
    /// The secrets that the graphs use.
    package var secrets: [SecretPlan]
    /// The greatest number of requests at once.
    package var concurrency: Int
    /// What is run, in this order.
    package var graphs: [GraphPlan]
    /// The graphs that those run in steps, by name.
    package var subgraphs: [String: GraphPlan]
    /// What is run once for the requests that need it, by the name of the service.
    package var sessions: [String: SessionPlan]
    /// Whether files that it writes may lie outside the results folder.
    package var allowsOutside = false
    /// The steps that the graphs are limited to.
    package var selection = StepSelection()
}

/// A secret and the environment variable that holds it.
package struct SecretPlan: Sendable {
    /// The name under which expressions find it.
    package var name: String
    /// The environment variable, at the place that names it.
    package var variable: Spanned<String>
}

/// One graph.
package struct GraphPlan: Sendable {
    /// Its name.
    package var name: String
    /// What a step that runs it must or may give.
    package var inputs: Definitions<InputDeclaration>
    /// Its steps.
    package var body: GroupPlan
    /// The steps that always run at the end.
    package var finally: GroupPlan?
    /// The longest time that it may take.
    package var deadline: Setting<DurationTemplate>?
    /// The values of the run.
    package var outputs: [OutputDefinition]
    /// The values that the next run starts from.
    package var state: [StateDefinition] = []
    /// Words that runs can be limited to.
    package var tags: [String]
    /// The ids of the steps that are not selected; see `StepSelection`.
    package var omittedSteps: [String] = []
    /// Whether any step is not selected. The graph then stores no state.
    package var isLimited = false
}

/// Steps that are run together.
package struct GroupPlan: Sendable {
    /// How they are run.
    package var order: Group.Order
    /// The steps, in the order of the manifest.
    package var steps: [StepPlan]
    /// What a failure of one of them does.
    package var onFailure: FailureMode
    /// The greatest number of a batch's steps at once; `nil`: no limit of its own.
    package var concurrency: Int?
}

/// One step.
package struct StepPlan: Sendable {
    /// What a step does.
    package indirect enum Work: Sendable {
        /// Sends a request.
        case request(RequestPlan)
        /// Runs steps.
        case group(GroupPlan)
        /// Runs another graph with inputs.
        case graph(name: Spanned<String>, arguments: [ArgumentPlan])
        /// Computes values.
        case values([OutputDefinition])
        /// Ends the chain around it, with success, where a condition holds.
        case end(ManifestExpression)
    }

    /// The name by which other steps refer to it.
    package var id: String?
    /// A name for people.
    package var name: String
    /// Its place in the plan: the names of the graph and of the steps around it, or their numbers, joined by dots.
    package var path: String
    /// What it does.
    package var work: Work
    /// When, how often and after what it is done; `nil` where nothing is said of that.
    package var flow: Flow?
    /// What its failure does.
    package var onFailure: FailureMode
    /// Whether the step or one around it tolerates failures (`onFailure: continue`).
    package var isTolerated: Bool
    /// What is kept of its response for expressions of other steps.
    package var keeps: StepFields
    /// Where the step stands.
    package var span: SourceSpan
    /// The key that the step was written with, such as `call` or `get`.
    package var form: StepForm
    /// Words that runs can be limited to: the `tag` of the step and of its request.
    package var tags: [String] = []
}

/// The fields of a step that expressions can use, as in `steps.login.outputs`.
package struct StepFields: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `outputs`
    package static let outputs = StepFields(rawValue: 1)
    /// `data`
    package static let data = StepFields(rawValue: 2)
    /// `status`, `headers`, `time`
    package static let response = StepFields(rawValue: 4)

    /// `items`, of the elements of a `forEach`: which of them passed, and what is said of them besides
    package static let items = StepFields(rawValue: 8)
    /// `items[*].outputs`
    package static let itemOutputs = StepFields(rawValue: 16)
    /// `items[*].data`
    package static let itemData = StepFields(rawValue: 32)
    /// `items[*].status`
    package static let itemStatus = StepFields(rawValue: 64)

    /// `written`
    package static let written = StepFields(rawValue: 128)
    /// `downloaded`
    package static let downloaded = StepFields(rawValue: 256)

    /// All that is said of the elements of a `forEach`.
    package static let wholeItems: StepFields = [.items, .itemOutputs, .itemData, .itemStatus]
    /// Everything that is kept only where it is used.
    package static let all: StepFields = [.outputs, .data, .response, .wholeItems, .written, .downloaded]

    /// The fields by the names that expressions have for them.
    package static let names: [String: StepFields] = [
        "outputs": .outputs, "data": .data, "status": .response, "headers": .response, "time": .response,
        "items": .items, "written": .written, "downloaded": .downloaded, "ok": [], "error": [],
    ]
}

/// A filter stage in the place where it runs.
package struct PlannedStage: Sendable {
    /// The stage.
    package var stage: any FilterStage
    /// Whether it runs on every status, not only on 2xx.
    package var onEveryStatus: Bool
}

/// The value of one input of an endpoint or graph.
package struct ArgumentPlan: Sendable {
    /// Where the value comes from.
    package enum Source: Sendable {
        /// The call gives it.
        case template(ValueTemplate)
        /// The declaration's default, or the manifest's input of the same name.
        case constant(JSON)
    }

    /// The name of the input.
    package var name: String
    /// Where the value comes from.
    package var source: Source
    /// What the value must be.
    package var schema: JSONSchema
    /// Where a wrong value is to be shown: at the call, or at the declaration.
    package var span: SourceSpan
}

extension GroupPlan {
    /// The requests below, in plan order, each with its step.
    package var requests: [(step: StepPlan, request: RequestPlan)] {
        steps.flatMap { step -> [(step: StepPlan, request: RequestPlan)] in
            switch step.work {
            case .request(let request): [(step, request)]
            case .group(let group): group.requests
            case .graph, .values, .end: []
            }
        }
    }
}

extension Plan {
    /// Every request of the plan: of the graphs, of those that they run in steps, of `finally`, and of sessions.
    package var requests: [RequestPlan] {
        let groups = (graphs + subgraphs.values).flatMap { [$0.body] + ($0.finally.map { [$0] } ?? []) }
        return groups.flatMap(\.requests).map(\.request) + sessions.values.map(\.request)
    }
}
