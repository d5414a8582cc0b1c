import WaybillDiagnostics
package import WaybillExecution
import WaybillManifest
package import WaybillPlan
import WaybillResults
import WaybillTransport

extension RequestPlan {
    /// Whether a user must log in before the request can be sent.
    package var needsUser: Bool { (settings.auth?.value.method as? OAuth2Authentication)?.grant.isInteractive ?? false }
}

extension RunSession {
    /// Throws before anything is sent if a user must log in first.
    func checkLogins(_ secrets: [String: String]) async throws(RunError) {
        let requests = plan.requests.filter(\.needsUser)
        guard !requests.isEmpty, !options.usesMock, !options.sendsNothing else { return }
        var errors: [Diagnostic] = []
        do throws(TokenLogin.Failure) {
            for login in try logins(of: requests, NoTransport(), secrets) where try await !login.isStored() {
                let service = login.services.first
                let words = ["waybill login", PrintableText.shellWord(plan.manifest)]
                let command = words + (service.map { [PrintableText.shellWord($0)] } ?? [])
                errors.report(
                    "login-required",
                    "no valid token is stored for \(service.map { "service '\($0)'" } ?? "these credentials")",
                    at: login.span,
                    help: ["Log in: \(command.joined(separator: " "))"]
                )
            }
        } catch {
            errors.report("login-required", error.message, at: error.span)
        }
        guard errors.isEmpty else { throw RunError(.loginRequired, "a user must log in first", errors) }
    }

    /// Calls a function with the stored tokens of requests, which it may create and remove.
    package func withLogins(
        of requests: [RequestPlan],
        _ body: (TokenLogin) async throws(TokenLogin.Failure) -> Void
    ) async throws(RunError) {
        let secrets = try await secretValues()
        let engine = try RunError.mapping(to: .transport) { try CurlTransport(maximumConnections: 4) }
        var failure: TokenLogin.Failure?
        do throws(TokenLogin.Failure) {
            for login in try logins(of: requests, engine, secrets) { try await body(login) }
        } catch {
            failure = error
        }
        await engine.shutDown()
        if let failure { throw RunError(.loginRequired, failure.message) }
    }

    private func logins(
        of requests: [RequestPlan],
        _ transport: any Transport & NetworkProbe,
        _ secrets: [String: String]
    ) throws(TokenLogin.Failure) -> [TokenLogin] {
        var executor = Executor(
            plan: plan,
            transport: transport,
            secrets: secrets,
            redactor: Redactor(),
            events: EventStream(journal: nil, observers: [])
        )
        executor.proxies = ProxyVariables(options.variables)
        executor.control = options.control
        return try executor.logins(of: requests)
    }
}
