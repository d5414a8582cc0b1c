/// What sends requests. The executor knows this protocol only, so that tests can put another transport in its place.
package protocol Transport: Sendable {
    /// Sends one request and returns the whole response. Nothing is thrown: a failure is part of the result. Any status
    /// is a response, and redirects are responses too. Cancelling the task ends the transfer at once, with a failure of
    /// kind `cancelled`.
    func send(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure>

    /// The same with somebody who watches the transfer or holds it up.
    func send(_ request: HTTPRequest, monitor: TransferMonitor?) async -> Result<HTTPResponse, TransportFailure>

    /// Sends one request and passes the body to a receiver as it arrives. What the receiver accepts is not in the
    /// response, and does not count for `maximumBodyBytes`.
    func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: any BodyReceiver
    ) async -> Result<HTTPResponse, TransportFailure>

    /// Whether the transport may have a stored response to a request. If it sends the request all the same, it tells the
    /// monitor.
    func mayHaveStoredResponse(to request: HTTPRequest) -> Bool

    /// Tries whether a connection to where a request goes comes about, by the request's proxy, socket and interface and
    /// within its times, also when all connections to the place are busy. Nothing is sent and no TLS is spoken. Nil when
    /// the connection came about, which is then closed; otherwise why not, as for a request: `dns`, `connect`, `timeout`,
    /// or `cancelled` when the task was.
    func reach(_ request: HTTPRequest) async -> TransportFailure?

    /// Runs tasks where the transport does its own work or close by, if it has such a place. Tasks that send many small
    /// requests are much faster there (`withTaskExecutorPreference`), since little is handed from thread to thread.
    /// Meanwhile the transport may stand still, so what computes for long goes to another executor, such as
    /// `globalConcurrentExecutor`.
    var taskExecutor: (any TaskExecutor)? { get }

    /// Ends what is under way with failures of kind `cancelled`, gives up all connections and threads, and returns when
    /// they are gone. Requests sent afterwards fail. May be called more than once.
    func shutDown() async
}

extension Transport {
    /// For transports without a cache.
    package func mayHaveStoredResponse(to request: HTTPRequest) -> Bool { false }

    /// For transports that reach everything.
    package func reach(_ request: HTTPRequest) async -> TransportFailure? { nil }

    /// For transports without a thread of their own.
    package var taskExecutor: (any TaskExecutor)? { nil }

    /// For transports that cannot be watched.
    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?
    ) async -> Result<HTTPResponse, TransportFailure> {
        await send(request)
    }

    /// For transports that have the whole body at once.
    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: any BodyReceiver
    ) async -> Result<HTTPResponse, TransportFailure> {
        let result = await send(request, monitor: monitor)
        guard case .success(var response) = result else { return result }
        let body = response.body
        response.body = []
        guard await receiver.begin(response) == .receive else { return result }
        if !body.isEmpty, await !receiver.receive(body) { return .failure(.refusedByReceiver) }
        return .success(response)
    }
}
