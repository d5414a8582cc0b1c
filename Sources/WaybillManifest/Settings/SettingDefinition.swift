import WaybillRuntime

/// A setting of the language: its key, the expressions in it, how it merges, and its properties that rules check. In
/// mappings and lists that merge, each name and each element is a separate entry of a level, with its own span.
///
/// Each setting is defined in a file of this folder; settings on one subject share a file. `SettingDefinitions` lists
/// them all. To add a setting, copy a neighboring file, add the setting to the list and to the schema, and a
/// property to `Settings` beside it. The property is compiled here, for its type: another module would look up the types of
/// a generic subscript at run time.
package protocol SettingDefinition: Sendable {
    /// The key that the setting is written under.
    static var key: String { get }

    /// How the entry merges with those of farther levels.
    var merging: SettingMerging { get }

    /// Visits every use of the expression language in the entry.
    func visitUses(_ visitor: UseVisitor)

    /// The origins that the entry is sent to, if it belongs to a service or the defaults.
    var originPolicy: OriginPolicy { get }

    /// The files with constant paths that the entry names.
    var namedFiles: [NamedFile] { get }

    /// The strings of the entry that are sent in header fields.
    var fieldTexts: [ScalarTemplate] { get }

    /// Whether the entry needs the decoded data of the response.
    var dataNeed: DataNeed { get }
}

/// How an entry of a setting merges with those of farther levels.
package enum SettingMerging: Sendable {
    /// It replaces the farther value of the key.
    case replaces
    /// It replaces the farther value of the same name under the key, or unsets it.
    case byName(String, ignoringCase: Bool = false, isUnset: Bool = false)
    /// It is added to the farther values of the key, or of a name under the key.
    case adds(name: String? = nil)
}

/// The origins that a setting of the defaults or of a service is sent to.
package enum OriginPolicy: Sendable {
    /// Any origin.
    case any
    /// The content or the destination of requests: in a service, only the origin of the service.
    case content
    /// Credentials: only the origin of the service.
    case credential
}

/// Whether a setting needs the decoded data of a response.
package enum DataNeed: Sendable {
    /// Never.
    case nothing
    /// Always.
    case data
    /// If the expression does.
    case condition(ManifestExpression)
}

extension SettingDefinition {
    /// The key that the setting is written under.
    package var key: String { Self.key }

    package var merging: SettingMerging { .replaces }
    package func visitUses(_ visitor: UseVisitor) {}
    package var originPolicy: OriginPolicy { .any }
    package var namedFiles: [NamedFile] { [] }
    package var fieldTexts: [ScalarTemplate] { [] }
    package var dataNeed: DataNeed { .nothing }

    /// The name under the key, if the key has names: the name of a header field, or `status` of `expect`.
    package var part: String? {
        switch merging {
        case .byName(let name, _, _): name
        case .adds(let name): name
        case .replaces: nil
        }
    }

    /// Whether it is added to those of farther levels instead of replacing one.
    package var isAdded: Bool { if case .adds = merging { true } else { false } }

    /// Whether it unsets its name, with `null`.
    package var isUnset: Bool { if case .byName(_, _, true) = merging { true } else { false } }
}

/// A setting that can be read from a manifest. It is a protocol of its own so that the ways to read settings, such as
/// `WordSetting`, stay internal.
protocol ReadableSetting: SettingDefinition {
    /// Reads the value of the key, and passes each entry to a closure with the node that it was read from.
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void)
}

extension ReadableSetting {
    /// Reads the value of the key, and adds the entries to the settings of a level.
    static func read(
        _ node: YAMLNode,
        _ decoder: inout ManifestDecoder,
        level: Level,
        into settings: inout Settings
    ) {
        read(node, &decoder) { settings.append(Setting($0, at: $1.span, level: level)) }
    }
}

// MARK: Settings of one value

/// A setting that is read from a node as a whole.
protocol WholeSetting: ReadableSetting {
    /// Reads the value; `nil` if it cannot be read, which the schema or the decoder reports.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder)
}

extension WholeSetting {
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        if let setting = Self(node, &decoder) { add(setting, node) }
    }
}

/// A setting that is one word from a fixed set.
protocol WordSetting: WholeSetting, RawRepresentable<String> {}

extension WordSetting {
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let word: Self = decoder.word(node) else { return nil }
        self = word
    }
}

/// A setting of one value, which `Settings` returns instead of the setting.
package protocol ValueDefinition: SettingDefinition {
    associatedtype Value: Sendable

    var value: Value { get }
}

/// A setting of one value, which is read from a node as a whole.
protocol ValueSetting: WholeSetting, ValueDefinition {
    init(value: Value)

    /// Reads the value; `nil` if it cannot be read, which the schema or the decoder reports.
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> Value?
}

extension ValueSetting {
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let value = Self.read(node, &decoder) else { return nil }
        self.init(value: value)
    }
}

extension ValueSetting where Value == Bool {
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> Bool? { decoder.boolean(node) }
}

extension ValueSetting where Value == Int {
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> Int? { decoder.integer(node) }
}

extension ValueSetting where Value == String {
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> String? { node.text }
}

extension ValueSetting where Value == ScalarTemplate {
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> ScalarTemplate? {
        decoder.scalarTemplate(node)
    }
}

/// A value of this type is a time limit.
extension ValueSetting where Value == DurationTemplate {
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> DurationTemplate? {
        decoder.timeLimit(node)
    }
}

extension ValueDefinition where Value == DurationTemplate {
    package func visitUses(_ visitor: UseVisitor) { visitor.duration(value) }
}

/// The settings.
package enum SettingDefinitions {
    /// All settings.
    private static let all: [any ReadableSetting.Type] = [
        BaseURLSetting.self, VersionSetting.self, HeaderSetting.self, QuerySetting.self, ParameterSetting.self,
        ParameterEncoding.self, ArrayStyle.self, BodySetting.self, TimeoutSetting.self, ConnectTimeoutSetting.self,
        DeadlineSetting.self, Authentication.self, UserAgentSetting.self, AcceptSetting.self, Decoding.self,
        NamespaceSetting.self,
        CompressionSetting.self, MaxBodySetting.self, FilterEntry.self, ExpectationSetting.self, Interception.self,
        MessageSetting.self, HTTPVersion.self, TLSSetting.self, ProxySetting.self, ResolveSetting.self,
        UnixSocketSetting.self, NetworkRequirement.self, ReachabilitySetting.self, CookiePolicy.self,
        RedirectsSetting.self, TrafficClass.self, CacheSetting.self, DownloadsSetting.self, RetryPolicy.self,
        StreamSetting.self, DuplicatePolicy.self, ConcurrencySetting.self, MaxConnectionsSetting.self, RequestRate.self,
        Priority.self,
        DebugSetting.self, TraceSetting.self, TagSetting.self, StandaloneSetting.self, ContractSetting.self,
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
