package import WaybillDiagnostics

/// The settings written at one level of the cascade, or merged from several. What is absent was not said.
///
/// They are kept as a list, since a level says little of all that could be said, and every entry keeps its place.
package struct Settings: Sendable {
    /// What is said, in the order of the text; of merged settings, farther levels first.
    package internal(set) var entries: [Setting<SettingValue>] = []
    /// What is declined of farther levels, each at its place.
    package internal(set) var declined: [Spanned<SettingName>] = []

    /// No settings.
    package init() {}

    /// Whether nothing is said.
    package var isEmpty: Bool { entries.isEmpty && declined.isEmpty }

    /// Whether a key is said.
    package func has(_ name: SettingName) -> Bool { entries.indices.contains { entries[$0].value.name == name } }

    /// The settings without those for which a condition holds.
    package func without(_ isUnwanted: (Setting<SettingValue>) -> Bool) -> Settings {
        var settings = self
        settings.entries.removeAll(where: isUnwanted)
        return settings
    }

    /// The nearest entry of a key that a closure finds a value in.
    package func last<Value>(_ name: SettingName, _ value: (SettingValue) -> Value?) -> Setting<Value>? {
        for index in entries.indices.reversed() where entries[index].value.name == name {
            let entry = entries[index]
            if let found = value(entry.value) { return Setting(found, at: entry.span, level: entry.level) }
        }
        return nil
    }

    /// Everything that a closure finds in the entries.
    func all<Value>(_ value: (Setting<SettingValue>) -> Value?) -> [Value] { entries.compactMap(value) }
}
