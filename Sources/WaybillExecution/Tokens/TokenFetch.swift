import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillTransport

/// Requests a token from a token endpoint. Neither events nor the journal contain these requests.
struct TokenFetch: Sendable {
    let grant: TokenGrant
    let run: RunContext

    /// Fetches a token with the refresh token of the previous one, or else with the grant.
    func token(after previous: AccessToken?) async -> Result<AccessToken, EvaluationFailure> {
        do throws(TokenError) {
            if let refreshToken = previous?.refreshToken {
                do throws(TokenError) {
                    return .success(try await ask(grant.request(refreshing: refreshToken), refreshToken))
                } catch {
                    // If the refresh token has expired or was already used, the grant may still work, unless it is the
                    // same refresh token.
                    guard error.isRefusal, refreshToken != grant.refreshToken else { throw error }
                }
            }
            return .success(try await ask(grant.request, grant.refreshToken))
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

    /// - Parameter refreshToken: The refresh token for the next request, unless the response has a new one.
    private func ask(_ request: HTTPRequest, _ refreshToken: String?) async throws(TokenError) -> AccessToken {
        if !grant.allowsMetered, let interface = await run.routes.mobileInterface(towards: request) {
            throw TokenError(
                kind: .unreachable,
                message: "the request would use a mobile network (interface '\(interface.name)')"
            )
        }
        let start = run.clock.now
        let fetched = try TokenResponse(await response(to: request))
        let secrets = [fetched.token, fetched.refreshToken ?? ""]
        guard secrets.allSatisfy({ run.redactor.register($0, from: "a token from \(grant.key.url)") }) else {
            throw TokenError(kind: .decode, message: "the token has more than \(Redactor.longestSecret) bytes")
        }
        return AccessToken(
            text: fetched.token,
            refreshToken: fetched.refreshToken ?? refreshToken,
            // A request that is sent shortly before the token expires would arrive too late.
            renewalTime: fetched.lifetime.map { start + $0 - min(.seconds(30), $0 / 10) }
        )
    }

    /// Returns the response, after redirects that repeat the request with another URL of the same origin. The client's
    /// credentials are not sent anywhere else.
    private func response(to request: HTTPRequest) async throws(TokenError) -> HTTPResponse {
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
