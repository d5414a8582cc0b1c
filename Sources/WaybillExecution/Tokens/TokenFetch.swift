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
            let lock = try await file.lock()
            defer { withExtendedLifetime(lock) {} }
            let stored = try await file.tokens()
            try register([stored?.access, stored?.refresh].compactMap(\.self))
            // A request that is sent shortly before the token expires would arrive too late.
            let now = Timestamp.now(), margin = Duration.seconds(30)
            if let stored, let token = stored.valid(at: Timestamp(nanoseconds: now.nanoseconds + 30_000_000_000)),
                !token.hasSameCodePoints(as: previous?.text ?? "")
            {
                return .success(
                    AccessToken(
                        text: token,
                        refreshToken: stored.refresh,
                        expiresAt: stored.expiresAt,
                        renewalTime: stored.expiresAt.map { run.clock.now + now.duration(to: $0) - margin }
                    )
                )
            }
            let token = try await fetchedToken(after: stored?.refresh)
            // If this process is killed before its first use, the next one has it.
            try await file.store(token.stored)
            return .success(token)
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

    /// Fetches a token with a refresh token, or else with the grant.
    private func fetchedToken(after refreshToken: String?) async throws(TokenError) -> AccessToken {
        if let refreshToken {
            do throws(TokenError) {
                return try await ask(grant.request(refreshing: refreshToken), refreshToken)
            } catch {
                // If the refresh token has expired or was already used, the grant may still work, unless it is the
                // same refresh token.
                guard error.isRefusal, refreshToken != grant.refreshToken else { throw error }
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
        return try await ask(grant.request, grant.refreshToken)
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
        let fetched = try TokenResponse(await response(to: request))
        try register([fetched.token, fetched.refreshToken ?? ""])
        return AccessToken(
            text: fetched.token,
            refreshToken: fetched.refreshToken ?? refreshToken,
            expiresAt: fetched.lifetime.map {
                Timestamp(nanoseconds: issued.nanoseconds + Int64($0 / .nanoseconds(1)))
            },
            // A request that is sent shortly before the token expires would arrive too late.
            renewalTime: fetched.lifetime.map { start + $0 - min(.seconds(30), $0 / 10) }
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
