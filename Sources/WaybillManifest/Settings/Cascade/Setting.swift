package import WaybillDiagnostics

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
