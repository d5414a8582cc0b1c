import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillTransport

extension RequestBuilder {
    /// What the token of a request is asked for with, if it is sent with one.
    ///
    /// A request for a token travels as the request itself does, as far as that is meant for its origin; it says nothing
    /// of what the other says.
    func grant(
        by auth: Setting<Authentication>?,
        for request: HTTPRequest
    ) throws(EvaluationFailure) -> TokenGrant? {
        guard let auth, case .oauth2(let oauth2) = auth.value else { return nil }
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
        if try origin(of: url, at: span) != origin(of: request.url, at: span) {
            transfer.leaveOrigin()
            // That the service speaks HTTP/2 without TLS says nothing of others.
            if transfer.options.version == .http2PriorKnowledge { transfer.options.version = .automatic }
        }
        transfer.options.cookies = .off
        transfer.maximumBodyBytes = 1 << 20
        transfer.acceptsCompression = true
        return TokenGrant(
            key: TokenGrant.Key(
                url: url,
                parameters: parameters,
                client: TokenGrant.Client(
                    id: texts[.clientId],
                    secret: texts[.clientSecret],
                    inBody: oauth2.sendsClientInBody
                )
            ),
            transfer: transfer,
            allowsMetered: plan.settings.network?.value.allowsMetered ?? true,
            span: span
        )
    }
}
