import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillTransport

/// Requests a token from a token endpoint. Neither events nor the journal contain these requests.
struct TokenFetch: Sendable {
    let grant: TokenGrant
    let run: RunContext

    /// Returns the stored token if it is valid and not the previous one; otherwise fetches one and stores it.
    func token(after previous: AccessToken?) async -> Result<AccessToken, EvaluationFailure> {
        do throws(TokenError) {
            guard let file = grant.file else { return .success(try await fetchedToken(after: previous?.refreshToken)) }
            if let token = try token(in: await file.tokens(), after: previous) { return .success(token) }
            let renewal = try await file.renewal()
            // Another process may have renewed it.
            if let token = try token(in: renewal.tokens, after: previous) { return .success(token) }
            do throws(TokenError) {
                let token = try await fetchedToken(after: renewal.tokens?.refresh)
                // If this process is killed before its first use, the next one has it.
                try await file.store(token.stored, in: renewal)
                return .success(token)
            } catch {
                if let refreshToken = error.refreshToken {
                    try await file.store(TokenFile.Tokens(refresh: refreshToken), in: renewal)
                } else if error.code == "invalid_grant", renewal.tokens != nil {
                    // No later run sends it again.
                    try await file.store(nil, in: renewal)
                }
                throw error
            }
        } catch {
            return .failure(
                EvaluationFailure(
                    message: "could not fetch an access token: \(error.message)",
                    span: grant.span,
                    kind: error.kind,
                    code: error.code.map(JSON.string)
                )
            )
        }
    }

    /// The stored token, if it is valid and not the previous one.
    private func token(in stored: TokenFile.Tokens?, after previous: AccessToken?) throws(TokenError) -> AccessToken? {
        try register([stored?.access, stored?.refresh].compactMap(\.self))
        let now = Timestamp.now()
        guard let stored, let token = stored.valid(at: now), !token.hasSameCodePoints(as: previous?.text ?? "") else {
            return nil
        }
        return AccessToken(
            text: token,
            refreshToken: stored.refresh,
            renewsAt: stored.renewsAt,
            renewalTime: stored.renewsAt.map { run.clock.now + now.duration(to: $0) }
        )
    }

    /// Fetches a token with a refresh token, or else with the grant.
    private func fetchedToken(after refreshToken: String?) async throws(TokenError) -> AccessToken {
        if let refreshToken {
            do throws(TokenError) {
                return try await ask(grant.request(refreshing: refreshToken), refreshToken)
            } catch {
                // If the refresh token has expired or was already used, the grant may still work, unless it is the
                // same refresh token.
                guard error.isRefusal, refreshToken != grant.refreshToken else { throw explained(error) }
                if grant.method.grant.isInteractive {
                    var error = error
                    error.message += "; \(TokenLogin.advice)"
                    throw error
                }
            }
        }
        guard !grant.method.grant.isInteractive else {
            throw TokenError(kind: .input, message: "none is stored that is still valid; \(TokenLogin.advice)")
        }
        do throws(TokenError) {
            return try await ask(grant.request, grant.refreshToken)
        } catch {
            throw explained(error)
        }
    }

    /// The error, with a reason if the server refused the refresh token of the manifest.
    private func explained(_ error: TokenError) -> TokenError {
        guard error.isRefusal, grant.refreshToken != nil else { return error }
        var error = error
        error.message += "; if 'refreshToken' has expired or was used before, replace it"
        return error
    }

    /// Registers tokens as secrets. Throws if one is too long.
    func register(_ tokens: [String]) throws(TokenError) {
        guard tokens.allSatisfy({ run.redactor.register($0, from: "a token from \(grant.key.url)") }) else {
            throw TokenError(kind: .decode, message: "the token has more than \(Redactor.longestSecret) bytes")
        }
    }

    /// Requests a token.
    ///
    /// - Parameter refreshToken: The refresh token for the next request, unless the response has a new one.
    func ask(_ request: HTTPRequest, _ refreshToken: String?) async throws(TokenError) -> AccessToken {
        if !grant.allowsMetered, let interface = await run.routes.mobileInterface(towards: request) {
            throw TokenError(
                kind: .unreachable,
                message: "the request would use a mobile network (interface '\(interface.name)')"
            )
        }
        let (start, issued) = (run.clock.now, Timestamp.now())
        var answer = try await response(to: request)
        // The server has not processed the request (RFC 6585, section 4; RFC 9110, section 15.6.4).
        for pause in [Duration.seconds(1), .seconds(2)] where [429, 503].contains(answer.status) {
            let pause = min(answer.retryAfter() ?? pause, .seconds(10))
            guard (try? await run.clock.sleep(for: pause)) != nil else { break }
            answer = try await response(to: request)
        }
        let fetched: TokenResponse
        do throws(TokenError) {
            fetched = try TokenResponse(answer)
        } catch {
            var error = error
            error.refreshToken = TokenResponse.refreshToken(in: answer)
            try register([error.refreshToken ?? ""])
            throw error
        }
        try register([fetched.token, fetched.refreshToken ?? ""])
        // A request that is sent shortly before the token expires would arrive too late.
        let time = fetched.lifetime.map { $0 - min(.seconds(30), $0 / 10) }
        return AccessToken(
            text: fetched.token,
            refreshToken: fetched.refreshToken ?? refreshToken,
            renewsAt: time.map { Timestamp(nanoseconds: issued.nanoseconds + Int64($0 / .nanoseconds(1))) },
            renewalTime: time.map { start + $0 }
        )
    }

    /// Returns the response, after redirects that repeat the request with another URL of the same origin. The client's
    /// credentials are not sent anywhere else.
    func response(to request: HTTPRequest) async throws(TokenError) -> HTTPResponse {
        var request = request
        var redirects = RedirectState(request, limit: 10)
        while true {
            let response: HTTPResponse
            switch await run.transport.send(request) {
            case .failure(let failure): throw TokenError(failure)
            case .success(let success): response = success
            }
            switch redirects.next(after: response) {
            case .finish: return response
            case .fail(let failure): throw TokenError(failure)
            case .follow(let next, let redirect):
                guard !redirect.leavesOrigin, redirect.method == request.method else {
                    throw TokenError(
                        kind: .status,
                        message: "the token endpoint redirects with status \(response.status) to "
                            + "'\(redirect.to)', where credentials are not sent"
                    )
                }
                let elapsed = request.elapsed + response.timings.total
                request = next
                request.elapsed = elapsed
            }
        }
    }
}

extension TokenError {
    fileprivate init(_ failure: TransportFailure) {
        self.init(kind: FailureKind(failure), message: failure.message)
    }
}
