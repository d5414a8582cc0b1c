/// What the engine is asked to do.
struct TransferOrder: Sendable {
    /// What is to be sent.
    let prepared: PreparedRequest
    /// Says that it is not wanted any more.
    let cancellation: Cancellation
    /// Who watches.
    let monitor: TransferMonitor?
    /// Where the outcome goes.
    let delivery: Delivery

    /// Where the body goes as it comes; nil when it is wanted whole.
    var channel: BodyChannel? {
        if case .stream(let channel) = delivery { channel } else { nil }
    }
}

/// The way from the engine to the task that waits.
enum Delivery: Sendable {
    /// The outcome at once.
    case whole(CheckedContinuation<TransferOutcome, Never>)
    /// The body piece by piece, and then the outcome.
    case stream(BodyChannel)

    /// Hands the outcome over, once.
    func finish(_ outcome: TransferOutcome) {
        switch self {
        case .whole(let continuation): continuation.resume(returning: outcome)
        case .stream(let channel): channel.finish(outcome)
        }
    }
}
