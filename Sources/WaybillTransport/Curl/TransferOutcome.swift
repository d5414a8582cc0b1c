/// What the engine hands over. The header is still bytes, so that reading it is the waiting task's work and not that
/// of the one thread.
enum TransferOutcome: Sendable {
    /// A response without its fields and reason phrase.
    case answered(HTTPResponse, head: [UInt8])
    /// None has come.
    case failed(TransportFailure)

    /// The response, read.
    var result: Result<HTTPResponse, TransportFailure> {
        switch self {
        case .failed(let failure):
            return .failure(failure)
        case .answered(let response, let bytes):
            return .success(response.withHead(bytes))
        }
    }
}

extension HTTPResponse {
    /// The response with the parts that come from its header.
    func withHead(_ bytes: [UInt8]) -> HTTPResponse {
        let head = ResponseHead(bytes)
        var response = self
        response.reason = head.reason
        response.headers = head.fields
        return response
    }
}
