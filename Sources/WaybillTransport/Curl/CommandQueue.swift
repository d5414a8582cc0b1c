import Synchronization

/// What tasks ask of the engine's thread.
enum EngineCommand: Sendable {
    /// Begin a transfer.
    case start(PreparedRequest, Cancellation, Delivery)
    /// End the transfer that has this cancellation, if it is still under way.
    case cancel(Cancellation)
}

/// The way of commands from any thread to the engine's.
final class CommandQueue: Sendable {
    private struct State {
        var commands: [EngineCommand] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wakeUp: WakeUp

    /// Opens a queue; throws the error of the system.
    init() throws(SystemError) {
        wakeUp = try WakeUp()
    }

    /// Readable when the engine should call `takeAll`.
    var descriptor: Int32 { wakeUp.descriptor }

    /// Adds a command. False when the queue is closed, and the command will not be taken.
    func add(_ command: EngineCommand) -> Bool {
        let (isAccepted, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            return (true, state.commands.count == 1)
        }
        // One signal for all commands until the engine takes them.
        if isFirst { wakeUp.signal() }
        return isAccepted
    }

    /// Takes no command any more; the engine will end.
    func close() {
        state.withLock { $0.isClosed = true }
        wakeUp.signal()
    }

    /// Makes the descriptor unreadable until the next command.
    func acknowledge() {
        wakeUp.clear()
    }

    /// The commands since the last call, and whether the queue is closed. For the engine's thread only.
    func takeAll() -> (commands: [EngineCommand], isClosed: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isClosed)
        }
    }
}
