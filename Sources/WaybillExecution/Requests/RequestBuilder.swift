import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTransport

/// Evaluates a planned request, after inputs and `vars`: address, query and body first, then header fields, then
/// credentials, so that a header field can see `request.body`.
struct RequestBuilder {
    let plan: RequestPlan
    /// The page that is asked for.
    let page: PageRequest
    let redactor: Redactor
    /// What the environment says of proxies.
    let proxies: ProxyVariables
    private(set) var scope: RequestScope

    private var settings: Settings { plan.settings }

    init(
        _ plan: RequestPlan,
        page: PageRequest = .plain,
        scope: RequestScope,
        redactor: Redactor,
        proxies: ProxyVariables
    ) {
        self.plan = plan
        self.page = page
        self.scope = scope
        self.redactor = redactor
        self.proxies = proxies
    }

    /// The request.
    mutating func build() throws(EvaluationProblem) -> HTTPRequest {
        var url = try address()
        let origin = try origin(of: url, at: plan.address.text.span)
        // On another origin than its service's, a request gets nothing of the service but its plain settings.
        let foreign = try isForeign(origin) ? plan.service.map { Level.service($0) } : nil
        let sent = settings.without(foreign)

        let content = try RequestContent(of: sent, method: plan.method, scope: scope)
        if content.query.isSecret {
            for (_, value) in content.query.pairs { register(ComputedText(text: value, isSecret: true)) }
        }
        var leavesOrigin = false
        if case .url(let next) = page {
            // What an answer leads to has its query already.
            url = next
            leavesOrigin = try self.origin(of: next, at: plan.address.text.span) != origin
        } else if !content.query.pairs.isEmpty {
            url = Self.appending(content.query.query, to: url)
        }
        if case .query(let name, let value) = page { url = PageQuery.setting(name, to: value, in: url) }
        scope.request = SentRequest(method: plan.method, url: url, body: content.bytes)

        var headers = try self.headers(of: sent)
        if let contentType = content.type, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            headers.append(HTTPField(name: "Content-Type", value: contentType))
        }
        if !leavesOrigin { try authenticate(by: sent.auth, &headers, &url) }
        scope.request = SentRequest(method: plan.method, url: url, body: content.bytes)
        var request = HTTPRequest(
            method: plan.method,
            url: url,
            headers: headers,
            body: content.body,
            timeout: try duration(settings.timeout) ?? .seconds(60),
            connectTimeout: try duration(settings.connectTimeout) ?? .seconds(10),
            maximumBodyBytes: settings.maxBody?.value ?? 64 << 20,
            maximumConnectionsPerOrigin: settings.maxConnections?.value ?? 8,
            connectTo: nil,
            acceptsCompression: settings.compression?.value ?? true,
            options: try options(of: sent)
        )
        if leavesOrigin { request.leaveOrigin() }
        return request
    }

    // MARK: Address

    private func address() throws(EvaluationProblem) -> String {
        switch plan.address {
        case .url(let url):
            return try encodedAddress(url)
        case .path(let path):
            guard let baseURL = settings.baseURL else {
                throw EvaluationProblem(message: "there is no base URL for this path", span: path.span)
            }
            var url = try text(baseURL).text
            if let version = settings.version {
                url = Self.joined(url, PercentEncoding.component(try text(version).text))
            }
            let rest = try encodedAddress(path)
            return rest.isEmpty ? url : rest.hasPrefix("?") ? url + rest : Self.joined(url, rest)
        }
    }

    private static func joined(_ base: String, _ rest: String) -> String {
        var base = Substring(base)
        while base.last == "/" { base.removeLast() }
        return base + "/" + rest.drop { $0 == "/" }
    }

    private static func appending(_ query: String, to url: String) -> String {
        let fragment = url.firstIndex(of: "#") ?? url.endIndex
        let address = url[..<fragment]
        let separator = !address.contains("?") ? "?" : address.hasSuffix("?") || address.hasSuffix("&") ? "" : "&"
        return "\(address)\(separator)\(query)\(url[fragment...])"
    }

    /// A path or URL: each `${…}` in it becomes one segment, or one part of the query. A `${…}` that a URL begins with is
    /// the URL, or its beginning.
    private func encodedAddress(_ setting: Setting<ScalarTemplate>) throws(EvaluationProblem) -> String {
        guard let holder = setting.value.template else {
            return PercentEncoding.literal(setting.value.constantText ?? "")
        }
        let beginsTheURL = holder.template.text.hasPrefix("${") && plan.address.isURL
        var isFirst = true
        do {
            let text = try holder.template.text(in: scope.scope(setting.level)) { piece in
                register(ComputedText(text: piece.text, isSecret: piece.isSecret))
                defer { isFirst = false }
                if isFirst, beginsTheURL { return piece.text }
                return PercentEncoding.component(piece.text, keepingSlashes: piece.isRaw)
            }
            return PercentEncoding.literal(text.text)
        } catch {
            throw EvaluationProblem(message: error.message, span: holder.span(of: error.range))
        }
    }

    private func origin(of url: String, at span: SourceSpan) throws(EvaluationProblem) -> Origin {
        do {
            return try Origin(ofURL: url)
        } catch {
            throw EvaluationProblem(
                message: "'\(redactor.redact(url))' cannot be requested: \(error.message)",
                span: span
            )
        }
    }

    private func isForeign(_ origin: Origin) throws(EvaluationProblem) -> Bool {
        guard plan.address.isURL, plan.service != nil else { return false }
        guard let baseURL = settings.baseURL else { return true }
        return try self.origin(of: text(baseURL).text, at: baseURL.span) != origin
    }

    // MARK: Header fields

    private func headers(of settings: Settings) throws(EvaluationProblem) -> [HTTPField] {
        var fields: [HTTPField] = []
        for entry in settings.headers {
            for value in entry.values.value ?? [] {
                let text = try value.text(in: scope.scope(entry.values.level))
                register(text)
                if text.text.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) {
                    throw EvaluationProblem(
                        message: "the value of header field '\(entry.name.value)' has a line break or NUL in it",
                        span: value.span
                    )
                }
                // What a secret touched does not follow a redirect to another origin.
                fields.append(HTTPField(name: entry.name.value, value: text.text, isSensitive: text.isSecret))
            }
        }
        func add(_ name: String, _ value: @autoclosure () throws(EvaluationProblem) -> String) throws(EvaluationProblem)
        {
            guard !fields.contains(where: { $0.name.lowercased() == name.lowercased() }) else { return }
            fields.append(HTTPField(name: name, value: try value()))
        }
        try add("Accept", (settings.accept?.value).flatMap { $0 }?.map(\.description).joined(separator: ", ") ?? "*/*")
        if let urgency = settings.urgency { try add("Priority", "u=\(urgency)") }
        let agent = "waybill/\(WaybillVersion.current)"
        try add(
            "User-Agent",
            try settings.userAgent.map { (agent) throws(EvaluationProblem) in try text(agent).text } ?? agent
        )
        return fields
    }

    private func authenticate(
        by auth: Setting<Authentication>?,
        _ headers: inout [HTTPField],
        _ url: inout String
    ) throws(EvaluationProblem) {
        guard let auth else { return }
        let scope = scope.scope(auth.level)
        func secret(_ scalar: ScalarTemplate) throws(EvaluationProblem) -> String {
            let text = try scalar.text(in: scope)
            // Credentials are secrets whatever they are made of.
            register(ComputedText(text: text.text, isSecret: true))
            return text.text
        }
        func set(_ name: String, _ value: String) {
            headers.removeAll { $0.name.lowercased() == name.lowercased() }
            headers.append(HTTPField(name: name, value: value, isSensitive: true))
        }
        switch auth.value {
        case .none:
            break
        case .basic(let username, let password):
            let credentials = "\(try username.text(in: scope).text):\(try secret(password))"
            set("Authorization", "Basic \(Base64.encode(Array(credentials.utf8)))")
        case .bearer(let token):
            set("Authorization", "Bearer \(try secret(token))")
        case .apiKey(.header, let name, let value):
            set(name.value, try secret(value))
        case .apiKey(.query, let name, let value):
            // The URL of a page may have it already.
            url = PageQuery.setting(name.value, to: .string(try secret(value)), in: url)
        case .apiKey(.cookie, let name, let value):
            let pair = "\(name.value)=\(try secret(value))"
            let others = headers.first { $0.name.lowercased() == "cookie" }?.value
            set("Cookie", others.map { "\($0); \(pair)" } ?? pair)
        case .digest, .netrc:
            // The transport has them: a server asks for them first.
            break
        case .awsSigV4, .oauth2:
            preconditionFailure("a plan with these credentials is refused before it runs")
        }
    }

    /// How the request travels.
    private func options(of settings: Settings) throws(EvaluationProblem) -> TransferOptions {
        let scope = scope
        return try TransferOptions(settings, proxies: proxies) { (scalar, level, isSecret) throws(EvaluationProblem) in
            var text = try scalar.text(in: scope.scope(level))
            text.isSecret = text.isSecret || isSecret
            register(text)
            return text.text
        }
    }

    // MARK: Texts

    private func text(_ setting: Setting<ScalarTemplate>) throws(EvaluationProblem) -> ComputedText {
        let text = try setting.value.text(in: scope.scope(setting.level))
        register(text)
        return text
    }

    private func duration(_ setting: Setting<DurationTemplate>?) throws(EvaluationProblem) -> Duration? {
        guard let setting else { return nil }
        return try setting.value.duration(in: scope.scope(setting.level))
    }

    /// A text that a secret took part in is a secret itself.
    private func register(_ text: ComputedText) {
        if text.isSecret { redactor.register(text.text) }
    }
}

extension Settings {
    /// The settings without what another origin must not get of a service.
    fileprivate func without(_ level: Level?) -> Settings {
        guard let level else { return self }
        return without { entry in
            switch entry.value {
            case .header, .parameter, .auth: entry.level == level
            default: false
            }
        }
    }
}

extension Settings {
    /// The urgency of a request (RFC 9218, section 4.1), from 0 to 7, where it is not the usual 3.
    fileprivate var urgency: Int? {
        switch priority?.value {
        case .low: 5
        case .high: 1
        case .default, nil: nil
        }
    }
}

extension Address {
    fileprivate var isURL: Bool {
        if case .url = self { true } else { false }
    }
}
