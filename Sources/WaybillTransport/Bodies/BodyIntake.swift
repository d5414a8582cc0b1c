/// Receives a response piece by piece, and passes it to its receiver.
struct BodyIntake {
    /// Whether the rest is not wanted.
    private(set) var isRefused = false

    private let receiver: any BodyReceiver
    private let limit: Int
    private var use: BodyUse?
    private var collected: [UInt8] = []
    private var failure: TransportFailure?

    /// An intake for a receiver, with the maximum number of bytes to collect for the response.
    init(_ receiver: any BodyReceiver, limit: Int) {
        self.receiver = receiver
        self.limit = limit
    }

    /// Takes what came, with the bytes if it is some of the body. Gives the result at the end.
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
            if bytes.count <= limit - collected.count {
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
        return .success(response)
    }
}
