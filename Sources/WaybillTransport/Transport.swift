/// What sends requests. The executor knows this protocol only, so that tests can put another transport in its place.
package protocol Transport: Sendable {
    /// Sends one request and gives the whole answer. A failure is data: nothing is thrown. Any status is an answer, and
    /// redirects are answers too. Cancelling the task ends the transfer at once, with a failure of kind `cancelled`.
    func send(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure>

    /// Ends what is under way with failures of kind `cancelled`, gives up all connections and threads, and returns when
    /// they are gone. Requests sent afterwards fail. May be called more than once.
    func shutDown() async
}
