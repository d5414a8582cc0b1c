import WaybillFormats
import WaybillJSON
import WaybillManifest

/// A URL of a source, split where a service ends and a request begins.
struct ServiceAddress {
    /// Scheme and authority, or what stands for them, such as one variable; nil if the URL has neither.
    var base: ImportedText?
    /// The user name and password in the authority.
    var userInformation: ImportedText?
    /// The path; empty or after a slash.
    var path: ImportedText
    /// The query, without the question mark.
    var query: ImportedText?

    /// Splits a URL. Without a scheme, it is http, as in browsers, Postman and curl.
    init(_ url: ImportedText) {
        let (whole, _) = url.split(before: ["#"])
        let (address, query) = whole.split(before: ["?"])
        self.query = query?.droppingFirst(1)
        var (scheme, rest) = Self.scheme(of: address)
        if scheme == nil, let slashes = rest.startsWith("//") { rest = slashes }
        let (authority, path) = rest.split(before: ["/"])
        self.path = path ?? ""
        var host = authority
        if case (let user, let after?) = authority.split(before: ["@"]) {
            userInformation = user
            host = after.droppingFirst(1)
        }
        guard !host.isEmpty else { return }
        if let scheme {
            base = scheme
            base?.append(.literal("://"))
            base?.append(host)
        } else if host.parts.count == 1, case .variable = host.parts[0] {
            base = host
        } else {
            base = "http://"
            base?.append(host)
        }
    }

    /// Returns what is before `://`, and what is after it.
    private static func scheme(of address: ImportedText) -> (ImportedText?, ImportedText) {
        for (index, part) in address.parts.enumerated() {
            guard case .literal(let text) = part, let mark = text.firstRange(of: "://") else { continue }
            let before = address.parts[..<index] + [.literal(String(text[..<mark.lowerBound]).lowercased())]
            let after = [.literal(String(text[mark.upperBound...]))] + address.parts[(index + 1)...]
            // A URL in the path or query of another one is no scheme.
            guard !text[..<mark.lowerBound].utf8.contains(UInt8(ascii: "/")) else { break }
            return (ImportedText(before), ImportedText(after))
        }
        return (nil, address)
    }

    /// Whether the base of a URL that starts with a variable ends before this part.
    static func endsBase(_ part: ImportedText.Part?) -> Bool {
        guard let part else { return true }
        guard case .literal(let text) = part, let first = text.utf8.first else { return false }
        return "/?#".utf8.contains(first)
    }

    /// Whether a base without variables can be that of a service: an http or https URL of a host and perhaps a path.
    static func isUsable(_ base: String) -> Bool {
        let reference = URIReference(base)
        guard let scheme = reference.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = reference.authority.map({ URIReference.Authority($0).host })
        else { return false }
        return WrittenAddress(base).baseURLError == nil && !host.hasPrefix(".") && !host.contains("..")
    }

    /// Whether a base with variables can be that of a service, whatever their values are.
    static func isUsable(_ base: ImportedText) -> Bool {
        var probe = ""
        for (index, part) in base.parts.enumerated() {
            switch part {
            case .literal(let text): probe += text
            case .variable, .expression:
                // The first variable may be a scheme, or a scheme and a host.
                let isScheme =
                    if index + 1 < base.parts.count, case .literal(let next) = base.parts[index + 1] {
                        next.hasPrefix("://")
                    } else { false }
                probe += index > 0 ? "80" : isScheme ? "http" : "http://80"
            }
        }
        return isUsable(probe)
    }

    /// Returns the name of a service for a URL without variables.
    static func serviceName(of base: String) -> String {
        let host = URIReference(base).authority.map { URIReference.Authority($0).host.lowercased() } ?? ""
        let general: Set<String> = [
            "www", "api", "apis", "app", "dev", "test", "staging", "stage", "prod", "sandbox", "rest", "beta",
        ]
        var labels = host.split(separator: ".").map(String.init)
        if host.hasPrefix("[") || labels.allSatisfy({ Int($0) != nil }) { return "server" }
        if labels == ["localhost"] { return "local" }
        if labels.count > 1 { labels.removeLast() }
        if labels.count > 1, ["co", "com", "org", "net", "gov", "ac"].contains(labels[labels.count - 1]) {
            labels.removeLast()
        }
        let name = labels.first.flatMap { general.contains($0) ? labels.last : $0 }
        return name.flatMap(NameForms.identifier) ?? "server"
    }

    /// The labels of the host of a URL: `s3`, `eu-central-1`, …
    static func hostLabels(_ base: String) -> [String] {
        let host = URIReference(base).authority.map { URIReference.Authority($0).host } ?? ""
        return host.split(separator: ".").map(String.init)
    }

    /// Returns the name of a service for a variable with its URL: `shop` for `shopBaseUrl`.
    static func serviceName(ofVariable variable: String) -> String {
        let general: Set<String> = [
            "url", "uri", "host", "base", "baseurl", "endpoint", "server", "domain", "hostname", "root",
        ]
        var parts = NameForms.parts(variable)
        while let last = parts.last, general.contains(last.lowercased()) { parts.removeLast() }
        return NameForms.identifier(parts.joined(separator: " ")) ?? "api"
    }
}

extension ImportedText {
    /// The text after a prefix; nil if the text does not start with it.
    func startsWith(_ prefix: String) -> ImportedText? {
        guard case .literal(let text) = parts.first, text.hasPrefix(prefix) else { return nil }
        return droppingFirst(prefix.unicodeScalars.count)
    }
}

/// The services of a manifest, each with its base URL.
struct ServiceTable {
    private var services: [(name: String, base: Template, variable: String?)] = []
    private var names = UniqueNames()
    /// The positions of the services, by base URL and by variable.
    private var positions: [CodePoints: Int] = [:]
    private var ofVariables: [String: Int] = [:]

    /// The number of services.
    var count: Int { services.count }

    /// Returns the name of the service with a base URL, which is added if it is new.
    ///
    /// - Parameter variable: The variable of the source whose value the base URL is.
    mutating func add(_ base: Template, suggestion: String, variable: String? = nil) -> String {
        if let known = positions[CodePoints(base.written)] { return services[known].name }
        let name = names.add(suggestion)
        positions[CodePoints(base.written)] = services.count
        if let variable, ofVariables[variable] == nil { ofVariables[variable] = services.count }
        services.append((name, base, variable))
        return name
    }

    /// The base URL of a service.
    func base(of name: String) -> Template? { services.first { $0.name == name }?.base }

    /// The name of the service whose base URL is the value of a variable.
    func name(ofVariable variable: String) -> String? { ofVariables[variable].map { services[$0].name } }

    /// Returns the entries of the services, each with some settings.
    func entries(settings: [ManifestEntry], shared: SharedSettings, hasOneService: Bool) -> [ManifestEntry] {
        services.map { service in
            let own = shared.entries(of: hasOneService ? "" : service.name)
            return ManifestEntry(service.name, .map([ManifestEntry("baseURL", .string(service.base))] + own + settings))
        }
    }
}
