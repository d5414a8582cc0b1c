import WaybillRuntime

/// An order for the engine to perform a transfer.
struct TransferOrder: Sendable {
    /// The request to send.
    let prepared: PreparedRequest
    /// Cancels the transfer.
    let cancellation: Cancellation
    /// The monitor of the transfer, if there is one.
    let monitor: TransferMonitor?
    /// Where the outcome is delivered.
    let delivery: Delivery

    /// The channel for a streamed body; nil if the body is collected.
    var channel: BodyChannel? {
        if case .stream(let channel) = delivery { channel } else { nil }
    }
}

/// How the engine delivers to the waiting task.
enum Delivery: Sendable {
    /// The outcome with the whole body.
    case whole(CheckedContinuation<TransferOutcome, Never>)
    /// The body in pieces, and then the outcome.
    case stream(BodyChannel)

    /// Delivers the outcome. Called once.
    func finish(_ outcome: TransferOutcome) {
        switch self {
        case .whole(let continuation): continuation.resume(returning: outcome)
        case .stream(let channel): channel.finish(outcome)
        }
    }
}

/// A command for the engine's thread.
enum EngineCommand: Sendable {
    /// Start a transfer.
    case start(TransferOrder)
    /// End the transfer with this cancellation, if it is still in flight.
    case cancel(Cancellation)
    /// Check again whether the transfer with this cancellation is paused, by its monitor, by the receiver of its
    /// body, or because its body needs memory.
    case adjust(Cancellation)
    /// Run a job of a task.
    case run(UnownedJob)
}

/// The queue of commands from any thread to the engine's.
typealias CommandQueue = Mailbox<EngineCommand>
