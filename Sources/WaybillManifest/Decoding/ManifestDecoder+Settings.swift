import WaybillData
import WaybillDiagnostics

extension ManifestDecoder {
    /// The settings among the keys of a mapping.
    mutating func settings(_ node: YAMLNode?, level: Level) -> Settings {
        var settings = Settings()
        for (name, value) in entries(node) {
            func setting<Value>(_ inner: Value?) -> Setting<Value>? {
                inner.map { Setting($0, at: value.span, level: level) }
            }
            switch name.value {
            case "baseURL": settings.baseURL = setting(scalarTemplate(value))
            case "version": settings.version = setting(scalarTemplate(value))
            case "headers": settings.headers = namedTexts(value, level: level)
            case "query": settings.query = namedTexts(value, level: level)
            case "params": settings.params = namedValues(value, level: level)
            case "body": settings.body = setting(body(value))
            case "encoding": settings.encoding = setting(word(value))
            case "arrays": settings.arrays = setting(word(value))
            case "timeout": settings.timeout = setting(duration(value))
            case "connectTimeout": settings.connectTimeout = setting(duration(value))
            case "auth": settings.auth = setting(authentication(value))
            case "userAgent": settings.userAgent = setting(scalarTemplate(value))
            case "accept": settings.accept = setting(mediaRanges(value))
            case "decoding": settings.decoding = setting(word(value))
            case "compression": settings.compression = setting(value.json.bool)
            case "maxBody": settings.maxBody = setting(value.scalar.flatMap { ByteSize.bytes($0.text) })
            case "filters": settings.filters = filters(value, level: level)
            case "expect": settings.expect = expectation(value, level: level)
            case "concurrency": settings.concurrency = setting(integer(value))
            case "maxConnections": settings.maxConnections = setting(integer(value))
            case "inherit": settings.inherit = inheritance(value)
            case "standalone": settings.standalone = setting(value.json.bool)
            default: break
            }
        }
        return settings
    }

    private mutating func namedTexts(_ node: YAMLNode, level: Level) -> [NamedTexts] {
        entries(node).map { name, value in
            let texts: [ScalarTemplate]?
            if let elements = value.sequence {
                texts = elements.compactMap { scalarTemplate($0) }
            } else {
                texts = scalarTemplate(value).flatMap { $0.isNull ? nil : [$0] }
            }
            return NamedTexts(name: name, values: Setting(texts, at: value.span, level: level))
        }
    }

    private mutating func namedValues(_ node: YAMLNode, level: Level) -> [NamedValue] {
        entries(node).map { name, value in
            let template = value.json == .null ? nil : valueTemplate(value)
            return NamedValue(name: name, value: Setting(template, at: value.span, level: level))
        }
    }

    private mutating func body(_ node: YAMLNode) -> BodyDefinition? {
        guard let (kind, value) = entries(node).first.map({ ($0.name.value, $0.value) }) else { return nil }
        switch kind {
        case "json": return valueTemplate(value).map(BodyDefinition.json)
        case "form": return .form(members(value))
        case "text": return scalarTemplate(value).map(BodyDefinition.text)
        default: return nil
        }
    }

    private func mediaRanges(_ node: YAMLNode) -> [MediaRange]?? {
        guard let elements = node.sequence else { return .some(nil) }
        return .some(elements.compactMap { $0.scalar.flatMap { MediaRange($0.text) } })
    }

    private func inheritance(_ node: YAMLNode) -> Inheritance {
        func applies(_ name: String) -> Bool { node[name]?.json.bool ?? true }
        return Inheritance(
            headers: applies("headers"),
            query: applies("query"),
            params: applies("params"),
            filters: applies("filters"),
            expect: applies("expect")
        )
    }

    private mutating func authentication(_ node: YAMLNode) -> Authentication? {
        guard let (kind, value) = entries(node).first.map({ ($0.name.value, $0.value) }) else {
            return node.scalar?.text == "none" ? Authentication.none : nil
        }
        switch kind {
        case "basic":
            guard let username = value["username"].flatMap({ scalarTemplate($0) }),
                let password = value["password"].flatMap({ scalarTemplate($0) })
            else { return nil }
            return .basic(username: username, password: password)
        case "bearer":
            return scalarTemplate(value).map(Authentication.bearer)
        case "apiKey":
            guard let place = value["in"].flatMap({ word($0) as Authentication.APIKeyPlace? }),
                let name = value["name"]?.scalar?.text,
                let key = value["value"].flatMap({ scalarTemplate($0) })
            else { return nil }
            return .apiKey(place: place, name: name, value: key)
        default:
            return nil
        }
    }
}
