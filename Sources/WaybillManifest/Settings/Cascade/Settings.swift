package import WaybillDiagnostics

/// The settings written at one level of the cascade, or merged from several. A setting that was not specified is
/// absent.
///
/// They are stored as a list, because a level specifies few of the possible settings and every entry keeps its
/// location.
package struct Settings: Sendable {
    /// The specified settings, in source order; in merged settings, farther levels come first.
    package private(set) var entries: [Setting<any SettingDefinition>] = []
    /// The types of the entries. A request asks for dozens of settings, most of which it does not have; comparing a number
    /// takes a sixth of the time of looking into an entry.
    private var types: [ObjectIdentifier] = []
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
        settings.removeAll(where: isUnwanted)
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
        types.append(ObjectIdentifier(type(of: entry.value)))
    }

    /// Replaces an entry by one with the same key.
    mutating func replace(at index: Int, by entry: Setting<any SettingDefinition>) {
        entries[index] = entry
    }

    /// Removes the entries of a key.
    mutating func remove(_ key: String) {
        removeAll { $0.value.key == key }
    }

    private mutating func removeAll(where isUnwanted: (Setting<any SettingDefinition>) -> Bool) {
        let kept = entries.filter { !isUnwanted($0) }
        entries = []
        types = []
        for entry in kept { append(entry) }
    }

    /// Returns the nearest entry of a setting.
    func last<Definition: SettingDefinition>(_ type: Definition.Type) -> Setting<Definition>? {
        last(type) { $0 }
    }

    /// Returns the nearest entry of a setting for which a closure returns a value.
    func last<Definition: SettingDefinition, Value>(
        _ type: Definition.Type,
        _ value: (Definition) -> Value?
    ) -> Setting<Value>? {
        for index in entries.indices.reversed() {
            if let found = definition(type, at: index).flatMap(value) { return entries[index].map { _ in found } }
        }
        return nil
    }

    /// Returns the entries of a setting, in order.
    func all<Definition: SettingDefinition>(_ type: Definition.Type) -> [Setting<Definition>] {
        entries.indices.compactMap { index in
            definition(type, at: index).map { definition in entries[index].map { _ in definition } }
        }
    }

    /// Returns an entry if it is one of this setting.
    private func definition<Definition: SettingDefinition>(_ type: Definition.Type, at index: Int) -> Definition? {
        types[index] == ObjectIdentifier(type) ? entries[index].value as? Definition : nil
    }
}

/// A value of the cascade with its provenance: its location and its level.
package struct Setting<Value: Sendable>: Sendable {
    /// The value.
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
    /// A service.
    case service(String)
    /// An endpoint.
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
