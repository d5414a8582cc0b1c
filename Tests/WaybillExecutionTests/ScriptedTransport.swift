import Synchronization

@testable import WaybillTransport

/// The transport of all execution tests. It responds from a table of paths or from a script, and records the requests.
/// A test can hold responses and release them one by one.
final class ScriptedTransport: Transport, NetworkProbe {
    /// The response to a request, or why there is none.
    enum Reply: Sendable {
        /// A status and a JSON body.
        case json(String, status: Int = 200)
        /// A JSON body and several fields with a name.
        case linked(String, [String], as: String = "Link")
        /// A JSON body and a `Set-Cookie` field.
        case cookie(String, body: String = "{}")
        /// Another reply, after this many calls of `Task.yield`.
        indirect case late(Reply, turns: Int)
        /// A body of another media type.
        case text(String, type: String)
        /// Bytes of a media type.
        case bytes([UInt8], type: String)
        /// A part of a JSON document: the status 206 with this `Content-Range`.
        case part(String, contentRange: String)
        /// The status 503 with a `Retry-After` field.
        case busy(retryAfter: String)
        /// A redirect to an address.
        case redirect(String, status: Int)
        /// A failure of the transport.
        case failure(TransportFailure.Kind)
        /// No response until `release` provides one.
        case held
    }

    private struct State {
        var sent: [HTTPRequest] = []
        /// The number of requests by path, ignoring the query.
        var counts: [String: Int] = [:]
        var underWay = 0
        var mostUnderWay = 0
        var monitors: [String: TransferMonitor] = [:]
        var probes: [HTTPRequest] = []
        var probeResults: [CheckedContinuation<TransportFailure.Kind?, Never>] = []
        var probeWatchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var interface: NetworkInterface?
        var timings = TransferTimings.zero
        var note: (@Sendable (String) -> String)?
        var notes: [String] = []
        /// By the prefix of the URL up to the path.
        var atOnce: [String: (now: Int, most: Int)] = [:]
        var held: [String: CheckedContinuation<Reply, Never>] = [:]
        var released: [String: Reply] = [:]
        var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    /// Returns the reply to a request. `count` is the number of requests to its path so far, including this one.
    typealias Script = @Sendable (_ request: HTTPRequest, _ count: Int) async -> Reply?

    private let replies: [String: Reply]
    private let script: Script
    private let state: Mutex<State>

    /// Creates a transport that replies from a table of paths, then from a script, and otherwise with `{}`.
    ///
    /// - Parameter interface: The network interface that all requests use.
    init(_ replies: [String: Reply] = [:], script: @escaping Script, interface: NetworkInterface? = nil) {
        self.replies = replies
        self.script = script
        state = Mutex(State(interface: interface))
    }

    /// Creates a transport that replies from a table of paths, then from a function, and otherwise with `{}`.
    convenience init(
        _ replies: [String: Reply] = [:],
        answering answer: @escaping @Sendable (HTTPRequest) -> Reply? = { _ in nil }
    ) {
        self.init(replies, script: { request, _ in answer(request) })
    }

    /// The requests in the order in which they were sent.
    var sent: [HTTPRequest] { state.withLock { $0.sent } }
    /// The paths in the order in which they were sent.
    var paths: [String] { sent.map { Self.path(of: $0) } }
    /// The requests to a path, ignoring the query, in order.
    func requests(to path: String) -> [HTTPRequest] { sent.filter { $0.path == path } }

    /// The maximum number of requests that were in flight at once.
    var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }

    /// The maximum number of requests that were in flight at once at `http://host/`.
    func mostUnderWay(at origin: String) -> Int { state.withLock { $0.atOnce[origin]?.most ?? 0 } }
    /// The notes of all requests, made by `note`.
    var notes: [String] { state.withLock { $0.notes } }

    /// Sets a function that makes a note of each request from its path when it is sent.
    func note(_ note: @escaping @Sendable (String) -> String) { state.withLock { $0.note = note } }

    /// Sets the timings of each response.
    func respond(in timings: TransferTimings) { state.withLock { $0.timings = timings } }

    /// Whether the last request to a path is paused.
    func isPaused(_ path: String) -> Bool { state.withLock { $0.monitors[path] }?.isPaused ?? false }

    /// Waits until this many requests have been sent.
    func waitForRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state -> Bool in
                if state.sent.count >= count { return true }
                state.arrivals.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Whether the response to a path is currently held.
    func isHeld(_ path: String) -> Bool { state.withLock { $0.held[path] != nil } }

    /// Releases a held response.
    func release(_ path: String, _ reply: Reply) {
        let continuation = state.withLock { state -> CheckedContinuation<Reply, Never>? in
            if let waiting = state.held.removeValue(forKey: path) { return waiting }
            state.released[path] = reply
            return nil
        }
        continuation?.resume(returning: reply)
    }

    func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: (any BodyReceiver)?
    ) async -> Result<HTTPResponse, TransportFailure> {
        if let monitor { state.withLock { $0.monitors[Self.path(of: request)] = monitor } }
        let result = await respond(to: request)
        guard let receiver, case .success(var response) = result else { return result }
        let body = response.body
        response.body = []
        guard await receiver.begin(response) == .receive else { return result }
        if !body.isEmpty, await !receiver.receive(body) { return .failure(.refusedByReceiver) }
        return .success(response)
    }

    private func respond(to request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure> {
        let path = Self.path(of: request)
        let route = String(path.prefix { $0 != "?" })
        let origin = String(request.url.dropLast(path.count)) + "/"
        let (arrived, number) = state.withLock { state -> ([CheckedContinuation<Void, Never>], Int) in
            state.sent.append(request)
            let number = state.counts[route, default: 0] + 1
            state.counts[route] = number
            if let note = state.note { state.notes.append(note(path)) }
            let here = state.atOnce[origin] ?? (0, 0)
            state.atOnce[origin] = (here.now + 1, max(here.most, here.now + 1))
            state.underWay += 1
            state.mostUnderWay = max(state.mostUnderWay, state.underWay)
            let count = state.sent.count
            let arrived = state.arrivals.filter { $0.count <= count }
            state.arrivals.removeAll { $0.count <= count }
            return (arrived.map(\.continuation), number)
        }
        for continuation in arrived { continuation.resume() }
        defer {
            state.withLock { state in
                state.underWay -= 1
                state.atOnce[origin]?.now -= 1
            }
        }
        await Task.yield()
        var reply = replies[path] ?? .json("{}")
        if replies[path] == nil, let scripted = await script(request, number) { reply = scripted }
        if case .late(let later, let turns) = reply {
            for _ in 0..<turns { await Task.yield() }
            reply = later
        }
        if case .held = reply { reply = await held(path) }
        if Task.isCancelled { return .failure(Self.failure(.cancelled)) }
        switch reply {
        case .failure(let kind): return .failure(Self.failure(kind))
        case .held, .late: return .failure(Self.failure(.cancelled))
        case .linked(let body, let links, let name):
            let fields = links.map { (name: name, value: $0) }
            return response(to: request, Array(body.utf8), type: "application/json", status: 200, fields: fields)
        case .cookie(let cookie, let body):
            let fields = [(name: "Set-Cookie", value: cookie)]
            return response(to: request, Array(body.utf8), type: "application/json", status: 200, fields: fields)
        case .json(let body, let status):
            return response(to: request, Array(body.utf8), type: "application/json", status: status)
        case .part(let body, let range):
            let fields = [(name: "Content-Range", value: range)]
            return response(to: request, Array(body.utf8), type: "application/json", status: 206, fields: fields)
        case .busy(let time):
            return response(to: request, [], type: "text/plain", status: 503, fields: [("Retry-After", time)])
        case .redirect(let location, let status):
            return response(to: request, [], type: "text/plain", status: status, fields: [("Location", location)])
        case .text(let body, let type): return response(to: request, Array(body.utf8), type: type, status: 200)
        case .bytes(let body, let type): return response(to: request, body, type: type, status: 200)
        }
    }

    private func response(
        to request: HTTPRequest,
        _ body: [UInt8],
        type: String,
        status: Int,
        fields: [(name: String, value: String)] = []
    ) -> Result<HTTPResponse, TransportFailure> {
        .success(
            HTTPResponse(
                status: status,
                reason: "",
                httpVersion: "1.1",
                headers: HTTPFields(
                    [HTTPField(name: "Content-Type", value: type)]
                        + fields.map { HTTPField(name: $0.name, value: $0.value) }
                ),
                body: body,
                url: request.url,
                timings: state.withLock { $0.timings },
                bytesSent: 0,
                bytesReceived: body.count,
                remoteAddress: nil,
                reusedConnection: false
            )
        )
    }

    /// Sets the network interface that requests use.
    func leave(by interface: NetworkInterface) { state.withLock { $0.interface = interface } }

    func interface(towards request: HTTPRequest) async -> NetworkInterface? { state.withLock { $0.interface } }

    /// The number of connection probes so far.
    var probeCount: Int { state.withLock { $0.probes.count } }

    /// Waits until this many connection probes have started.
    func waitForProbes(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state -> Bool in
                if state.probes.count >= count { return true }
                state.probeWatchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Finishes the oldest connection probe.
    func endProbe(_ kind: TransportFailure.Kind?) {
        state.withLock { $0.probeResults.removeFirst() }.resume(returning: kind)
    }

    func reach(_ request: HTTPRequest) async -> TransportFailure? {
        await withCheckedContinuation { continuation in
            let watchers = state.withLock { state in
                state.probes.append(request)
                state.probeResults.append(continuation)
                let count = state.probes.count
                let watchers = state.probeWatchers.filter { $0.count <= count }
                state.probeWatchers.removeAll { $0.count <= count }
                return watchers.map(\.continuation)
            }
            for watcher in watchers { watcher.resume() }
        }.map { Self.failure($0) }
    }

    func shutDown() async {}

    private func held(_ path: String) async -> Reply {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = state.withLock { state -> Reply? in
                    if let reply = state.released.removeValue(forKey: path) { return reply }
                    state.held[path] = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            release(path, .held)
        }
    }

    private static func failure(_ kind: TransportFailure.Kind) -> TransportFailure {
        TransportFailure(kind: kind, code: 0, message: "the transport failed: \(kind)")
    }

    private static func path(of request: HTTPRequest) -> String {
        let rest = request.url.drop { $0 != ":" }.dropFirst(3)
        return String(rest.drop { $0 != "/" })
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

    /// The body as a string.
    var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
}
