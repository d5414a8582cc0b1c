package import WaybillDiagnostics
package import WaybillFormats
package import WaybillJSON
package import WaybillSchema

/// A request as the manifest writes it: an endpoint, or a request in place in a graph.
package final class RequestDefinition: Sendable {
    /// The settings written with it.
    package let settings: Settings
    /// The name of the service.
    package let service: Spanned<String>?
    /// The method; GET when nothing is said.
    package let method: Setting<ScalarTemplate>?
    /// The path or the absolute URL.
    package let address: Address
    /// Values computed before each attempt.
    package let vars: [VariableDefinition]
    /// Values for later steps.
    package let outputs: [OutputDefinition]
    /// What the data must be.
    package let returns: ReturnShape?
    /// The file that the response goes to.
    package let download: Download?
    /// Example responses.
    package let mock: [MockExample]
    /// What is not known of it, because of mistakes in its text.
    package let unknown: UnknownParts

    init(
        settings: Settings = Settings(),
        service: Spanned<String>? = nil,
        method: Setting<ScalarTemplate>? = nil,
        address: Address,
        vars: [VariableDefinition] = [],
        outputs: [OutputDefinition] = [],
        returns: ReturnShape? = nil,
        download: Download? = nil,
        mock: [MockExample] = [],
        unknown: UnknownParts = .nothing
    ) {
        self.settings = settings
        self.service = service
        self.method = method
        self.address = address
        self.vars = vars
        self.outputs = outputs
        self.returns = returns
        self.download = download
        self.mock = mock
        self.unknown = unknown
    }
}

extension RequestDefinition {
    /// The method as it was written.
    package var writtenMethod: String { method?.value.written ?? "GET" }
}

/// Where a request goes.
package enum Address: Sendable {
    /// A path, added to the base URL.
    case path(Setting<ScalarTemplate>)
    /// An absolute URL.
    case url(Setting<ScalarTemplate>)
    /// A path or an absolute URL, which is known when it has been evaluated: the value of a short form such as `get`.
    case computed(Setting<ScalarTemplate>)

    /// What was written.
    package var text: Setting<ScalarTemplate> {
        switch self {
        case .path(let text), .url(let text), .computed(let text): text
        }
    }
}

/// A named value computed before each attempt.
package struct VariableDefinition: Sendable {
    /// The name, with its span.
    package var name: Spanned<String>
    /// The value.
    package var value: ValueTemplate
    /// The level that it was written at.
    package var level: Level
}

/// A named value for later steps.
package struct OutputDefinition: Sendable {
    /// The name, with its span.
    package var name: Spanned<String>
    /// The value.
    package var value: ManifestExpression
    /// What `secret` says, if it is written.
    package var secretMark: Bool?
    /// Whether it is a secret.
    package var isSecret: Bool { secretMark ?? false }
    /// The level that it was written at.
    package var level: Level
}

/// What the data of a request must be.
package struct ReturnShape: Sendable {
    /// Whether each element of a list is meant, instead of the whole.
    package var isCollection: Bool
    /// The schema of the whole, or of each element.
    package var schema: JSONSchema
    /// Where it was written.
    package var span: SourceSpan
    /// The level that it was written at.
    package var level: Level
}

/// The file that a response goes to.
package struct Download: Sendable {
    /// The path, relative to the folder of `downloads`; a folder if it ends in a slash. That folder itself if there is none.
    package var to: ScalarTemplate?
    /// Whether an interrupted download is resumed where it stopped.
    package var resumes = true
    /// Whether an existing file is replaced; otherwise it is kept, and nothing is downloaded.
    package var replaces = true
    /// What the digest of the file must be.
    package var checksum: (algorithm: Digest.Algorithm, value: ManifestExpression)?
    /// Where it was written.
    package var span: SourceSpan
    /// The level that it was written at.
    package var level: Level
}

/// An example response for the mock server.
package struct MockExample: Sendable {
    /// The status; 200 when nothing is said.
    package var status: Int
    /// Header fields.
    package var headers: [(name: String, value: String)]
    /// The body: a text is sent as it is, anything else as JSON.
    package var body: JSON?
    /// The delay before the response.
    package var delay: Duration
    /// Where the example stands.
    package var span: SourceSpan
}
