import Synchronization
import WaybillEditor
import WaybillExecution
import WaybillJSON
import WaybillPlatform
import WaybillResults
import WaybillRuntime

/// The server of `waybill mcp`: the Model Context Protocol, revision 2025-06-18, on standard input and output.
///
/// A thread reads the messages. Each call of a tool has a thread of its own, because it reads files and waits for runs.
final class AgentServer: Sendable {
    /// The revisions of the protocol, newest first. Clients of 2025-03-26 also speak the one before; it has batches of messages.
    private static let revisions = ["2025-06-18", "2024-11-05"]
    /// The maximum number of calls at once.
    static let maximumCalls = 16
    /// The number of bytes that may wait for a client that does not read; the server then reads no further requests.
    private static let maximumWaiting = 4 << 20
    /// How long the server waits for such a client at the end.
    private static let patience = Duration.seconds(1)

    private struct State {
        var isInitialized = false
        var isClosing = false
        /// The calls in progress, by the id of their request.
        var calls: [JSON: (control: RunControl, isCancelled: Bool)] = [:]
    }

    private let state = Mutex(State())
    private let change: WakeUp
    private let folder: AgentFolder
    private let output = Output(noColour: true)

    /// Creates a server for what agents may use.
    init(_ folder: AgentFolder) throws(SystemError) {
        self.folder = folder
        change = try WakeUp()
    }

    /// Handles messages until the client closes the stream or a signal ends the program, and every run has stopped.
    func serve() throws(SystemError) {
        let thread = try SystemThread { [self] in
            var reader = MessageReader(.lines) { (try? OpenFile.read(64 << 10, from: STDIN_FILENO)) ?? [] }
            while receive(reader.next()) {
                while Output.waitingBytes > Self.maximumWaiting, !state.withLock(\.isClosing) { usleep(10_000) }
            }
            close()
        }
        // A signal after the end of the stream is the second one to stop.
        Signals.onStop(
            { self.state.withLock(\.isClosing) ? self.cancelAll() : self.close() },
            { self.cancelAll() }
        )
        while !state.withLock({ $0.isClosing && $0.calls.isEmpty }) { change.wait() }
        withExtendedLifetime(thread) { Output.finish(within: Self.patience) }
    }

    /// Stops all runs as Ctrl-C does. No call starts after this, and no more results are sent.
    private func close() {
        let controls = state.withLock { state in
            state.isClosing = true
            return state.calls.values.map(\.control)
        }
        for control in controls { control.stop() }
        change.signal()
    }

    private func cancelAll() {
        for control in state.withLock({ $0.calls.values.map(\.control) }) { control.cancelAll() }
    }

    // MARK: Messages

    /// Handles what was read. Returns whether there may be more.
    private func receive(_ result: MessageReader.Result) -> Bool {
        switch result {
        case .end: return false
        case .invalid(let error), .broken(let error): send(ServerMessage.failure(error))
        case .message(.response): break
        case .message(.notification("notifications/cancelled", let parameters)):
            if let id = parameters["requestId"] { cancel(id) }
        case .message(.notification): break
        case .message(.request(let id, let method, let parameters)):
            do throws(ResponseError) {
                let result = try respond(to: method, parameters, id)
                if let result { send(ServerMessage.result(result, of: id)) }
            } catch {
                let message = folder.redactor.redact(error.message)
                send(ServerMessage.failure(ResponseError(error.code, message), of: id))
            }
        }
        return true
    }

    /// Returns the result of a request; `nil` if it is sent later.
    private func respond(to method: String, _ parameters: JSON, _ id: JSON) throws(ResponseError) -> JSON? {
        let isInitialized = state.withLock(\.isInitialized)
        switch method {
        case "ping": return [:]
        case "initialize":
            guard !isInitialized else { throw ResponseError(.invalidRequest, "the server is initialized already") }
            guard let revision = parameters["protocolVersion"]?.string else {
                throw ResponseError(.invalidParameters, "'protocolVersion' is missing")
            }
            state.withLock { $0.isInitialized = true }
            return initialization(revision)
        case _ where !isInitialized: throw ResponseError(.invalidRequest, "the first request is 'initialize'")
        case "tools/list":
            guard parameters["cursor"] == nil else {
                throw ResponseError(.invalidParameters, "the list has one page, so no cursor is valid")
            }
            return ["tools": .array(AgentTools.all.map(AgentTools.description))]
        case "tools/call":
            try start(parameters, id)
            return nil
        default: throw ResponseError(.methodNotFound, "the method '\(method.excerpt(100))' does not exist")
        }
    }

    private func initialization(_ revision: String) -> JSON {
        let usual = Self.revisions[0]
        return [
            "protocolVersion": .string(Self.revisions.first { !revision.precedesByCodePoints($0) } ?? usual),
            "capabilities": ["tools": [:]],
            "serverInfo": ["name": "waybill", "title": "Waybill", "version": .string(WaybillVersion.current)],
            "instructions": .string(folder.instructions),
        ]
    }

    // MARK: Calls

    /// Starts the call of a tool on a thread.
    private func start(_ parameters: JSON, _ id: JSON) throws(ResponseError) {
        guard let name = parameters["name"]?.string, let tool = AgentTools.all.first(where: { $0.name == name }) else {
            let names = AgentTools.all.map { "'\($0.name)'" }.joined(separator: ", ")
            throw ResponseError(.invalidParameters, "'name' is the name of a tool: \(names)")
        }
        let arguments = parameters["arguments"] ?? [:]
        guard let object = arguments.object else {
            throw ResponseError(.invalidParameters, "'arguments' is an object")
        }
        let control = RunControl()
        let refusal = state.withLock { state -> ResponseError? in
            if state.isClosing { return ResponseError(.serverBusy, "the server is ending") }
            if state.calls[id] != nil { return ResponseError(.invalidRequest, "a request with this id is in progress") }
            if state.calls.count >= Self.maximumCalls {
                return ResponseError(.serverBusy, "\(Self.maximumCalls) calls are in progress, which is the maximum")
            }
            state.calls[id] = (control, false)
            return nil
        }
        if let refusal { throw refusal }
        let call = ToolCall(arguments: object, control: control)
        do throws(SystemError) {
            _ = try SystemThread { [self] in finish(id, AgentTools.result(of: tool, call, in: folder)) }
        } catch {
            state.withLock { $0.calls[id] = nil }
            throw ResponseError(.serverBusy, "could not start a thread: \(error)")
        }
    }

    /// Sends the result of a call, unless the client has cancelled it or has disappeared.
    private func finish(_ id: JSON, _ result: JSON) {
        // The response is in the queue before the server can end.
        let isWanted = state.withLock { $0.calls[id]?.isCancelled == false && !$0.isClosing }
        if isWanted { send(ServerMessage.result(result, of: id)) }
        state.withLock { $0.calls[id] = nil }
        change.signal()
    }

    /// Stops the run of a call as Ctrl-C does; the second time, cancels it.
    private func cancel(_ id: JSON) {
        let call = state.withLock { state in
            let call = state.calls[id]
            state.calls[id]?.isCancelled = true
            return call
        }
        if call?.isCancelled == true { call?.control.cancelAll() } else { call?.control.stop() }
    }

    private func send(_ message: JSON) {
        output.write(JSONWriter().string(message) + "\n", as: .json)
    }
}
