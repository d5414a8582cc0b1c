import WaybillDiagnostics

/// The credentials and settings of a manifest for options of curl that do not change the rest of a request.
struct CurlSettings {
    private(set) var auth: ImportedAuth?
    private(set) var entries: [ManifestEntry] = []
    private(set) var losses: [ImportLoss] = []
    private(set) var comments: [String] = []
    private let command: CurlCommand

    private static let none = "a manifest has no setting for it"

    init(_ command: CurlCommand, url: ImportedText) {
        self.command = command
        addAuthentication(url)
        addTLS()
        addTimes()
        addProxy()
        addConnection()
        addRetry()
        if let number = command.value("max-redirs").flatMap({ Int($0.string) }), number >= 0, number != 10 {
            add("redirects", .literal(number == 0 ? "false" : "\(number)"))
        }
        if let size = command.value("max-filesize"), Int(size.string) != nil {
            add("maxBody", .literal(size.string))
        }
        if command.has("http1.1") || command.has("http1.0") { add("http", .string("1.1")) }
        if command.has("http2-prior-knowledge") { add("http", .string("2-prior-knowledge")) }
        let start = command.urls.first?.span
        if command.has("http1.0") { lose("http1.0", "the requests are sent with HTTP/1.1", at: start) }
        if command.has("location-trusted") {
            lose("location-trusted", "another server never receives the credentials", at: start)
        }
        if command.has("tlsv1.0") || command.has("tlsv1.1") {
            lose("tlsv1.0", "the system's minimum version applies", at: start)
        }
        if let version = command.value("tls-max") { lose("tls-max \(version.string)", Self.none, at: version.span) }
        if command.has("junk-session-cookies") { lose("junk-session-cookies", Self.none, at: start) }
    }

    private mutating func add(_ name: String, _ value: ManifestNode) { entries.append(ManifestEntry(name, value)) }

    private mutating func lose(_ option: String, _ reason: String, at span: SourceSpan?) {
        losses.add("the option '--\(option)'", reason, at: span)
    }

    private mutating func addAuthentication(_ url: ImportedText) {
        let isDigest = command.has("digest")
        if let token = command.value("oauth2-bearer"), !isDigest { auth = .bearer(token.text) }
        if let user = command.value("user") {
            let signature = command.value("aws-sigv4")?.string
            if case (_, nil) = user.text.split(before: [":"]) { comments.append("curl asks for the password.") }
            guard auth == nil || isDigest || signature != nil else { return }
            auth = .user(user.text, isDigest: isDigest, signature: signature, url: url)
            if command.has("anyauth") { lose("anyauth", "a manifest names the method: here basic", at: user.span) }
        } else if command.has("netrc") || command.has("netrc-optional") || command.value("netrc-file") != nil {
            let file = command.value("netrc-file")
            auth = .netrc(file.map { FileReference.inside($0.string, at: $0.span, &losses) } ?? ".netrc")
        }
    }

    private mutating func addTLS() {
        var tls: [ManifestEntry] = []
        if command.has("insecure") { tls.append(ManifestEntry("verify", .literal("false"))) }
        for (option, key) in [("cacert", "ca"), ("cert", "certificate"), ("key", "key")] {
            guard let value = command.value(option) else { continue }
            var path = value.string
            if option == "cert", let colon = path.lastIndex(of: ":"), colon > path.startIndex {
                losses.add("the password of the certificate", Self.none, at: value.span)
                path = String(path[..<colon])
            }
            tls.append(ManifestEntry(key, .plain(FileReference.inside(path, at: value.span, &losses))))
        }
        if let pins = constant("pinnedpubkey") {
            let list = pins.split(separator: ";").map { ManifestNode.plain(String($0)) }
            tls.append(ManifestEntry("pins", .list(of: list)))
        }
        if let version = ["1.3", "1.2"].first(where: { command.has("tlsv\($0)") }) {
            tls.append(ManifestEntry("minVersion", .plain(version)))
        }
        if !tls.isEmpty { add("tls", .map(tls)) }
    }

    private mutating func addTimes() {
        for (option, key) in [("max-time", "timeout"), ("connect-timeout", "connectTimeout")] {
            guard let value = command.value(option) else { continue }
            if let seconds = Double(value.string), seconds > 0, seconds < 1e7 {
                add(key, .duration(seconds))
            } else {
                lose("\(option) \(value.string)", "it is not a number of seconds", at: value.span)
            }
        }
    }

    /// The kinds of proxies, and their schemes.
    private static let proxies = [
        ("proxy", "http"), ("proxy1.0", "http"), ("preproxy", "socks5"), ("socks5", "socks5"),
        ("socks5-hostname", "socks5h"), ("socks4", "socks4"), ("socks4a", "socks4a"),
    ]

    private mutating func addProxy() {
        for (option, scheme) in Self.proxies {
            guard let proxy = command.value(option) else { continue }
            if proxy.text.isEmpty {
                add("proxy", .string("none"))
                continue
            }
            var url = proxy.string.contains("://") ? proxy.string : "\(scheme)://\(proxy.string)"
            let isKnown = ["http://", "https://", "socks5://", "socks5h://"].contains(where: url.hasPrefix)
            guard proxy.text.literal != nil, isKnown, !url.contains("@"), !url.hasReference, option != "preproxy" else {
                lose(option, "a manifest has no setting for this proxy", at: proxy.span)
                continue
            }
            // curl's port of proxies is 1080.
            let authority = url.split(separator: "/").dropFirst().first ?? ""
            if !authority.contains(":") { url = url.hasSuffix("/") ? String(url.dropLast()) + ":1080" : url + ":1080" }
            add("proxy", .string(Template(constant: url)))
        }
        if let user = command.value("proxy-user") {
            lose("proxy-user", "write the credentials into 'proxy', as a secret", at: user.span)
        }
        if let hosts = command.value("noproxy") {
            lose("noproxy \(hosts.string)", "write 'proxy: none' where no proxy is used", at: hosts.span)
        }
    }

    private mutating func addConnection() {
        var addresses: [ManifestEntry] = []
        for value in command.values["resolve"] ?? [] {
            let parts = value.string.split(separator: ":", maxSplits: 2).map(String.init)
            let address = parts.last?.split(separator: ",").first ?? ""
            guard parts.count == 3, !parts[0].hasPrefix("-"), parts[0] != "*",
                Int(parts[1]).map({ 1...65535 ~= $0 }) ?? false, Self.isAddress(address)
            else {
                lose("resolve \(value.string)", "only HOST:PORT:ADDRESS can be imported", at: value.span)
                continue
            }
            let host = "\(parts[0].trimmingPrefix("+")):\(parts[1])"
            addresses.append(ManifestEntry(host, .plain(address.filter { $0 != "[" && $0 != "]" })))
        }
        if !addresses.isEmpty { add("resolve", .map(addresses)) }
        if let path = constant("unix-socket") { add("unixSocket", .plain(path)) }
        guard let name = constant("interface") else { return }
        if name.contains(where: { ".:!".contains($0) }) {
            let span = command.value("interface")?.span
            lose("interface \(name)", "only the name of an interface can be imported", at: span)
        } else {
            add("network", .map(("interface", .plain(name))))
        }
    }

    /// The value of an option, which a manifest has as a constant; nil, with a loss, if it cannot be one.
    private mutating func constant(_ option: String) -> String? {
        guard let value = command.value(option), value.string.hasReference else { return command.value(option)?.string }
        lose("\(option) \(value.string)", "a manifest does not allow '${' in it", at: value.span)
        return nil
    }

    /// Whether a text has the form of an IP address.
    private static func isAddress(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4 { return parts.allSatisfy { Int($0).map { 0...255 ~= $0 } ?? false } }
        return text.contains(":") && text.allSatisfy { "0123456789abcdefABCDEF:[]".contains($0) }
    }

    private mutating func addRetry() {
        guard let value = command.value("retry"), let times = Int(value.string), times > 0 else { return }
        var retry = [ManifestEntry("times", .literal("\(times)"))]
        if let delay = command.value("retry-delay").flatMap({ Double($0.string) }), delay > 0 {
            let backoff = ManifestNode.map(("first", .duration(delay)), ("factor", .literal("1")))
            retry.append(ManifestEntry("backoff", backoff))
        }
        if let time = command.value("retry-max-time").flatMap({ Double($0.string) }), time > 0 {
            add("deadline", .duration(time))
        }
        add("retry", .map(retry))
    }
}
