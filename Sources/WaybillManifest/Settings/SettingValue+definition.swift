/// The properties of an entry, from the definition of its setting.
extension SettingValue {
    /// The key that it is written under.
    package var name: SettingName { perform(Key()) }

    /// How it merges with entries of farther levels.
    package var merging: SettingMerging { perform(Merging()) }

    /// Visits every use of the expression language in it.
    package func visitUses(_ visitor: UseVisitor) { perform(Visit(visitor: visitor)) }

    /// The origins that it is sent to, if it belongs to a service or the defaults.
    package var originPolicy: OriginPolicy { perform(Origins()) }

    /// The files with constant paths that it names.
    package var namedFiles: [NamedFile] { perform(Files()) }

    /// The strings in it that are sent in header fields.
    package var fieldTexts: [ScalarTemplate] { perform(FieldTexts()) }

    /// Whether it needs the decoded data of the response.
    package var dataNeed: DataNeed { perform(Data()) }

    /// Returns the setting itself if it has the given type.
    func definition<Definition: SettingDefinition>(as type: Definition.Type) -> Definition? {
        perform(Cast<Definition>())
    }
}

extension SettingValue {
    /// The name under the key, if the key has names: the name of a header field, or `status` of `expect`.
    package var part: String? {
        switch merging {
        case .byName(let name, _, _): name
        case .adds(let name): name
        case .replaces: nil
        }
    }

    /// Whether it is added to those of farther levels instead of replacing one.
    package var isAdded: Bool {
        switch merging {
        case .adds: true
        case .replaces, .byName: false
        }
    }

    /// Whether it unsets its name, with `null`.
    package var isUnset: Bool {
        switch merging {
        case .byName(_, _, let isUnset): isUnset
        case .replaces, .adds: false
        }
    }
}

/// An operation on a setting of any type.
protocol SettingOperation {
    associatedtype Result

    /// Performs the operation.
    func perform(with setting: some SettingDefinition) -> Result
}

private struct Key: SettingOperation {
    func perform<Definition: SettingDefinition>(with setting: Definition) -> SettingName { Definition.key }
}

private struct Merging: SettingOperation {
    func perform(with setting: some SettingDefinition) -> SettingMerging { setting.merging }
}

private struct Visit: SettingOperation {
    let visitor: UseVisitor
    func perform(with setting: some SettingDefinition) { setting.visitUses(visitor) }
}

private struct Origins: SettingOperation {
    func perform(with setting: some SettingDefinition) -> OriginPolicy { setting.originPolicy }
}

private struct Files: SettingOperation {
    func perform(with setting: some SettingDefinition) -> [NamedFile] { setting.namedFiles }
}

private struct FieldTexts: SettingOperation {
    func perform(with setting: some SettingDefinition) -> [ScalarTemplate] { setting.fieldTexts }
}

private struct Data: SettingOperation {
    func perform(with setting: some SettingDefinition) -> DataNeed { setting.dataNeed }
}

private struct Cast<Definition: SettingDefinition>: SettingOperation {
    func perform(with setting: some SettingDefinition) -> Definition? { setting as? Definition }
}
