package import WaybillExecution
package import WaybillManifest
package import WaybillPlan
import WaybillResults
import WaybillTransport

/// The requests of a plan, built without a run.
package struct RequestPreviews: Sendable {
    /// A step with its request, or why that cannot be built.
    package struct Step: Sendable {
        package let plan: StepPlan
        package let request: RequestPlan
        package let preview: Result<RequestPreview, EvaluationFailure>
    }

    /// The steps, in the order of the plan.
    package let steps: [Step]
    /// The values that are not known.
    package let placeholders: [ValuePlaceholders.Placeholder]

    /// Builds the requests of the graphs of a plan and of those that its steps run.
    package init(of plan: Plan) {
        let addresses = plan.requests.flatMap { [$0.settings.baseURL?.value.written, $0.address.text.value.written] }
        let starts = addresses.compactMap { text -> String? in
            guard let text, text.hasPrefix("${"), let end = text.firstIndex(of: "}") else { return nil }
            return String(text[text.index(text.startIndex, offsetBy: 2)..<end])
        }
        let placeholders = ValuePlaceholders(addresses: Set(starts))
        var executor = Executor(
            plan: plan,
            transport: NoTransport(),
            secrets: [:],
            redactor: Redactor(),
            events: EventStream(journal: nil, observers: [])
        )
        executor.placeholders = placeholders
        var steps: [Step] = []
        var open = Array(plan.graphs.reversed())
        var seen: Set<String> = []
        while let graph = open.popLast() {
            guard seen.insert(graph.path).inserted else { continue }
            for step in graph.allSteps {
                switch step.work {
                case .request(let request):
                    let preview = Result { () throws(EvaluationFailure) in try executor.preview(of: request, in: graph)
                    }
                    steps.append(Step(plan: step, request: request, preview: preview))
                case .graph(let call): open += plan.subgraphs[call.path].map { [$0] } ?? []
                default: continue
                }
            }
        }
        self.steps = steps
        self.placeholders = placeholders.all
    }
}

/// Sends nothing.
struct NoTransport: Transport, NetworkProbe {
    func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: (any BodyReceiver)?
    ) async -> Result<HTTPResponse, TransportFailure> {
        .failure(TransportFailure(.cancelled, "nothing is sent", wasSent: false))
    }

    func reach(_ request: HTTPRequest) async -> TransportFailure? { nil }
    func interface(towards request: HTTPRequest) async -> NetworkInterface? { nil }
    func shutDown() async {}
}
