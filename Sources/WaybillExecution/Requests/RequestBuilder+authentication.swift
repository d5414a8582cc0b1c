import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillRuntime
import WaybillTransport

extension RequestBuilder {
    /// Adds credentials to the fields or the URL, or prepares the signer of the request.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request. The credentials are sent to no other one.
    ///   - isForeign: Whether that is not the origin of the request's service.
    /// - Returns: The credentials that the transport sends when a server asks for them.
    mutating func authenticate(
        by auth: Setting<Authentication>?,
        at origin: Origin,
        isForeign: Bool,
        _ headers: inout [HTTPField],
        _ url: inout String
    ) throws(EvaluationFailure) -> TransferOptions.Credentials {
        guard let auth else { return .none }
        let scope = scope.scope(auth.level)
        func computed(_ credential: CredentialText) throws(EvaluationFailure) -> ScopeText {
            var text = try credential.value.text(in: scope)
            text.isSecret = text.isSecret || credential.isSecret
            try register(text)
            return text
        }
        func text(_ credential: CredentialText) throws(EvaluationFailure) -> String { try computed(credential).text }
        func value(of credential: CredentialText, for field: String) throws(EvaluationFailure) -> String {
            try text(credential).asFieldValue(of: field, at: credential.value.span)
        }
        func set(_ name: String, _ value: String) {
            headers.removeAll { $0.isNamed(name) }
            headers.append(HTTPField(name: name, value: value, isSensitive: true))
        }
        func setBasic(_ name: String, _ password: String, at span: SourceSpan) throws(EvaluationFailure) {
            guard !name.utf8.contains(UInt8(ascii: ":")) else {
                throw EvaluationFailure(
                    message: "a user name with ':' cannot be sent with basic credentials (RFC 7617, section 2)",
                    span: span
                )
            }
            let credentials = Base64.encode(Array("\(name):\(password)".utf8))
            // A server may send them back, and a short password would not be found in them.
            redactor.register(credentials)
            set("Authorization", "Basic \(credentials)")
        }
        func send(_ key: APIKeyAuthentication) throws(EvaluationFailure) {
            let name = key.name.value
            switch key.position {
            case .header: set(name, try value(of: key.value, for: name))
            // The URL of a next page may already have the parameter.
            case .query:
                let value = try computed(key.value)
                try registerParameter(value)
                url = PageQuery.setting(name, to: .string(value.text), in: url)
            case .cookie:
                let text = try value(of: key.value, for: "Cookie")
                guard !text.utf8.contains(UInt8(ascii: ";")) else {
                    throw EvaluationFailure(
                        message: "the value of a cookie cannot contain ';'",
                        span: key.value.value.span
                    )
                }
                headers.add(HTTPField(name: "Cookie", value: "\(name)=\(text)", isSensitive: true))
            }
        }
        for key in auth.value.keys { try send(key) }
        switch auth.value.method {
        case let basic as BasicAuthentication:
            let (name, password) = (try text(basic.user.username), try text(basic.user.password))
            try setBasic(name, password, at: basic.user.username.value.span)
        case let digest as DigestAuthentication:
            return .digest(username: try text(digest.user.username), password: try text(digest.user.password))
        case let bearer as BearerAuthentication:
            set("Authorization", "Bearer \(try value(of: bearer.token, for: "Authorization"))")
        case let key as APIKeyAuthentication: try send(key)
        case let aws as AWSAuthentication:
            signer = AWSSigner(
                region: try value(of: aws.region, for: "Authorization"),
                service: try value(of: aws.service, for: "Authorization"),
                accessKey: try value(of: aws.accessKey, for: "Authorization"),
                secretKey: try text(aws.secretKey),
                sessionToken: try aws.sessionToken.map { (token) throws(EvaluationFailure) in
                    try value(of: token, for: "X-Amz-Security-Token")
                }
            )
            set(SigningTransport.placeholder.name, SigningTransport.placeholder.value)
        case is OAuth2Authentication:
            // The token is added after the request is built (`grant`).
            headers.removeAll { $0.isNamed("Authorization") }
        case let netrc as NetrcAuthentication:
            let file = try credentials(in: netrc.file)
            // Any server can have an entry for its own host, but the default entry is meant for the service.
            if let entry = file.entry(of: origin.endpoint.host, orDefault: !isForeign) {
                try setBasic(entry.login, entry.password, at: netrc.file.path.span)
            } else {
                missingCredentials = (file.path, origin.endpoint.host)
            }
        case nil:
            break
        case let method?:
            preconditionFailure("the authentication method '\(type(of: method).key)' is not sent")
        }
        return .none
    }

    /// The credentials of a netrc file. Its passwords are registered as secrets before any is sent.
    private func credentials(in named: NamedFile) throws(EvaluationFailure) -> Netrc {
        let file = named.file(within: scope.environment.files)
        let netrc: Netrc
        do {
            netrc = try scope.environment.netrc(file)
        } catch {
            throw EvaluationFailure(
                message: "the netrc file \(file) cannot be read: \(error.message)",
                span: named.path.span
            )
        }
        guard netrc.isPlausible else {
            throw EvaluationFailure(
                message: "\(file) is not a netrc file: it has no entry that starts with 'machine' or 'default'",
                span: named.path.span
            )
        }
        for password in netrc.passwords { redactor.register(password, from: "the netrc file \(file)") }
        return netrc
    }
}

/// The netrc files that the requests of a run use. Each is read once; one that cannot be read is tried again.
final class NetrcFiles: Sendable {
    private let read = Mutex<[LocalFile: Netrc]>([:])
    // The hosts that were missing, with the paths.
    private let missing = Mutex<Set<[String]>>([])

    /// The credentials in a file.
    func netrc(_ file: LocalFile) throws(FileError) -> Netrc {
        if let known = read.withLock({ $0[file] }) { return known }
        let netrc = try Netrc(reading: file)
        read.withLock { $0[file] = netrc }
        return netrc
    }

    /// Returns `true` the first time that a file has no credentials for a host.
    func isFirstToMiss(_ host: String, in path: String) -> Bool {
        missing.withLock { $0.insert([path, host]).inserted }
    }
}
