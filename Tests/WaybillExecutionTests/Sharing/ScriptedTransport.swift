import Synchronization
import WaybillTransport

/// A transport whose answers a script gives, and which remembers what was sent.
final class ScriptedTransport: Transport, NetworkProbe {
    /// What a request is answered with.
    enum Reply: Sendable {
        case json(String, status: Int = 200)
        case redirect(String, status: Int)
        case failure(TransportFailure.Kind)
    }

    /// A request, and how many there have been to its path, itself included.
    typealias Script = @Sendable (_ request: HTTPRequest, _ count: Int) async -> Reply

    private let script: Script
    private let interface: NetworkInterface?
    private let state = Mutex<[HTTPRequest]>([])

    /// - Parameter interface: The interface by which all requests leave.
    init(_ script: @escaping Script, interface: NetworkInterface? = nil) {
        self.script = script
        self.interface = interface
    }

    /// All that was sent to a path, in order.
    func requests(to path: String) -> [HTTPRequest] {
        state.withLock { $0.filter { $0.path == path } }
    }

    func send(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure> {
        let count = state.withLock { sent in
            sent.append(request)
            return sent.count { $0.path == request.path }
        }
        let reply = await script(request, count)
        if Task.isCancelled { return .failure(Self.failure(.cancelled)) }
        switch reply {
        case .failure(let kind): return .failure(Self.failure(kind))
        case .json(let body, let status):
            let headers = HTTPFields([HTTPField(name: "Content-Type", value: "application/json")])
            return .success(
                HTTPResponse(status: status, headers: headers, body: Array(body.utf8), url: request.url)
            )
        case .redirect(let location, let status):
            let headers = HTTPFields([HTTPField(name: "Location", value: location)])
            return .success(HTTPResponse(status: status, headers: headers, url: request.url))
        }
    }

    func shutDown() async {}

    func interface(towards request: HTTPRequest) async -> NetworkInterface? { interface }

    private static func failure(_ kind: TransportFailure.Kind) -> TransportFailure {
        TransportFailure(kind: kind, code: 0, message: "the transport failed: \(kind)")
    }
}

extension HTTPRequest {
    /// The path, without its query.
    var path: String {
        let rest = url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        return String(rest.prefix { $0 != "?" })
    }

    /// The only value of a field.
    func value(of name: String) -> String? {
        let values = headers.filter { $0.isNamed(name) }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }

    /// The body as text.
    var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
}

/// Holds all who come until there are enough of them; later ones pass.
final class Gate: Sendable {
    private let state: Mutex<(missing: Int, waiting: [CheckedContinuation<Void, Never>])>

    init(for count: Int) {
        state = Mutex((count, []))
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.missing -= 1
                state.waiting.append(continuation)
                guard state.missing <= 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in released { continuation.resume() }
        }
    }
}

/// Waits until its task is cancelled.
func untilCancelled() async {
    let (stream, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    end.finish()
}
