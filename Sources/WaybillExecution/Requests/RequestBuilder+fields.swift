import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillRuntime
import WaybillTransport

extension RequestBuilder {
    /// The header fields of a request, those that every request has included, without credentials.
    func headers(of settings: Settings) throws(EvaluationProblem) -> [HTTPField] {
        var fields: [HTTPField] = []
        let written = settings.headers
        // With the three that are added.
        fields.reserveCapacity(written.count + 3)
        for entry in written {
            for value in entry.values.value ?? [] {
                let text = try value.text(in: scope.scope(entry.values.level))
                try register(text)
                // What a secret touched does not follow a redirect to another origin.
                fields.append(
                    HTTPField(
                        name: entry.name.value,
                        value: try text.text.asFieldValue(of: entry.name.value, at: value.span),
                        isSensitive: text.isSecret
                    )
                )
            }
        }
        func isMissing(_ name: String) -> Bool {
            !fields.contains { $0.isNamed(name) } && !settings.takesAway(field: name)
        }
        func add(_ name: String, _ value: @autoclosure () -> String) {
            if isMissing(name) { fields.append(HTTPField(name: name, value: value())) }
        }
        add("Accept", (settings.accept?.value).flatMap { $0 }?.map(\.description).joined(separator: ", ") ?? "*/*")
        if let urgency = settings.urgency { add("Priority", "u=\(urgency)") }
        if isMissing("User-Agent") { fields.append(try userAgent(settings)) }
        return fields
    }

    private func userAgent(_ settings: Settings) throws(EvaluationProblem) -> HTTPField {
        let name = "User-Agent"
        guard let agent = settings.userAgent else {
            return HTTPField(name: name, value: "waybill/\(WaybillVersion.current)")
        }
        let text = try text(agent)
        return HTTPField(
            name: name,
            value: try text.text.asFieldValue(of: name, at: agent.span),
            isSensitive: text.isSecret
        )
    }

    /// Adds credentials to the fields or the URL.
    mutating func authenticate(
        by auth: Setting<Authentication>?,
        _ headers: inout [HTTPField],
        _ url: inout String
    ) throws(EvaluationProblem) {
        guard let auth else { return }
        let scope = scope.scope(auth.level)
        func text(_ scalar: ScalarTemplate, isSecret: Bool = false) throws(EvaluationProblem) -> String {
            var text = try scalar.text(in: scope)
            // Credentials are secrets whatever they are made of.
            text.isSecret = text.isSecret || isSecret
            try register(text)
            return text.text
        }
        func value(
            of scalar: ScalarTemplate,
            for field: String,
            isSecret: Bool = false
        ) throws(EvaluationProblem) -> String {
            try text(scalar, isSecret: isSecret).asFieldValue(of: field, at: scalar.span)
        }
        func set(_ name: String, _ value: String) {
            headers.removeAll { $0.isNamed(name) }
            headers.append(HTTPField(name: name, value: value, isSensitive: true))
        }
        switch auth.value {
        case .none:
            break
        case .basic(let username, let password):
            let name = try text(username)
            guard !name.utf8.contains(UInt8(ascii: ":")) else {
                throw EvaluationProblem(message: "a user's name with a colon cannot be sent", span: username.span)
            }
            let credentials = Base64.encode(Array("\(name):\(try text(password, isSecret: true))".utf8))
            set("Authorization", "Basic \(credentials)")
        case .bearer(let token):
            set("Authorization", "Bearer \(try value(of: token, for: "Authorization", isSecret: true))")
        case .apiKey(.header, let name, let key):
            set(name.value, try value(of: key, for: name.value, isSecret: true))
        case .apiKey(.query, let name, let key):
            // The URL of a page may have it already.
            url = PageQuery.setting(name.value, to: .string(try text(key, isSecret: true)), in: url)
        case .apiKey(.cookie, let name, let key):
            let text = try value(of: key, for: "Cookie", isSecret: true)
            guard !text.utf8.contains(UInt8(ascii: ";")) else {
                throw EvaluationProblem(message: "a semicolon would end the cookie", span: key.span)
            }
            let pair = "\(name.value)=\(text)"
            let others = headers.filter { $0.isNamed("Cookie") && !$0.value.isEmpty }.map(\.value)
            set("Cookie", (others + [pair]).joined(separator: "; "))
        case .digest, .netrc:
            // The transport has them: a server asks for them first.
            break
        case .awsSigV4(let signature):
            signer = AWSSigner(
                region: try value(of: signature.region, for: "Authorization"),
                service: try value(of: signature.service, for: "Authorization"),
                accessKey: try value(of: signature.accessKey, for: "Authorization"),
                secretKey: try text(signature.secretKey, isSecret: true),
                sessionToken: try signature.sessionToken.map { (token) throws(EvaluationProblem) in
                    try value(of: token, for: "X-Amz-Security-Token", isSecret: true)
                }
            )
            set(SigningTransport.placeholder.name, SigningTransport.placeholder.value)
        case .oauth2:
            // The token comes when everything else is known.
            headers.removeAll { $0.isNamed("Authorization") }
        }
    }
}

extension Settings {
    /// Whether a field that requests have by themselves is not wanted.
    func takesAway(field name: String) -> Bool {
        headers.contains { entry in
            entry.values.value == nil && HTTPField(name: entry.name.value, value: "").isNamed(name)
        }
    }

    /// The urgency of a request (RFC 9218, section 4.1), from 0 to 7, where it is not the usual 3.
    fileprivate var urgency: Int? {
        switch priority?.value {
        case .low: 5
        case .high: 1
        case .default, nil: nil
        }
    }
}

extension String {
    /// The text, if it may be the value of a header field: without control characters, the tab apart (RFC 9110,
    /// section 5.5).
    fileprivate func asFieldValue(of name: String, at span: SourceSpan) throws(EvaluationProblem) -> String {
        guard !utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            throw EvaluationProblem(
                message: "the value of header field '\(name)' has a line break or another control character in it",
                span: span
            )
        }
        return self
    }
}
