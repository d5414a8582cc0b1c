/// A setting of the language: its key, how it is read, which expressions it has, how it merges, and its properties that
/// rules check.
///
/// Each setting is defined in a file of this folder, with its accessor on `Settings`; settings on one subject share a
/// file. `SettingName` and `SettingValue` list all of them. To add a setting, copy a neighbour, add it to these lists and
/// to the schema, and use its accessor where it takes effect.
protocol SettingDefinition: Sendable {
    /// The key that the setting is written under.
    static var key: SettingName { get }

    /// Reads the value of the key. Passes each entry, with the node that it was read from, to a closure.
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void)

    /// How the entry merges with those of farther levels.
    var merging: SettingMerging { get }

    /// Visits every use of the expression language in the entry.
    func visitUses(_ visitor: UseVisitor)

    /// Which origins it is sent to, if a service or the defaults have it.
    var originPolicy: OriginPolicy { get }

    /// The files with constant paths that it names.
    var namedFiles: [NamedFile] { get }

    /// The texts in it that are sent in header fields.
    var fieldTexts: [ScalarTemplate] { get }

    /// Whether it needs the decoded data of the response.
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

/// Which origins a setting of the defaults or of a service is sent to.
package enum OriginPolicy: Sendable {
    /// Any origin.
    case any
    /// The content or the destination of requests: that of a service is only for the origin of the service.
    case content
    /// Credentials: they are only for the origin of the service.
    case credential
}

/// Whether a setting needs the decoded data of a response.
package enum DataNeed: Sendable {
    /// Never.
    case nothing
    /// Always.
    case data
    /// If one of its expressions does.
    case condition(ManifestExpression)
}

extension SettingDefinition {
    var merging: SettingMerging { .replaces }
    func visitUses(_ visitor: UseVisitor) {}
    var originPolicy: OriginPolicy { .any }
    var namedFiles: [NamedFile] { [] }
    var fieldTexts: [ScalarTemplate] { [] }
    var dataNeed: DataNeed { .nothing }
}

// MARK: Settings of one value

/// A setting that is read from a node as a whole.
protocol WholeSetting: SettingDefinition {
    /// Reads the value; `nil` where it cannot be read, which the schema or the decoder reports.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder)
}

extension WholeSetting {
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder, _ add: (Self, YAMLNode) -> Void) {
        if let setting = Self(node, &decoder) { add(setting, node) }
    }
}

/// A setting that is one word of a fixed set.
protocol WordSetting: WholeSetting, RawRepresentable<String> {}

extension WordSetting {
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let word: Self = decoder.word(node) else { return nil }
        self = word
    }
}

/// A setting that is `true` or `false`.
protocol BooleanSetting: WholeSetting {
    init(isOn: Bool)
}

extension BooleanSetting {
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let isOn = decoder.boolean(node) else { return nil }
        self.init(isOn: isOn)
    }
}

/// A setting that is an integer.
protocol IntegerSetting: WholeSetting {
    init(count: Int)
}

extension IntegerSetting {
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let count = decoder.integer(node) else { return nil }
        self.init(count: count)
    }
}
