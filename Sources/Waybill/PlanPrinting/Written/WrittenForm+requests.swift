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
            let others = members[field.name.value]?.string.map { $0 + " " } ?? ""
            members[field.name.value] = .string(others + (value(field.text).string ?? ""))
        }
        if oauth2.sendsClientInBody { members["clientAuth"] = "body" }
        return .object(members)
    }

    func value(_ body: any RequestBody) -> JSON {
        .object(JSONObject([(body.key, content(of: body))]))
    }

    /// What is written under a body's key, from the properties of the body.
    private func content(of body: any RequestBody) -> JSON {
        let parts = Mirror(reflecting: body).children.compactMap { label, value in
            part(value).map { (label ?? "", $0) }
        }
        return body.key == "graphql" ? .object(JSONObject(parts)) : parts.first?.1 ?? .null
    }

    private func part(_ value: Any) -> JSON? {
        switch value {
        case let template as ValueTemplate: return self.value(template)
        case let members as [ValueTemplate.Member]: return self.value(members)
        case let scalar as ScalarTemplate: return .string(text(scalar))
        case let headers as [(name: Spanned<String>, value: ScalarTemplate)]:
            return .object(
                JSONObject(
                    headers.map { name, scalar in
                        let isCredential = Redactor.isCredential(headerNamed: name.value)
                        return (text(name.value), self.value([scalar], isCredential: isCredential))
                    }
                )
            )
        default:
            guard let parts = Mirror(reflecting: value).children.map(\.value) as? [Any], value is [Any] else {
                return nil
            }
            return .array(parts.map(multipartPart))
        }
    }

    private func multipartPart(_ part: Any) -> JSON {
        var members: [(String, JSON?)] = []
        for (label, value) in Mirror(reflecting: part).children {
            if let body = value as? any RequestBody {
                members.append((body.key, content(of: body)))
            } else if let json = self.part(value), json != [:] {
                members.append((label ?? "", json))
            }
        }
        return .object(.present(members))
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
