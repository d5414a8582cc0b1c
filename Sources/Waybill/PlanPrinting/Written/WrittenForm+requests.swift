import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillResults

/// What a request says: credentials, body, expectations, interceptors, the file of its answer.
extension WrittenForm {
    func value(_ auth: Authentication) -> JSON {
        switch auth {
        case .none: "none"
        case .basic(let username, let password): ["basic": login(username, password)]
        case .digest(let username, let password): ["digest": login(username, password)]
        case .bearer(let token): ["bearer": .string(credential(token))]
        case .apiKey(let place, let name, let value):
            [
                "apiKey": [
                    "in": .string(place.rawValue), "name": .string(text(name.value)),
                    "value": .string(credential(value)),
                ]
            ]
        case .awsSigV4(let signature):
            [
                "awsSigV4": .object(
                    .present([
                        ("region", .string(text(signature.region))),
                        ("service", .string(text(signature.service))),
                        ("accessKey", .string(text(signature.accessKey))),
                        ("secretKey", .string(credential(signature.secretKey))),
                        ("sessionToken", signature.sessionToken.map { .string(credential($0)) }),
                    ])
                )
            ]
        case .oauth2(let oauth2): ["oauth2": value(oauth2)]
        case .netrc(let path): ["netrc": .string(text(path.value))]
        }
    }

    private func login(_ username: ScalarTemplate, _ password: ScalarTemplate) -> JSON {
        ["username": .string(text(username)), "password": .string(credential(password))]
    }

    private func value(_ oauth2: Authentication.OAuth2) -> JSON {
        var members: JSONObject = .present([("grant", .string(oauth2.grant.rawValue))])
        let scalars = Authentication.oauth2(oauth2).scalars
        for (field, scalar) in zip(oauth2.fields, scalars) {
            let text = scalar.isSecret ? credential(scalar.value) : text(scalar.value)
            // Scopes are one text in the end.
            let others = members[field.name.value]?.string.map { $0 + " " } ?? ""
            members[field.name.value] = .string(others + text)
        }
        if oauth2.sendsClientInBody { members["clientAuth"] = "body" }
        return .object(members)
    }

    func value(_ body: BodyDefinition) -> JSON {
        switch body {
        case .json(let template): ["json": value(template)]
        case .form(let members): ["form": value(members)]
        case .plist(let template): ["plist": value(template)]
        case .text(let scalar): ["text": .string(text(scalar))]
        case .base64(let scalar): ["base64": .string(text(scalar))]
        case .file(let path): ["file": .string(text(path))]
        case .graphql(let query, let variables):
            ["graphql": ["query": .string(text(query)), "variables": value(variables)]]
        case .multipart(let parts): ["multipart": .array(parts.map(value))]
        }
    }

    private func value(_ part: BodyDefinition.Part) -> JSON {
        let content: (String, JSON) =
            switch part.content {
            case .value(let scalar): ("value", .string(text(scalar)))
            case .file(let path): ("file", .string(text(path)))
            case .text(let scalar): ("text", .string(text(scalar)))
            case .base64(let scalar): ("base64", .string(text(scalar)))
            case .json(let template): ("json", value(template))
            }
        let headers = part.headers.map { name, scalar in
            (text(name.value), value([scalar], isCredential: Redactor.isCredential(headerNamed: name.value)))
        }
        return .object(
            .present([
                ("name", part.name.map { .string(text($0)) }),
                content,
                ("filename", part.filename.map { .string(text($0)) }),
                ("contentType", part.contentType.map { .string(text($0)) }),
                ("headers", headers.isEmpty ? nil : .object(JSONObject(headers))),
            ])
        )
    }

    /// A condition, with what is said when it does not hold.
    func value(_ check: Check) -> JSON {
        guard let message = check.message else { return .string(text(check.that)) }
        return ["that": .string(text(check.that)), "message": .string(text(message))]
    }

    func value(_ interception: Interception) -> JSON {
        .object(
            .present(
                Interception.Moment.allCases.map { moment in
                    (moment.rawValue, interception.actions[moment].map { .array($0.map(value)) })
                }
            )
        )
    }

    private func value(_ action: Interception.Action) -> JSON {
        let work: (String, JSON) =
            switch action.work {
            case .log(let text): ("log", .string(self.text(text)))
            case .fail(let text): ("fail", .string(self.text(text)))
            case .recover(let template): ("recover", value(template))
            }
        return .object(.present([work, ("when", action.when.map { .string(text($0)) })]))
    }

    func value(_ download: Download) -> JSON {
        .object(
            .present([
                ("to", download.to.map { .string(text($0)) }),
                ("resume", .bool(download.resumes)),
                ("replace", .bool(download.replaces)),
                (
                    "checksum",
                    download.checksum.map { digest, value in
                        .object(JSONObject([(name: digest.rawValue, value: .string(text(value)))]))
                    }
                ),
            ])
        )
    }
}
