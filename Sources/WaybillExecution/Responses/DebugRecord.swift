import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
package import WaybillResults
import WaybillRuntime
package import WaybillTransport

/// All details of one exchange, for debugging: the request as it was built, the request that was actually sent, and the
/// result.
package final class DebugRecord: Sendable {
    /// The request as the manifest defines it.
    package let built: HTTPRequest
    /// The request that was sent last, after redirects and with its signature; `nil` if none was sent.
    package let sent: HTTPRequest?
    /// The response, or the failure.
    package let result: Result<HTTPResponse, TransportFailure>

    /// A record; see the properties.
    package init(built: HTTPRequest, sent: HTTPRequest?, result: Result<HTTPResponse, TransportFailure>) {
        self.built = built
        self.sent = sent
        self.result = result
    }

    /// The maximum size of a body that is shown as a string, in bytes.
    package static let maximumBodyBytes = 64 << 10

    /// `{built, sent, response}` or `{built, sent, error}`, without secrets. `sent` is omitted if it equals `built`.
    /// The values of fields with credentials and cookies are masked. A body is `{bytes, text}`, or `{bytes}` if it is
    /// larger than 64 KiB or not UTF-8, or contains a secret while short secrets are known, which may not be found in it.
    ///
    /// - Parameter hidesUnknownSecrets: Whether what may contain secrets that are not known is left out: the body, the address
    ///   and the header fields of the response, and the request that was sent after redirects.
    package func json(redactor: Redactor, hidesUnknownSecrets: Bool = false) -> RedactedJSON {
        let hidesSecretBodies = redactor.hasShortSecrets
        func request(_ request: HTTPRequest) -> JSONObject {
            Self.request(request, hidesBody: request.isBodySensitive && hidesSecretBodies)
        }
        var shown = request(built)
        shown["options"] = options
        var record = JSONObject([("built", .object(shown))])
        if let sent, sent != built, !hidesUnknownSecrets { record["sent"] = .object(request(sent)) }
        switch result {
        case .success(let response):
            record["response"] = .object(Self.response(response, hidesSecrets: hidesUnknownSecrets))
        case .failure(let failure): record["error"] = .object(Self.error(failure))
        }
        return redactor.json(.object(record))
    }

    // MARK: Requests

    private static func request(_ request: HTTPRequest, hidesBody: Bool) -> JSONObject {
        var shown = JSONObject([
            ("method", .string(request.method)), ("url", .string(request.url)), ("headers", headers(request.headers)),
        ])
        shown["body"] = body(request.body, isHidden: hidesBody)
        return shown
    }

    private var options: JSON {
        let options = built.options
        var shown = JSONObject([
            ("timeout", .number(built.timeout.inMilliseconds)),
            ("connectTimeout", .number(built.connectTimeout.inMilliseconds)),
            ("maxBody", .number(JSONNumber(built.maximumBodyBytes))),
            ("maxConnections", .number(JSONNumber(built.maximumConnectionsPerOrigin))),
            ("compression", .bool(built.acceptsCompression)), ("http", .string(options.version.rawValue)),
            ("cookies", .string(options.cookies.name)),
        ])
        switch options.proxy {
        case .none: break
        case .url(let url): shown["proxy"] = .string(Self.withoutUser(url))
        case .environment: shown["proxy"] = "environment"
        }
        switch options.credentials {
        case .none: break
        case .digest(let username, _): shown["digest"] = .string(username)
        }
        if !options.resolve.isEmpty {
            let names = options.resolve.map { ($0.key.description, JSON.string($0.value.description)) }
            shown["resolve"] = .object(JSONObject(names.sorted { $0.0 < $1.0 }))
        }
        if let connectTo = built.connectTo { shown["connectTo"] = .string(connectTo.description) }
        if let unixSocket = options.unixSocket { shown["unixSocket"] = .string(unixSocket) }
        if let interface = options.interface { shown["interface"] = .string(interface) }
        if options.traffic != .default { shown["traffic"] = .string("\(options.traffic)") }
        if options.priority != .default { shown["priority"] = .string("\(options.priority)") }
        if options.tls != TransferOptions.TLS() { shown["tls"] = Self.tls(options.tls) }
        return .object(shown)
    }

    private static func tls(_ tls: TransferOptions.TLS) -> JSON {
        var shown = JSONObject([("verify", .bool(tls.verifiesPeer)), ("verifyHost", .bool(tls.verifiesHost))])
        if let file = tls.certificateAuthorities { shown["ca"] = .string(file) }
        if let file = tls.clientCertificate { shown["certificate"] = .string(file) }
        if let version = tls.minimumVersion { shown["minVersion"] = .string(version.rawValue) }
        if !tls.pins.isEmpty { shown["pins"] = .number(JSONNumber(tls.pins.count)) }
        return .object(shown)
    }

    /// A URL with `***` instead of the user name and password.
    private static func withoutUser(_ url: String) -> String {
        var reference = URIReference(url)
        var authority = reference.authority.map(URIReference.Authority.init)
        if authority?.userInformation != nil {
            authority?.userInformation = Redactor.mask
            reference.authority = authority?.description
        }
        return reference.description
    }

    // MARK: Answers

    private static func response(_ response: HTTPResponse, hidesSecrets: Bool) -> JSONObject {
        let fields = response.headers.map { hidesSecrets ? HTTPField(name: $0.name, value: Redactor.mask) : $0 }
        var shown = JSONObject([
            ("status", .number(JSONNumber(response.status))), ("reason", .string(response.reason)),
            ("httpVersion", .string(response.httpVersion)),
            ("url", .string(hidesSecrets ? Redactor.mask : response.url)),
            ("headers", headers(fields)), ("body", body(response.body, isHidden: hidesSecrets)),
            ("time", time(response.timings)), ("bytesSent", .number(JSONNumber(response.bytesSent))),
            ("bytesReceived", .number(JSONNumber(response.bytesReceived))),
            ("reusedConnection", .bool(response.reusedConnection)),
        ])
        if let address = response.remoteAddress { shown["remoteAddress"] = .string(address.description) }
        return shown
    }

    private static func error(_ failure: TransportFailure) -> JSONObject {
        JSONObject([
            ("kind", .string(failure.kind.rawValue)), ("phase", .string(failure.phase.rawValue)),
            ("code", .number(JSONNumber(Int(failure.code)))), ("message", .string(failure.message)),
            ("time", time(failure.timings)), ("wasSent", .bool(failure.wasSent)),
        ])
    }

    private static func time(_ timings: TransferTimings) -> JSON {
        [
            "total": .number(timings.total.inMilliseconds), "dns": .number(timings.dns.inMilliseconds),
            "connect": .number(timings.connect.inMilliseconds), "tls": .number(timings.tls.inMilliseconds),
            "firstByte": .number(timings.firstByte.inMilliseconds),
        ]
    }

    // MARK: Parts of both

    private static func headers(_ fields: [HTTPField]) -> JSON {
        .array(
            fields.map { field in
                let isHidden = field.isSensitive || CredentialNames.contains(field.name)
                return ["name": .string(field.name), "value": .string(isHidden ? Redactor.mask : field.value)]
            }
        )
    }

    private static func body(_ body: HTTPRequest.Body, isHidden: Bool) -> JSON? {
        switch body {
        case .none: nil
        case .bytes(let bytes): Self.body(bytes, isHidden: isHidden)
        case .file(let file): ["file": .string(file.path)]
        case .parts(let parts):
            .array(
                parts.map { part in
                    switch part {
                    case .bytes(let bytes): Self.body(bytes, isHidden: isHidden)
                    case .file(let file): ["file": .string(file.path)]
                    }
                }
            )
        }
    }

    private static func body(_ bytes: [UInt8], isHidden: Bool = false) -> JSON {
        let count = JSON.number(JSONNumber(bytes.count))
        guard !isHidden, bytes.count <= maximumBodyBytes, let text = String(validating: bytes, as: UTF8.self) else {
            return ["bytes": count]
        }
        return ["bytes": count, "text": .string(text)]
    }
}

extension TransferOptions.Cookies {
    fileprivate var name: String {
        switch self {
        case .off: "off"
        case .run: "run"
        case .jar(let file): file.text
        case .separate(let origin): "only of \(origin)"
        }
    }
}
