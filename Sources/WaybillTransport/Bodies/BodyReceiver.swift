/// Receives the body of a response in pieces. Calls do not overlap, and while the receiver is busy the server is
/// paused: at most about two megabytes are buffered. The receiver is never called on a transport's own thread
/// (`Transport.taskExecutor`).
package protocol BodyReceiver: Sendable {
    /// The executor on which the receiver is called. A receiver that blocks, such as one that writes to a disk, has a
    /// thread of its own.
    var executor: any TaskExecutor { get }

    /// Called once, with the response without its body, before any of the body. Decides what happens to the body.
    func begin(_ response: HTTPResponse) async -> BodyUse

    /// Called with the next bytes of the decoded body. False ends the transfer with a failure of kind `cancelled`.
    func receive(_ bytes: [UInt8]) async -> Bool
}

extension BodyReceiver {
    /// The executor that all tasks share.
    package var executor: any TaskExecutor { globalConcurrentExecutor }
}

/// What to do with a body.
package enum BodyUse: Sendable {
    /// It goes to the receiver.
    case receive
    /// It becomes part of the response, within `maximumBodyBytes`, as if there were no receiver.
    case collect
}

/// Passes the events of a response to its receiver and builds the result.
struct BodyIntake {
    /// Whether the rest of the body is discarded.
    private(set) var isRefused = false

    private let receiver: any BodyReceiver
    private let limit: Int
    private let share: RunMemory.Share
    private var use: BodyUse?
    private var collected: [UInt8] = []
    private var failure: TransportFailure?

    /// Creates an intake for a receiver, with the maximum number of bytes to collect for the response, and the memory
    /// for them.
    init(_ receiver: any BodyReceiver, limit: Int, memory: RunMemory) {
        self.receiver = receiver
        self.limit = limit
        share = RunMemory.Share(of: memory)
    }

    /// Handles an event, with its bytes if it is a part of the body. Returns the result at the end, nil before.
    mutating func take(_ event: BodyChannel.Event, _ bytes: [UInt8]) async -> Result<HTTPResponse, TransportFailure>? {
        switch event {
        case .head(let response, let head):
            use = await receiver.begin(response.withHead(head))
        case .bytes:
            await take(bytes)
        case .end(let outcome):
            return await end(with: outcome)
        }
        return nil
    }

    private mutating func take(_ bytes: [UInt8]) async {
        guard !isRefused else { return }
        if use == .collect {
            let count = collected.count + bytes.count
            if count <= limit {
                if count > RunMemory.smallBody { await share.grow(to: count) }
                collected += bytes
            } else {
                refuse(.bodyTooLarge(limit: limit))
            }
        } else if await !receiver.receive(bytes) {
            refuse(.refusedByReceiver)
        }
    }

    private mutating func refuse(_ failure: TransportFailure) {
        isRefused = true
        self.failure = failure
        collected = []
    }

    private mutating func end(with outcome: TransferOutcome) async -> Result<HTTPResponse, TransportFailure> {
        if let failure { return .failure(failure) }
        guard case .success(var response) = outcome.result else { return outcome.result }
        if use == nil { _ = await receiver.begin(response) }
        response.body = collected
        if collected.count > RunMemory.smallBody { response.memory = share }
        return .success(response)
    }
}
