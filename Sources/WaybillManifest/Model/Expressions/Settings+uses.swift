extension Settings {
    /// Visits every use of the expression language in the settings.
    package func visitUses(_ visitor: UseVisitor) {
        for index in entries.indices { entries[index].value.visitUses(visitor) }
    }
}

extension SettingValue {
    /// Visits every use of the expression language in the value.
    package func visitUses(_ visitor: UseVisitor) {
        switch self {
        case .baseURL(let text), .version(let text): visitor.scalar(text, .request, .address)
        case .header(_, let texts): for text in texts ?? [] { visitor.scalar(text, .sending, .header) }
        case .query(_, let texts): for text in texts ?? [] { visitor.scalar(text, .request, .query) }
        case .parameter(_, let value): visitor.value(value, .request, .body)
        case .body(let body): body.visitUses(visitor)
        case .timeout(let duration), .connectTimeout(let duration), .deadline(let duration): visitor.duration(duration)
        case .auth(let auth): for (scalar, _) in auth.scalars { visitor.scalar(scalar, .sending, .credential) }
        case .userAgent(let text): visitor.scalar(text, .sending, .header)
        case .filter(let filter): filter.visitUses(visitor)
        case .expectStatus(let statuses):
            // Which statuses are expected is known before anything is sent.
            for case .template(let scalar) in statuses { visitor.scalar(scalar, .request, .expectation) }
        case .expectHeader(_, let glob): visitor.scalar(glob, .answer, .expectation)
        case .expectJSON(let value): visitor.value(value, .answer, .expectation)
        case .expectBody(let check):
            visitor.expression(check.that, .answer, .expectation)
            visitor.scalar(check.message, .answer, .message)
        case .expectTime(let duration): visitor.duration(duration, .answer, .expectation)
        case .intercept(let interception): interception.visitUses(visitor)
        case .proxy(.url(let url)): visitor.scalar(url, .request, .credential)
        case .duplicates(let policy): visitor.expression(policy.key, .request, .key)
        case .encoding, .arrays, .accept, .decoding, .compression, .maxBody, .expectSchema, .message,
            .http,
            .tls, .proxy, .resolve, .unixSocket, .network, .reachability, .cookies, .redirects, .traffic, .cache,
            .retry,
            .concurrency, .maxConnections, .rate, .priority, .debug, .tag, .standalone:
            break
        }
    }
}

extension Interception {
    fileprivate func visitUses(_ visitor: UseVisitor) {
        for moment in Moment.allCases {
            for action in actions[moment] ?? [] {
                visitor.expression(action.when, .answer, .control)
                switch action.work {
                case .log(let text), .fail(let text): visitor.scalar(text, .answer, .message)
                case .recover(let value): visitor.value(value, .answer, .data)
                }
            }
        }
    }
}
