import CLibCurl
package import WaybillFormats
import WaybillRuntime

/// Decides what a private cache does for one request (RFC 9111): first with the stored response, then with that of the
/// server. The caller reads, sends and stores.
package struct CacheExchange: Sendable {
    /// What to do with the stored response, or after a result.
    package enum Next: Sendable, Equatable {
        /// Apply the change and return this result.
        case finish(Result<HTTPResponse, TransportFailure>, Change)
        /// Send this request. After a result, the server confirmed another response than the stored one.
        case send(HTTPRequest)
    }

    /// What to change in the store.
    package enum Change: Sendable, Equatable {
        case none
        case store(CacheEntry)
        case remove([CacheKey])
    }

    private let request: HTTPRequest
    private var entry: CacheEntry?
    private var isValidating = false
    private var sentAt = Timestamp(nanoseconds: 0)

    /// Creates the exchange of a request for which `CacheRules.mayUseCache` is true.
    package init(_ request: HTTPRequest) {
        self.request = request
    }

    /// Whether the stored response is needed. `reload` does not read it.
    package var needsEntry: Bool { request.options.cache != .reload }

    /// Decides what to do with the stored response.
    package mutating func start(with stored: CacheEntry?, now: Timestamp) -> Next {
        sentAt = now
        let verdict = stored.map { CacheRules.verdict(on: $0, for: request, now: now) } ?? .ignore
        if verdict != .ignore { entry = stored }
        if verdict == .use, let entry {
            return .finish(.success(entry.response(to: request, use: .hit, now: now)), .none)
        }
        let mode = request.options.cache
        if mode == .onlyIfCached || CacheControl(request.headers, isRequest: true).onlyIfCached {
            return .finish(.failure(.notCached(request)), .none)
        }
        var sending = request
        if verdict == .validate, request.method == "GET", let conditions = entry?.conditions, !conditions.isEmpty {
            isValidating = true
            sending.headers += conditions
        }
        // The Fetch standard adds these fields for caches between here and the server.
        if !request.headers.contains(where: { $0.isNamed("Cache-Control") }) {
            if mode == .reload { sending.headers.append(HTTPField(name: "Cache-Control", value: "no-cache")) }
            if mode == .noCache { sending.headers.append(HTTPField(name: "Cache-Control", value: "max-age=0")) }
        }
        return .send(sending)
    }

    /// Decides what to do with the result of the request that was sent.
    package mutating func next(after result: Result<HTTPResponse, TransportFailure>, now: Timestamp) -> Next {
        guard case .success(var response) = result else { return failed(result, now: now) }
        if [500, 502, 503, 504].contains(response.status), let stale = staleResponse(now: now) {
            return .finish(.success(stale), .none)
        }
        response.cacheUse = .miss
        if response.status == 304, isValidating, let entry {
            guard entry.isConfirmed(by: response.headers) else {
                isValidating = false
                self.entry = nil
                sentAt = now
                var unconditional = request
                unconditional.elapsed += response.timings.total
                return .send(unconditional)
            }
            return confirmed(entry, by: response, now: now)
        }
        if request.method == "HEAD" { return .finish(.success(response), changeAfterHead(response, now: now)) }
        if CacheRules.mayStore(response, to: request),
            let selection = CacheSelection(request, variedBy: response.headers)
        {
            let entry = CacheEntry(response, to: request, selection: selection, sentAt: sentAt, at: now)
            return .finish(.success(response), .store(entry))
        }
        // The stored response is no longer the newest one.
        let replaces = (200..<400).contains(response.status) || [404, 410].contains(response.status)
        let mayBeStored = entry != nil || !needsEntry
        return .finish(.success(response), replaces && mayBeStored ? .remove([CacheKey(request)]) : .none)
    }

    private func confirmed(_ entry: CacheEntry, by response: HTTPResponse, now: Timestamp) -> Next {
        let updated = entry.updated(by: response.headers, requestedAt: sentAt, receivedAt: now)
        var result = updated.response(to: request, use: .revalidated, now: now)
        result.timings = response.timings
        result.bytesSent = response.bytesSent
        result.bytesReceived = response.bytesReceived
        result.repetitions = response.repetitions
        let mayKeep = CacheRules.mayStore(updated.response(to: request, use: .miss, now: now), to: request)
        return .finish(.success(result), mayKeep ? .store(updated) : .remove([entry.key]))
    }

    /// Section 4.3.5: a response to HEAD refreshes the stored one, or shows that it is out of date.
    private func changeAfterHead(_ response: HTTPResponse, now: Timestamp) -> Change {
        guard let entry, response.status == 200 else { return .none }
        let length = response.headers.first(named: "Content-Length")
        let isSame =
            entry.status == 200 && entry.isConfirmed(by: response.headers)
            && (length == nil || length == entry.headers.first(named: "Content-Length"))
        guard isSame else { return .remove([entry.key]) }
        let updated = entry.updated(by: response.headers, requestedAt: sentAt, receivedAt: now)
        var get = request
        get.method = "GET"
        let mayKeep = CacheRules.mayStore(updated.response(to: get, use: .miss, now: now), to: get)
        return mayKeep ? .store(updated) : .remove([entry.key])
    }

    private func failed(_ result: Result<HTTPResponse, TransportFailure>, now: Timestamp) -> Next {
        guard case .failure(let failure) = result, let stale = staleResponse(now: now) else {
            return .finish(result, .none)
        }
        let isServersFault =
            switch failure.kind {
            case .dns, .connect, .timeout: true
            case .transfer: failure.wasSent
            case .tls, .cancelled: false
            }
        return .finish(isServersFault ? .success(stale) : result, .none)
    }

    private func staleResponse(now: Timestamp) -> HTTPResponse? {
        guard let entry, CacheRules.mayUseOnError(entry, for: request, now: now) else { return nil }
        return entry.response(to: request, use: .hit, now: now)
    }
}

extension TransportFailure {
    /// The failure of a request that must not be sent and for which the cache has no response.
    ///
    /// - Parameter obstacle: Why the cache is not used, if that is the reason.
    static func notCached(_ request: HTTPRequest, because obstacle: CacheRules.Obstacle? = nil) -> TransportFailure {
        let origin = (try? Origin(ofURL: request.url))?.destination ?? "the server"
        let reason = obstacle?.rawValue ?? "the cache has no usable response from \(origin)"
        return TransportFailure(
            kind: .transfer,
            code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
            message: "\(reason), and 'only-if-cached' does not send a request"
        )
    }
}
