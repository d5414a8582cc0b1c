/// What all requests of a service have in common, which is written at the service.
struct SharedSettings {
    /// The entries, by the base URL's service.
    private var entries: [String: [ManifestEntry]] = [:]

    /// The minimum number of requests that have something in common.
    private static let minimum = 2

    /// Finds what requests have in common: credentials and header fields.
    init(_ forms: [RequestForm], hasAuth: Bool, hasOneService: Bool) {
        for (service, own) in Dictionary(grouping: forms, by: \.service) {
            guard own.count >= Self.minimum, hasOneService || !service.isEmpty else { continue }
            var shared: [ManifestEntry] = []
            var common = Self.headers(own[0])
            for form in own.dropFirst() where !common.isEmpty {
                common.removeAll(where: Self.isAmong(Self.headers(form), false))
            }
            common.removeAll { $0.name?.lowercased() == "content-type" || Self.isScoped($0.value, own) }
            if !common.isEmpty { shared.append(ManifestEntry("headers", .map(common))) }
            if !hasAuth, let auth = own[0].auth, own.allSatisfy({ $0.auth == auth && !$0.hasOuterAuth }),
                !Self.isScoped(auth, own)
            {
                shared.append(ManifestEntry("auth", auth))
            }
            if !shared.isEmpty { entries[service] = shared }
        }
    }

    private static func headers(_ form: RequestForm) -> [ManifestEntry] {
        form.settings.first { $0.name == "headers" }?.value?.entries ?? []
    }

    /// Returns a condition: whether a field is among some fields, or is not. No two of them have the same name.
    private static func isAmong(_ fields: [ManifestEntry], _ isAmong: Bool) -> (ManifestEntry) -> Bool {
        let known = Dictionary(fields.map { ($0.name, $0) }) { first, _ in first }
        return { (known[$0.name] == $0) == isAmong }
    }

    /// Whether a value differs from step to step although it is written in the same way.
    private static func isScoped(_ node: ManifestNode?, _ forms: [RequestForm]) -> Bool {
        let text = node.map { "\($0)" } ?? ""
        return text.contains("()") || text.contains("vars.")
            || forms.contains { $0.scopedExpressions.contains { text.contains($0) } }
    }

    /// The entries of a service.
    func entries(of service: String) -> [ManifestEntry] { entries[service] ?? [] }

    /// Removes from a request what its service has.
    func remove(from form: inout RequestForm) {
        for entry in entries(of: form.service) {
            if entry.name == "auth" {
                form.auth = nil
            } else if let index = form.settings.firstIndex(where: { $0.name == "headers" }) {
                var rest = Self.headers(form)
                rest.removeAll(where: Self.isAmong(entry.value?.entries ?? [], true))
                if rest.isEmpty { form.settings.remove(at: index) } else { form.settings[index].value = .map(rest) }
            }
        }
    }
}
