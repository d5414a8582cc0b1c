package import WaybillFormats
import WaybillRuntime

/// Adds a private HTTP cache (RFC 9111) to another transport, for requests whose options ask for it.
///
/// Redirects are followed by the caller, so each of their requests is looked up separately. The cache is not used for a
/// request whose response body goes to a receiver, nor for one to which a cookie jar may add cookies. A response to an
/// unsafe method invalidates the stored responses for its URL in all caches of the run, whatever the mode of its
/// request. If a cache cannot be read or written, requests are sent as if there were none.
package struct CachingTransport: Transport {
    private let transport: any Transport
    private let stores: CacheStores
    private let now: @Sendable () -> Timestamp
    private let containsSecret: @Sendable (_ bytes: [UInt8]) -> Bool
    private let cookieHosts = CookieHosts()
    private let memory: RunMemory
    private let onFailure: @Sendable (CacheStore.Failure) -> Void
    private let onObstacle: @Sendable (CacheRules.Obstacle) -> Void

    /// Creates a transport with caches.
    ///
    /// - Parameters:
    ///   - now: The wall clock.
    ///   - containsSecret: Whether the bytes contain a secret. A request with one in its URL does not use the cache,
    ///     and a response with one is not stored.
    ///   - memory: The memory for the bodies of stored responses.
    ///   - onFailure: Called when an entry cannot be stored.
    ///   - onObstacle: Called for each request that does not use the cache because of a secret or cookies.
    package init(
        _ transport: any Transport,
        stores: CacheStores,
        now: @escaping @Sendable () -> Timestamp = { Timestamp.now() },
        containsSecret: @escaping @Sendable (_ bytes: [UInt8]) -> Bool = { _ in false },
        memory: RunMemory = RunMemory(),
        onFailure: @escaping @Sendable (CacheStore.Failure) -> Void = { _ in },
        onObstacle: @escaping @Sendable (CacheRules.Obstacle) -> Void = { _ in }
    ) {
        self.transport = transport
        self.stores = stores
        self.now = now
        self.containsSecret = containsSecret
        self.memory = memory
        self.onFailure = onFailure
        self.onObstacle = onObstacle
    }

    package func send(
        _ request: HTTPRequest,
        monitor: TransferMonitor?,
        receiver: (any BodyReceiver)?
    ) async -> Result<HTTPResponse, TransportFailure> {
        if let obstacle = receiver == nil ? obstacle(to: request) : .kind {
            if request.options.cache == .onlyIfCached { return .failure(.notCached(request, because: obstacle)) }
            if obstacle != .kind, request.options.cache.usesCache { onObstacle(obstacle) }
            tellSending(request, monitor)
            let result = await transport.send(request, monitor: monitor, receiver: receiver)
            await note(result, of: request)
            return result
        }
        var exchange = CacheExchange(request)
        var stored: CacheEntry?
        if exchange.needsEntry { stored = await stores.entry(for: CacheKey(request), of: request) }
        var next = exchange.start(with: stored, now: now())
        while true {
            switch next {
            case .finish(let result, let change):
                await apply(change, of: request)
                return await counted(result)
            case .send(let sending):
                tellSending(sending, monitor)
                let result = await transport.send(sending, monitor: monitor)
                await note(result, of: sending)
                next = exchange.next(after: result, now: now())
            }
        }
    }

    package func mayHaveStoredResponse(to request: HTTPRequest) -> Bool {
        request.options.cache.usesCache && HTTPRequest.isSafe(method: request.method)
    }

    package func forgetResponse(to request: HTTPRequest) async { await stores.remove([CacheKey(request)]) }

    package func reach(_ request: HTTPRequest) async -> TransportFailure? { await transport.reach(request) }

    package var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

    package func shutDown() async { await transport.shutDown() }

    private func tellSending(_ request: HTTPRequest, _ monitor: TransferMonitor?) {
        if mayHaveStoredResponse(to: request) { monitor?.tell(.willSend(request)) }
    }

    private func obstacle(to request: HTTPRequest) -> CacheRules.Obstacle? {
        if let obstacle = CacheRules.obstacle(to: request) { return obstacle }
        guard stores.store(for: request) != nil else { return .kind }
        if cookieHosts.mayAddCookies(to: request) { return .cookies }
        return containsSecret(Array(request.url.utf8)) ? .secret : nil
    }

    /// Records what a result changes for other requests: the cookies that it sets, and the stored responses that it
    /// invalidates.
    private func note(_ result: Result<HTTPResponse, TransportFailure>, of request: HTTPRequest) async {
        guard case .success(let response) = result else { return }
        cookieHosts.note(response, to: request)
        let keys = CacheRules.invalidated(by: response, to: request)
        if !keys.isEmpty { await stores.remove(keys) }
    }

    /// A result whose body counts as used memory, if it is a large one that was stored.
    private func counted(_ result: Result<HTTPResponse, TransportFailure>) async -> Result<
        HTTPResponse, TransportFailure
    > {
        guard case .success(var response) = result, response.memory == nil,
            response.body.count > RunMemory.smallBody
        else { return result }
        let share = RunMemory.Share(of: memory)
        await share.grow(to: response.body.count)
        response.memory = share
        return .success(response)
    }

    private func apply(_ change: CacheExchange.Change, of request: HTTPRequest) async {
        switch change {
        case .none: break
        case .store(let entry)
        where containsSecret(entry.body) || entry.headers.list.contains { containsSecret(Array($0.value.utf8)) }:
            await stores.remove([entry.key])
        case .store(let entry):
            do throws(CacheStore.Failure) { try await stores.store(entry, for: request) } catch { onFailure(error) }
        case .remove(let keys): await stores.remove(keys)
        }
    }
}
