package import WaybillDiagnostics

/// The settings written at one level of the cascade, or merged from several. What is absent was not said.
///
/// They are kept as a list, since a level says little of all that could be said, and every entry keeps its place.
package struct Settings: Sendable {
    /// What is said, in the order of the text; of merged settings, farther levels first.
    package private(set) var entries: [Setting<SettingValue>] = []
    /// What is declined of farther levels, each at its place.
    package internal(set) var declined: [Spanned<SettingName>] = []

    /// The keys of which it is not fully known what is said, because of mistakes in the text.
    package internal(set) var unknown: SettingNames = []

    /// No settings.
    package init() {}

    /// Whether nothing is said.
    package var isEmpty: Bool { entries.isEmpty && declined.isEmpty && unknown.isEmpty }

    /// Whether a key is said.
    package func has(_ name: SettingName) -> Bool { entries.indices.contains { entries[$0].value.name == name } }

    /// Whether a key is said, or may be.
    package func mayHave(_ name: SettingName) -> Bool { has(name) || unknown.contains(name) }

    /// The settings without those for which a condition holds.
    package func without(_ isUnwanted: (Setting<SettingValue>) -> Bool) -> Settings {
        var settings = self
        settings.entries.removeAll(where: isUnwanted)
        return settings
    }

    /// The settings without a key.
    package func without(_ name: SettingName) -> Settings {
        guard has(name) else { return self }
        var settings = self
        settings.remove(name)
        return settings
    }

    /// Adds an entry behind the others.
    mutating func append(_ entry: Setting<SettingValue>) {
        entries.append(entry)
    }

    /// Puts an entry in the place of one with the same key.
    mutating func replace(at index: Int, by entry: Setting<SettingValue>) {
        entries[index] = entry
    }

    /// Removes the entries of a key.
    mutating func remove(_ name: SettingName) {
        entries.removeAll { $0.value.name == name }
    }

    /// The nearest entry of a setting.
    func last<Definition: SettingDefinition>(_ type: Definition.Type) -> Setting<Definition>? {
        last(type) { $0 }
    }

    /// The nearest entry of a setting for which a closure returns a value.
    func last<Definition: SettingDefinition, Value>(
        _ type: Definition.Type,
        _ value: (Definition) -> Value?
    ) -> Setting<Value>? {
        for index in entries.indices.reversed() where entries[index].value.name == Definition.key {
            if let found = entries[index].value.definition(as: type).flatMap(value) {
                return entries[index].map { _ in found }
            }
        }
        return nil
    }

    /// The entries of a setting, in order.
    func all<Definition: SettingDefinition>(_ type: Definition.Type) -> [Setting<Definition>] {
        // By their indices, so that those of other settings are not copied.
        let indices = entries.indices.lazy.filter { entries[$0].value.name == Definition.key }
        return indices.compactMap { index in
            entries[index].value.definition(as: type).map { definition in entries[index].map { _ in definition } }
        }
    }
}
