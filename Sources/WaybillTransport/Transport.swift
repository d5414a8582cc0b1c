/// Sends HTTP requests. The executor depends only on this protocol, so that tests can replace the transport.
package protocol Transport: Sendable {
    /// Sends one request and returns the complete response. Never throws: a failure is part of the result. Any status
    /// is a response, and redirects are responses too. Cancelling the task ends the transfer immediately, with a
    /// failure of kind `cancelled`.
    ///
    /// - Parameters:
    ///   - monitor: Observes the transfer, and may pause it.
    ///   - receiver: Receives the body as it arrives. What it accepts is not in the response, and does not count
    ///     towards `maximumBodyBytes`.
    func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: (any BodyReceiver)?
    ) async -> Result<HTTPResponse, TransportFailure>

    /// Whether the transport may have a stored response to a request. If it sends the request anyway, it notifies the
    /// monitor.
    func mayHaveStoredResponse(to request: HTTPRequest) -> Bool

    /// Deletes the stored response to a request, which cannot be used.
    func forgetResponse(to request: HTTPRequest) async

    /// Checks whether a connection to the destination of a request can be established, with the request's proxy,
    /// socket, interface and timeouts, even if all connections to the destination are busy. Sends nothing, performs no
    /// TLS handshake and closes the connection. Returns nil on success; otherwise a failure as for a request: `dns`,
    /// `connect`, `timeout`, or `cancelled` if the task was cancelled.
    func reach(_ request: HTTPRequest) async -> TransportFailure?

    /// An executor that runs tasks on or next to the transport's own thread, if there is one. Tasks that send many
    /// small requests are much faster there (`withTaskExecutorPreference`), because less work moves between threads.
    /// Such tasks can block the transport, so long computations belong on another executor, such as
    /// `globalConcurrentExecutor`.
    var taskExecutor: (any TaskExecutor)? { get }

    /// Ends the transfers in flight with failures of kind `cancelled`, releases all connections and threads, and
    /// returns when they are gone. Requests sent afterwards fail. May be called more than once.
    func shutDown() async
}

extension Transport {
    /// For transports without a cache.
    package func mayHaveStoredResponse(to request: HTTPRequest) -> Bool { false }

    /// For transports without a cache.
    package func forgetResponse(to request: HTTPRequest) async {}

    /// For transports whose destinations are always reachable.
    package func reach(_ request: HTTPRequest) async -> TransportFailure? { nil }

    /// For transports without a thread of their own.
    package var taskExecutor: (any TaskExecutor)? { nil }

    /// Sends one request, and returns its response with the body.
    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor? = nil
    ) async -> Result<HTTPResponse, TransportFailure> {
        await send(request, monitor: monitor, receiver: nil)
    }
}
