import WaybillJSON

/// The keys of settings, which defaults, services, endpoints, graphs and steps can have.
package enum SettingName: String, Sendable, Hashable, CaseIterable {
    case baseURL, version
    case headers, query, params, encoding, arrays, body
    case timeout, connectTimeout, deadline
    case auth, userAgent
    case accept, decoding, compression, maxBody, filters, expect, intercept, messages
    case http, tls, proxy, resolve, unixSocket, network, reachability, cookies, redirects, traffic
    case cache, downloads, retry, duplicates, concurrency, maxConnections, rate, priority
    case debug, trace, tag, standalone

    /// The keys in the order of `allCases`, followed by `inherit`.
    static let table = NameTable(allCases.map(\.rawValue) + ["inherit"])
}

/// An entry of a level of the cascade: a setting with its value. In mappings and lists that merge, each name and each
/// element is a separate entry with its own span.
package enum SettingValue: Sendable {
    case baseURL(BaseURLSetting)
    case version(VersionSetting)

    case headers(HeaderSetting)
    case query(QuerySetting)
    case params(ParameterSetting)
    case encoding(ParameterEncoding)
    case arrays(ArrayStyle)
    indirect case body(BodySetting)

    case timeout(TimeoutSetting)
    case connectTimeout(ConnectTimeoutSetting)
    case deadline(DeadlineSetting)

    indirect case auth(Authentication)
    case userAgent(UserAgentSetting)

    case accept(AcceptSetting)
    case decoding(Decoding)
    case compression(CompressionSetting)
    case maxBody(MaxBodySetting)
    indirect case filters(FilterEntry)
    case expect(ExpectationSetting)
    indirect case intercept(Interception)
    case messages(MessageSetting)

    case http(HTTPVersion)
    case tls(TLSSetting)
    case proxy(ProxySetting)
    case resolve(ResolveSetting)
    case unixSocket(UnixSocketSetting)
    case network(NetworkRequirement)
    case reachability(ReachabilitySetting)
    case cookies(CookiePolicy)
    case redirects(RedirectsSetting)
    case traffic(TrafficClass)

    case cache(CacheSetting)
    case downloads(DownloadsSetting)
    case retry(RetryPolicy)
    case duplicates(DuplicatePolicy)
    case concurrency(ConcurrencySetting)
    case maxConnections(MaxConnectionsSetting)
    case rate(RequestRate)
    case priority(Priority)

    case debug(DebugSetting)
    case trace(TraceSetting)
    case tag(TagSetting)
    case standalone(StandaloneSetting)
}

extension ManifestDecoder {
    /// Reads the value of a key and adds its entries to settings.
    mutating func read(_ name: SettingName, _ node: YAMLNode, level: Level, into settings: inout Settings) {
        func read<Definition: SettingDefinition>(_ value: (Definition) -> SettingValue) {
            Definition.read(node, &self) { definition, node in
                settings.append(Setting(value(definition), at: node.span, level: level))
            }
        }
        switch name {
        case .baseURL: read(SettingValue.baseURL)
        case .version: read(SettingValue.version)
        case .headers: read(SettingValue.headers)
        case .query: read(SettingValue.query)
        case .params: read(SettingValue.params)
        case .encoding: read(SettingValue.encoding)
        case .arrays: read(SettingValue.arrays)
        case .body: read(SettingValue.body)
        case .timeout: read(SettingValue.timeout)
        case .connectTimeout: read(SettingValue.connectTimeout)
        case .deadline: read(SettingValue.deadline)
        case .auth: read(SettingValue.auth)
        case .userAgent: read(SettingValue.userAgent)
        case .accept: read(SettingValue.accept)
        case .decoding: read(SettingValue.decoding)
        case .compression: read(SettingValue.compression)
        case .maxBody: read(SettingValue.maxBody)
        case .filters: read(SettingValue.filters)
        case .expect: read(SettingValue.expect)
        case .intercept: read(SettingValue.intercept)
        case .messages: read(SettingValue.messages)
        case .http: read(SettingValue.http)
        case .tls: read(SettingValue.tls)
        case .proxy: read(SettingValue.proxy)
        case .resolve: read(SettingValue.resolve)
        case .unixSocket: read(SettingValue.unixSocket)
        case .network: read(SettingValue.network)
        case .reachability: read(SettingValue.reachability)
        case .cookies: read(SettingValue.cookies)
        case .redirects: read(SettingValue.redirects)
        case .traffic: read(SettingValue.traffic)
        case .cache: read(SettingValue.cache)
        case .downloads: read(SettingValue.downloads)
        case .retry: read(SettingValue.retry)
        case .duplicates: read(SettingValue.duplicates)
        case .concurrency: read(SettingValue.concurrency)
        case .maxConnections: read(SettingValue.maxConnections)
        case .rate: read(SettingValue.rate)
        case .priority: read(SettingValue.priority)
        case .debug: read(SettingValue.debug)
        case .trace: read(SettingValue.trace)
        case .tag: read(SettingValue.tag)
        case .standalone: read(SettingValue.standalone)
        }
    }
}

extension SettingValue {
    /// Performs an operation on the setting, whatever its type. It is generic because existentials would allocate a box
    /// for each entry and slow `validate` down.
    func perform<Operation: SettingOperation>(_ operation: Operation) -> Operation.Result {
        switch self {
        case .baseURL(let setting): operation.perform(with: setting)
        case .version(let setting): operation.perform(with: setting)
        case .headers(let setting): operation.perform(with: setting)
        case .query(let setting): operation.perform(with: setting)
        case .params(let setting): operation.perform(with: setting)
        case .encoding(let setting): operation.perform(with: setting)
        case .arrays(let setting): operation.perform(with: setting)
        case .body(let setting): operation.perform(with: setting)
        case .timeout(let setting): operation.perform(with: setting)
        case .connectTimeout(let setting): operation.perform(with: setting)
        case .deadline(let setting): operation.perform(with: setting)
        case .auth(let setting): operation.perform(with: setting)
        case .userAgent(let setting): operation.perform(with: setting)
        case .accept(let setting): operation.perform(with: setting)
        case .decoding(let setting): operation.perform(with: setting)
        case .compression(let setting): operation.perform(with: setting)
        case .maxBody(let setting): operation.perform(with: setting)
        case .filters(let setting): operation.perform(with: setting)
        case .expect(let setting): operation.perform(with: setting)
        case .intercept(let setting): operation.perform(with: setting)
        case .messages(let setting): operation.perform(with: setting)
        case .http(let setting): operation.perform(with: setting)
        case .tls(let setting): operation.perform(with: setting)
        case .proxy(let setting): operation.perform(with: setting)
        case .resolve(let setting): operation.perform(with: setting)
        case .unixSocket(let setting): operation.perform(with: setting)
        case .network(let setting): operation.perform(with: setting)
        case .reachability(let setting): operation.perform(with: setting)
        case .cookies(let setting): operation.perform(with: setting)
        case .redirects(let setting): operation.perform(with: setting)
        case .traffic(let setting): operation.perform(with: setting)
        case .cache(let setting): operation.perform(with: setting)
        case .downloads(let setting): operation.perform(with: setting)
        case .retry(let setting): operation.perform(with: setting)
        case .duplicates(let setting): operation.perform(with: setting)
        case .concurrency(let setting): operation.perform(with: setting)
        case .maxConnections(let setting): operation.perform(with: setting)
        case .rate(let setting): operation.perform(with: setting)
        case .priority(let setting): operation.perform(with: setting)
        case .debug(let setting): operation.perform(with: setting)
        case .trace(let setting): operation.perform(with: setting)
        case .tag(let setting): operation.perform(with: setting)
        case .standalone(let setting): operation.perform(with: setting)
        }
    }
}
