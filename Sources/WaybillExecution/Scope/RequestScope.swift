import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// What the expressions of one request see: the inputs of the level at which an expression is written, the earlier
/// steps, and later the request and its response.
///
/// It is copied for each expression that is evaluated, and therefore stored by reference.
@dynamicMemberLookup
struct RequestScope: Sendable {
    private var contents: CopyOnWrite<Contents>

    init(context: StepContext, environment: AttemptEnvironment) {
        contents = CopyOnWrite(Contents(context: context, environment: environment))
    }

    /// One of the contents.
    subscript<Value>(dynamicMember path: WritableKeyPath<Contents, Value>) -> Value {
        get { contents.value[keyPath: path] }
        _modify { yield &contents.value[keyPath: path] }
    }

    /// The context that the step is executed in.
    var context: StepContext { contents.value.context }

    /// Clocks, randomness and files.
    var environment: AttemptEnvironment { contents.value.environment }

    /// The scope of the expressions at a level.
    func scope(_ level: Level) -> EvaluationScope {
        EvaluationScope(root: LevelScope(self, level), current: self.data, item: nil, environment: environment)
    }
}

extension RequestScope {
    /// What a scope contains.
    struct Contents: Sendable {
        fileprivate let context: StepContext
        fileprivate let environment: AttemptEnvironment
        /// The inputs of the endpoint that is called.
        var arguments: [String: ScopeValue] = [:]
        /// The values of `vars`.
        var vars: [String: ScopeValue] = [:]
        /// The session of the service, once it has been fetched.
        var session: Session?
        /// The request, once it has been built.
        var request: SentRequest?
        var response: HTTPResponse?
        /// The body of the response as it was decoded, before filters.
        var body: ScopeValue?
        /// The current data.
        var data: ScopeValue?
    }
}

/// The names that are visible at one level. It is small enough that an existential stores it without an allocation.
private struct LevelScope: ScopeNamespace {
    /// Whose inputs are visible.
    private enum Inputs { case manifest, endpoint, graph }

    private let scope: RequestScope
    private let level: Inputs
    /// The instance of the graph at whose level the expression is.
    private let graph: CopyOnWrite<StepContext.GraphInstance>?

    init(_ scope: RequestScope, _ level: Level) {
        self.scope = scope
        switch level {
        case .defaults, .service: (self.level, graph) = (.manifest, nil)
        case .endpoint: (self.level, graph) = (.endpoint, nil)
        case .graph(let name): (self.level, graph) = (.graph, scope.context.instance(of: name))
        }
    }

    private static let fixedNames = [
        "inputs", "manifest", "secrets", "data", "vars", "session", "run", "state", "steps", "request", "response",
    ]

    var memberNames: [String] { Self.fixedNames + (graph?.value.variables.keys.sorted() ?? []) }

    func member(_ name: String) -> ScopeNode? {
        if let variable = graph?.value.variables[name] { return .value(variable) }
        switch name {
        case "inputs": return .namespace(inputs)
        case "steps": return graph.map { .namespace(StepNamespace(store: $0.value.steps)) }
        case "state":
            guard let graph, let state = scope.context.run.scope.state[graph.value.graph] else { return nil }
            return .namespace(Namespace(state))
        case "vars": return .namespace(ValueNamespace(values: scope.vars))
        case "session": return scope.session.map { .namespace(ValueNamespace(values: $0.outputs)) }
        case "request": return scope.request.map { .namespace($0.namespace) }
        case "response":
            return scope.response.map { response in
                let redactor = scope.context.run.redactor
                return .namespace(ResponseNamespace(response: response, body: scope.body, redactor: redactor))
            }
        default: return scope.context.run.scope.member(name)
        }
    }

    private var inputs: Namespace {
        let outer = scope.context.run.scope.inputs
        let own: [String: ScopeValue]
        switch level {
        case .endpoint: own = scope.arguments
        case .graph: own = graph?.value.inputs ?? [:]
        case .manifest: return outer
        }
        if own.isEmpty { return outer }
        return Namespace(own.keys.sorted() + outer.memberNames) { name in
            own[name].map { .value($0) } ?? outer.member(name)
        }
    }
}

/// What every expression of a run sees.
struct RunScope: Sendable {
    /// The inputs of the manifest.
    let inputs: Namespace
    /// The contents of data files, by name.
    let data: JSONObject
    /// The secrets, by name.
    let secrets: [String: String]
    /// `run.id`, `run.startedAt`, `run.environment`
    let run: JSONObject
    /// The state of each graph that has one, at the start of the run.
    let state: [String: JSONObject]

    func member(_ name: String) -> ScopeNode? {
        switch name {
        case "manifest": .namespace(Namespace(["inputs"]) { $0 == "inputs" ? .namespace(inputs) : nil })
        case "secrets":
            .namespace(
                Namespace(secrets.keys.sorted()) { name in
                    secrets[name].map { .value(ScopeValue(.string($0), isSecret: true)) }
                }
            )
        case "data": .namespace(Namespace(data))
        case "run": .namespace(Namespace(run))
        default: nil
        }
    }
}

/// The request as expressions see it in `request`.
struct SentRequest: Sendable {
    let method: String
    let url: String
    /// The bytes of the body; `nil` if it is read only when it is sent.
    var body: [UInt8]?
    /// The memory that a large body takes.
    var memory: RunMemory.Share?
    /// The values of `params`, if an expression reads them.
    var params: ScopeValue?
    /// The part of the content that it asks for; `nil` for the whole.
    var range: RequestedRange?
    /// Whether the query or the body contains a secret, while they are made.
    var isSecret = false

    var namespace: Namespace {
        Namespace(["method", "url", "query", "params", "body"]) { name in
            switch name {
            case "method": .value(ScopeValue(.string(method)))
            case "url": .value(ScopeValue(.string(url), isSecret: isSecret))
            case "query": .value(ScopeValue(.string(query), isSecret: isSecret))
            case "params": .value(params ?? ScopeValue(.object(JSONObject())))
            case "body": content
            default: nil
            }
        }
    }

    /// The body as a string, or as bytes if it is not UTF-8.
    private var content: ScopeNode {
        guard let body else { return .unavailable(reason: "the body is read only when it is sent") }
        let json = String(validating: body, as: UTF8.self).map(JSON.string) ?? .bytes(body)
        return .value(ScopeValue(json, isSecret: isSecret))
    }

    private var query: String {
        let withoutFragment = url.unicodeScalars.prefix { $0 != "#" }
        return withoutFragment.firstIndex(of: "?").map { String(withoutFragment[$0...].dropFirst()) } ?? ""
    }
}

/// The response as expressions see it in `response`.
private struct ResponseNamespace: ScopeNamespace {
    let response: HTTPResponse
    let body: ScopeValue?
    let redactor: Redactor

    var memberNames: [String] { ["status", "headers", "cookies", "time", "redirects", "body"] }

    func member(_ name: String) -> ScopeNode? {
        switch name {
        case "status": .value(ScopeValue(.number(JSONNumber(response.status))))
        case "headers": .namespace(HeaderNamespace(fields: response.headers))
        case "cookies": .namespace(Namespace(cookies))
        case "body": body.map { .value($0) } ?? .unavailable(reason: "the response has not been decoded")
        case "time": .value(ScopeValue(.number(response.timings.total.inMilliseconds)))
        case "redirects": .value(ScopeValue(.array(response.redirects.map(hop))))
        default: nil
        }
    }

    /// A redirect that was followed. Secrets in its URL are redacted, because a server may put them there.
    private func hop(_ redirect: Redirect) -> JSON {
        ["status": .number(JSONNumber(redirect.status)), "url": .string(redactor.redact(redirect.to))]
    }

    /// The cookies that the response sets (RFC 6265, section 5.2), by name; the last of a name wins.
    private var cookies: JSONObject {
        var cookies = JSONObject()
        for field in response.headers.values(named: "Set-Cookie") {
            let pair = field.unicodeScalars.prefix { $0 != ";" }
            guard let equals = pair.firstIndex(of: "=") else { continue }
            let name = String(pair[..<equals]).withoutOuterBlanks
            if name.isEmpty { continue }
            cookies[name] = .string(String(pair[equals...].dropFirst()).withoutOuterBlanks)
        }
        return cookies
    }
}
