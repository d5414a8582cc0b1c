import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillResults

/// What a request says: credentials, body, expectations, interceptors, the file of its answer.
extension WrittenForm {
    func value(_ auth: Authentication) -> JSON {
        switch auth {
        case .none: "none"
        case .basic(let basic): ["basic": ["username": value(basic.username), "password": value(basic.password)]]
        case .digest(let digest): ["digest": ["username": value(digest.username), "password": value(digest.password)]]
        case .bearer(let bearer): ["bearer": value(bearer.token)]
        case .apiKey(let key):
            [
                "apiKey": [
                    "in": .string(key.place.rawValue), "name": .string(text(key.name.value)), "value": value(key.value),
                ]
            ]
        case .awsSigV4(let aws):
            [
                "awsSigV4": .object(
                    .present([
                        ("region", value(aws.region)), ("service", value(aws.service)),
                        ("accessKey", value(aws.accessKey)), ("secretKey", value(aws.secretKey)),
                        ("sessionToken", aws.sessionToken.map(value)),
                    ])
                )
            ]
        case .oauth2(let oauth2): ["oauth2": value(oauth2)]
        case .netrc(let netrc): ["netrc": .string(text(netrc.path.value))]
        }
    }

    private func value(_ credential: CredentialText) -> JSON {
        .string(credential.isSecret ? self.credential(credential.value) : text(credential.value))
    }

    private func value(_ oauth2: OAuth2Authentication) -> JSON {
        var members: JSONObject = .present([("grant", .string(oauth2.grant.rawValue))])
        for field in oauth2.fields {
            // Scopes are one text in the end.
            let others = members[field.name.rawValue]?.string.map { $0 + " " } ?? ""
            members[field.name.rawValue] = .string(others + (value(field.text).string ?? ""))
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
