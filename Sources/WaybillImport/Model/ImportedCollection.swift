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
    /// What is secret in the sources, also where it is not imported.
    package var secrets = SecretScan()

    /// Creates an empty collection.
    package init() {}
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

    /// Creates a folder.
    package init(name: String, items: [ImportedItem] = []) {
        self.name = name
        self.items = items
    }
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

    /// Creates a variable.
    package init(name: String, value: ImportedText?, isSecret: Bool = false) {
        self.name = name
        self.value = value
        self.isSecret = isSecret
    }
}

/// Values of variables for one purpose, such as a staging server.
package struct ImportedEnvironment: Sendable {
    package var name: String
    package var variables: [ImportedVariable]

    /// Creates an environment.
    package init(name: String, variables: [ImportedVariable]) {
        self.name = name
        self.variables = variables
    }
}

/// Something of a source that the manifest does not express.
package struct ImportLoss: Sendable {
    /// What it is, in one line: `the script statement 'x()'`.
    package var what: String
    /// Why it was not imported.
    package var reason: String
    /// Where the source has it.
    package var span: SourceSpan?

    /// Creates a loss.
    package init(_ what: String, _ reason: String, at span: SourceSpan?) {
        self.what = what
        self.reason = reason
        self.span = span
    }
}
