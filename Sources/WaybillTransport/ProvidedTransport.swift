import CLibCurl
import WaybillRuntime

/// Sends requests with a function of another program, and enforces what that function does not know: the timeout of the
/// request, the maximum size of its response, and who receives the body.
package struct ProvidedTransport: Transport, NetworkProbe {
    /// Sends a request, whose body is in memory. Throws `TransportFailure`, or any other error.
    package typealias Send = @Sendable (_ request: HTTPRequest, _ body: [UInt8]) async throws -> HTTPResponse

    private let sendRequest: Send
    private let files = RequestFiles()

    /// Creates a transport of a function.
    package init(_ send: @escaping Send) {
        sendRequest = send
    }

    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: (any BodyReceiver)?
    ) async -> Result<HTTPResponse, TransportFailure> {
        let start = ContinuousClock.now
        do throws(TransportFailure) {
            let body = try await body(of: request)
            let result = await firstResult(of: request, body)
            if case .failure(let failure) = result, !failure.wasSent { throw failure }
            monitor?.tell(.sent)
            var response = try result.get()
            response.timings.firstByte = start.duration(to: .now)
            response.timings.total = response.timings.firstByte
            response.bytesSent = body.count
            response.bytesReceived = response.body.count
            return .success(try await delivered(response, within: request.maximumBodyBytes, to: receiver))
        } catch {
            return .failure(error)
        }
    }

    /// Nothing is connected to, so the destination counts as reachable.
    package func reach(_ request: HTTPRequest) async -> TransportFailure? { nil }

    package func interface(towards request: HTTPRequest) async -> NetworkInterface? { nil }

    package func shutDown() async {}

    /// Checks the request as libcurl's transport does, and reads its body, on a separate thread if there are files.
    private func body(of request: HTTPRequest) async throws(TransportFailure) -> [UInt8] {
        let read: @Sendable () -> Result<[UInt8], TransportFailure> = { [files] in
            Result { () throws(TransportFailure) in
                guard let plan = try PreparedRequest(request, files: files).body else { return [] }
                let reader = BodyReader(plan)
                var bytes = [UInt8](repeating: 0, count: plan.count)
                let count = bytes.withUnsafeMutableBytes { reader.read(into: $0) }
                guard count == plan.count else {
                    throw .refused(CURLE_READ_ERROR, reader.failure ?? "the body of the request cannot be read")
                }
                return bytes
            }
        }
        if files.hasSeenAll(of: request) { return try read().get() }
        guard let result = await BlockingCall.run(read) else {
            throw .refused(CURLE_OUT_OF_MEMORY, "could not start a thread to inspect files")
        }
        return try result.get()
    }

    /// Returns the response of the function; or a failure, if the time is up or the task is cancelled first, even if the
    /// function then continues.
    private func firstResult(of request: HTTPRequest, _ body: [UInt8]) async -> Result<HTTPResponse, TransportFailure> {
        let result = Awaited<Result<HTTPResponse, TransportFailure>>()
        let sending = Task {
            do {
                result.set(.success(try await sendRequest(request, body)))
            } catch {
                result.set(.failure(TransportFailure(error)))
            }
        }
        let timeout = Task {
            try await Task.sleep(for: request.remainingTime, clock: .continuous)
            result.set(.failure(TransportFailure(.timeout, "no response within \(request.timeout)", wasSent: true)))
        }
        defer {
            sending.cancel()
            timeout.cancel()
        }
        return await result.value { result.set(.failure(.cancelledByTask)) }
    }

    /// Passes the body of a response to the receiver, or checks its size.
    private func delivered(
        _ response: HTTPResponse,
        within limit: Int,
        to receiver: (any BodyReceiver)?
    ) async throws(TransportFailure) -> HTTPResponse {
        var response = response
        let body = response.body
        if let receiver {
            response.body = []
            let head = response
            let isReceived = await withTaskExecutorPreference(receiver.executor) { () -> Bool? in
                guard await receiver.begin(head) == .receive else { return nil }
                for start in stride(from: 0, to: body.count, by: 1 << 16) {
                    let piece = Array(body[start..<min(body.count, start + 1 << 16)])
                    guard await receiver.receive(piece) else { return false }
                }
                return true
            }
            if isReceived == true { return response }
            if isReceived == false { throw .refusedByReceiver }
            response.body = body
        }
        guard body.count <= limit else { throw .bodyTooLarge(limit: limit) }
        return response
    }
}

extension TransportFailure {
    /// Creates the failure of a transport other than libcurl's.
    package init(_ kind: Kind, _ message: String, wasSent: Bool) {
        let code =
            switch kind {
            case .dns: CURLE_COULDNT_RESOLVE_HOST
            case .connect: CURLE_COULDNT_CONNECT
            case .tls: CURLE_SSL_CONNECT_ERROR
            case .timeout: CURLE_OPERATION_TIMEDOUT
            case .transfer: CURLE_RECV_ERROR
            case .cancelled: CURLE_ABORTED_BY_CALLBACK
            }
        let phase: Phase = wasSent ? .awaitingResponse : .waiting
        self.init(kind: kind, phase: phase, code: Int32(code.rawValue), message: message, wasSent: wasSent)
    }

    fileprivate init(_ error: any Error) {
        self = error as? TransportFailure ?? TransportFailure(.transfer, "\(error)", wasSent: true)
    }

    fileprivate static var cancelledByTask: TransportFailure {
        TransportFailure(.cancelled, "the request was cancelled", wasSent: true)
    }
}
