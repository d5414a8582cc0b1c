import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// Evaluates a planned request, after inputs and `vars`: address, query and body first, then header fields, then
/// credentials, so that a header field can see `request.body`.
struct RequestBuilder {
    let plan: RequestPlan
    /// The page to request.
    let page: PageRequest
    private(set) var scope: RequestScope
    /// Signs the request when it is sent, if its credentials are signing keys; set by `build()`.
    var signer: AWSSigner?
    /// The parameters for requesting the token that is sent with the request, if it needs one; set by `build()`.
    private(set) var grant: TokenGrant?
    /// The netrc file that has no credentials for the host of the request, and the host; set by `build()`.
    var missingCredentials: (path: String, host: String)?
    /// What people should know about the request, such as differences from the contract; set by `build()`.
    var warnings: [String] = []
    /// What to warn of if the server refuses the request.
    private(set) var refusalWarning: String?
    /// The origin of the requested page, if it is not that of the first one; set by `build()`.
    private(set) var otherOrigin: Origin?

    var settings: Settings { plan.settings }
    var run: RunContext { scope.context.run }
    var redactor: Redactor { run.redactor }
    /// Whether the request is only built, with placeholders for values, and not sent.
    var isPreview: Bool { run.executor.placeholders != nil }
    /// The shard, among which the limits of the services are divided.
    var shard: Shard? { run.shard }

    /// A large file may take any time, as long as data keeps arriving.
    private static let downloadTimeout = Duration.seconds(7 * 86_400)
    private static let stallTimeout = Duration.seconds(60)

    init(_ plan: RequestPlan, in scope: RequestScope) {
        self.plan = plan
        self.scope = scope
        page = scope.context.page
    }

    mutating func build() throws(EvaluationFailure) -> HTTPRequest {
        let method = try method()
        var (url, origin, isForeign) = try target()
        let sent = isForeign ? plan.settingsElsewhere : settings
        let constants = isForeign ? CopyOnWrite(try constants(of: sent)) : try constants()

        let address = url
        var content =
            constants.value.hasContent
            ? try RequestContent(
                of: sent,
                method: method,
                readsParameters: plan.readsParameters,
                scope: scope
            ) { query, body in
                SentRequest(method: method, url: self.url(address, with: query), body: body)
            } : RequestContent()
        if let operation = plan.operation {
            let contentType = try sent.headers.last { $0.value.isNamed("Content-Type") }?.firstText(in: scope)
            if let body = try body(of: operation, contentType: contentType) { content.set(body) }
        }
        for (_, value) in content.query.pairs { try registerParameter(value) }
        if case .url(let next) = page {
            let other = try self.origin(of: next, at: plan.address.text.span)
            if other != origin { otherOrigin = other }
        }
        url = self.url(address, with: content.query)
        var added: [HTTPField] = []
        if let operation = plan.operation, otherOrigin == nil {
            added = try addParameters(of: operation, to: &url)
        }
        scope.request = SentRequest(method: method, url: url, body: content.bytes, params: content.params)

        var request = constants.value.request
        var headers = constants.value.hasHeaders ? request.headers : try self.headers(of: sent)
        for field in added {
            // It takes the place of a default field.
            if !field.isNamed("Cookie") { headers.removeAll { $0.isNamed(field.name) } }
            headers.add(field)
        }
        if let contentType = content.body?.mediaType, !headers.contains(where: { $0.isNamed("Content-Type") }),
            !sent.unsets(field: "Content-Type")
        {
            headers.append(HTTPField(name: "Content-Type", value: contentType))
        }
        if let boundary = content.body?.boundary {
            headers = headers.map { field in
                guard field.isNamed("Content-Type") else { return field }
                let type = RequestContent.contentType(field.value, boundary: boundary)
                return HTTPField(name: field.name, value: type, isSensitive: field.isSensitive)
            }
        }
        var credentials = TransferOptions.Credentials.none
        if otherOrigin == nil {
            credentials = try authenticate(
                by: sent.auth,
                at: origin,
                isForeign: isForeign,
                &headers,
                &url
            )
        }
        let range = RequestedRange(headers)
        scope.request = SentRequest(
            method: method,
            url: url,
            body: content.bytes,
            params: content.params,
            range: range
        )
        (request.method, request.url, request.headers) = (method, url, headers)
        request.body = HTTPRequest.Body(content.body)
        if !constants.value.hasTimeLimits { try setTimeLimits(of: &request, sent) }
        if !constants.value.hasOptions { request.options = try options(of: sent) }
        if credentials != .none { request.options.credentials = credentials }
        if isForeign, case .of(let baseURL) = plan.serviceOrigin {
            let home = try self.origin(of: text(baseURL).text, at: baseURL.span)
            request.options.cookies = request.options.cookies.after(leaving: home, for: origin)
        }
        let limits = plan.originLimits
        if limits.isProxyChosenByResponse { request.options.cookies = request.options.cookies.withoutJarOfRun }
        if isForeign, sent.body == nil, limits.isChosenByResponse || limits.isProxyChosenByResponse,
            let body = settings.body, limits.isOwn(body.span)
        {
            throw EvaluationFailure(
                message:
                    "a response may have chosen the origin, \(origin), or the proxy, and the body contains a secret that is "
                    + "written elsewhere, so nothing was sent",
                span: body.span
            )
        }
        if let otherOrigin, limits.hasCredentials {
            warnings.append(Self.missing(at: otherOrigin, "the next page is at another origin than the request"))
        } else if isForeign, limits.keepsCredentials {
            let isChosen = limits.isChosenByResponse || limits.isProxyChosenByResponse
            let reason =
                isChosen ? "a response may have chosen the origin or the proxy" : "it is not the origin of the service"
            let words = Self.missing(at: origin, "\(reason); set them beside its address, 'baseURL' or 'proxy'")
            // An address without expressions was written for this origin, which may need none.
            if limits.isComputed { warnings.append(words) } else { refusalWarning = words }
        }
        request.isBodySensitive = content.body?.isSecret ?? false
        request.isBodyForOrigin = request.isBodySensitive || content.body != nil && plan.sharesBody(of: sent)
        guard let otherOrigin else {
            grant = try grant(by: sent.auth, for: request)
            return request
        }
        guard !request.isBodyForOrigin else {
            throw EvaluationFailure(
                message:
                    "the next page is at another origin, \(otherOrigin); the request's body contains a secret, or "
                    + "values that neither the step nor its endpoint sets itself, so it was not sent there",
                span: plan.address.text.span,
                kind: .transfer
            )
        }
        if let demand = request.options.tls.demand, origin.isSecure, !otherOrigin.isSecure {
            throw EvaluationFailure(
                message: "the next page is at \(otherOrigin), without TLS, which '\(demand)' under 'tls' demands",
                span: plan.address.text.span,
                kind: .transfer
            )
        }
        request.leaveOrigin()
        request.options.cookies = request.options.cookies.after(leaving: origin, for: otherOrigin)
        return request
    }

    /// The warning that an origin did not receive the credentials of a request.
    static func missing(at origin: Origin, _ reason: String) -> String {
        "credentials were not sent to \(origin), because \(reason)"
    }

    /// The transport for the built request: the given one, or one that signs the request first.
    func sending(through transport: any Transport) -> any Transport {
        signer.map { SigningTransport(transport, signer: $0) } ?? transport
    }

    /// Returns the address of the page with the query.
    private func url(_ address: String, with query: ParameterList) -> String {
        // The URL of a next page already has its query.
        if case .url(let next) = page { return next }
        let url = query.pairs.isEmpty ? address : Self.appending(query.query, to: address)
        if case .query(let name, let value) = page { return PageQuery.setting(name, to: value, in: url) }
        return url
    }

    // MARK: Method and address

    /// The method.
    func method() throws(EvaluationFailure) -> String {
        guard plan.constantMethod == nil, let written = plan.method else { return plan.constantMethod ?? "GET" }
        let text = try written.value.text(in: scope.scope(written.level))
        guard !text.isSecret else {
            throw EvaluationFailure(message: "a secret cannot be the method of a request", span: written.span)
        }
        guard text.text.isToken else {
            throw EvaluationFailure(
                message: "'\(text.text)' is not a method: expected one word, such as GET",
                span: written.span
            )
        }
        return text.text
    }

    /// The URL of the request, as it is sent and signed, with its origin, and whether that is not the origin of its service.
    mutating func target() throws(EvaluationFailure) -> (url: String, origin: Origin, isForeign: Bool) {
        let span = plan.address.text.span
        let address =
            if let operation = plan.operation { try path(of: operation) } else {
                try AddressText(plan.address, in: scope.scope(plan.address.text.level))
            }
        for secret in address.secrets { try redactor.register(secret, at: span) }
        let limits = plan.originLimits
        var hasKeptSecret = !address.isURL && !address.secrets.isEmpty && limits.keepsSecretsOfPath
        if !address.isURL, !hasKeptSecret, let version = settings.version, limits.keepsSecrets(of: version.span) {
            hasKeptSecret = try text(version).isSecret
        }
        let (url, origin, isForeign): (String, Origin, Bool)
        if !address.isURL, let base = try constants().value.base {
            (url, origin, isForeign) = (Self.joined(base.url, address.text), base.origin, base.isForeign)
        } else {
            url = try ascii(address.isURL ? address.text : Self.joined(try base(), address.text))
            origin = try self.origin(of: url, at: span)
            isForeign = try self.isForeign(origin)
        }
        if isForeign, hasKeptSecret {
            throw EvaluationFailure(
                message:
                    "a response may have chosen the origin, \(origin), or the proxy, and the path contains a secret that is "
                    + "written elsewhere, so nothing was sent",
                span: span
            )
        }
        return (url, origin, isForeign)
    }

    /// The base URL of paths, with the version.
    func base() throws(EvaluationFailure) -> String {
        guard let baseURL = settings.baseURL else {
            throw EvaluationFailure(
                message: "the path has no base URL: set 'baseURL', or write an absolute URL",
                span: plan.address.text.span
            )
        }
        let url = try text(baseURL).text
        // A constant was checked when the manifest was read.
        if baseURL.value.constantText == nil, let error = WrittenAddress(url).baseURLError {
            throw EvaluationFailure(message: error.message, span: baseURL.span)
        }
        guard let version = settings.version else { return url }
        let text = try text(version)
        guard text.text != "." && text.text != ".." else {
            throw EvaluationFailure(message: AddressText.climbing(text.text), span: version.span)
        }
        let segment = PercentEncoding.component(text.text)
        if text.isSecret { try redactor.register(segment, at: version.span) }
        return segment.isEmpty ? url : Self.joined(url, segment)
    }

    /// A URL with an internationalised host in ASCII.
    func ascii(_ url: String) throws(EvaluationFailure) -> String {
        do {
            return try InternationalHost.asciiURL(url)
        } catch {
            throw EvaluationFailure(
                message: "'\(redactor.redact(url))' cannot be requested: \(error.message)",
                span: plan.address.text.span
            )
        }
    }

    /// A base URL and a path or query, with one slash between them.
    private static func joined(_ base: String, _ rest: String) -> String {
        let slash = UInt8(ascii: "/")
        guard let first = rest.utf8.first, first != UInt8(ascii: "?") else { return base + rest }
        var url = base
        while url.utf8.last == slash { url.removeLast() }
        url += "/"
        url += rest[(rest.utf8.firstIndex { $0 != slash } ?? rest.endIndex)...]
        return url
    }

    static func appending(_ query: String, to url: String) -> String {
        let fragment = url.firstIndex(of: "#") ?? url.endIndex
        let address = url[..<fragment]
        let separator = !address.contains("?") ? "?" : address.hasSuffix("?") || address.hasSuffix("&") ? "" : "&"
        return "\(address)\(separator)\(query)\(url[fragment...])"
    }

    func origin(of url: String, at span: SourceSpan) throws(EvaluationFailure) -> Origin {
        do {
            return try Origin(ofURL: url)
        } catch {
            throw EvaluationFailure(
                message: "'\(redactor.redact(url))' cannot be requested: \(error.message)",
                span: span
            )
        }
    }

    /// Whether the request goes to an origin other than its service's.
    mutating func isForeign() throws(EvaluationFailure) -> Bool {
        try target().isForeign
    }

    func isForeign(_ origin: Origin) throws(EvaluationFailure) -> Bool {
        if plan.originLimits.isProxyChosenByResponse { return true }
        return switch plan.serviceOrigin {
        case .any: plan.originLimits.isChosenByResponse
        case .none: true
        case .of(let baseURL): try self.origin(of: text(baseURL).text, at: baseURL.span) != origin
        }
    }

    /// The constants of the plan.
    private func constants() throws(EvaluationFailure) -> CopyOnWrite<RequestConstants> {
        try run.requestConstants.constants(of: plan) { () throws(EvaluationFailure) in try constants(of: settings) }
    }

    /// The options of the transfer.
    func options(of settings: Settings) throws(EvaluationFailure) -> TransferOptions {
        let scope = scope
        var options = try TransferOptions(
            settings,
            files: scope.environment.files,
            proxies: run.executor.proxies
        ) { (scalar, level) throws(EvaluationFailure) in
            let setting = Setting(scalar, at: scalar.span, level: level)
            let address = try AddressText(.url(setting), in: scope.scope(level))
            for secret in address.secrets { try redactor.register(secret, at: scalar.span) }
            return address.text
        }
        for proxy in options.proxy.urls { register(credentialsOf: proxy) }
        options.needsCertificate = !settings.expectedCertificate.isEmpty
        options.isResponseSecret = plan.hasSecretOutputs
        if plan.download != nil, settings.timeout == nil { options.stallTimeout = Self.stallTimeout }
        return options
    }

    /// Sets the time limits of a request.
    func setTimeLimits(of request: inout HTTPRequest, _ settings: Settings) throws(EvaluationFailure) {
        request.timeout =
            try duration(settings.timeout)
            ?? (plan.download == nil && settings.stream?.value.time == nil
                ? TimeoutSetting.default : Self.downloadTimeout)
        request.connectTimeout = try duration(settings.connectTimeout) ?? ConnectTimeoutSetting.default
    }

    /// Registers the password in the URL of a proxy, and the credentials that are made of it (RFC 7617): servers may send
    /// them back.
    private func register(credentialsOf proxy: String) {
        let url = URIReference(proxy.contains("://") ? proxy : "http://\(proxy)")
        guard let user = url.authority.map(URIReference.Authority.init)?.userInformation else { return }
        let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { PercentEncoding.decoded(String($0)) ?? String($0) }
        guard parts.count == 2 else { return }
        redactor.register(parts[1], from: "the password of a proxy")
        redactor.register(Base64.encode(Array("\(parts[0]):\(parts[1])".utf8)))
    }

    // MARK: Texts

    func text(_ setting: Setting<ScalarTemplate>) throws(EvaluationFailure) -> ScopeText {
        if let constant = setting.value.constantText { return ScopeText(constant) }
        let text = try setting.value.text(in: scope.scope(setting.level))
        try register(text)
        return text
    }

    private func duration(_ setting: Setting<DurationTemplate>?) throws(EvaluationFailure) -> Duration? {
        guard let setting else { return nil }
        return try setting.value.duration(in: scope.scope(setting.level))
    }

    /// Registers the value of a query parameter as a secret if it contains one, also as it is in the URL: a short value
    /// with a delimiter would not be found there.
    func registerParameter(_ value: ScopeText) throws(EvaluationFailure) {
        guard value.isSecret else { return }
        try register(value)
        redactor.register(PercentEncoding.component(value.text))
    }

    /// Registers a string as a secret if it contains one.
    func register(_ text: ScopeText) throws(EvaluationFailure) {
        if text.isSecret { try redactor.register(text.text, at: plan.address.text.span) }
    }
}
