package import WaybillDiagnostics
package import WaybillJSON
package import WaybillManifest
package import WaybillSchema

/// What a run will do: everything is resolved, merged and checked, and nothing has been sent.
package struct Plan: Sendable {
    /// The name of the manifest.
    package var name: String
    /// Whether the manifest states its name. Otherwise it is that of the file.
    package var hasName = false
    /// The path of the manifest as it was given.
    package var manifest: String
    /// The documents of the manifest and of the files that it includes.
    package var documents: [YAMLNode]
    /// The paths of all files that were read for it, also of those with values for inputs.
    package var readFiles: [String] = []
    /// See `ResolvedManifest.filesOfExpressions`.
    package var filesOfExpressions: [String] = []
    /// The schemas that were read from files, by the span that names the file.
    package var schemaFiles: [SourceSpan: JSON]
    /// The environment that was applied to the manifest.
    package var environment: String?
    /// The values of the manifest's inputs, and those that were given for inputs of the graphs.
    package var inputs: JSONObject
    /// The values read from the manifest's data files, by name.
    package var data: JSONObject
    /// The file or pattern that the data was read from, by the name of the data.
    package var dataFiles: [String: Spanned<String>]
    /// The secrets that the graphs use.
    package var secrets: [SecretPlan]
    /// All secrets of the manifest. Those that the graphs do not use are redacted too, if they have a value.
    package var declaredSecrets: [SecretPlan] = []
    /// The namespaces to which the prefixes in expressions of XPath are bound.
    package var namespaces: [String: String] = [:]
    /// The stages of the filters that expressions apply to values, by the name of the filter.
    package var appliedFilters: [String: [Setting<PlannedStage>]] = [:]
    /// The maximum number of concurrent requests.
    package var concurrency: Int
    /// The OpenAPI documents of the services, by the names of these; empty for the plan of one call.
    package var contracts: [(service: String, contract: Contract)] = []
    /// The graphs to run, in this order.
    package var graphs: [GraphPlan]
    /// The graphs that steps run, by the start of the paths of their steps; see `GraphPlan.path`.
    package var subgraphs: [String: GraphPlan]
    /// The sessions, by the name of the service. Each is requested once, for the requests that need it.
    package var sessions: [String: SessionPlan]
    /// Whether files may be written outside the results folder.
    package var allowsOutside = false
    /// The steps that the graphs are limited to.
    package var selection = StepSelection()
    /// The part of the run that this process executes, if several share the run.
    package var part: RunPart?

    /// The graphs that steps run, in the order of their paths.
    package var sortedSubgraphs: [GraphPlan] { subgraphs.values.sorted { $0.path < $1.path } }

    private var allSteps: [StepPlan] { (graphs + subgraphs.values).flatMap(\.allSteps) }

    /// Every request of the plan: of the graphs, of the graphs that their steps run, of `finally`, and of sessions.
    package var requests: [RequestPlan] {
        let ofSteps = allSteps.compactMap { if case .request(let request) = $0.work { request } else { nil } }
        return ofSteps + sessions.values.map(\.request)
    }

    /// The files with constant paths that the settings of its steps and sessions name.
    package var namedFiles: [NamedFile] {
        let ofValues = allSteps.compactMap {
            if case .values(let values) = $0.work { values.expectations } else { nil }
        }
        return (requests.map(\.settings) + ofValues).flatMap(\.namedFiles)
    }

    /// Whether any step writes or downloads a file.
    package var writesFiles: Bool {
        allSteps.contains { $0.flow?.writes.isEmpty == false } || requests.contains { $0.download != nil }
    }

    /// The files with constant paths that the steps write and download. The server names a file that is downloaded to a
    /// folder.
    package var resultFiles: [ResultFile] {
        // The graphs that steps run may exclude each other.
        (graphs.map { ($0, false) } + subgraphs.values.map { ($0, true) }).flatMap { graph, isConditional in
            (graph.body.steps + (graph.finally?.steps ?? [])).flatMap { $0.resultFiles(isConditional: isConditional) }
        }
    }
}

/// A file with a constant path that a step writes or downloads.
package struct ResultFile: Sendable {
    /// The path, relative to the results folder. One in that folder is resolved before its parts exist.
    package let path: String
    /// The name of the table in lower case, if the file is a database.
    package let table: String?
    /// The span of the path.
    package let span: SourceSpan
    /// The path of the step; `nil` if others may share the file.
    package let step: String?
    /// Whether the step runs only under a condition.
    package let isConditional: Bool
}

extension StepPlan {
    fileprivate func resultFiles(isConditional: Bool) -> [ResultFile] {
        let isConditional = isConditional || flow?.when != nil
        func file(_ text: String?, _ to: ScalarTemplate, table: String? = nil, isShared: Bool = false) -> [ResultFile] {
            guard let path = text.map(ResultPath.normalized) else { return [] }
            let step = isShared ? nil : self.path
            return [ResultFile(path: path, table: table, span: to.span, step: step, isConditional: isConditional)]
        }
        let written = (flow?.writes ?? []).flatMap { write in
            file(write.to.constantText, write.to, table: write.table?.value.lowercased())
        }
        switch work {
        case .group(let group): return written + group.steps.flatMap { $0.resultFiles(isConditional: isConditional) }
        case .request(let request):
            let isShared = request.settings.duplicates.map { $0.value.mode != .allow } ?? false
            let downloaded = request.download?.to.map { file(request.constantDownload, $0, isShared: isShared) }
            return written + (downloaded ?? [])
        case .graph, .values, .end: return written
        }
    }
}

/// A secret and where its value comes from.
package struct SecretPlan: Sendable {
    /// The name under which expressions find it.
    package var name: String
    /// Where the value comes from.
    package var source: SecretDeclaration
}

/// One graph.
package struct GraphPlan: Sendable {
    package var name: String
    /// The start of the paths of its steps: its name, or the path of the step that runs it with settings. Each such step
    /// has a plan of the graph of its own.
    package var path: String
    /// The inputs, which a step that runs the graph gives values.
    package var inputs: Definitions<InputDeclaration>
    /// Conditions on the inputs.
    package var checks: [Check] = []
    /// The values of the inputs if no step runs the graph.
    package var ownInputs = JSONObject()
    /// Its steps.
    package var body: GroupPlan
    /// The steps that always run at the end.
    package var finally: GroupPlan?
    /// The maximum duration of a run.
    package var deadline: Setting<DurationTemplate>?
    /// The values that a run returns.
    package var outputs: [OutputDefinition]
    /// The values that the next run starts with.
    package var state: [StateDefinition] = []
    /// The tags that runs can be limited to.
    package var tags: [String]
    /// The ids of the steps that are not selected; see `StepSelection`.
    package var omittedSteps: [String] = []
    /// Whether any step is not selected. The graph then stores no state.
    package var isLimited = false

    /// Its steps and those of `finally`, including nested ones.
    package var allSteps: [StepPlan] { body.allSteps + (finally?.allSteps ?? []) }
}

/// A step that runs a graph.
package struct GraphCall: Sendable {
    /// The name of the graph.
    package var name: Spanned<String>
    /// The key of its plan in `Plan.subgraphs`.
    package var path: String
    /// The values of its inputs.
    package var arguments: [ArgumentPlan]
    /// The steps through which the graph runs, from the outermost in, ending with this one, if they or what encloses
    /// them have settings. These apply to the requests of the graph.
    let callers: [StepSite]

    /// Visits every expression and template.
    func visitUses(_ visitor: UseVisitor) {
        for argument in arguments { argument.visitUses(visitor) }
        for level in callers.last?.settings ?? [] { level.visitUses(visitor) }
    }
}

/// A step that computes values.
package struct ValuesPlan: Sendable {
    /// The values.
    package var outputs: [OutputDefinition]
    /// The expectations of the object of the values.
    package var expectations: Settings

    /// Visits every expression and template.
    func visitUses(_ visitor: UseVisitor) {
        for output in outputs { output.visitUses(visitor, .request) }
        expectations.visitUses(visitor)
    }
}

/// Steps that run together.
package struct GroupPlan: Sendable {
    /// The order in which they run.
    package var order: Group.Order
    /// The steps, in the order of the manifest.
    package var steps: [StepPlan]
    /// The effect of a failure of one of them.
    package var onFailure: FailureMode
    /// The maximum number of concurrent steps of a batch; `nil` if the batch has no limit of its own.
    package var concurrency: Int?

    /// The steps of the group and of the groups in it, in plan order.
    package var allSteps: [StepPlan] { steps.withInner }

    /// The requests of the group and of the groups in it, in plan order, each with its step.
    package var requests: [(step: StepPlan, request: RequestPlan)] {
        allSteps.compactMap { step in if case .request(let request) = step.work { (step, request) } else { nil } }
    }
}

extension [StepPlan] {
    /// The steps and those of the groups in them, in plan order.
    var withInner: [StepPlan] {
        guard contains(where: { if case .group = $0.work { true } else { false } }) else { return self }
        return flatMap { step in if case .group(let group) = step.work { [step] + group.allSteps } else { [step] } }
    }
}

/// One step.
package struct StepPlan: Sendable {
    /// What a step does.
    package indirect enum Work: Sendable {
        /// Sends a request.
        case request(RequestPlan)
        /// Runs steps.
        case group(GroupPlan)
        /// Runs another graph.
        case graph(GraphCall)
        /// Computes values, and checks them.
        case values(ValuesPlan)
        /// Ends the enclosing chain with success if a condition is true.
        case end(ManifestExpression)
    }

    /// The name by which other steps refer to it.
    package var id: String?
    /// A name for people.
    package var name: String
    /// Its position in the plan: the names or numbers of the graph, the enclosing steps and the step, joined by dots.
    package var path: String
    /// What it does.
    package var work: Work
    /// When, how often and after which steps it runs; `nil` if the step does not specify that.
    package var flow: Flow?
    /// How it finds the next page: its own way, or that of the endpoint.
    package var paginate: Pagination? {
        if let own = flow?.paginate { return own }
        return if case .request(let request) = work { request.paginate } else { nil }
    }
    /// The effect of its failure.
    package var onFailure = FailureMode.stop
    /// Whether an enclosing step or the graph tolerates failures (`onFailure: continue`).
    package var isToleratedOutside = false
    /// Whether the step or an enclosing one tolerates failures.
    package var isTolerated: Bool { isToleratedOutside || onFailure == .continue }
    /// The fields of its result that are kept for the expressions of other steps.
    package var keeps: StepFields
    package var span: SourceSpan
    /// The key that the step was written with, such as `call` or `get`.
    package var form = StepForm.call
    /// The tags that runs can be limited to: the `tag` of the step and of its request.
    package var tags: [String] = []
    /// The share of the step's elements that this process executes; `nil` for all of them.
    package var shard: Shard?
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

    /// `items`, of the elements of a `forEach`: which of them passed, and their other fields
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

    /// All fields of the elements of a `forEach`.
    package static let wholeItems: StepFields = [.items, .itemOutputs, .itemData, .itemStatus]
    /// All fields that are kept only if they are used.
    package static let all: StepFields = [.outputs, .data, .response, .wholeItems, .written, .downloaded]

    /// The fields by their names in expressions.
    package static let names: [String: StepFields] = [
        "outputs": .outputs, "data": .data, "status": .response, "headers": .response, "time": .response,
        "items": .items, "written": .written, "downloaded": .downloaded, "ok": [], "error": [],
    ]
}

/// A filter stage and when it runs.
package struct PlannedStage: Sendable {
    package var stage: any FilterStage
    /// Whether it runs for every status, not only for 2xx.
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
        /// The call does not give it, or only a page does.
        case omitted
    }

    /// The name of the input.
    package var name: String
    /// Where the value comes from.
    package var source: Source
    /// The schema of the value.
    package var schema: JSONSchema
    /// The span that an error in the value is reported at: in the call, or in the declaration.
    package var span: SourceSpan
}

extension Plan {
    /// Whether a step calls an operation of an OpenAPI document.
    package var callsOperations: Bool {
        let ofSteps = (graphs + subgraphs.values).flatMap(\.allSteps).contains { step in
            if case .request(let request) = step.work { request.operation != nil } else { false }
        }
        return ofSteps || sessions.values.contains { $0.request.operation != nil }
    }
}

extension Settings {
    /// The files with constant paths that the settings name, such as snapshots, cookie jars and netrc files.
    package var namedFiles: [NamedFile] { entries.flatMap(\.value.namedFiles) }
}

extension RequestPlan {
    /// The constant path that the response is downloaded to, relative to the results folder.
    fileprivate var constantDownload: String? {
        guard let file = download?.to?.constantText, file.utf8.last != UInt8(ascii: "/") else { return nil }
        guard let folder = settings.downloads else { return file }
        return folder.value.constantText.map { "\($0)/\(file)" }
    }
}
