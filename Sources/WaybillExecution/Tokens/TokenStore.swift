import Synchronization
import WaybillDiagnostics
import WaybillManifest
import WaybillResults

/// The access tokens of a run (RFC 6749): each is fetched when it is first needed, once for all requests that wait for
/// it, and renewed shortly before it expires, or when a server refuses it.
///
/// The examples of the mock server do not include token endpoints: with it, there is one token for all grants, and
/// nothing is requested.
final class TokenStore: Sendable {
    private let isMocked: Bool
    private let tokens = SharedValues<TokenGrant.Key, AccessToken>()
    /// The newest renewal of each stored token. It goes on if the requests that wait for it are cancelled: the server may
    /// have replaced the refresh token.
    private let renewals = Mutex<[TokenGrant.Key: Task<Result<AccessToken, EvaluationFailure>, Never>]>([:])

    /// No token has been fetched yet.
    init(isMocked: Bool) {
        self.isMocked = isMocked
    }

    /// Returns the token of a grant, and fetches it if necessary.
    ///
    /// - Throws: If it could not be fetched. The next call tries again.
    func token(of grant: TokenGrant, in run: RunContext) async throws(EvaluationFailure) -> HeldToken {
        let now = run.clock.now
        let isMocked = isMocked
        let fetch = TokenFetch(grant: grant, run: run)
        let fetched = await tokens.value(
            of: grant.key,
            isGood: { token in token.renewalTime.map { now < $0 } ?? true },
            get: { previous in
                if isMocked { return .success(AccessToken(text: "mock-access-token")) }
                guard grant.file != nil else { return await fetch.token(after: previous) }
                let renewal = Task { await fetch.token(after: previous) }
                self.renewals.withLock { $0[grant.key] = renewal }
                return await renewal.value
            }
        )
        guard let fetched else {
            throw EvaluationFailure(
                message: "could not fetch an access token: the request was cancelled",
                span: grant.span,
                kind: .cancelled
            )
        }
        return HeldToken(grant: grant, held: try fetched.get())
    }

    /// Waits at the end of a run until the tokens that were received are stored, and a short time for others.
    func finish() async {
        let renewals = renewals.withLock { Array($0.values) }
        guard !renewals.isEmpty else { return }
        let end = Task {
            guard (try? await Task.sleep(for: .seconds(2))) != nil else { return }
            for renewal in renewals { renewal.cancel() }
        }
        for renewal in renewals { _ = await renewal.value }
        end.cancel()
    }

    /// Fetches a new token instead of one that a server refused, unless that has happened in the meantime.
    ///
    /// - Parameter service: The service that refused it.
    func renew(_ token: HeldToken, of service: String?, in run: RunContext) async throws(EvaluationFailure) {
        let isFirst = tokens.refuse(token.held, of: token.grant.key)
        _ = try await self.token(of: token.grant, in: run)
        if isFirst, let service { run.events.emit(.sessionRenewed(service: service)) }
    }
}
