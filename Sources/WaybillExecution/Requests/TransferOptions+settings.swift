import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest
import WaybillPlan
import WaybillRuntime
import WaybillTransport

extension TransferOptions {
    /// How a request with these settings travels.
    ///
    /// - Parameters:
    ///   - text: Evaluates a text at a level; it is a secret whatever it is made of, or only if a secret goes into it.
    ///   - files: Where the files that the settings name may lie.
    ///   - netrc: Reads a netrc file.
    ///   - proxies: What the environment says of proxies.
    init(
        _ settings: Settings,
        files: FolderBoundary,
        netrc: (NamedFile) throws(EvaluationProblem) -> Netrc,
        proxies: ProxyVariables,
        text: (_ scalar: ScalarTemplate, _ level: Level, _ isSecret: Bool) throws(EvaluationProblem) -> String
    ) throws(EvaluationProblem) {
        self.init()
        // One jar for the run, unless something else is said.
        cookies = .run
        for entry in settings.entries {
            switch entry.value {
            case .http(let version): self.version = Version(version)
            case .tls(_, let option?): try tls.set(option, files)
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
            case .cookies(.jar(let path)): cookies = .jar(try path.checkedPath(.jar, within: files))
            case .traffic(let traffic): self.traffic = Traffic(traffic)
            case .priority(let priority): self.priority = Priority(priority)
            case .auth(.digest(let username, let password)):
                credentials = .digest(
                    username: try text(username, entry.level, false),
                    password: try text(password, entry.level, true)
                )
            case .auth(.netrc(let path)): credentials = .netrc(try netrc(NamedFile(path: path, sort: .netrc)))
            default: break
            }
        }
        try tls.usePinMode(of: settings, files)
    }
}

extension Spanned<String> {
    /// The path of a file that a setting names, as it is opened. Throws where it is outside the boundary: links may have
    /// changed since the plan was checked.
    fileprivate func checkedPath(
        _ sort: NamedFile.Sort,
        within boundary: FolderBoundary
    ) throws(EvaluationProblem) -> String {
        let file = NamedFile(path: self, sort: sort).file(within: boundary)
        guard file.boundary.encloses(file.path) else {
            let reason = FileError(path: file.path, reason: .outside).message
            throw EvaluationProblem(message: "the file \(file) cannot be used: \(reason)", span: span)
        }
        return file.path
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
    fileprivate mutating func set(_ option: TLSOption, _ files: FolderBoundary) throws(EvaluationProblem) {
        switch option {
        case .verify(let verifies): verifiesPeer = verifies
        case .verifyHost(let verifies): verifiesHost = verifies
        case .ca(let path): certificateAuthorities = try path.checkedPath(.tls, within: files)
        case .certificate(let path): clientCertificate = try path.checkedPath(.tls, within: files)
        case .key(let path): clientKey = try path.checkedPath(.tls, within: files)
        case .minVersion(let version): minimumVersion = Version(rawValue: version)
        case .pins, .pinMode: break
        }
    }

    /// Sets the pins as their mode says, wherever the two are written.
    fileprivate mutating func usePinMode(of settings: Settings, _ files: FolderBoundary) throws(EvaluationProblem) {
        var mode = TLSOption.PinMode.publicKey
        for option in settings.tls { if case .pinMode(let said) = option.value { mode = said } }
        for option in settings.tls {
            guard case .pins(let written) = option.value else { continue }
            pins = try written.map { (pin) throws(EvaluationProblem) in
                let prefix = "sha256//"
                let digest = pin.value.hasPrefix(prefix) ? String(pin.value.dropFirst(prefix.count)) : nil
                switch (mode, digest) {
                case (.publicKey, let digest?): return .publicKey(sha256: digest)
                case (.certificate, let digest?): return .certificateDigest(sha256: digest)
                case (.publicKey, nil): return .publicKeyOf(file: try pin.checkedPath(.tls, within: files))
                case (.certificate, nil): return .certificate(file: try pin.checkedPath(.tls, within: files))
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
