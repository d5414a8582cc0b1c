import Synchronization
import WaybillRuntime

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

/// What tasks ask of the engine's thread.
enum EngineCommand: Sendable {
    /// Begin a transfer.
    case start(TransferOrder)
    /// End the transfer that has this cancellation, if it is still under way.
    case cancel(Cancellation)
    /// Look again whether the transfer that has this cancellation is held up, by its monitor or by who receives its body.
    case adjust(Cancellation)
    /// Run a piece of a task.
    case run(UnownedJob)
}

/// The way of commands from any thread to the engine's.
typealias CommandQueue = Mailbox<EngineCommand>

/// Says that one transfer is not wanted any more. Its identity is the transfer's name among the engine's commands.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    /// Whether `request` was called.
    var isRequested: Bool { flag.load(ordering: .acquiring) }

    /// Says that the transfer is not wanted.
    func request() {
        flag.store(true, ordering: .releasing)
    }
}
