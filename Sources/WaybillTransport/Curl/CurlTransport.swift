import CLibCurl

/// Sends requests with libcurl's multi interface, on one thread of its own. Connections are kept and shared by all
/// requests; names are looked up on threads of libcurl's.
package final class CurlTransport: Transport {
    /// What holds for all requests of a transport.
    package struct Configuration: Sendable, Equatable {
        /// How many requests may be under way at once, and how many connections may be open, to all origins together.
        package var maximumConnections: Int

        /// A configuration; 256 connections leave room below the usual limit of 1,024 open files.
        package init(maximumConnections: Int = 256) {
            self.maximumConnections = maximumConnections
        }
    }

    private let commands: CommandQueue
    private let thread: EngineThread

    /// Starts the transport's thread. Throws when the system or libcurl cannot provide for it.
    package init(configuration: Configuration = Configuration()) throws(TransportSetUpError) {
        try LibCurl.setUp()
        do {
            commands = try CommandQueue()
        } catch {
            throw TransportSetUpError(reason: "cannot wake a thread: \(error)")
        }
        let engine = try TransferEngine(
            commands: commands,
            maximumConnections: max(1, configuration.maximumConnections)
        )
        thread = try EngineThread(engine)
    }

    deinit {
        commands.close()
        thread.detach()
    }

    package func send(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure> {
        let prepared: PreparedRequest
        do {
            prepared = try PreparedRequest(request)
        } catch {
            return .failure(error)
        }
        let cancellation = Cancellation()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (delivery: Delivery) in
                if !commands.add(.start(prepared, cancellation, delivery)) {
                    delivery.resume(returning: .failed(.afterShutDown))
                }
            }
        } onCancel: {
            // The flag is for a start that comes later, the command for one that has been.
            cancellation.request()
            _ = commands.add(.cancel(cancellation))
        }
        return outcome.result
    }

    package func shutDown() async {
        commands.close()
        await thread.join()
    }
}
