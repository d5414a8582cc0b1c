import Synchronization
package import WaybillTransport

/// Records the last request that it sent: the actual request after redirects and signing.
package final class RequestRecorder: Transport {
    private let transport: any Transport
    private let last = Mutex<HTTPRequest?>(nil)

    /// A recorder that sends requests with a transport.
    package init(_ transport: any Transport) {
        self.transport = transport
    }

    /// The last request; `nil` before the first.
    package var lastRequest: HTTPRequest? { last.withLock { $0 } }

    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: (any BodyReceiver)?
    ) async -> Result<HTTPResponse, TransportFailure> {
        last.withLock { $0 = request }
        return await transport.send(request, monitor: monitor, receiver: receiver)
    }

    package func shutDown() async {
        await transport.shutDown()
    }
}
