/// A request as the entries of a step or an endpoint.
struct RequestForm {
    /// A part of the path.
    enum PathPart: Equatable {
        /// A template.
        case fixed(Template)
        /// An input of the endpoint, with the template of its value.
        case input(String, value: Template)
    }

    /// The id of the step or endpoint.
    var name = "request"
    var method = "GET"
    /// The service; empty if there is only one, or if the path is a URL.
    var service = ""
    var path: [PathPart] = []
    /// Its settings, such as `headers`.
    var settings: [ManifestEntry] = []
    var auth: ManifestNode?
    var mock: ManifestNode?
    /// Whether graphs around it have credentials, which take precedence over those of an endpoint.
    var hasOuterAuth = false
    /// The expressions in it that an endpoint cannot use, such as `steps.login.outputs.token`.
    var scopedExpressions: Set<String> = []
    /// The number of requests before it.
    var position = 0

    /// The path for a step.
    var pathText: Template {
        path.map {
            switch $0 {
            case .fixed(let text): text
            case .input(_, let value): value
            }
        }.joined()
    }

    /// The methods that have a short form.
    private static let shortForms: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    /// The entries of a step that sends the request itself.
    func stepEntries(id: String, hasOneService: Bool) -> [ManifestEntry] {
        var entries = [ManifestEntry("id", .plain(id))]
        let path = pathText == "" ? "/" : pathText
        let isShort = Self.shortForms.contains(method)
        let service = hasOneService || service.isEmpty ? [] : [ManifestEntry("service", .plain(service))]
        if isShort {
            entries += service
            entries.append(ManifestEntry(method.lowercased(), .string(path)))
        } else {
            var request =
                service + [
                    ManifestEntry("method", .string(Template(constant: method))), ManifestEntry("path", .string(path)),
                ]
            if let mock { request.append(ManifestEntry("mock", mock)) }
            entries.append(ManifestEntry("request", .map(request)))
        }
        entries += settings(withAuth: true)
        if isShort, let mock { entries.append(ManifestEntry("mock", mock)) }
        return entries
    }

    /// The settings, with the credentials after header fields.
    func settings(withAuth: Bool) -> [ManifestEntry] {
        guard withAuth, let auth else { return settings }
        var result = settings
        let position = settings.firstIndex { $0.name != "query" && $0.name != "headers" } ?? settings.count
        result.insert(ManifestEntry("auth", auth), at: position)
        return result
    }
}
