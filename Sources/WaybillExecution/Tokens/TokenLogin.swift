import Synchronization
package import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest
package import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The tokens of a manifest that are kept between runs (`store`), which a user can create and remove.
package struct TokenLogin: Sendable {
    /// What the user has to do to log in.
    package enum Instruction: Sendable {
        /// Open an address in a browser on this machine.
        case open(url: String)
        /// Open an address in any browser and enter a code. The other address contains the code, if there is one.
        case enter(code: String, url: String, complete: String?)
    }

    /// Why a login failed.
    package struct Failure: Error {
        /// The reason.
        package let message: String
        /// The location of the credentials in the manifest.
        package let span: SourceSpan
    }

    /// What a message says to do if a user must log in.
    static let advice = "log in with 'waybill login'"
    /// How long a user may take to log in with a browser on this machine.
    private static let patience = Duration.seconds(600)

    /// The services that use the tokens; empty if only requests without a service do.
    package internal(set) var services: [String]
    /// The location of the credentials in the manifest.
    package let span: SourceSpan
    let grant: TokenGrant
    fileprivate let run: RunContext

    /// The file of the tokens.
    package var path: String { file.path }

    private var fetch: TokenFetch { TokenFetch(grant: grant, run: run) }

    /// Whether there are tokens that a run can use.
    package func isStored() async throws(Failure) -> Bool {
        try await failing("the stored tokens cannot be used") { () throws(TokenError) in
            if try await file.tokens()?.areUsable == true { return true }
            // A killed process may have left new ones. If the file cannot be locked, there are none.
            return (try? await file.renewal())?.tokens?.areUsable ?? false
        }
    }

    /// Waits until the user has logged in, and stores the tokens.
    ///
    /// - Parameter show: Shows the user what to do.
    package func logIn(_ show: @Sendable (Instruction) -> Void) async throws(Failure) {
        try await failing("could not log in") { () throws(TokenError) in
            // If the file cannot be used, the user need not log in.
            _ = try await file.renewal()
            let token =
                switch grant.method.grant {
                case .device: try await deviceToken(show)
                case .authorizationCode: try await browserToken(show)
                case .clientCredentials, .password, .refreshToken: preconditionFailure("no user has to log in")
                }
            try await file.store(token.stored, in: file.renewal())
        }
    }

    /// Revokes the tokens, if the manifest names the server's endpoint for that (RFC 7009), and removes them. Returns whether
    /// there were any. They are kept if the server could not be asked, for another attempt.
    package func logOut() async throws(Failure) -> Bool {
        let renewal = try await failing("could not log out") { () throws(TokenError) in try await file.renewal() }
        guard let stored = renewal.tokens else { return false }
        do throws(TokenError) {
            try await revoke(stored)
        } catch {
            try await failing("the tokens are still stored in '\(path)'") { () throws(TokenError) in
                if !error.isRefusal { throw error }
                try await file.store(nil, in: renewal)
            }
            try await failing("the tokens were removed here, but not revoked") { () throws(TokenError) in throw error }
        }
        try await failing("could not log out") { () throws(TokenError) in try await file.store(nil, in: renewal) }
        return true
    }

    private func revoke(_ stored: TokenFile.Tokens) async throws(TokenError) {
        guard let url = grant.texts[.revocationURL], let token = stored.refresh ?? stored.access else { return }
        try fetch.register([token])
        let hint = stored.refresh == nil ? "access_token" : "refresh_token"
        let request = grant.request([("token", token), ("token_type_hint", hint)], to: url)
        let response = try await fetch.response(to: request)
        guard response.status / 100 == 2 else {
            let body = try? JSONParser().parse(response.body)
            throw TokenResponse.refused(response.status, body, "revocation endpoint")
        }
    }

    private var file: TokenFile {
        guard let file = grant.file else { preconditionFailure("the tokens are not stored") }
        return file
    }

    private func failing<Value>(
        _ consequence: String,
        _ work: () async throws(TokenError) -> Value
    ) async throws(Failure) -> Value {
        do throws(TokenError) {
            return try await work()
        } catch {
            throw Failure(message: "\(consequence): \(run.redactor.redact(error.message))", span: span)
        }
    }

    // MARK: Grants

    /// The device authorization grant (RFC 8628).
    private func deviceToken(_ show: (Instruction) -> Void) async throws(TokenError) -> AccessToken {
        let asked = ["scope", "audience"].compactMap { name in grant.parameter(name).map { (name, $0) } }
        let response = try await fetch.response(to: grant.request(asked, to: grant.texts[.deviceURL] ?? ""))
        let body = try? JSONParser().parse(response.body)
        guard response.status / 100 == 2 else {
            throw TokenResponse.refused(response.status, body, "device authorization endpoint")
        }
        guard let device = body?["device_code"]?.string, let code = body?["user_code"]?.string,
            let url = body?["verification_uri"]?.string, let seconds = TokenResponse.seconds(body?["expires_in"])
        else {
            throw TokenError(
                kind: .expect,
                message: "the response of the device authorization endpoint has no 'device_code', 'user_code', "
                    + "'verification_uri' or 'expires_in'"
            )
        }
        try fetch.register([device])
        let end = run.clock.now + min(seconds, .seconds(3600))
        show(.enter(code: code, url: url, complete: body?["verification_uri_complete"]?.string))
        var interval = min(max(TokenResponse.seconds(body?["interval"]) ?? .seconds(5), .seconds(1)), .seconds(60))
        let polling = grant.request([
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", device),
        ])
        while run.clock.now + interval < end {
            guard (try? await run.clock.sleep(for: interval)) != nil else { break }
            do throws(TokenError) {
                return try await fetch.ask(polling, nil)
            } catch {
                switch (error.code, error.kind) {
                case ("authorization_pending", _): continue
                case ("slow_down", _): interval += .seconds(5)
                // RFC 8628, section 3.5: a client reduces its requests when a connection times out.
                case (nil, .timeout), (nil, .connect), (nil, .transfer): interval = min(interval * 2, .seconds(60))
                default: throw error
                }
            }
        }
        throw TokenError(
            kind: Task.isCancelled ? .cancelled : .timeout,
            message: Task.isCancelled ? "the login was cancelled" : "the code expired before anybody entered it"
        )
    }

    /// The authorization code grant (RFC 6749, section 4.1) with PKCE (RFC 7636) and a redirect to this machine (RFC 8252).
    private func browserToken(_ show: (Instruction) -> Void) async throws(TokenError) -> AccessToken {
        let written = URIReference(grant.method.redirectURL?.value ?? "http://127.0.0.1/callback")
        let authority = written.authority.map(URIReference.Authority.init)
        let listener: LoopbackListener
        do throws(SystemError) {
            listener = try LoopbackListener(port: authority?.port.flatMap { Int($0) } ?? 0)
        } catch {
            throw TokenError(kind: .connect, message: "could not listen for the redirect of the browser: \(error)")
        }
        let path = written.path.isEmpty ? "/" : written.path
        let redirect = "http://\(authority?.host ?? "127.0.0.1"):\(listener.port)\(path)"
        let (verifier, state) = (Self.random(32), Self.random(16))
        try fetch.register([verifier])
        let challenge = Base64.encode(Digest.value(of: Array(verifier.utf8), .sha256), urlSafe: true)
        var parameters = [
            ("response_type", "code"), ("client_id", grant.texts[.clientId] ?? ""), ("redirect_uri", redirect),
            ("state", state), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        parameters += ["scope", "audience"].compactMap { name in grant.parameter(name).map { (name, $0) } }
        let query = parameters.map { "\($0)=\(PercentEncoding.component($1))" }.joined(separator: "&")
        show(.open(url: RequestBuilder.appending(query, to: grant.texts[.authorizationURL] ?? "")))
        let received = Mutex<[String: String]?>(nil)
        let isAnswered = await listener.serve(for: Self.patience) { target in
            let (targetPath, fields) = Self.fields(of: target)
            guard targetPath.hasSameCodePoints(as: path) else {
                return .init("404 Not Found", "There is nothing here.")
            }
            // Only the server that was asked knows the state (RFC 6749, section 10.12).
            guard fields["state"]?.hasSameCodePoints(as: state) ?? false else {
                return .init("400 Bad Request", "This is not the answer to the current login.")
            }
            received.withLock { $0 = fields }
            return fields["code"] != nil
                ? .init("200 OK", "The login was received. You can close this page.", isLast: true)
                : .init("200 OK", "The login failed. See the terminal.", isLast: true)
        }
        guard isAnswered, let fields = received.withLock({ $0 }) else {
            throw TokenError(
                kind: Task.isCancelled ? .cancelled : .timeout,
                message: Task.isCancelled
                    ? "the login was cancelled" : "nobody logged in within \(Self.patience.timeText)"
            )
        }
        guard let code = fields["code"], fields["error"] == nil else {
            let words = fields["error_description"].map { " (\($0.excerpt(300)))" } ?? ""
            throw TokenError(
                kind: .status,
                message:
                    "the authorization server refused the login: \((fields["error"] ?? "no code").excerpt(300))\(words)"
            )
        }
        try fetch.register([code])
        return try await fetch.ask(
            grant.request([
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
                ("code_verifier", verifier),
            ]),
            nil
        )
    }

    /// A random string that cannot be guessed.
    private static func random(_ count: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Base64.encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, urlSafe: true)
    }

    /// The path of a request's target, and the fields of its query.
    private static func fields(of target: String) -> (path: String, fields: [String: String]) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        func decoded(_ text: some Sequence<UInt8>) -> String {
            let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            return String(decoding: PercentEncoding.decodedBytes(spaced), as: UTF8.self)
        }
        var fields: [String: String] = [:]
        for pair in parts.count == 2 ? parts[1].split(separator: UInt8(ascii: "&")) : [] {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            fields[decoded(sides[0])] = sides.count == 2 ? decoded(sides[1]) : ""
        }
        return (String(decoding: Array(parts[0]), as: UTF8.self), fields)
    }
}

extension Executor {
    /// Returns the tokens that requests keep between runs, each once.
    ///
    /// - Throws: Why one of their values cannot be computed before a run.
    package func logins(of requests: [RequestPlan]) throws(TokenLogin.Failure) -> [TokenLogin] {
        let stored = requests.filter { ($0.settings.auth?.value.method as? OAuth2Authentication)?.store != nil }
        guard let graph = plan.graphs.first, !stored.isEmpty else { return [] }
        let run = RunContext(self, id: RunID(), startedAt: .now())
        let environment = AttemptEnvironment(run: run, instance: graph.path, deadline: nil)
        let scope = RequestScope(context: StepContext(graph, in: run), environment: environment)
        var logins: [TokenLogin] = []
        var known: [TokenGrant.Key: Int] = [:]
        for request in stored {
            guard let auth = request.settings.auth else { continue }
            let grant: TokenGrant
            do throws(EvaluationFailure) {
                grant = try RequestBuilder(request, in: scope).storedGrant(by: auth)
            } catch {
                throw TokenLogin.Failure(message: redactor.redact(error.message), span: error.span)
            }
            let services = request.service.map { [$0] } ?? []
            if let index = known[grant.key] {
                if !logins[index].services.contains(services) { logins[index].services += services }
            } else {
                known[grant.key] = logins.count
                logins.append(TokenLogin(services: services, span: auth.span, grant: grant, run: run))
            }
        }
        return logins
    }
}
