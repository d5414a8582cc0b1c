package import WaybillDiagnostics

/// The settings that the document of a service brings.
extension Settings {
    /// Creates settings with a constant base URL.
    package init(baseURL: String, at span: SourceSpan, level: Level) {
        self.init()
        append(Setting(BaseURLSetting(value: ScalarTemplate(baseURL, at: span)), at: span, level: level))
    }

    /// Creates settings with credentials.
    package init(auth: Setting<Authentication>) {
        self.init()
        append(auth.map { $0 })
    }

    /// Creates settings with several credentials that one request has; `nil` if they cannot be combined: only keys in header
    /// fields and query parameters can be added to others.
    package init?(combining credentials: [Setting<Authentication>]) {
        self.init()
        var first: Setting<Authentication>?
        for credential in credentials {
            guard let key = credential.value.method as? APIKeyAuthentication, key.position != .cookie else {
                guard first == nil else { return nil }
                first = credential
                continue
            }
            let (span, level) = (credential.span, credential.level)
            switch key.position {
            case .header:
                append(Setting(HeaderSetting(name: key.name, texts: [key.value.value]), at: span, level: level))
            case .query:
                append(Setting(QuerySetting(name: key.name, texts: [key.value.value]), at: span, level: level))
            case .cookie: return nil
            }
        }
        if let first { append(first.map { $0 }) }
    }
}
