import Synchronization
import WaybillRuntime

/// Watches a request while it is under way, and holds it up. It goes with one `send` after the other (a retry, the hops
/// of a redirect), never with two at once.
package final class TransferMonitor: Sendable {
    /// What is told of a transfer. It comes on the thread that carries out all transfers: whoever listens must not wait
    /// for anything. All of it comes before `send` returns.
    package enum Event: Sendable, Equatable {
        /// A request will be sent, since no stored response is used. Only transports that may have one tell it.
        case willSend(HTTPRequest)
        /// The whole request was handed to a connection.
        case sent
        /// More has been sent or received. At most ten a second come.
        case progress(TransferProgress)
    }

    private struct State {
        var isPaused = false
        // Whom to tell of it.
        var commands: CommandQueue?
        var cancellation: Cancellation?
    }

    private let listener: (@Sendable (Event) -> Void)?
    private let state = Mutex(State())

    /// A monitor that tells a listener, if there is one.
    package init(_ listener: (@Sendable (Event) -> Void)? = nil) {
        self.listener = listener
    }

    /// Whether the transfer is held up.
    package var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Holds the transfer up: it does not start, sends and receives no more body, and has no end until it goes on. The
    /// time until then does not count for its time-out, except in connecting. Also holds up what is sent later.
    ///
    /// With HTTP/2 what is being received comes to its end, since it shares its connection with others.
    package func pause() { set(isPaused: true) }

    /// Lets the transfer go on.
    package func unpause() { set(isPaused: false) }

    /// Whether anybody listens.
    var hasListener: Bool { listener != nil }

    /// Tells the listener.
    func tell(_ event: Event) { listener?(event) }

    /// Says which transfer this is about from now on.
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

/// How far a transfer has come, in bytes of bodies as they travel, before decoding.
package struct TransferProgress: Sendable, Hashable {
    /// Bytes sent.
    package var sent: Int
    /// Bytes to send.
    package var sentTotal: Int
    /// Bytes received.
    package var received: Int
    /// Bytes to receive; nil when the response does not say, or is not there yet.
    package var receivedTotal: Int?
}
