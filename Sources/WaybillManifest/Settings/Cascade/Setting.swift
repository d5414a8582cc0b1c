package import WaybillDiagnostics

/// A value that takes part in the cascade, with its provenance: the place it was written at and the level it belongs to.
package struct Setting<Value: Sendable>: Sendable {
    /// The value.
    package var value: Value
    /// Where it was written.
    package var span: SourceSpan
    /// Which level of the cascade it was written at.
    package var level: Level

    /// A value with its provenance.
    @inlinable
    package init(_ value: Value, at span: SourceSpan, level: Level) {
        self.value = value
        self.span = span
        self.level = level
    }

    /// Another value with the same provenance.
    package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Setting<Other> {
        Setting<Other>(try transform(value), at: span, level: level)
    }
}

/// A level of the cascade, from the farthest to the nearest. It also says which scope a template is evaluated in.
package enum Level: Sendable, Hashable {
    /// The manifest's `defaults`.
    case defaults
    /// A service.
    case service(String)
    /// An endpoint.
    case endpoint(String)
    /// A graph or a step in it, inline requests included.
    case graph(String)
}

extension Setting<SettingValue> {
    /// Whether the setting applies only to requests to the origin of their service: content and credentials of a
    /// service, and credentials of the defaults.
    package var isForServiceOrigin: Bool {
        switch (level, value.originPolicy) {
        case (.defaults, .credential), (.service, .credential), (.service, .content): true
        case (.defaults, .content), (_, .any), (.endpoint, _), (.graph, _): false
        }
    }
}
