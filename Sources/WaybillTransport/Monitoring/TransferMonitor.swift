import Synchronization
import WaybillRuntime

/// Observes a request in flight and can pause it. It may be used for one `send` after another (retries, the hops of a
/// redirect), but never for two at once.
package final class TransferMonitor: Sendable {
    /// An event of a transfer. Events are reported on the thread that executes all transfers, so a listener must not
    /// block. All events are reported before `send` returns.
    package enum Event: Sendable, Equatable {
        /// A request will be sent, because no stored response is used. Only transports that may have one report this.
        case willSend(HTTPRequest)
        /// The whole request was handed to a connection.
        case sent
        /// More has been sent or received. Reported at most ten times a second.
        case progress(TransferProgress)
    }

    private struct State {
        var isPaused = false
        // The queue of the engine, and the transfer to adjust.
        var commands: CommandQueue?
        var cancellation: Cancellation?
    }

    private let listener: (@Sendable (Event) -> Void)?
    private let state = Mutex(State())

    /// Creates a monitor that reports to a listener, if there is one.
    package init(_ listener: (@Sendable (Event) -> Void)? = nil) {
        self.listener = listener
    }

    /// Whether the transfer is paused.
    package var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Pauses the transfer: until it is resumed, it does not start, does not send or receive more of a body, and does
    /// not end. The pause does not count towards its timeout, except while connecting. Transfers that are sent later
    /// are paused as well.
    ///
    /// With HTTP/2, a response that is being received still completes, because it shares its connection with others.
    package func pause() { set(isPaused: true) }

    /// Resumes the transfer.
    package func unpause() { set(isPaused: false) }

    /// Whether there is a listener.
    var hasListener: Bool { listener != nil }

    /// Reports an event to the listener.
    func tell(_ event: Event) { listener?(event) }

    /// Sets the transfer to which the monitor applies from now on.
    func attach(_ commands: CommandQueue, _ cancellation: Cancellation) {
        state.withLock { state in
            state.commands = commands
            state.cancellation = cancellation
        }
    }

    private func set(isPaused: Bool) {
        let (commands, cancellation) = state.withLock { state in
            defer { state.isPaused = isPaused }
            return state.isPaused == isPaused ? (nil, nil) : (state.commands, state.cancellation)
        }
        if let commands, let cancellation { _ = commands.add(.adjust(cancellation)) }
    }
}

/// The progress of a transfer, in bytes of the bodies before decoding.
package struct TransferProgress: Sendable, Hashable {
    /// Bytes sent.
    package var sent: Int
    /// Bytes to send.
    package var sentTotal: Int
    /// Bytes received.
    package var received: Int
    /// Bytes to receive; nil if the response does not state it, or has not arrived yet.
    package var receivedTotal: Int?
}
