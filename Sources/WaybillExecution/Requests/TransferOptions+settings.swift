import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillTransport

extension TransferOptions {
    /// How a request with these settings travels.
    ///
    /// - Parameters:
    ///   - text: Evaluates a text at a level; it is a secret whatever it is made of, or only if a secret goes into it.
    ///   - proxies: What the environment says of proxies.
    init(
        _ settings: Settings,
        proxies: ProxyVariables,
        text: (_ scalar: ScalarTemplate, _ level: Level, _ isSecret: Bool) throws(EvaluationProblem) -> String
    ) throws(EvaluationProblem) {
        self.init()
        // One jar for the run, unless something else is said.
        cookies = .run
        for entry in settings.entries {
            switch entry.value {
            case .http(let version): self.version = Version(version)
            case .tls(_, let option?): tls.set(option)
            case .proxy(.none): proxy = .none
            case .proxy(.environment): proxy = .environment(proxies)
            case .proxy(.url(let url)): proxy = .url(try text(url, entry.level, false))
            case .resolve(let name, let address?):
                guard let endpoint = SocketEndpoint(authority: name.value) else {
                    throw EvaluationProblem(message: "'\(name.value)' is not a host and a port", span: name.span)
                }
                resolve[endpoint] = SocketEndpoint(host: address, port: endpoint.port)
            case .unixSocket(let path): unixSocket = path
            case .network(let network): interface = network.interface?.value
            case .cookies(.on): cookies = .run
            case .cookies(.off): cookies = .off
            case .cookies(.jar(let path)): cookies = .jar(path.pathInFolder)
            case .traffic(let traffic): self.traffic = Traffic(traffic)
            case .priority(let priority): self.priority = Priority(priority)
            case .auth(.digest(let username, let password)):
                credentials = .digest(
                    username: try text(username, entry.level, false),
                    password: try text(password, entry.level, true)
                )
            case .auth(.netrc(let path)): credentials = .netrc(path.pathInFolder)
            default: break
            }
        }
        tls.usePinMode(of: settings)
    }
}

extension Spanned<String> {
    /// The path of a file that a manifest names, relative to the folder of the file that names it.
    var pathInFolder: String {
        FileContents.path(value, in: FileContents.folder(of: span.file.name))
    }
}

extension SocketEndpoint {
    /// A host and a port as `host:port`, an IPv6 address in brackets.
    fileprivate init?(authority: String) {
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        var host = authority[..<colon]
        guard let port = Int(authority[authority.utf8.index(after: colon)...]), (0...65_535).contains(port) else {
            return nil
        }
        if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") {
            host = host.dropFirst().dropLast()
        }
        self.init(host: String(host), port: port)
    }
}

extension TransferOptions.TLS {
    fileprivate mutating func set(_ option: TLSOption) {
        switch option {
        case .verify(let verifies): verifiesPeer = verifies
        case .verifyHost(let verifies): verifiesHost = verifies
        case .ca(let path): certificateAuthorities = path.pathInFolder
        case .certificate(let path): clientCertificate = path.pathInFolder
        case .key(let path): clientKey = path.pathInFolder
        case .minVersion(let version): minimumVersion = Version(rawValue: version)
        case .pins, .pinMode: break
        }
    }

    /// Sets the pins as their mode says, wherever the two are written.
    fileprivate mutating func usePinMode(of settings: Settings) {
        var mode = TLSOption.PinMode.publicKey
        for option in settings.tls { if case .pinMode(let said) = option.value { mode = said } }
        for option in settings.tls {
            guard case .pins(let written) = option.value else { continue }
            pins = written.map { pin in
                let prefix = "sha256//"
                let digest = pin.value.hasPrefix(prefix) ? String(pin.value.dropFirst(prefix.count)) : nil
                return switch mode {
                case .publicKey: digest.map { .publicKey(sha256: $0) } ?? .publicKeyOf(file: pin.pathInFolder)
                case .certificate: digest.map { .certificateDigest(sha256: $0) } ?? .certificate(file: pin.pathInFolder)
                }
            }
        }
    }
}

extension TransferOptions.Version {
    fileprivate init(_ version: HTTPVersion) {
        self =
            switch version {
            case .auto: .automatic
            case .http1: .http1
            case .http2: .http2
            case .http2PriorKnowledge: .http2PriorKnowledge
            }
    }
}

extension TransferOptions.Traffic {
    fileprivate init(_ traffic: TrafficClass) {
        self =
            switch traffic {
            case .default: .default
            case .background: .background
            case .responsive: .responsive
            case .video: .video
            case .voice: .voice
            }
    }
}

extension TransferOptions.Priority {
    fileprivate init(_ priority: Priority) {
        self =
            switch priority {
            case .low: .low
            case .default: .default
            case .high: .high
            }
    }
}
