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
}
