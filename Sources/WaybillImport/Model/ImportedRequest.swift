package import WaybillDiagnostics

/// A request of a source.
package struct ImportedRequest: Sendable {
    /// The name that the source gives it; nil if it gives none.
    package var name: String?
    package var description: String?
    package var method = "GET"
    /// The URL with its query, as it is written in the source. Without a scheme, it is `http`.
    package var url: ImportedText
    /// The variables that only this request has, such as `:id` in its path, and their values.
    package var variables: [ImportedVariable] = []
    package var headers: [ImportedField] = []
    /// The header fields that are not sent although the body would have them.
    package var removedFields: [String] = []
    package var body: ImportedBody?
    package var auth: ImportedAuth?
    /// Other settings, such as `timeout`.
    package var settings: [ManifestEntry] = []
    /// The settings of its step only, such as `delay`.
    package var stepSettings: [ManifestEntry] = []
    /// What the request is repeated for.
    package var until: ImportedPolling?
    /// The variables that are computed before the request is sent, and their values.
    package var assignments: [(variable: String, value: ImportedText)] = []
    package var checks: [ImportedCheck] = []
    /// The variables that the response sets.
    package var captures: [ImportedCapture] = []
    /// Whether the run ends after this request.
    package var endsRun = false
    /// The saved responses.
    package var examples: [ImportedExample] = []
    /// Whether the sent bytes must be those of the source, and not only mean the same.
    package var isExact = false
    /// What the source has switched off, as a comment for each.
    package var comments: [String] = []
    /// What was not imported.
    package var losses: [ImportLoss] = []
    /// Where the source has it.
    package var span: SourceSpan?

    /// Creates a request.
    package init(url: ImportedText) { self.url = url }

    /// The texts that are evaluated after the response.
    var checkedTexts: [ImportedText] {
        let conditions = checks.compactMap { check in
            switch check {
            case .condition(let text, _), .equals(let text, _): text
            default: nil
            }
        }
        return captures.map(\.expression) + conditions + (until.map { [$0.condition] } ?? [])
    }
}

/// A name and a value: a header field, or a field of a form.
package struct ImportedField: Sendable, Hashable {
    package var name: String
    package var value: ImportedText

    /// Creates a field.
    package init(_ name: String, _ value: ImportedText) {
        self.name = name
        self.value = value
    }
}

/// The body of a request.
package enum ImportedBody: Sendable {
    /// Text, and the type that the source sends with it if no header field has one.
    case text(ImportedText, contentType: String?)
    case form([ImportedField])
    case multipart([ImportedPart])
    /// The content of a file, which is never read.
    case file(String, contentType: String?)
    /// A GraphQL request; the variables are JSON.
    case graphQL(query: ImportedText, variables: ImportedText?)
    case bytes([UInt8])
}

/// A part of a multipart body.
package struct ImportedPart: Sendable {
    /// What the part consists of.
    package enum Content: Sendable {
        case text(ImportedText)
        case file(String)
    }

    package var name: String
    package var content: Content
    package var filename: String?
    package var contentType: String?
    package var headers: [ImportedField] = []

    /// Creates a part.
    package init(name: String, content: Content) {
        self.name = name
        self.content = content
    }
}

/// How a request authenticates.
package enum ImportedAuth: Sendable, Hashable {
    case none
    case basic(username: ImportedText, password: ImportedText)
    case digest(username: ImportedText, password: ImportedText)
    case bearer(ImportedText)
    /// An API key in a `header`, the `query` or a `cookie`.
    case apiKey(in: String, name: String, value: ImportedText)
    /// The members of the manifest's `awsSigV4` or `oauth2`, by name. Those in `secretMembers` are secret.
    case members(kind: String, [ImportedField])
    /// The path of a netrc file.
    case netrc(String)

    /// The variables in the credentials.
    var variables: [String] {
        switch self {
        case .none, .netrc: []
        case .basic(let username, let password), .digest(let username, let password):
            username.variables + password.variables
        case .bearer(let value), .apiKey(_, _, let value): value.variables
        case .members(_, let fields): fields.flatMap(\.value.variables)
        }
    }

    /// Returns the credentials with changed texts.
    func mapTexts(_ change: (ImportedText) -> ImportedText) -> ImportedAuth {
        switch self {
        case .none, .netrc: self
        case .basic(let username, let password): .basic(username: change(username), password: change(password))
        case .digest(let username, let password): .digest(username: change(username), password: change(password))
        case .bearer(let token): .bearer(change(token))
        case .apiKey(let position, let name, let value): .apiKey(in: position, name: name, value: change(value))
        case .members(let kind, let fields):
            .members(kind: kind, fields.map { ImportedField($0.name, change($0.value)) })
        }
    }

    /// The members of `awsSigV4` and `oauth2` whose values are secret.
    static let secretMembers: Set<String> = [
        "secretKey", "accessKey", "sessionToken", "clientSecret", "password", "refreshToken",
    ]
}

/// A condition on a response.
package enum ImportedCheck: Sendable, Hashable {
    /// One of these codes or classes: `200`, `2xx`.
    case status([String])
    /// A header field matches a glob.
    case header(name: String, glob: String)
    /// A condition of the manifest language that reads `$`, `response` and variables, with a message for its failure.
    case condition(ImportedText, message: String?)
    /// The maximum time in milliseconds.
    case maxTime(Int)
    /// The data are a value of JSON, or this text.
    case equals(ImportedText, isJSON: Bool)
}

/// The repetition of a request until a condition is true.
package struct ImportedPolling: Sendable {
    /// A condition of the manifest language that reads `$`, `response` and variables.
    package var condition: ImportedText
    /// The other members of `until`.
    package var settings: [ManifestEntry]
}

/// A variable that a response sets.
package struct ImportedCapture: Sendable, Hashable {
    package var variable: String
    /// An expression of the manifest language that reads `$`, `response` and variables.
    package var expression: ImportedText

    /// Creates a capture.
    package init(_ variable: String, _ expression: ImportedText) {
        self.variable = variable
        self.expression = expression
    }
}

/// A saved response.
package struct ImportedExample: Sendable {
    package var name: String?
    package var status: Int?
    package var headers: [ImportedField] = []
    package var body: String?

    /// Creates an example.
    package init(status: Int?) { self.status = status }
}
