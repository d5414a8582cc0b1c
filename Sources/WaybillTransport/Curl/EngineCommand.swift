import WaybillRuntime

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
