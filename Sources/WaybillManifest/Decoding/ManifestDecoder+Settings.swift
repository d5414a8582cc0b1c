import WaybillDiagnostics

extension ManifestDecoder {
    /// The settings among the keys of a mapping.
    mutating func settings(_ node: YAMLNode?, level: Level) -> Settings {
        var settings = Settings()
        if let node { settings.unknown = unknownSettings(of: node) }
        guard let entries = node?.mapping?.entries else { return settings }
        for position in entries.indices {
            guard let index = entries.key(at: position, in: SettingName.table) else { continue }
            let value = entries.value(at: position)
            if index < SettingName.allCases.count {
                decode(SettingName.allCases[index], value, level: level, into: &settings)
            } else {
                settings.declined = declined(value)
            }
        }
        return settings
    }

    private func declined(_ node: YAMLNode) -> [Spanned<SettingName>] {
        (node.mapping?.entries ?? .empty).compactMap { key, value in
            guard boolean(value) == false, let name: SettingName = word(key) else { return nil }
            return Spanned(name, at: value.span)
        }
    }

    private mutating func decode(_ name: SettingName, _ node: YAMLNode, level: Level, into settings: inout Settings) {
        func add(_ value: SettingValue?, at node: YAMLNode) {
            if let value { settings.append(Setting(value, at: node.span, level: level)) }
        }
        switch name {
        case .headers: for (name, value) in named(node) { add(.header(name, texts(value)), at: value) }
        case .query: for (name, value) in constantNames(node) { add(.query(name, texts(value)), at: value) }
        case .params: for (name, value) in constantNames(node) { add(.parameter(name, present(value)), at: value) }
        case .filters: for entry in node.sequence ?? [] { add(filterEntry(entry).map(SettingValue.filter), at: entry) }
        case .expect: expectation(node, add)
        case .tls: for (key, value) in node.mapping?.entries ?? .empty { add(tlsOption(key, value), at: value) }
        case .messages: for (key, value) in node.mapping?.entries ?? .empty { add(message(key, value), at: value) }
        case .resolve: for (name, value) in named(node) { add(resolution(of: name, value), at: value) }
        default: add(whole(name, node), at: node)
        }
    }

    /// The value of a key that is replaced whole.
    private mutating func whole(_ name: SettingName, _ node: YAMLNode) -> SettingValue? {
        switch name {
        case .baseURL: baseURL(node).map(SettingValue.baseURL)
        case .version: scalarTemplate(node).map(SettingValue.version)
        case .encoding: word(node).map(SettingValue.encoding)
        case .arrays: word(node).map(SettingValue.arrays)
        case .body: RequestBodies.read(node, &self).map(SettingValue.body)
        case .timeout: timeLimit(node).map(SettingValue.timeout)
        case .connectTimeout: timeLimit(node).map(SettingValue.connectTimeout)
        case .deadline: timeLimit(node).map(SettingValue.deadline)
        case .auth: authentication(node).map(SettingValue.auth)
        case .userAgent: scalarTemplate(node).map(SettingValue.userAgent)
        case .accept: .accept(node.sequence?.compactMap { $0.text.flatMap { MediaRange($0) } })
        case .decoding: word(node).map(SettingValue.decoding)
        case .compression: boolean(node).map(SettingValue.compression)
        case .maxBody: byteSize(node).map(SettingValue.maxBody)
        case .intercept: .intercept(interception(node))
        case .http: word(node).map(SettingValue.http)
        case .proxy: proxy(node).map(SettingValue.proxy)
        case .unixSocket: unixSocket(node).map(SettingValue.unixSocket)
        case .network: .network(network(node))
        case .reachability: boolean(node).map(SettingValue.reachability)
        case .cookies: cookies(node).map(SettingValue.cookies)
        case .redirects: boolean(node) == false ? .redirects(0) : integer(node).map(SettingValue.redirects)
        case .traffic: word(node).map(SettingValue.traffic)
        case .cache: word(node).map(SettingValue.cache)
        case .retry: retry(node).map(SettingValue.retry)
        case .duplicates: duplicates(node).map(SettingValue.duplicates)
        case .concurrency: integer(node).map(SettingValue.concurrency)
        case .maxConnections: integer(node).map(SettingValue.maxConnections)
        case .rate: node.text.flatMap { RequestRate(manifestText: $0) }.map(SettingValue.rate)
        case .priority: word(node).map(SettingValue.priority)
        case .debug: boolean(node).map(SettingValue.debug)
        case .tag: node.text.map(SettingValue.tag)
        case .standalone: boolean(node).map(SettingValue.standalone)
        case .headers, .query, .params, .filters, .expect, .tls, .messages, .resolve: nil
        }
    }

    // MARK: Names with texts and values

    private mutating func texts(_ node: YAMLNode) -> [ScalarTemplate]? {
        if let elements = node.sequence { return elements.compactMap { scalarTemplate($0) } }
        return nonNull(node).flatMap { scalarTemplate($0) }.map { [$0] }
    }

    private mutating func present(_ node: YAMLNode) -> ValueTemplate? {
        nonNull(node).flatMap { valueTemplate($0) }
    }

    private func message(_ key: YAMLNode, _ node: YAMLNode) -> SettingValue? {
        guard let name = word(key) as MessageOption.Name? else { return nil }
        switch name {
        case .showCode: return .message(name, boolean(node).map(MessageOption.showCode))
        case .general, .duplicate, .unreachable: return .message(name, nonNull(node)?.text.map(MessageOption.text))
        }
    }
}
