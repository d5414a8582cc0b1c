import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillTransport

/// Asks a token endpoint for a token. Nothing of it is an event or stands in the journal.
struct TokenFetch: Sendable {
    let grant: TokenGrant
    let transport: any Transport
    let routes: MeteredRoutes
    let redactor: Redactor
    let clock: any RunClock

    /// A token: by the refresh token that came with the one before, or else by the grant.
    func token(after previous: AccessToken?) async -> Result<AccessToken, EvaluationFailure> {
        do throws(TokenError) {
            if let refreshToken = previous?.refreshToken {
                do throws(TokenError) {
                    return .success(try await ask(grant.request(refreshing: refreshToken), refreshToken))
                } catch {
                    // One that has ended, or was used up, is no reason to give up; the grant may be the same, though.
                    guard error.isRefusal, refreshToken != grant.refreshToken else { throw error }
                }
            }
            return .success(try await ask(grant.request, grant.refreshToken))
        } catch {
            return .failure(
                EvaluationFailure(
                    message: "no access token can be had: \(error.message)",
                    span: grant.span,
                    kind: error.kind,
                    code: error.code.map(JSON.string)
                )
            )
        }
    }

    /// - Parameter refreshToken: The refresh token for the next request, unless the response has a new one.
    private func ask(_ request: HTTPRequest, _ refreshToken: String?) async throws(TokenError) -> AccessToken {
        if !grant.allowsMetered, let interface = await routes.mobileInterface(towards: request) {
            throw TokenError(
                kind: .unreachable,
                message: "it would be asked for over a mobile network, by the interface '\(interface.name)'"
            )
        }
        let start = clock.now
        let fetched = try TokenResponse(await response(to: request))
        let secrets = [fetched.token, fetched.refreshToken ?? ""]
        guard secrets.allSatisfy({ redactor.register($0, from: "a token from \(grant.key.url)") }) else {
            throw TokenError(kind: .decode, message: "its token has more than \(Redactor.longestSecret) bytes")
        }
        return AccessToken(
            text: fetched.token,
            refreshToken: fetched.refreshToken ?? refreshToken,
            // Requests that are sent shortly before the end would come too late.
            renewalTime: fetched.lifetime.map { start + $0 - min(.seconds(30), $0 / 10) }
        )
    }

    /// The fetched, after redirects that ask for the same to be sent to another URL of the same origin. Nowhere else is
    /// told the client's credentials.
    private func response(to request: HTTPRequest) async throws(TokenError) -> HTTPResponse {
        var request = request
        var redirects = RedirectState(request, limit: 10)
        while true {
            let response: HTTPResponse
            switch await transport.send(request) {
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
                        message: "the token endpoint answers with status \(response.status) and leads to "
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
        self.init(kind: FailureKind(failure.kind), message: failure.message)
    }
}
