import WaybillDiagnostics
import WaybillJSON
import WaybillSchema

/// Settings of connections and of when and how often something is sent.
extension ManifestDecoder {
    func tlsOption(_ key: YAMLNode, _ node: YAMLNode) -> SettingValue? {
        guard let name = word(key) as TLSOption.Name? else { return nil }
        guard let node = nonNull(node) else { return .tls(name, nil) }
        let option: TLSOption? =
            switch name {
            case .verify: boolean(node).map(TLSOption.verify)
            case .verifyHost: boolean(node).map(TLSOption.verifyHost)
            case .ca: text(node).map(TLSOption.ca)
            case .pins: .pins((node.sequence ?? []).compactMap { text($0) })
            case .pinMode: word(node).map(TLSOption.pinMode)
            case .certificate: text(node).map(TLSOption.certificate)
            case .key: text(node).map(TLSOption.key)
            case .minVersion: node.text.map(TLSOption.minVersion)
            }
        return option.map { .tls(name, $0) }
    }

    mutating func proxy(_ node: YAMLNode) -> ProxySetting? {
        switch node.text {
        case "none": ProxySetting.none
        case "environment": .environment
        default: proxyURL(node).map(ProxySetting.url)
        }
    }

    private mutating func proxyURL(_ node: YAMLNode) -> ScalarTemplate? {
        guard let url = scalarTemplate(node) else { return nil }
        if let problem = WrittenAddress(url).proxyProblem { report(problem, at: node.span) }
        return url
    }

    /// The address that connections to a host with a port go to.
    mutating func resolution(of name: Spanned<String>, _ node: YAMLNode) -> SettingValue {
        if let port = name.value.split(separator: ":").last, Int(port).map({ (1...65535).contains($0) }) != true {
            report(
                Diagnostic(
                    "invalid-host",
                    "'\(port)' is not a port",
                    at: name.span,
                    help: ["A port is a number from 1 to 65535, as in api.example.com:443."]
                )
            )
        }
        let address = nonNull(node)?.text
        if let address, !AddressFormat.isIPv4(address.utf8[...]), !AddressFormat.isIPv6(address.utf8[...]) {
            report(
                Diagnostic(
                    "invalid-address",
                    "this is not an IP address",
                    at: node.span,
                    help: ["Write for example 127.0.0.1 or ::1."]
                )
            )
        }
        return .resolve(name, address)
    }

    /// The path of a Unix domain socket. One that no socket can have is reported.
    mutating func unixSocket(_ node: YAMLNode) -> String? {
        guard let path = node.text else { return nil }
        // struct sockaddr_un has room for this many bytes on every system, with the NUL.
        if path.utf8.count >= 104 || path.utf8.contains(0) {
            report(
                Diagnostic(
                    "invalid-value",
                    path.utf8.contains(0)
                        ? "a path cannot contain a NUL character"
                        : "the path of a Unix domain socket has at most 103 bytes, and this has \(path.utf8.count)",
                    at: node.span,
                    help: ["Use a shorter path, such as that of a link to the socket's folder."]
                )
            )
        }
        return path
    }

    func network(_ node: YAMLNode) -> NetworkRequirement {
        NetworkRequirement(
            interface: node["interface"].flatMap { text($0) },
            allowsMetered: node["metered"].flatMap { boolean($0) } ?? true
        )
    }

    func cookies(_ node: YAMLNode) -> CookiePolicy? {
        if let jar = node["jar"] { return text(jar).map(CookiePolicy.jar) }
        return boolean(node).map { $0 ? .on : .off }
    }

    mutating func retry(_ node: YAMLNode) -> RetryPolicy? {
        let causes = node["for"]?.sequence?.compactMap { $0.text }.map { text in
            StatusPattern(text).map(RetryPolicy.Cause.status) ?? .kind(text)
        }
        var backoff = RetryPolicy.Backoff()
        if let node = node["backoff"] {
            backoff.first = node["first"].flatMap { constantDuration($0) } ?? backoff.first
            backoff.factor = node["factor"]?.json.number?.double ?? backoff.factor
            backoff.max = node["max"].flatMap { constantDuration($0) } ?? backoff.max
            backoff.jitter = node["jitter"].flatMap { boolean($0) } ?? backoff.jitter
        }
        guard let times = node["times"].flatMap({ integer($0) }) else { return nil }
        return RetryPolicy(
            times: times,
            causes: causes ?? RetryPolicy.defaultCauses,
            backoff: backoff,
            isUnsafe: node["unsafe"].flatMap { boolean($0) } ?? false
        )
    }

    mutating func duplicates(_ node: YAMLNode) -> DuplicatePolicy? {
        guard let mode = word(node["mode"] ?? node) as DuplicatePolicy.Mode? else { return nil }
        return DuplicatePolicy(mode: mode, key: node["key"].flatMap { expression($0) })
    }

    mutating func authentication(_ node: YAMLNode) -> Authentication? {
        guard let (kind, value) = node.mapping?.entries.first else {
            return node.text == "none" ? Authentication.none : nil
        }
        switch kind.text {
        case "basic", "digest":
            guard let username = value["username"].flatMap({ scalarTemplate($0) }),
                let password = value["password"].flatMap({ scalarTemplate($0) })
            else { return nil }
            if kind.text == "basic", username.constantText?.utf8.contains(UInt8(ascii: ":")) == true {
                report(
                    Diagnostic(
                        "invalid-value",
                        "a user name with ':' cannot be sent: in basic credentials the password begins after the first one",
                        at: username.span,
                        help: ["See RFC 7617, section 2. Servers that allow such names use another kind of 'auth'."]
                    )
                )
            }
            return kind.text == "basic"
                ? .basic(username: username, password: password) : .digest(username: username, password: password)
        case "bearer":
            return scalarTemplate(value).map(Authentication.bearer)
        case "apiKey":
            guard let place = value["in"].flatMap({ word($0) as Authentication.APIKeyPlace? }),
                let name = value["name"].flatMap({ text($0) }), let key = value["value"].flatMap({ scalarTemplate($0) })
            else { return nil }
            return .apiKey(place: place, name: name, value: key)
        case "awsSigV4":
            guard let region = value["region"].flatMap({ scalarTemplate($0) }),
                let service = value["service"].flatMap({ scalarTemplate($0) }),
                let accessKey = value["accessKey"].flatMap({ scalarTemplate($0) }),
                let secretKey = value["secretKey"].flatMap({ scalarTemplate($0) })
            else { return nil }
            let token = value["sessionToken"].flatMap { scalarTemplate($0) }
            return .awsSigV4(
                .init(
                    region: region,
                    service: service,
                    accessKey: accessKey,
                    secretKey: secretKey,
                    sessionToken: token
                )
            )
        case "oauth2": return oauth2(value)
        case "netrc": return text(value).map(Authentication.netrc)
        default: return nil
        }
    }

    private mutating func oauth2(_ node: YAMLNode) -> Authentication? {
        guard let grant = node["grant"].flatMap({ word($0) as Authentication.OAuth2.Grant? }) else { return nil }
        var fields: [(name: Spanned<String>, value: ScalarTemplate)] = []
        for (name, value) in named(node) where name.value != "grant" && name.value != "clientAuth" {
            for element in value.sequence ?? [value] {
                guard let scalar = scalarTemplate(element) else { continue }
                if name.value == "tokenURL", let problem = WrittenAddress(scalar).urlProblem {
                    report(problem, at: scalar.span)
                }
                fields.append((name, scalar))
            }
        }
        return .oauth2(.init(grant: grant, fields: fields, sendsClientInBody: node["clientAuth"]?.text == "body"))
    }
}
