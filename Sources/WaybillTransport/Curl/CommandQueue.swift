import Synchronization

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
final class CommandQueue: Sendable {
    private struct State {
        var commands: [EngineCommand] = []
        var isClosed = false
        // Whether the engine will notice a command only by the signal.
        var isEngineWaiting = false

        mutating func endWaiting() -> Bool {
            defer { isEngineWaiting = false }
            return isEngineWaiting
        }
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp

    /// Opens a queue; throws the error of the system.
    init() throws(SystemError) {
        wakeUp = try WakeUp()
    }

    /// Readable when the engine should wake up.
    var descriptor: Int32 { wakeUp.descriptor }

    /// Adds a command. False when the queue is closed, and the command will not be taken.
    func add(_ command: EngineCommand) -> Bool {
        let (isAccepted, needsSignal) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            return (true, state.endWaiting())
        }
        if needsSignal { wakeUp.signal() }
        return isAccepted
    }

    /// Takes no command any more; the engine will end.
    func close() {
        let needsSignal = state.withLock { state in
            state.isClosed = true
            return state.endWaiting()
        }
        if needsSignal { wakeUp.signal() }
    }

    /// Puts the commands since the last call into an empty array, whose room is used for the next ones. Says whether
    /// there may be more later. For the engine's thread, as what follows.
    func takeAll(into list: inout [EngineCommand]) -> Bool {
        state.withLock { state in
            swap(&state.commands, &list)
            state.isEngineWaiting = false
            return !state.isClosed
        }
    }

    /// Whether there is something to take.
    var isEmpty: Bool {
        state.withLock { $0.commands.isEmpty && !$0.isClosed }
    }

    /// Says that the engine is going to wait for the descriptor; false when there is something to take already.
    func beginWaiting() -> Bool {
        state.withLock { state in
            state.isEngineWaiting = state.commands.isEmpty && !state.isClosed
            return state.isEngineWaiting
        }
    }

    /// Says that the engine has woken up because the descriptor was readable.
    func acknowledge() {
        wakeUp.clear()
    }
}
