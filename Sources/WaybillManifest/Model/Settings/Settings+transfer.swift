/// How, when and how often a request is sent.
extension Settings {
    /// The longest time of one attempt.
    package var timeout: Setting<DurationTemplate>? {
        last(.timeout) { if case .timeout(let value) = $0 { value } else { nil } }
    }
    /// The longest time until a connection stands.
    package var connectTimeout: Setting<DurationTemplate>? {
        last(.connectTimeout) { if case .connectTimeout(let value) = $0 { value } else { nil } }
    }
    /// The longest time of a step, all its attempts included.
    package var deadline: Setting<DurationTemplate>? {
        last(.deadline) { if case .deadline(let value) = $0 { value } else { nil } }
    }
    /// The greatest number of redirects that are followed.
    package var redirects: Setting<Int>? {
        last(.redirects) { if case .redirects(let value) = $0 { value } else { nil } }
    }
    /// When and how often an attempt is made again.
    package var retry: Setting<RetryPolicy>? { last(.retry) { if case .retry(let value) = $0 { value } else { nil } } }
    /// What happens to a request while the same one is under way.
    package var duplicates: Setting<DuplicatePolicy>? {
        last(.duplicates) { if case .duplicates(let value) = $0 { value } else { nil } }
    }
    /// The greatest number of requests at once: of the run at `defaults`, of a batch or `forEach` on a step.
    package var concurrency: Setting<Int>? {
        last(.concurrency) { if case .concurrency(let value) = $0 { value } else { nil } }
    }
    /// The greatest number of connections to one origin.
    package var maxConnections: Setting<Int>? {
        last(.maxConnections) { if case .maxConnections(let value) = $0 { value } else { nil } }
    }
    /// How many requests may begin in a time: of a service, or of each by what `defaults` say.
    package var rate: Setting<RequestRate>? { last(.rate) { if case .rate(let value) = $0 { value } else { nil } } }
    /// Whether one connection is tried before requests are sent.
    package var reachability: Setting<Bool>? {
        last(.reachability) { if case .reachability(let value) = $0 { value } else { nil } }
    }
    /// The network that requests leave by.
    package var network: Setting<NetworkRequirement>? {
        last(.network) { if case .network(let value) = $0 { value } else { nil } }
    }
    /// Whether no setting of defaults or service applies.
    package var standalone: Setting<Bool>? {
        last(.standalone) { if case .standalone(let value) = $0 { value } else { nil } }
    }
    /// Which of the waiting requests goes first.
    package var priority: Setting<Priority>? {
        last(.priority) { if case .priority(let value) = $0 { value } else { nil } }
    }
    /// Where cookies are kept.
    package var cookies: Setting<CookiePolicy>? {
        last(.cookies) { if case .cookies(let value) = $0 { value } else { nil } }
    }
    /// The rules of TLS.
    package var tls: [Setting<TLSOption>] {
        all { entry in
            guard case .tls(_, let option?) = entry.value else { return nil }
            return entry.map { _ in option }
        }
    }
}
