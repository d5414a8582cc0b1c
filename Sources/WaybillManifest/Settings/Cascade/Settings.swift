package import WaybillDiagnostics

/// The settings written at one level of the cascade, or merged from several. A setting that was not specified is
/// absent.
///
/// They are stored as a list, because a level specifies few of the possible settings and every entry keeps its
/// location.
package struct Settings: Sendable {
    /// The specified settings, in source order; in merged settings, farther levels come first.
    package private(set) var entries: [Setting<any SettingDefinition>] = []
    /// The keys that are declined from farther levels, each with its location.
    package internal(set) var declined: [Spanned<String>] = []

    /// The keys whose settings are not fully known because of errors in the source.
    package internal(set) var unknown: Set<String> = []

    /// Creates empty settings.
    package init() {}

    /// Whether nothing is specified.
    package var isEmpty: Bool { entries.isEmpty && declined.isEmpty && unknown.isEmpty }

    /// Whether a key is specified.
    package func has(_ key: String) -> Bool { entries.indices.contains { entries[$0].value.key == key } }

    /// Whether a key is specified or may be.
    package func mayHave(_ key: String) -> Bool { has(key) || unknown.contains(key) }

    /// Returns the settings without those that satisfy a predicate.
    package func without(_ isUnwanted: (Setting<any SettingDefinition>) -> Bool) -> Settings {
        var settings = self
        settings.entries.removeAll(where: isUnwanted)
        return settings
    }

    /// Returns the settings without a key.
    package func without(_ key: String) -> Settings {
        guard has(key) else { return self }
        var settings = self
        settings.remove(key)
        return settings
    }

    /// Adds an entry at the end.
    mutating func append(_ entry: Setting<any SettingDefinition>) {
        entries.append(entry)
    }

    /// Replaces an entry by one with the same key.
    mutating func replace(at index: Int, by entry: Setting<any SettingDefinition>) {
        entries[index] = entry
    }

    /// Removes the entries of a key.
    mutating func remove(_ key: String) {
        entries.removeAll { $0.value.key == key }
    }

    /// The nearest entry of a setting.
    subscript<Definition: SettingDefinition>(type: Definition.Type) -> Setting<Definition>? {
        last(type) { $0 }
    }

    /// The nearest value of a setting.
    subscript<Definition: ValueDefinition>(type: Definition.Type) -> Setting<Definition.Value>? {
        last(type) { $0.value }
    }

    /// Returns the nearest entry of a setting for which a closure returns a value.
    func last<Definition: SettingDefinition, Value>(
        _ type: Definition.Type,
        _ value: (Definition) -> Value?
    ) -> Setting<Value>? {
        for index in entries.indices.reversed() where entries[index].value.key == Definition.key {
            if let found = (entries[index].value as? Definition).flatMap(value) {
                return entries[index].map { _ in found }
            }
        }
        return nil
    }

    /// Returns the entries of a setting, in order.
    func all<Definition: SettingDefinition>(_ type: Definition.Type) -> [Setting<Definition>] {
        all(type) { $0 }
    }

    /// Returns the entries of a setting for which a closure returns a value, in order.
    func all<Definition: SettingDefinition, Value>(
        _ type: Definition.Type,
        _ value: (Definition) -> Value?
    ) -> [Setting<Value>] {
        // Uses indices, so that entries of other settings are not copied.
        let indices = entries.indices.lazy.filter { entries[$0].value.key == Definition.key }
        return indices.compactMap { index in
            (entries[index].value as? Definition).flatMap(value).map { found in entries[index].map { _ in found } }
        }
    }
}

/// A value of the cascade with its provenance: its location and its level.
package struct Setting<Value: Sendable>: Sendable {
    package var value: Value
    /// The location at which it was written.
    package var span: SourceSpan
    /// The level of the cascade at which it was written.
    package var level: Level

    /// Creates a value with its provenance.
    @inlinable
    package init(_ value: Value, at span: SourceSpan, level: Level) {
        self.value = value
        self.span = span
        self.level = level
    }

    /// Returns a transformed value with the same provenance.
    package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Setting<Other> {
        Setting<Other>(try transform(value), at: span, level: level)
    }
}

/// A level of the cascade, from the farthest to the nearest. It also determines the scope in which a template is
/// evaluated.
package enum Level: Sendable, Hashable {
    /// The manifest's `defaults`.
    case defaults
    case service(String)
    case endpoint(String)
    /// A graph or a step in it, including inline requests.
    case graph(String)
}

extension Setting<any SettingDefinition> {
    /// Whether the setting applies only to requests to the origin of their service: content and credentials of a
    /// service, and credentials of the defaults.
    package var isForServiceOrigin: Bool {
        switch (level, value.originPolicy) {
        case (.defaults, .credential), (.service, .credential), (.service, .content): true
        case (.defaults, .content), (_, .any), (.endpoint, _), (.graph, _): false
        }
    }
}
