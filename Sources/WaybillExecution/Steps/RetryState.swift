import WaybillDiagnostics
import WaybillManifest
import WaybillResults

/// Decides after each attempt whether there is another one, and when.
struct RetryState: Sendable {
    /// What is known of an attempt that failed.
    struct Failed: Sendable {
        /// The stage that failed.
        var kind: FailureKind
        /// The status of the answer, if one came.
        var status: Int?
        /// Whether the request, or a part of it, may have reached the server.
        var wasSent: Bool
        /// How long the answer asks to wait.
        var retryAfter: Duration?
    }

    private let policy: RetryPolicy?
    private let isIdempotent: Bool
    private var retries = 0
    private var wait: Duration
    /// How long the server asked to wait, where there is no other attempt for the only reason that it is too long.
    private(set) var refusedWait: Duration?

    /// The state before the first attempt of a request whose method may or may not be sent twice (RFC 9110, section 9.2.2).
    init(_ policy: RetryPolicy?, isIdempotent: Bool) {
        self.policy = policy
        self.isIdempotent = isIdempotent
        wait = policy?.backoff.first ?? .zero
    }

    /// How long to wait before the next attempt; `nil` when there is none.
    ///
    /// - Parameter chance: A number from 0 up to 1, for waits that differ.
    mutating func pause(after failed: Failed, chance: Double) -> Duration? {
        guard let policy, retries < policy.times, policy.applies(to: failed) else { return nil }
        // What never reached the server can be sent again whatever it is.
        guard isIdempotent || policy.isUnsafe || !failed.wasSent else { return nil }
        let pause: Duration
        if let wish = failed.retryAfter {
            guard wish <= policy.backoff.max else {
                refusedWait = wish
                return nil
            }
            pause = wish
        } else {
            let longest = min(wait, policy.backoff.max)
            pause = policy.backoff.jitter ? longest * (0.5 + chance / 2) : longest
        }
        retries += 1
        wait = min(wait, policy.backoff.max) * policy.backoff.factor
        return pause
    }
}

extension RetryPolicy {
    fileprivate func applies(to failed: RetryState.Failed) -> Bool {
        causes.contains { cause in
            switch cause {
            case .kind(let kind): kind == failed.kind.rawValue
            case .status(let pattern): failed.kind == .status && failed.status.map(pattern.matches) ?? false
            }
        }
    }
}
