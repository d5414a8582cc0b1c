import CLibCurl
import WaybillRuntime

/// Sends requests with libcurl's multi interface, on one thread of its own. All requests share a pool of connections;
/// libcurl resolves names on its own threads.
package final class CurlTransport: Transport {
    /// Whether requests with `http2PriorKnowledge` share connections. Those of libcurl before version 8 fail on the second
    /// request of a connection, so each of them has its own.
    package static var sharesPriorKnowledgeConnections: Bool { LibCurl.version >= 0x08_00_00 }

    private let commands: CommandQueue
    private let executor: TransportExecutor
    private let thread: SystemThread<[String]>
    private let watch: CallWatch
    private let files: RequestFiles
    private let memory: RunMemory

    /// Starts the transport's thread. Throws if the system or libcurl does not provide what it needs.
    ///
    /// - Parameters:
    ///   - maximumConnections: The maximum number of requests in flight, and of open connections, to all origins
    ///     together. It is lower if the process may not have as many files open.
    ///   - raisesFileLimit: Whether the process's limit of open files is raised to allow the maximum, if the system permits
    ///     that.
    ///   - shares: The number of transports, and mock servers, that share the limit of open files.
    ///   - memory: The memory for the bodies of responses.
    package init(
        maximumConnections: Int = 256,
        raisesFileLimit: Bool = true,
        shares: Int = 1,
        memory: RunMemory = RunMemory()
    ) throws(TransportSetUpError) {
        self.memory = memory
        try LibCurl.setUp()
        let maximumConnections = FileLimit.room(
            forConnections: max(1, maximumConnections),
            raising: raisesFileLimit,
            shares: shares
        )
        do {
            commands = try CommandQueue()
            watch = try CallWatch()
        } catch {
            throw TransportSetUpError(reason: "could not create a wake-up descriptor: \(error)")
        }
        executor = TransportExecutor(commands)
        files = RequestFiles()
        let engine = try TransferEngine(
            commands: commands,
            executor: executor,
            watch: watch,
            files: files,
            memory: memory,
            maximumConnections: maximumConnections
        )
        do {
            thread = try SystemThread { engine.run() }
        } catch {
            throw TransportSetUpError(reason: "could not start a thread: \(error)")
        }
    }

    deinit {
        commands.close()
    }

    /// Runs tasks on the thread that runs libcurl, or on a separate thread while many transfers are in flight.
    package var taskExecutor: (any TaskExecutor)? { executor }

    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: (any BodyReceiver)?
    ) async -> Result<HTTPResponse, TransportFailure> {
        let prepared: PreparedRequest
        do {
            prepared = try await prepare(request, for: receiver == nil ? .exchange : .stream)
        } catch {
            return .failure(error)
        }
        guard let receiver else { return await perform(prepared, monitor: monitor) }
        // What a receiver does with a body, such as writing it to a disk, must not delay the transfers.
        return await withTaskExecutorPreference(receiver.executor) {
            await stream(prepared, monitor: monitor, to: receiver)
        }
    }

    private func stream(
        _ prepared: PreparedRequest,
        monitor: TransferMonitor?,
        to receiver: any BodyReceiver
    ) async -> Result<HTTPResponse, TransportFailure> {
        let channel = BodyChannel()
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            start(prepared, cancellation, monitor, .stream(channel))
            var intake = BodyIntake(receiver, limit: prepared.request.maximumBodyBytes, memory: memory)
            var bytes: [UInt8] = []
            while true {
                let (event, makesRoom) = await channel.next(into: &bytes)
                if makesRoom { _ = commands.add(.adjust(cancellation)) }
                if let result = await intake.take(event, bytes) { return result }
                if intake.isRefused { cancel(cancellation) }
            }
        } onCancel: {
            cancel(cancellation)
        }
    }

    /// Establishes a connection with the address and port of the request, without TLS and without sending anything.
    package func reach(_ request: HTTPRequest) async -> TransportFailure? {
        do {
            let origin = try Origin(ofURL: request.url)
            var request = request
            request.method = "GET"
            request.headers = []
            request.body = .none
            // TLS is not used, but the URL's port is.
            request.url = "http://\(origin.endpoint)/"
            request.timeout = min(request.timeout, request.connectTimeout)
            guard
                case .failure(let failure) = await perform(try await prepare(request, for: .connection), monitor: nil)
            else { return nil }
            return failure
        } catch {
            return error
        }
    }

    /// Fails the transfers in flight and ends the threads of the transport.
    package func shutDown() async {
        commands.close()
        await thread.join()
        await executor.join()
        await watch.join()
    }

    /// Why cookie jars could not be written, one message for each. Available after `shutDown`.
    package var cookieJarFailures: [String] { thread.value ?? [] }

    /// Prepares a request, on a separate thread if files must be inspected, which may block.
    private func prepare(
        _ request: HTTPRequest,
        for purpose: PreparedRequest.Purpose
    ) async throws(TransportFailure) -> PreparedRequest {
        if files.hasSeenAll(of: request) {
            return try PreparedRequest(request, purpose: purpose, files: files)
        }
        let result = await BlockingCall.run { [files] in
            Result { () throws(TransportFailure) in try PreparedRequest(request, purpose: purpose, files: files) }
        }
        guard let result else { throw .refused(CURLE_OUT_OF_MEMORY, "could not start a thread to inspect files") }
        return try result.get()
    }

    private func perform(
        _ prepared: PreparedRequest,
        monitor: TransferMonitor?
    ) async -> Result<HTTPResponse, TransportFailure> {
        let cancellation = Cancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start(prepared, cancellation, monitor, .whole(continuation))
            }
        } onCancel: {
            cancel(cancellation)
        }
        return outcome.result
    }

    private func start(
        _ prepared: PreparedRequest,
        _ cancellation: Cancellation,
        _ monitor: TransferMonitor?,
        _ delivery: Delivery
    ) {
        monitor?.attach(commands, cancellation)
        let order = TransferOrder(
            prepared: prepared,
            cancellation: cancellation,
            monitor: monitor,
            delivery: delivery
        )
        if !commands.add(.start(order)) { delivery.finish(.failed(.afterShutDown)) }
    }

    private func cancel(_ cancellation: Cancellation) {
        // The flag cancels a transfer that has not started yet, the command one that has.
        cancellation.request()
        _ = commands.add(.cancel(cancellation))
    }
}

/// Why a transport could not be created.
package struct TransportSetUpError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, as a message for the user.
    package let reason: String

    /// The message with the reason, without a full stop.
    package var description: String { "could not set up the HTTP transport: \(reason)" }
}
