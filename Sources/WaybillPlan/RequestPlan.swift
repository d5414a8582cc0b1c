import WaybillDiagnostics
import WaybillExpressions
package import WaybillManifest

/// One request with all its settings merged.
package final class RequestPlan: Sendable {
    /// The endpoint; `nil` for a request in a step.
    package let endpoint: String?
    /// The service whose settings apply.
    package let service: String?
    /// The origin that some of its settings are limited to.
    package let serviceOrigin: ServiceOrigin
    /// The operation that it calls; `nil` for a request with an address of its own.
    package let operation: BoundOperation?
    /// The inputs of the endpoint.
    package let arguments: [ArgumentPlan]
    /// Conditions on the inputs of the endpoint.
    package let checks: [Check]
    /// The method; `nil` means GET.
    package let method: Setting<ScalarTemplate>?
    /// The method, if it is known before the request is made.
    package let constantMethod: String?
    /// The path or the absolute URL.
    package let address: Address
    /// The merged settings, without the names that a level removed.
    package let settings: Settings
    /// Which settings are sent only to the origin of the service.
    package let originLimits: OriginLimits
    /// The settings for a request to another origin.
    package var settingsElsewhere: Settings { settings.without(originLimits.apply) }
    /// The filter stages. Named filters are replaced by their stages.
    package let filters: [Setting<PlannedStage>]
    /// Values that are computed before each attempt.
    package let vars: [VariableDefinition]
    /// Values for later steps.
    package let outputs: [OutputDefinition]
    package let hasSecretOutputs: Bool
    /// Whether one of them is in more of the response than its body: in a header field or the address of a redirect.
    package var hasSecretFields: Bool {
        outputs.contains { output in
            output.isSecret
                && output.value.references.contains { $0.root == .response && $0.segments.first?.name != "body" }
        }
    }
    /// The shape that the data must have.
    package let returns: ReturnShape?
    /// The file that the response is downloaded to.
    package let download: Download?
    /// How the next page is found, if that is the endpoint's decision and not that of a step.
    package let paginate: Pagination?
    /// Example responses for the mock server.
    package let mock: [MockExample]
    /// The graph that the request is part of; empty for an endpoint by itself.
    package let graph: String
    /// Whether an expression uses `session`, not counting the settings for the service's origin.
    package let usesSession: Bool
    /// Whether an expression in the settings for the service's origin uses `session`.
    package let usesSessionAtServiceOrigin: Bool

    /// Whether an expression reads `request.params`.
    package let readsParameters: Bool

    /// Creates the plan of a request.
    ///
    /// - Parameters:
    ///   - step: The step that sends it, which may add variables and outputs.
    ///   - graph: The graph that it is part of, if that is not the step's.
    init(
        _ site: RequestSite,
        arguments: [ArgumentPlan],
        filters: [Setting<PlannedStage>],
        sentBy step: StepSite?,
        graph: String,
        paginate: Pagination?
    ) {
        let definition = site.definition
        endpoint = site.endpoint
        service = site.service.name
        serviceOrigin = ServiceOrigin(
            site.service,
            in: site.far,
            baseURL: site.nearest(BaseURLSetting.key) { $0.baseURL }
        )
        self.arguments = arguments
        checks = definition.checks
        operation = definition.operation
        method = definition.method
        constantMethod = definition.method.map(\.value.constantText) ?? "GET"
        // Failures of an operation are reported where it is called.
        let call = if case .call(let call)? = step?.step.action { call.name.span } else { site.span }
        address = definition.operation == nil ? definition.address : definition.address.moved(to: call)
        settings = site.merged.withoutRemovals
        let limits = OriginLimits(of: site)
        originLimits = limits
        self.filters = filters
        vars = definition.vars + (step?.step.vars ?? [])
        outputs = definition.outputs + (step?.step.outputs ?? [])
        hasSecretOutputs = outputs.contains(where: \.isSecret)
        returns = definition.returns
        download = definition.download
        self.paginate = paginate
        mock = definition.mock
        self.graph = step?.graph.name.value ?? graph
        // A class can call its methods only after all its properties are initialized.
        var usesSession = false
        var readsParameters = false
        let visitor = UseVisitor { use in
            for reference in use.text.references {
                if reference.root == .session { usesSession = true }
                if reference.root == .request, reference.segments.first?.name ?? "params" == "params" {
                    readsParameters = true
                }
            }
        }
        let forServiceOrigin = settings.without { !limits.apply(to: $0) }
        forServiceOrigin.visitUses(visitor)
        usesSessionAtServiceOrigin = usesSession
        usesSession = false
        visitor.scalar(method?.value, .request, .control)
        paginate?.visitUses(visitor)
        let others = forServiceOrigin.isEmpty ? settings : settings.without(limits.apply)
        Self.visitUses(visitor, arguments, others, address, vars, outputs, download, filters)
        self.usesSession = usesSession
        step?.step.flow?.visitUses(outside: visitor, inside: visitor)
        self.readsParameters = readsParameters
    }

    /// Visits every expression and template in the request, except those in the settings of steps that run its graph:
    /// these belong to the steps.
    func visitUses(_ visitor: UseVisitor) {
        visitor.scalar(method?.value, .request, .control)
        paginate?.visitUses(visitor)
        for check in checks { check.visitUses(visitor) }
        let own = settings.without { setting in
            if case .graph(let name) = setting.level { name != graph } else { false }
        }
        Self.visitUses(visitor, arguments, own, address, vars, outputs, download, filters)
    }

    private static func visitUses(
        _ visitor: UseVisitor,
        _ arguments: [ArgumentPlan],
        _ settings: Settings,
        _ address: Address,
        _ vars: [VariableDefinition],
        _ outputs: [OutputDefinition],
        _ download: Download?,
        _ filters: [Setting<PlannedStage>]
    ) {
        for argument in arguments { argument.visitUses(visitor) }
        settings.visitUses(visitor)
        visitor.scalar(address.text.value, .request, .address)
        for variable in vars { visitor.value(variable.value, .request, .variable) }
        for output in outputs { output.visitUses(visitor, .response) }
        download?.visitUses(visitor)
        for stage in filters { FilterEntry.stage(stage.value.stage).visitUses(visitor) }
    }

    /// Whether a filter or setting reads the body of a response whose status is not 2xx.
    package var readsBody: Bool {
        if filters.contains(where: \.value.onEveryStatus) { return true }
        var isRead = settings.entries.contains { entry in
            if case .data = entry.value.dataNeed { entry.value.key == ExpectationSetting.key } else { false }
        }
        let visitor = UseVisitor { use in
            isRead = isRead || use.moment == .response && use.text.references.contains(where: \.readsBody)
        }
        if !isRead { settings.without(FilterEntry.key).visitUses(visitor) }
        return isRead
    }

    /// The method as it was written.
    package var writtenMethod: String { method?.value.written ?? "GET" }
}

/// The request that fetches the session of a service, which its requests share.
package struct SessionPlan: Sendable {
    package var request: RequestPlan
    /// The statuses that renew the session.
    package var renewOn: [StatusPattern]
}

extension StepPlan {
    /// Creates a step from the request of a service's session. No other step can refer to it.
    package init(fetching session: SessionPlan, of service: String) {
        self.init(
            name: "session of \(service)",
            path: "session.\(service)",
            work: .request(session.request),
            keeps: .outputs,
            span: session.request.address.text.span
        )
    }
}

/// The origin of a request's service. Requests to another origin are sent without the settings that are limited to it
/// (`OriginLimits`).
package enum ServiceOrigin: Sendable {
    /// There is no origin to compare with: the request is standalone, or has neither a service nor a default base URL.
    case any
    /// The service has no base URL, and therefore no origin.
    case none
    /// The origin of this base URL: that of the service or of the defaults.
    case of(Setting<ScalarTemplate>)

    /// - Parameter baseURL: The base URL that applies to the request.
    init(_ service: RequestService, in far: SharedLevels, baseURL: Setting<ScalarTemplate>?) {
        if service.standsAlone {
            self = .any
        } else if let baseURL = service.settings?.baseURL ?? far.defaults.baseURL {
            self = .of(baseURL)
        } else if service.name == nil {
            self = baseURL.map(ServiceOrigin.of) ?? .any
        } else {
            self = .none
        }
    }
}

extension Reference {
    /// Whether the path leads to the decoded body of a response, or to all of the response.
    fileprivate var readsBody: Bool {
        switch root {
        case .document: true
        case .response: segments.first?.name.map { $0 == "body" } ?? true
        default: false
        }
    }
}
