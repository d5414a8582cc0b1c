// Time limits: `timeout`, `connectTimeout`, `deadline`.

/// A setting that is a time limit.
protocol TimeLimitSetting: WholeSetting {
    init(duration: DurationTemplate)
}

extension TimeLimitSetting {
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let duration = decoder.timeLimit(node) else { return nil }
        self.init(duration: duration)
    }
}

/// The maximum time of one attempt (`timeout`).
package struct TimeoutSetting: TimeLimitSetting {
    package static let key = "timeout"
    /// The maximum time if none is specified.
    package static let `default` = Duration.seconds(60)
    /// The maximum time.
    package let duration: DurationTemplate

    package func visitUses(_ visitor: UseVisitor) { visitor.duration(duration) }
}

/// The maximum time until a connection is established (`connectTimeout`).
package struct ConnectTimeoutSetting: TimeLimitSetting {
    package static let key = "connectTimeout"
    /// The maximum time if none is specified.
    package static let `default` = Duration.seconds(10)
    /// The maximum time.
    package let duration: DurationTemplate

    package func visitUses(_ visitor: UseVisitor) { visitor.duration(duration) }
}

/// The maximum time of a step with all its attempts, or of a graph (`deadline`).
package struct DeadlineSetting: TimeLimitSetting {
    package static let key = "deadline"
    /// The maximum time.
    package let duration: DurationTemplate

    package func visitUses(_ visitor: UseVisitor) { visitor.duration(duration) }
}

extension Settings {
    /// The maximum time of one attempt.
    package var timeout: Setting<DurationTemplate>? { last(TimeoutSetting.self)?.map(\.duration) }
    /// The maximum time until a connection is established.
    package var connectTimeout: Setting<DurationTemplate>? { last(ConnectTimeoutSetting.self)?.map(\.duration) }
    /// The maximum time of a step with all its attempts, or of a graph.
    package var deadline: Setting<DurationTemplate>? { last(DeadlineSetting.self)?.map(\.duration) }
}
