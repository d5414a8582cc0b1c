import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

extension RequestBuilder {
    /// Returns the grant for the token of a request; `nil` if the request is sent without a token.
    ///
    /// A request for a token uses the transfer options of the request, except those that are meant only for the
    /// request's origin, and nothing of its content.
    func grant(
        by auth: Setting<Authentication>?,
        for request: HTTPRequest
    ) throws(EvaluationFailure) -> TokenGrant? {
        guard let auth, let oauth2 = auth.value.method as? OAuth2Authentication else { return nil }
        var texts: [OAuth2Authentication.Field.Name: String] = [:]
        let span = oauth2.tokenURL?.span ?? auth.span
        for field in oauth2.fields {
            var text = try field.text.value.text(in: scope.scope(auth.level))
            text.isSecret = text.isSecret || field.text.isSecret
            try register(text)
            // Several scopes are sent as one string.
            texts[field.name] = texts[field.name].map { "\($0) \(text.text)" } ?? text.text
        }
        let url = texts[.tokenURL] ?? ""
        var parameters = [TokenGrant.Parameter(name: "grant_type", value: oauth2.grant.rawValue)]
        func add(_ name: String, _ value: String?) {
            if let value { parameters.append(TokenGrant.Parameter(name: name, value: value)) }
        }
        add("username", texts[.username])
        add("password", texts[.password])
        add("refresh_token", texts[.refreshToken])
        add("scope", texts[.scope])
        add("audience", texts[.audience])

        var transfer = request
        let home = request.url.isEmpty ? nil : try origin(of: request.url, at: span)
        var origins = [try origin(of: url, at: span)]
        for case let other? in [texts[.deviceURL], texts[.revocationURL], texts[.authorizationURL]] {
            origins.append(try origin(of: other, at: span))
        }
        if origins.contains(where: { $0 != home }) {
            transfer.leaveOrigin()
            // Another origin may not support HTTP/2 without TLS.
            if transfer.options.version == .http2PriorKnowledge { transfer.options.version = .auto }
        }
        transfer.options.cookies = .off
        transfer.maximumBodyBytes = 1 << 20
        // An answer that comes too late would be the only copy of a new refresh token.
        if oauth2.store != nil { transfer.timeout = max(transfer.timeout, .seconds(30)) }
        transfer.acceptsCompression = true
        let client = TokenGrant.Client(
            id: texts[.clientId],
            secret: texts[.clientSecret],
            inBody: oauth2.sendsClientInBody
        )
        // The server may send them back, and a short secret would not be found in them.
        if let credentials = client.authorization?.split(separator: " ").last { redactor.register(String(credentials)) }
        return TokenGrant(
            key: TokenGrant.Key(
                url: url,
                parameters: parameters,
                client: client,
                store: oauth2.store?.location
            ),
            method: oauth2,
            texts: texts,
            file: tokenFile(of: oauth2, texts),
            transfer: transfer,
            allowsMetered: plan.settings.allowsMetered?.value ?? true,
            span: span
        )
    }
    /// The file that keeps the tokens of a grant. They belong to the server, the client and the user that the grant names.
    private func tokenFile(
        of oauth2: OAuth2Authentication,
        _ texts: [OAuth2Authentication.Field.Name: String]
    ) -> TokenFile? {
        guard let store = oauth2.store else { return nil }
        var owner = [("grant", oauth2.grant.rawValue)]
        for name in [.tokenURL, .clientId, .username, .scope, .audience] as [OAuth2Authentication.Field.Name] {
            if let text = texts[name] { owner.append((name.rawValue, text)) }
        }
        // Another one in the manifest means another login.
        if let token = texts[.refreshToken] { owner.append(("replaces", Digest.sha256(of: Array(token.utf8)))) }
        return TokenFile(store.file(within: run.files), owner: owner, clock: run.clock, notice: run.lockNotice)
    }

    /// Returns the grant of credentials whose tokens are stored, before a run.
    func storedGrant(by auth: Setting<Authentication>) throws(EvaluationFailure) -> TokenGrant {
        var request = HTTPRequest(method: "POST", url: (try? base()) ?? "")
        try setTimeLimits(of: &request, settings)
        request.options = try options(of: settings)
        guard let grant = try grant(by: auth, for: request) else { preconditionFailure("no token is needed") }
        return grant
    }
}
