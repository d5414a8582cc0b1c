package import WaybillData
package import WaybillDiagnostics
package import WaybillManifest

/// What a run will do: everything resolved, merged and checked, nothing sent yet.
package struct Plan: Sendable {
    /// The name of the manifest.
    package var name: String
    /// The path of the manifest as it was given.
    package var manifest: String
    /// The environment that was laid over it.
    package var environment: String?
    /// The values of the manifest's inputs.
    package var inputs: JSONObject
    /// The secrets that the graphs use.
    package var secrets: [SecretPlan]
    /// The greatest number of requests at once.
    package var concurrency: Int
    /// What is run, in this order.
    package var graphs: [GraphPlan]
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
    /// Its steps.
    package var body: GroupPlan
    /// The values of the run.
    package var outputs: [OutputDefinition]
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
    }

    /// The name by which other steps refer to it.
    package var id: String?
    /// A name for people.
    package var name: String
    /// Its place in the plan: the names of the graph and of the steps around it, or their numbers, joined by dots.
    package var path: String
    /// What it does.
    package var work: Work
    /// What its failure does.
    package var onFailure: FailureMode
    /// Whether the step or one around it tolerates failures (`onFailure: continue`).
    package var isTolerated: Bool
    /// What is kept of its answer for expressions of other steps.
    package var keeps: StepFields
    /// Where the step stands.
    package var span: SourceSpan
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

    /// The fields by the names that expressions have for them.
    package static let names: [String: StepFields] = [
        "outputs": .outputs, "data": .data, "status": .response, "headers": .response, "time": .response,
        "ok": [], "error": [],
    ]
}

/// One request with all its settings merged.
package struct RequestPlan: Sendable {
    /// The endpoint; `nil` for a request in place.
    package var endpoint: String?
    /// The service whose settings take part.
    package var service: String?
    /// The inputs of the endpoint.
    package var arguments: [ArgumentPlan]
    /// The method.
    package var method: String
    /// The path or the absolute URL.
    package var address: Address
    /// The merged settings. Names that were taken away are gone.
    package var settings: Settings
    /// The filter stages, named filters put in their places.
    package var filters: [Setting<FilterStage>]
    /// Values for later steps.
    package var outputs: [OutputDefinition]
    /// Example answers for the mock server.
    package var mock: [MockExample]
    /// The graph that the request is part of; empty for an endpoint by itself.
    package var graph: String
}

/// The value of one input of an endpoint.
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
        steps.flatMap { step in
            switch step.work {
            case .request(let request): [(step, request)]
            case .group(let group): group.requests
            }
        }
    }
}
