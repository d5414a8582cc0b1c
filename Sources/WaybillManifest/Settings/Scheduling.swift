package import WaybillRuntime

// When requests are sent, and their time limits: `concurrency`, `maxConnections`, `rate`, `priority`, `timeout`,
// `connectTimeout`, `deadline`.

/// The maximum number of requests, steps or elements in progress at once (`concurrency`), at least 1.
package struct ConcurrencySetting: ValueSetting {
    package static let key = "concurrency"
    /// The maximum of a run if none is specified.
    package static let `default` = 64
    /// The maximum that may be specified, as in the schema.
    package static let maximum = 100_000
    package let value: Int
}

/// The maximum number of connections to one origin (`maxConnections`), at least 1.
package struct MaxConnectionsSetting: ValueSetting {
    package static let key = "maxConnections"
    package let value: Int
}

/// The maximum number of requests that start in an interval (`rate`).
package struct RequestRate: WholeSetting, Equatable {
    package static let key = "rate"
    /// The number of requests.
    package let count: Int
    package let interval: Duration

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let text = node.text else { return nil }
        self.init(manifestText: text)
    }

    /// Parses a rate such as `10/s`, `300/m` or `1000/h`; `nil` if it is invalid.
    package init?(manifestText text: String) {
        let intervals: [Substring: Duration] = ["s": .seconds(1), "m": .seconds(60), "h": .seconds(3600)]
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(parts[0]),
            (1...1_000_000_000).contains(count), let interval = intervals[parts[1]]
        else { return nil }
        self.init(count: count, interval: interval)
    }

    private init(count: Int, interval: Duration) {
        self.count = count
        self.interval = interval
    }

    /// Returns an equal share of the rate: the same number of requests, in a longer interval.
    package func divided(by shares: Int) -> RequestRate { RequestRate(count: count, interval: interval * shares) }
}

extension Priority: WordSetting {
    package static let key = "priority"
}

/// The maximum time of the transfer of one attempt (`timeout`).
package struct TimeoutSetting: ValueSetting {
    package static let key = "timeout"
    /// The maximum time if none is specified.
    package static let `default` = Duration.seconds(60)
    package let value: DurationTemplate
}

/// The maximum time until a connection is established (`connectTimeout`).
package struct ConnectTimeoutSetting: ValueSetting {
    package static let key = "connectTimeout"
    /// The maximum time if none is specified.
    package static let `default` = Duration.seconds(10)
    package let value: DurationTemplate
}

/// The maximum time of a step with all its attempts, or of a graph (`deadline`).
package struct DeadlineSetting: ValueSetting {
    package static let key = "deadline"
    package let value: DurationTemplate
}

/// The settings of this file, looked up.
extension Settings {
    package var concurrency: Setting<ConcurrencySetting.Value>? { self[ConcurrencySetting.self] }
    package var maxConnections: Setting<MaxConnectionsSetting.Value>? { self[MaxConnectionsSetting.self] }
    package var rate: Setting<RequestRate>? { self[RequestRate.self] }
    package var priority: Setting<Priority>? { self[Priority.self] }
    package var timeout: Setting<TimeoutSetting.Value>? { self[TimeoutSetting.self] }
    package var connectTimeout: Setting<ConnectTimeoutSetting.Value>? { self[ConnectTimeoutSetting.self] }
    package var deadline: Setting<DeadlineSetting.Value>? { self[DeadlineSetting.self] }
}
