/// The settings.
package enum SettingDefinitions {
    /// All settings.
    private static let all: [any ReadableSetting.Type] = [
        BaseURLSetting.self, VersionSetting.self, HeaderSetting.self, QuerySetting.self, ParameterSetting.self,
        ParameterEncoding.self, ArrayStyle.self, BodySetting.self, TimeoutSetting.self, ConnectTimeoutSetting.self,
        DeadlineSetting.self, Authentication.self, UserAgentSetting.self, AcceptSetting.self, Decoding.self,
        CompressionSetting.self, MaxBodySetting.self, FilterEntry.self, ExpectationSetting.self, Interception.self,
        MessageSetting.self, HTTPVersion.self, TLSSetting.self, ProxySetting.self, ResolveSetting.self,
        UnixSocketSetting.self, NetworkRequirement.self, ReachabilitySetting.self, CookiePolicy.self,
        RedirectsSetting.self, TrafficClass.self, CacheSetting.self, DownloadsSetting.self, RetryPolicy.self,
        DuplicatePolicy.self, ConcurrencySetting.self, MaxConnectionsSetting.self, RequestRate.self, Priority.self,
        DebugSetting.self, TraceSetting.self, TagSetting.self, StandaloneSetting.self,
    ]

    /// The keys, which defaults, services, endpoints, graphs and steps can have.
    package static let keys = all.map { $0.key }

    /// The key that declines farther levels. It is not a setting, but can be unknown like one.
    package static let inherit = "inherit"

    /// The keys of a level: those of the settings, and `inherit`.
    static let levelKeys = keys + [inherit]

    /// The settings by key.
    static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
}
