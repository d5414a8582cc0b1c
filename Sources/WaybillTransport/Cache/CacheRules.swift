package import WaybillFormats
import WaybillRuntime

/// The rules of RFC 9111 for storing and reusing responses, as pure functions.
package enum CacheRules {
    /// How a stored response may be used.
    package enum Verdict: Sendable, Equatable {
        /// It may be used as it is.
        case use
        /// It may be used once the server has confirmed it.
        case validate
        /// It must not be used for this request.
        case ignore
    }

    /// Why a request does not use the cache, as a sentence without a full stop.
    package enum Obstacle: String, Sendable {
        /// It is of a kind that does not use it, or says so itself.
        case kind = "only GET and HEAD requests without a body, a range or conditions of their own use the cache"
        /// It has credentials.
        case credentials = "a request with credentials does not use the cache"
        /// A secret in the response would be stored.
        case secret = "a request with a secret, or for one, does not use the cache"
        /// The cookie jar may add cookies, which the cache does not see.
        case cookies = "a request to which the cookie jar may add cookies does not use the cache"
    }

    /// Whether the cache may respond to a request, and store its response: a GET or HEAD without a body, without
    /// credentials or other secrets, and without conditions or ranges of its own.
    package static func mayUseCache(_ request: HTTPRequest) -> Bool { obstacle(to: request) == nil }

    /// Why the cache may neither respond to a request nor store its response; `nil` if it may.
    static func obstacle(to request: HTTPRequest) -> Obstacle? {
        let options = request.options
        func has(_ names: [String]) -> Bool { request.headers.contains { names.contains(where: $0.isNamed) } }
        guard options.cache.usesCache, !options.needsCertificate, HTTPRequest.isSafe(method: request.method),
            request.body == .none, !has(Self.fieldsOfRanges), !CacheControl(request.headers, isRequest: true).noStore
        else { return .kind }
        if options.credentials != .none || options.tls.clientCertificate != nil || has(Self.fieldsOfCredentials) {
            return .credentials
        }
        return options.isResponseSecret || request.headers.contains(where: \.isSensitive) ? .secret : nil
    }

    private static let fieldsOfCredentials = ["Authorization", "Proxy-Authorization", "Cookie"]
    private static let fieldsOfRanges = [
        "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
    ]

    /// How a stored response may be used (section 4), according to the request's mode and the directives of both.
    package static func verdict(on entry: CacheEntry, for request: HTTPRequest, now: Timestamp) -> Verdict {
        guard entry.key == CacheKey(request), entry.selection.matches(request),
            entry.body.count <= request.maximumBodyBytes
        else { return .ignore }
        switch request.options.cache {
        case .noStore, .reload: return .ignore
        case .forceCache, .onlyIfCached: return .use
        case .noCache: return .validate
        case .default: break
        }
        let asked = CacheControl(request.headers, isRequest: true)
        let allowed = CacheControl(entry.headers)
        let freshness = CacheFreshness(entry, now: now)
        if asked.noCache || allowed.noCache { return .validate }
        if let maximum = asked.maxAge, freshness.age > maximum { return .validate }
        if let minimum = asked.minFresh, -freshness.staleness < minimum { return .validate }
        if freshness.isFresh { return .use }
        if let maximum = asked.maxStale, !allowed.mustRevalidate, freshness.staleness <= maximum { return .use }
        return .validate
    }

    /// Whether a stored response may be used because the server has failed (RFC 5861, section 4).
    package static func mayUseOnError(_ entry: CacheEntry, for request: HTTPRequest, now: Timestamp) -> Bool {
        let allowed = CacheControl(entry.headers)
        let asked = CacheControl(request.headers, isRequest: true)
        guard request.options.cache == .default, !allowed.mustRevalidate, !allowed.noCache, !asked.noCache,
            let maximum = asked.staleIfError ?? allowed.staleIfError
        else { return false }
        return CacheFreshness(entry, now: now).staleness <= maximum
    }

    /// Whether the response to a request that may use the cache is stored (section 3). One that sets a cookie is not,
    /// because the cookie may be a credential.
    package static func mayStore(_ response: HTTPResponse, to request: HTTPRequest) -> Bool {
        let control = CacheControl(response.headers)
        guard request.method == "GET", response.status >= 200, ![206, 304].contains(response.status),
            response.headers.first(named: "Set-Cookie") == nil
        else { return false }
        if control.mustUnderstand {
            guard isUnderstood(response.status) else { return false }
        } else if control.noStore {
            return false
        }
        return control.allowsStoring || control.maxAge != nil || response.headers.first(named: "Expires") != nil
            || isHeuristicallyCacheable(response.status)
    }

    /// Whether responses with this status may be stored without an explicit permission (RFC 9110, section 15.1).
    /// Partial responses are not stored.
    package static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    private static func isUnderstood(_ status: Int) -> Bool {
        isHeuristicallyCacheable(status) || [302, 303, 307].contains(status)
    }

    /// The keys that a response to an unsafe method invalidates (section 4.4): those of the URL of the request, and of
    /// `Location` and `Content-Location` at the same origin.
    package static func invalidated(by response: HTTPResponse, to request: HTTPRequest) -> [CacheKey] {
        guard !["GET", "HEAD", "OPTIONS", "TRACE"].contains(request.method), (200..<400).contains(response.status)
        else { return [] }
        var keys = [CacheKey(request)]
        let origin = try? Origin(ofURL: request.url)
        for name in ["Location", "Content-Location"] {
            guard let reference = response.headers.first(named: name) else { continue }
            let target = URIReference(PercentEncoding.reference(reference)).resolved(against: URIReference(request.url))
            let url = target.description
            if let origin, (try? Origin(ofURL: url)) == origin { keys.append(CacheKey(url: url, as: request)) }
        }
        return keys
    }
}
