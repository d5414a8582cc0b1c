// When a request is retried, and how equal requests are handled: `retry`, `duplicates`.

import WaybillJSON

/// When and how often an attempt is repeated (`retry`).
package struct RetryPolicy: Sendable {
    /// The failures that an attempt is repeated for.
    package enum Cause: Sendable, Hashable {
        /// A kind of failure, such as `timeout`.
        case kind(String)
        case status(StatusPattern)
    }

    /// The delay between attempts.
    package struct Backoff: Sendable {
        /// The delay before the second attempt.
        package var first: Duration = .milliseconds(200)
        /// The factor from one delay to the next.
        package var factor: Double = 2
        /// The maximum delay.
        package var max: Duration = .seconds(30)
        /// Whether delays are randomized.
        package var jitter = true
    }

    /// The maximum number of repetitions.
    package var times: Int
    /// The failures that an attempt is repeated for.
    package var causes: [Cause]
    /// The delays.
    package var backoff: Backoff
    /// Whether requests that are not idempotent are repeated too.
    package var isUnsafe: Bool

    /// The default of `for`.
    package static let defaultCauses: [Cause] =
        ["dns", "connect", "timeout", "transfer"].map(Cause.kind)
        + [429, 502, 503, 504].map { Cause.status(.code($0)) }
}

extension RetryPolicy: WholeSetting {
    package static let key = "retry"

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        let causes = node["for"]?.sequence?.compactMap { $0.text }.map { text in
            StatusPattern(text).map(Cause.status) ?? .kind(text)
        }
        var backoff = Backoff()
        if let node = node["backoff"] {
            backoff.first = node["first"].flatMap { decoder.constantDuration($0) } ?? backoff.first
            backoff.factor = node["factor"]?.json.number?.double ?? backoff.factor
            backoff.max = node["max"].flatMap { decoder.constantDuration($0) } ?? backoff.max
            backoff.jitter = node["jitter"].flatMap { decoder.boolean($0) } ?? backoff.jitter
        }
        guard let times = node["times"].flatMap({ decoder.integer($0) }) else { return nil }
        self.init(
            times: times,
            causes: causes ?? Self.defaultCauses,
            backoff: backoff,
            isUnsafe: node["unsafe"].flatMap { decoder.boolean($0) } ?? false
        )
    }
}

/// What happens to a request while an equal one is in flight (`duplicates`).
package struct DuplicatePolicy: WholeSetting {
    package static let key = "duplicates"

    /// The four modes.
    package enum Mode: String, Sendable, CaseIterable {
        /// Both are sent.
        case allow
        /// The earlier one is cancelled.
        case cancelPrevious = "cancel-previous"
        /// The later one is not sent.
        case discard
        /// The later one receives the response of the earlier one.
        case share
    }

    package let mode: Mode
    /// The expression whose value makes two requests equal; `nil` compares the whole request.
    package let key: ManifestExpression?

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let mode: Mode = decoder.word(node["mode"] ?? node) else { return nil }
        self.mode = mode
        key = node["key"].flatMap { decoder.expression($0) }
    }

    package func visitUses(_ visitor: UseVisitor) { visitor.expression(key, .sending, .key) }
}

/// The settings of this file, looked up.
extension Settings {
    package var retry: Setting<RetryPolicy>? { self[RetryPolicy.self] }
    package var duplicates: Setting<DuplicatePolicy>? { self[DuplicatePolicy.self] }
}
