package import WaybillData
package import WaybillDiagnostics

/// A request as the manifest writes it: an endpoint, or a request in place in a graph.
package struct RequestDefinition: Sendable {
    /// The settings written with it.
    package var settings = Settings()
    /// The name of the service.
    package var service: Spanned<String>?
    /// The method; GET when nothing is said.
    package var method: Spanned<String>?
    /// The path or the absolute URL.
    package var address: Address
    /// Values for later steps.
    package var outputs: [OutputDefinition] = []
    /// Example answers.
    package var mock: [MockExample] = []

    /// A request of which only the address is known.
    package init(address: Address) {
        self.address = address
    }
}

/// Where a request goes.
package enum Address: Sendable {
    /// A path, added to the base URL.
    case path(Setting<ScalarTemplate>)
    /// An absolute URL.
    case url(Setting<ScalarTemplate>)

    /// What was written.
    package var text: Setting<ScalarTemplate> {
        switch self {
        case .path(let text), .url(let text): text
        }
    }
}

/// The explicit body of a request.
package enum BodyDefinition: Sendable {
    /// A value, sent as JSON.
    case json(ValueTemplate)
    /// Fields, sent as `application/x-www-form-urlencoded`.
    case form([ValueTemplate.Member])
    /// A text, sent in UTF-8.
    case text(ScalarTemplate)
}

/// A named value for later steps.
package struct OutputDefinition: Sendable {
    /// The name, at its place.
    package var name: Spanned<String>
    /// The value.
    package var value: ManifestExpression
    /// Whether it is a secret.
    package var isSecret: Bool
    /// The level that it was written at.
    package var level: Level
}

/// An example answer for the mock server.
package struct MockExample: Sendable {
    /// The status; 200 when nothing is said.
    package var status: Int
    /// Header fields.
    package var headers: [(name: String, value: String)]
    /// The body: a text is sent as it is, anything else as JSON.
    package var body: JSON?
    /// How long the answer waits.
    package var delay: Duration
    /// Where the example stands.
    package var span: SourceSpan
}
