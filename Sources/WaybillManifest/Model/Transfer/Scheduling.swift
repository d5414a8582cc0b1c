/// How the cache is used, as in the Fetch standard.
package enum CacheMode: String, Sendable, CaseIterable {
    case `default`
    case noStore = "no-store"
    case reload
    case noCache = "no-cache"
    case forceCache = "force-cache"
    case onlyIfCached = "only-if-cached"
}

/// When and how often an attempt is made again.
package struct RetryPolicy: Sendable {
    /// What an attempt is made again for.
    package enum Cause: Sendable, Hashable {
        /// A kind of failure, such as `timeout`.
        case kind(String)
        /// A status.
        case status(StatusPattern)
    }

    /// The wait between attempts.
    package struct Backoff: Sendable {
        /// The wait before the second attempt.
        package var first: Duration = .milliseconds(200)
        /// How much longer each wait is than the one before.
        package var factor: Double = 2
        /// The longest wait.
        package var max: Duration = .seconds(30)
        /// Whether waits differ by chance.
        package var jitter = true
    }

    /// How many times at most an attempt is made again.
    package var times: Int
    /// What for.
    package var causes: [Cause]
    /// The waits.
    package var backoff: Backoff
    /// Whether requests that are not idempotent are made again too.
    package var isUnsafe: Bool

    /// What an attempt is made again for where nothing is said.
    package static let defaultCauses: [Cause] =
        ["dns", "connect", "timeout", "transfer"].map(Cause.kind)
        + [429, 502, 503, 504].map { Cause.status(.code($0)) }
}

/// What happens to a request while the same one is under way.
package struct DuplicatePolicy: Sendable {
    /// The four ways.
    package enum Mode: String, Sendable, CaseIterable {
        /// Both run.
        case allow
        /// The earlier one is cancelled.
        case cancelPrevious = "cancel-previous"
        /// The new one is dropped.
        case discard
        /// The new one gets the earlier one's answer.
        case share
    }

    /// What happens.
    package var mode: Mode
    /// What makes two requests the same.
    package var key: ManifestExpression?
}

/// How many requests may begin in a time.
package struct RequestRate: Sendable, Equatable {
    /// The requests.
    package var count: Int
    /// The time.
    package var interval: Duration

    /// A rate as manifests write it: `10/s`, `300/m`, `1000/h`; `nil` when it is not one.
    package init?(manifestText text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(parts[0]),
            (1...1_000_000_000).contains(count)
        else { return nil }
        switch parts[1] {
        case "s": interval = .seconds(1)
        case "m": interval = .seconds(60)
        case "h": interval = .seconds(3600)
        default: return nil
        }
        self.count = count
    }
}

/// Which of the waiting requests goes first.
package enum Priority: String, Sendable, CaseIterable {
    case low, `default`, high
}
