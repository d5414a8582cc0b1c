@testable import WaybillTransport

extension LibCurl {
    /// Whether this is version 8.14 or a later one. The tests pass with 7.88 and with 8.14.
    static let isAtLeast814 = version >= 0x080e00
}

extension CurlTransport {
    /// Makes a transport, uses it, and shuts it down.
    static func run<Result>(
        maximumConnections: Int = 256,
        _ body: (CurlTransport) async throws -> Result
    ) async throws -> Result {
        let transport = try CurlTransport(maximumConnections: maximumConnections)
        do {
            let result = try await body(transport)
            await transport.shutDown()
            return result
        } catch {
            await transport.shutDown()
            throw error
        }
    }
}

extension Result where Success == HTTPResponse, Failure == TransportFailure {
    /// The response, if there is one.
    var response: HTTPResponse? {
        if case .success(let response) = self { response } else { nil }
    }

    /// The failure, if it is one.
    var failure: TransportFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
