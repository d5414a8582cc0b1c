extension Transport {
    /// Sends a request and follows redirects, at most this many, all within the first request's timeout. Calls
    /// `onRedirect` before each hop is sent. A receiver receives the responses of all hops.
    package func send(
        _ request: HTTPRequest,
        followingRedirects limit: Int,
        monitor: TransferMonitor? = nil,
        receiver: (any BodyReceiver)? = nil,
        onRedirect: (Redirect) -> Void = { _ in }
    ) async -> Result<HTTPResponse, TransportFailure> {
        if limit == 0 { return await send(request, monitor: monitor, receiver: receiver) }
        var request = request
        var redirects: RedirectState?
        while true {
            let result = await send(request, monitor: monitor, receiver: receiver)
            guard case .success(var response) = result else { return result }
            guard response.redirectLocation != nil else {
                if request.elapsed > .zero { response.timings.total += request.elapsed }
                return .success(response)
            }
            var state = redirects ?? RedirectState(request, limit: limit)
            let step = state.next(after: response)
            redirects = state
            switch step {
            case .finish: return .success(response)
            case .fail(let failure): return .failure(failure)
            case .follow(let next, let redirect):
                onRedirect(redirect)
                let elapsed = request.elapsed + response.timings.total
                request = next
                request.elapsed = elapsed
            }
        }
    }
}
