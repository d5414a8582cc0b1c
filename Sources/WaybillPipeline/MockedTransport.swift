import WaybillMock
import WaybillTransport

/// Sends every request to the mock server, whatever its origin, and nothing to the network.
struct MockedTransport: Transport, NetworkProbe {
    private let engine: CurlTransport
    private let server: SocketEndpoint

    /// Creates a transport that uses an engine to send to the mock server on a port of this machine.
    init(_ engine: CurlTransport, port: Int) {
        self.engine = engine
        self.server = SocketEndpoint(host: "127.0.0.1", port: port)
    }

    func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: (any BodyReceiver)?
    ) async -> Result<HTTPResponse, TransportFailure> {
        await engine.send(mocked(request), monitor: monitor, receiver: receiver)
    }

    private func mocked(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        // The server speaks plain HTTP; the Host field still names the origin, and so the service.
        if request.url.lowercased().hasPrefix("https://") {
            request.url = "http://" + request.url.dropFirst("https://".count)
        }
        request.connectTo = server
        if let example = request.options.mockExample {
            request.headers.append(HTTPField(name: MockServer.exampleField, value: String(example)))
        }
        // Drops options that would redirect the connection, or that the mock server does not support.
        var options = TransferOptions()
        if case .jar = request.options.cookies {
            options.cookies = .run
        } else {
            options.cookies = request.options.cookies
        }
        options.credentials = request.options.credentials
        options.priority = request.options.priority
        request.options = options
        return request
    }

    var taskExecutor: (any TaskExecutor)? { engine.taskExecutor }

    func reach(_ request: HTTPRequest) async -> TransportFailure? {
        await engine.reach(mocked(request))
    }

    func interface(towards request: HTTPRequest) async -> NetworkInterface? { nil }

    func shutDown() async {
        await engine.shutDown()
    }
}
