/// Receives the body of a response piece by piece. The next call comes only after the previous one has returned, and
/// while the receiver is busy the server is paused: at most about two megabytes are buffered. A transport's own thread
/// (`Transport.taskExecutor`) calls none of it.
package protocol BodyReceiver: Sendable {
    /// Where it is called. A receiver that blocks, such as one that writes to a disk, has a thread of its own.
    var executor: any TaskExecutor { get }

    /// Called once, with the response without its body, before any of the body. Decides what happens to the body.
    func begin(_ response: HTTPResponse) async -> BodyUse

    /// Called with the next bytes of the decoded body. False ends the transfer with a failure of kind `cancelled`.
    func receive(_ bytes: [UInt8]) async -> Bool
}

extension BodyReceiver {
    /// The threads that all tasks share.
    package var executor: any TaskExecutor { globalConcurrentExecutor }
}

/// What is to become of a body.
package enum BodyUse: Sendable {
    /// It goes to the receiver.
    case receive
    /// It becomes part of the response, within `maximumBodyBytes`, as if there were no receiver.
    case collect
}
