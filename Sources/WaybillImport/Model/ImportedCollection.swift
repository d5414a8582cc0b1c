package import WaybillDiagnostics

/// What a source of any kind contains, before it is written as a manifest.
package struct ImportedCollection: Sendable {
    /// The source's own name.
    package var name: String?
    /// What the source says about itself.
    package var description: String?
    /// Requests and folders, in the order in which they run.
    package var items: [ImportedItem] = []
    /// The credentials of all requests that have none of their own.
    package var auth: ImportedAuth?
    /// The settings of all requests.
    package var settings: [ManifestEntry] = []
    /// The variables and their values.
    package var variables: [ImportedVariable] = []
    /// Sets of values that replace those of the variables.
    package var environments: [ImportedEnvironment] = []
    /// Comments about the whole collection.
    package var comments: [String] = []
    /// What was not imported and belongs to no request.
    package var losses: [ImportLoss] = []
    /// The manifest, if the source already has the form of one; nothing else is then used.
    package var manifest: ImportedManifest?
    /// What is secret in the sources, also where it is not imported.
    package var secrets = SecretScan()

    /// Creates an empty collection.
    package init() {}

    /// Adds what a source consists of, which is a folder unless it is the only source.
    mutating func add(_ items: [ImportedItem], of source: SourceFile, isOnly: Bool, comments: [String] = []) {
        if isOnly {
            self.items += items
            self.comments += comments
        } else {
            self.items.append(.folder(ImportedFolder(name: source.stem, items: items, comments: comments)))
        }
    }
}

extension ImportedCollection {
    /// Returns the collection in which credentials that one of its requests captures are those of each request: a service or a
    /// graph cannot use the output of a step in it.
    func passingCapturedCredentials() -> ImportedCollection {
        guard let auth, auth.usesCapture(of: items) else {
            var result = self
            result.items = items.map { $0.inheriting(nil) }
            return result
        }
        var result = self
        result.auth = nil
        result.items = items.map { $0.inheriting(auth) }
        return result
    }
}

extension ImportedAuth {
    /// Whether a request among some items captures one of its variables.
    fileprivate func usesCapture(of items: [ImportedItem]) -> Bool {
        let used = Set(variables)
        return !used.isEmpty && items.flatMap(\.requests).flatMap(\.captures).contains { used.contains($0.variable) }
    }
}

extension ImportedItem {
    /// The requests in it, in order.
    var requests: [ImportedRequest] {
        switch self {
        case .request(let request): [request]
        case .folder(let folder): folder.items.flatMap(\.requests)
        }
    }

    /// Returns the item with the credentials of what is around it, if it has none of its own.
    fileprivate func inheriting(_ auth: ImportedAuth?) -> ImportedItem {
        switch self {
        case .request(var request):
            request.auth = request.auth ?? auth
            return .request(request)
        case .folder(var folder):
            folder.auth = folder.auth ?? auth
            let isCaptured = folder.auth?.usesCapture(of: folder.items) ?? false
            let passed = isCaptured ? folder.auth : nil
            if isCaptured { folder.auth = nil }
            folder.items = folder.items.map { $0.inheriting(passed) }
            return .folder(folder)
        }
    }
}

/// A request or a folder.
package enum ImportedItem: Sendable {
    case request(ImportedRequest)
    case folder(ImportedFolder)
}

/// Requests that belong together.
package struct ImportedFolder: Sendable {
    package var name: String
    package var description: String?
    package var items: [ImportedItem] = []
    /// The credentials of its requests that have none of their own.
    package var auth: ImportedAuth?
    package var comments: [String] = []
    /// What was not imported.
    package var losses: [ImportLoss] = []
}

extension ImportedFolder {
    /// The only request, if the folder says no more than its path does, as in collections made from OpenAPI documents.
    var onlyRequest: ImportedRequest? {
        guard items.count == 1, case .request(let request) = items[0], auth == nil, losses.isEmpty, comments.isEmpty,
            description == nil || description == request.description,
            ServiceAddress(request.url).path.parts.contains(where: { part in
                if case .literal(let text) = part {
                    text.split(separator: "/").contains { ManifestWriter.repeats(name, String($0)) }
                } else {
                    false
                }
            })
        else { return nil }
        return request
    }
}

/// A variable of a source.
package struct ImportedVariable: Sendable {
    package var name: String
    /// Its value; nil if the source has none.
    package var value: ImportedText?
    /// Whether the source marks it as secret.
    package var isSecret = false
    /// The environment variable that has the value, if the source names one.
    package var environmentVariable: String?
}

/// Values of variables for one purpose, such as a staging server.
package struct ImportedEnvironment: Sendable {
    package var name: String
    package var variables: [ImportedVariable]
}

/// Something of a source that the manifest does not express.
package struct ImportLoss: Sendable {
    /// What it is, in one line: `the script statement 'x()'`.
    package var what: String
    /// Why it was not imported.
    package var reason: String
    /// Where the source has it.
    package var span: SourceSpan?
    /// The variables that it would set.
    var variables: [String] = []

    /// Creates a loss.
    package init(_ what: String, _ reason: String, at span: SourceSpan?) {
        self.what = what
        self.reason = reason
        self.span = span
    }
}

extension [ImportLoss] {
    /// Adds something that is not imported.
    mutating func add(_ what: String, _ reason: String, at span: SourceSpan?) {
        append(ImportLoss(what, reason, at: span))
    }
}
