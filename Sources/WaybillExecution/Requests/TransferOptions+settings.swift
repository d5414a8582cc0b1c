import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillRuntime
import WaybillTransport

extension TransferOptions {
    /// Whether files are read or written for them.
    var namesFiles: Bool {
        if case .jar = cookies { return true }
        return tls != TLS() || cacheFolder != nil
    }

    /// How a request with these settings is sent, apart from its credentials.
    ///
    /// - Parameters:
    ///   - files: The folder that the files of the settings must be in.
    ///   - proxies: The proxies that the environment names.
    ///   - url: Evaluates the template of a URL at a level; inserted values are percent-encoded.
    init(
        _ settings: Settings,
        files: FolderBoundary,
        proxies: ProxyVariables,
        url: (_ scalar: ScalarTemplate, _ level: Level) throws(EvaluationFailure) -> String
    ) throws(EvaluationFailure) {
        self.init()
        if let version = settings.http { self.version = version.value }
        try tls.set(settings.tlsOptions, files)
        if let proxy = settings.proxy {
            switch proxy.value {
            case .none: self.proxy = .none
            case .environment: self.proxy = .environment(proxies)
            case .url(let template): self.proxy = .url(try url(template, proxy.level))
            }
        }
        for entry in settings.resolve {
            guard let address = entry.value.address else { continue }
            let name = entry.value.name
            // As in the URLs of requests: in lower case, and an internationalised name in ASCII.
            guard SocketEndpoint(authority: name.value) != nil,
                let endpoint = try? Origin(ofURL: InternationalHost.asciiURL("http://\(name.value)/")).endpoint
            else {
                throw EvaluationFailure(message: "'\(name.value)' is not a host and a port", span: name.span)
            }
            resolve[endpoint] = SocketEndpoint(host: address, port: endpoint.port)
        }
        unixSocket = settings.unixSocket?.value
        interface = settings.interface?.value.value
        switch settings.cookies?.value {
        // Without the setting, the run has one jar.
        case .on, nil: cookies = .run
        case .off: cookies = .off
        case .jar(let path): cookies = .jar(CodePoints(try path.checkedPath(.jar, within: files)))
        }
        if let traffic = settings.traffic { self.traffic = traffic.value }
        if let priority = settings.priority { self.priority = priority.value }
        if let mode = settings.cacheMode { cache = mode.value }
        if cache != .noStore {
            cacheFolder = try settings.cacheFolder?.value.checkedPath(.cache, within: files)
            maximumCacheBytes = settings.cacheSize?.value
        }
    }
}

extension Spanned<String> {
    /// Returns the path of a file that a setting names, as it is opened. Throws if it is outside the boundary: links
    /// may have changed since the plan was checked.
    func checkedPath(
        _ kind: NamedFile.Kind,
        within boundary: FolderBoundary
    ) throws(EvaluationFailure) -> String {
        let file = NamedFile(path: self, kind: kind).file(within: boundary)
        guard file.boundary.encloses(file.path) else {
            let reason = file.boundary.refusal(of: file.path).message
            throw EvaluationFailure(message: "the file \(file) cannot be used: \(reason)", span: span)
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
    fileprivate mutating func set(
        _ options: [Setting<TLSOption>],
        _ files: FolderBoundary
    ) throws(EvaluationFailure) {
        var writtenPins: [Spanned<String>] = []
        var pinMode = TLSOption.PinMode.publicKey
        for option in options {
            switch option.value {
            case .verify(let verifies): verifiesPeer = verifies
            case .verifyHost(let verifies): verifiesHost = verifies
            case .ca(let path): certificateAuthorities = try path.checkedPath(.tls, within: files)
            case .certificate(let path): clientCertificate = try path.checkedPath(.tls, within: files)
            case .key(let path): clientKey = try path.checkedPath(.tls, within: files)
            case .minVersion(let version): minimumVersion = Version(rawValue: version)
            case .pins(let pins): writtenPins = pins
            case .pinMode(let mode): pinMode = mode
            }
        }
        pins = try writtenPins.map { (pin) throws(EvaluationFailure) in
            let prefix = "sha256//"
            let digest = pin.value.hasPrefix(prefix) ? String(pin.value.dropFirst(prefix.count)) : nil
            switch (pinMode, digest) {
            case (.publicKey, let digest?): return .publicKey(sha256: digest)
            case (.certificate, let digest?): return .certificateDigest(sha256: digest)
            case (.publicKey, nil): return .publicKeyOf(file: try pin.checkedPath(.tls, within: files))
            case (.certificate, nil): return .certificate(file: try pin.checkedPath(.tls, within: files))
            }
        }
    }
}
