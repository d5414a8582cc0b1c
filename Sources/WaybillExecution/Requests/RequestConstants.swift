import Synchronization
import WaybillManifest
import WaybillPlan
import WaybillRuntime
import WaybillTransport

/// What all requests of a plan have in common: the parts that contain no expression, evaluated once.
struct RequestConstants: Sendable {
    /// The base URL of paths.
    struct Base: Sendable {
        /// The URL with the version; an internationalised host is in ASCII.
        let url: String
        let origin: Origin
        /// Whether that is not the origin of the request's service.
        let isForeign: Bool
    }

    /// The base URL; `nil` if it contains an expression or is not set.
    var base: Base?
    /// A request with the limits that are constant, and with header fields and options if those are.
    var request: HTTPRequest
    /// Whether the header fields of the request are constant.
    var hasHeaders = false
    /// Whether its time limits are constant.
    var hasTimeLimits = false
    /// Whether its options are constant: contain no expression and name no files, which are checked for each request.
    var hasOptions = false
    /// Whether the settings have a query, parameters or a body.
    let hasContent: Bool
}

/// The constants of the plans whose requests were built.
final class KnownConstants: Sendable {
    private let known = Mutex<[ObjectIdentifier: CopyOnWrite<RequestConstants>]>([:])

    /// The constants of a plan; evaluates them if they are not known.
    func constants(
        of plan: RequestPlan,
        _ evaluate: () throws(EvaluationFailure) -> RequestConstants
    ) throws(EvaluationFailure) -> CopyOnWrite<RequestConstants> {
        if let constants = known.withLock({ $0[ObjectIdentifier(plan)] }) { return constants }
        let constants = CopyOnWrite(try evaluate())
        known.withLock { $0[ObjectIdentifier(plan)] = constants }
        return constants
    }
}

extension RequestBuilder {
    /// Evaluates the constants of a plan with some of its settings.
    func constants(of settings: Settings) throws(EvaluationFailure) -> RequestConstants {
        var constants = RequestConstants(
            base: try constantBase,
            request: HTTPRequest(
                url: "",
                maximumBodyBytes: settings.maxBody?.value ?? MaxBodySetting.default,
                maximumConnectionsPerOrigin: settings.maximumConnections(in: shard),
                acceptsCompression: (settings.compression?.value ?? CompressionSetting.default)
                    && !settings.unsets(field: "Accept-Encoding")
            ),
            hasContent: [QuerySetting.key, ParameterSetting.key, BodySetting.key].contains(where: settings.has)
        )
        if settings.headers.allSatisfy(\.value.isConstant),
            settings.userAgent?.value.isConstant ?? true
        {
            constants.request.headers = try headers(of: settings)
            constants.hasHeaders = true
        }
        if settings.timeout?.value.isConstant ?? true,
            settings.connectTimeout?.value.isConstant ?? true
        {
            try setTimeLimits(of: &constants.request, settings)
            constants.hasTimeLimits = true
        }
        if settings.proxy?.value.isConstant ?? true {
            constants.request.options = try options(of: settings)
            constants.hasOptions = !constants.request.options.namesFiles
        }
        return constants
    }

    private var constantBase: RequestConstants.Base? {
        get throws(EvaluationFailure) {
            guard let baseURL = settings.baseURL, baseURL.value.isConstant,
                settings.version?.value.isConstant ?? true
            else { return nil }
            if case .of(let service) = plan.serviceOrigin, !service.value.isConstant { return nil }
            let url = try ascii(base())
            let origin = try origin(of: url, at: baseURL.span)
            return RequestConstants.Base(url: url, origin: origin, isForeign: try isForeign(origin))
        }
    }
}

extension HeaderSetting {
    fileprivate var isConstant: Bool { (texts ?? []).allSatisfy(\.isConstant) }
}

extension ScalarTemplate {
    fileprivate var isConstant: Bool { template == nil }
}

extension DurationTemplate {
    fileprivate var isConstant: Bool { constant != nil }
}

extension ProxySetting {
    fileprivate var isConstant: Bool {
        if case .url(let template) = self { template.isConstant } else { true }
    }
}
