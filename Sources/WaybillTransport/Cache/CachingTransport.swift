package import WaybillFormats
import WaybillRuntime

/// Sends requests with another transport, and keeps a private HTTP cache (RFC 9111) for those whose options ask for it.
///
/// Redirects are followed outside, so each of their requests is looked up on its own. A request whose body is received
/// piece by piece does not use the cache, and neither does one to which a cookie jar may add cookies. A response to an unsafe method makes what is stored invalid, whatever the mode
/// of its request. If the store cannot be read or written, requests are sent as without a cache.
package struct CachingTransport: Transport {
    private let transport: any Transport
    private let store: CacheStore
    private let now: @Sendable () -> Timestamp
    private let containsSecret: @Sendable (_ url: String) -> Bool
    private let cookieHosts = CookieHosts()
    private let onFailure: @Sendable (CacheStore.Failure) -> Void

    /// A transport with a cache.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - containsSecret: Whether a URL contains a secret: such a request does not use the cache.
    ///   - onFailure: Called when an entry cannot be stored.
    package init(
        _ transport: any Transport,
        store: CacheStore,
        now: @escaping @Sendable () -> Timestamp = { Timestamp.now() },
        containsSecret: @escaping @Sendable (_ url: String) -> Bool = { _ in false },
        onFailure: @escaping @Sendable (CacheStore.Failure) -> Void = { _ in }
    ) {
        self.transport = transport
        self.store = store
        self.now = now
        self.containsSecret = containsSecret
        self.onFailure = onFailure
    }

    package func send(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure> {
        await send(request, monitor: nil)
    }

    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?
    ) async -> Result<HTTPResponse, TransportFailure> {
        guard mayUseCache(request) else {
            if request.options.cache == .onlyIfCached { return .failure(.notCached(request)) }
            let result = await transport.send(request, monitor: monitor)
            await note(result, of: request)
            return result
        }
        var exchange = CacheExchange(request)
        var stored: CacheEntry?
        if exchange.needsEntry { stored = await entry(for: CacheKey(request)) }
        var sending: HTTPRequest
        switch exchange.start(with: stored, now: now()) {
        case .finish(let result): return result
        case .send(let request): sending = request
        }
        while true {
            let result = await transport.send(sending, monitor: monitor)
            await note(result, of: sending)
            switch exchange.next(after: result, now: now()) {
            case .finish(let result, let change):
                await apply(change)
                return result
            case .send(let next): sending = next
            }
        }
    }

    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: any BodyReceiver
    ) async -> Result<HTTPResponse, TransportFailure> {
        if request.options.cache == .onlyIfCached { return .failure(.notCached(request)) }
        let result = await transport.send(request, monitor: monitor, receiver: receiver)
        await note(result, of: request)
        return result
    }

    package func reach(_ request: HTTPRequest) async -> TransportFailure? { await transport.reach(request) }

    package var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

    package func shutDown() async { await transport.shutDown() }

    private func entry(for key: CacheKey) async -> CacheEntry? {
        await BlockingCall.run { [store] in store.entry(for: key) } ?? nil
    }

    private func mayUseCache(_ request: HTTPRequest) -> Bool {
        CacheRules.mayUseCache(request) && !cookieHosts.mayAddCookies(to: request) && !containsSecret(request.url)
    }

    /// Notes what a result changes for other requests: the cookies that it sets, and what it makes invalid.
    private func note(_ result: Result<HTTPResponse, TransportFailure>, of request: HTTPRequest) async {
        guard case .success(let response) = result else { return }
        cookieHosts.note(response, to: request)
        let keys = CacheRules.invalidated(by: response, to: request)
        if !keys.isEmpty { await apply(.remove(keys)) }
    }

    private func apply(_ change: CacheExchange.Change) async {
        switch change {
        case .none: break
        case .store(let entry):
            _ = await BlockingCall.run { [store, onFailure] in
                do throws(CacheStore.Failure) { try store.store(entry) } catch { onFailure(error) }
            }
        case .remove(let keys):
            _ = await BlockingCall.run { [store] in store.remove(keys) }
        }
    }
}
