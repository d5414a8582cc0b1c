import WaybillDiagnostics

/// The credentials and settings of a manifest for options of curl that do not change the rest of a request.
struct CurlSettings {
    private(set) var auth: ImportedAuth?
    private(set) var entries: [ManifestEntry] = []
    private(set) var losses: [ImportLoss] = []
    private(set) var comments: [String] = []

    init(_ command: CurlCommand, url: ImportedText) {
        addAuthentication(command, url)
        addTLS(command)
        addTimes(command)
        addProxy(command)
        addConnection(command)
        addRetry(command)
        if let count = command.value("max-redirs"), let number = Int(count.string) {
            if number > 10 { entries.append(ManifestEntry("redirects", .literal("\(number)"))) }
            if number >= 0, number < 10 {
                entries.append(ManifestEntry("redirects", .literal(number == 0 ? "false" : "\(number)")))
            }
        }
        if let size = command.value("max-filesize"), size.string.allSatisfy(\.isNumber) {
            entries.append(ManifestEntry("maxBody", .literal(size.string)))
        }
        if command.has("http1.1") || command.has("http1.0") { entries.append(ManifestEntry("http", .string("1.1"))) }
        if command.has("http1.0") { lose(command, "http1.0", "the requests are sent with HTTP/1.1") }
        if command.has("http2-prior-knowledge") { entries.append(ManifestEntry("http", .string("2-prior-knowledge"))) }
        if command.has("location-trusted") {
            lose(command, "location-trusted", "another server never receives the credentials")
        }
        if command.has("tlsv1.0") || command.has("tlsv1.1") {
            lose(command, "tlsv1.0", "the system's minimum version applies")
        }
        if let version = command.value("tls-max") {
            losses.add("the option '--tls-max \(version.string)'", "a manifest has no setting for it", at: version.span)
        }
        if command.has("junk-session-cookies") {
            lose(command, "junk-session-cookies", "a manifest has no setting for it")
        }
    }

    private mutating func lose(_ command: CurlCommand, _ option: String, _ reason: String) {
        losses.add("the option '--\(option)'", reason, at: command.urls.first?.span)
    }

    private mutating func addAuthentication(_ command: CurlCommand, _ url: ImportedText) {
        let isDigest = command.has("digest")
        if let token = command.value("oauth2-bearer"), !isDigest { auth = .bearer(token.text) }
        if let user = command.value("user") {
            let signature = command.value("aws-sigv4")?.string
            if case (_, nil) = user.text.split(before: [":"]) { comments.append("curl asks for the password.") }
            guard auth == nil || isDigest || signature != nil else { return }
            auth = .user(user.text, isDigest: isDigest, signature: signature, url: url)
            if command.has("anyauth") {
                losses.add("the option '--anyauth'", "a manifest names the method: here basic", at: user.span)
            }
        } else if command.has("netrc") || command.has("netrc-optional") || command.value("netrc-file") != nil {
            let file = command.value("netrc-file")
            auth = .netrc(file.map { FileReference.inside($0.string, at: $0.span, &losses) } ?? ".netrc")
        }
    }

    private mutating func addTLS(_ command: CurlCommand) {
        var tls: [ManifestEntry] = []
        if command.has("insecure") { tls.append(ManifestEntry("verify", .literal("false"))) }
        for (option, key) in [("cacert", "ca"), ("cert", "certificate"), ("key", "key")] {
            guard let value = command.value(option) else { continue }
            var path = value.string
            if option == "cert", let colon = path.lastIndex(of: ":"), colon > path.startIndex {
                losses.add("the password of the certificate", "a manifest has no setting for it", at: value.span)
                path = String(path[..<colon])
            }
            tls.append(ManifestEntry(key, .string(FileReference.inside(path, at: value.span, &losses))))
        }
        if let pins = command.value("pinnedpubkey") {
            let list = pins.string.split(separator: ";").map { ManifestNode.string(String($0)) }
            tls.append(ManifestEntry("pins", .list(of: list)))
        }
        if let version = ["1.3", "1.2"].first(where: { command.has("tlsv\($0)") }) {
            tls.append(ManifestEntry("minVersion", .string(version)))
        }
        if !tls.isEmpty { entries.append(ManifestEntry("tls", .map(tls))) }
    }

    private mutating func addTimes(_ command: CurlCommand) {
        for (option, key) in [("max-time", "timeout"), ("connect-timeout", "connectTimeout")] {
            guard let value = command.value(option) else { continue }
            guard let seconds = Double(value.string), seconds > 0, seconds < 1e7 else {
                losses.add("the option '--\(option) \(value.string)'", "it is not a number of seconds", at: value.span)
                continue
            }
            entries.append(ManifestEntry(key, .literal(Self.duration(seconds))))
        }
    }

    /// A duration in the form of manifests.
    static func duration(_ seconds: Double) -> String {
        let milliseconds = Int((seconds * 1000).rounded(.up))
        if milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000)m" }
        guard milliseconds >= 1000, milliseconds % 1000 != 0 else {
            return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
        }
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        return "\(milliseconds / 1000).\(fraction)".trimmingZeros + "s"
    }

    private mutating func addProxy(_ command: CurlCommand) {
        let schemes = [
            ("proxy", "http"), ("proxy1.0", "http"), ("preproxy", "socks5"), ("socks5", "socks5"),
            ("socks5-hostname", "socks5h"), ("socks4", "socks4"),
            ("socks4a", "socks4a"),
        ]
        for (option, scheme) in schemes {
            guard let proxy = command.value(option) else { continue }
            guard !proxy.text.isEmpty else {
                entries.append(ManifestEntry("proxy", .string("none")))
                continue
            }
            var url = proxy.string.contains("://") ? proxy.string : "\(scheme)://\(proxy.string)"
            guard proxy.text.literal != nil,
                ["http://", "https://", "socks5://", "socks5h://"].contains(where: url.hasPrefix), !url.contains("@"),
                option != "preproxy"
            else {
                losses.add("the option '--\(option)'", "a manifest has no setting for this proxy", at: proxy.span)
                continue
            }
            // curl's port of proxies is 1080.
            let authority = url.split(separator: "/").dropFirst().first ?? ""
            if !authority.contains(":") { url = url.hasSuffix("/") ? String(url.dropLast()) + ":1080" : url + ":1080" }
            entries.append(ManifestEntry("proxy", .string(url)))
        }
        if let user = command.value("proxy-user") {
            losses.add("the option '--proxy-user'", "write the credentials into 'proxy', as a secret", at: user.span)
        }
        if let hosts = command.value("noproxy") {
            losses.add(
                "the option '--noproxy \(hosts.string)'",
                "write 'proxy: none' where no proxy is used",
                at: hosts.span
            )
        }
    }

    private mutating func addConnection(_ command: CurlCommand) {
        var addresses: [ManifestEntry] = []
        for value in command.values["resolve"] ?? [] {
            let parts = value.string.split(separator: ":", maxSplits: 2).map(String.init)
            let address = parts.last?.split(separator: ",").first ?? ""
            guard parts.count == 3, !parts[0].hasPrefix("-"), parts[0] != "*",
                Int(parts[1]).map({ 1...65535 ~= $0 }) ?? false,
                Self.isAddress(address)
            else {
                losses.add(
                    "the option '--resolve \(value.string)'",
                    "only HOST:PORT:ADDRESS can be imported",
                    at: value.span
                )
                continue
            }
            let host = parts[0].hasPrefix("+") ? String(parts[0].dropFirst()) : parts[0]
            addresses.append(
                ManifestEntry("\(host):\(parts[1])", .string(address.filter { $0 != "[" && $0 != "]" }))
            )
        }
        if !addresses.isEmpty { entries.append(ManifestEntry("resolve", .map(addresses))) }
        if let path = command.value("unix-socket") { entries.append(ManifestEntry("unixSocket", .string(path.string))) }
        if let name = command.value("interface") {
            let isName = !name.string.contains(".") && !name.string.contains(":") && !name.string.contains("!")
            if isName {
                entries.append(ManifestEntry("network", .map(("interface", .string(name.string)))))
            } else {
                losses.add(
                    "the option '--interface \(name.string)'",
                    "only the name of an interface can be imported",
                    at: name.span
                )
            }
        }
    }

    /// Whether a text has the form of an IP address.
    private static func isAddress(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4 { return parts.allSatisfy { Int($0).map { 0...255 ~= $0 } ?? false } }
        return text.contains(":") && text.allSatisfy { "0123456789abcdefABCDEF:[]".contains($0) }
    }

    private mutating func addRetry(_ command: CurlCommand) {
        guard let value = command.value("retry"), let times = Int(value.string), times > 0 else { return }
        var retry = [ManifestEntry("times", .literal("\(times)"))]
        if let delay = command.value("retry-delay").flatMap({ Double($0.string) }), delay > 0 {
            retry.append(
                ManifestEntry("backoff", .map(("first", .literal(Self.duration(delay))), ("factor", .literal("1"))))
            )
        }
        if let time = command.value("retry-max-time").flatMap({ Double($0.string) }), time > 0 {
            entries.append(ManifestEntry("deadline", .literal(Self.duration(time))))
        }
        entries.append(ManifestEntry("retry", .map(retry)))
    }
}

extension String {
    /// A number without zeros at its end.
    fileprivate var trimmingZeros: String { String(self[...(lastIndex { $0 != "0" } ?? startIndex)]) }
}
