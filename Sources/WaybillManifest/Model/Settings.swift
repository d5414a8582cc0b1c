package import WaybillDiagnostics

/// The settings written at one level of the cascade. What is absent was not said there.
package struct Settings: Sendable {
    /// The address that paths are added to.
    package var baseURL: Setting<ScalarTemplate>?
    /// An API version, put between base URL and path.
    package var version: Setting<ScalarTemplate>?
    /// Header fields.
    package var headers: [NamedTexts] = []
    /// Query parameters.
    package var query: [NamedTexts] = []
    /// Parameters: in the query or in the body, as the method says.
    package var params: [NamedValue] = []
    /// An explicit body.
    package var body: Setting<BodyDefinition>?
    /// How parameters are written into a body.
    package var encoding: Setting<ParameterEncoding>?
    /// How lists are written in a form or query.
    package var arrays: Setting<ArrayStyle>?
    /// The longest time of one attempt.
    package var timeout: Setting<DurationTemplate>?
    /// The longest time until a connection stands.
    package var connectTimeout: Setting<DurationTemplate>?
    /// Credentials.
    package var auth: Setting<Authentication>?
    /// The User-Agent field.
    package var userAgent: Setting<ScalarTemplate>?
    /// The media ranges that an answer may have; `nil` inside: any.
    package var accept: Setting<[MediaRange]?>?
    /// How an answer is decoded.
    package var decoding: Setting<Decoding>?
    /// Whether compressed answers are asked for.
    package var compression: Setting<Bool>?
    /// The largest answer that is read, in bytes after decompression.
    package var maxBody: Setting<Int>?
    /// Filters that the decoded answer goes through.
    package var filters: [Setting<FilterEntry>] = []
    /// What an answer must be.
    package var expect = Expectation()
    /// The greatest number of requests at once: of the run at `defaults`, of a batch on a step.
    package var concurrency: Setting<Int>?
    /// The greatest number of connections to one origin.
    package var maxConnections: Setting<Int>?
    /// What is declined of the farther levels.
    package var inherit = Inheritance()
    /// Whether no setting of defaults or service applies.
    package var standalone: Setting<Bool>?

    /// No settings.
    package init() {}
}

/// A name with texts, as in `headers` and `query`.
package struct NamedTexts: Sendable {
    /// The name, at its place.
    package var name: Spanned<String>
    /// The texts, one field or parameter each; `nil` takes the name away.
    package var values: Setting<[ScalarTemplate]?>
}

/// A name with a value, as in `params`.
package struct NamedValue: Sendable {
    /// The name, at its place.
    package var name: Spanned<String>
    /// The value; `nil` takes the name away.
    package var value: Setting<ValueTemplate?>
}

/// How `params` are written into a body.
package enum ParameterEncoding: String, Sendable {
    /// `application/x-www-form-urlencoded`
    case form
    /// `application/json`
    case json
}

/// How a list is written in a form or query.
package enum ArrayStyle: String, Sendable {
    /// `a[]=1&a[]=2`
    case brackets
    /// `a=1&a=2`
    case `repeat`
}

/// How an answer is decoded.
package enum Decoding: String, Sendable {
    /// By its `Content-Type`.
    case auto
    /// As JSON (RFC 8259).
    case json
    /// As text.
    case text
    /// Not at all: the data is the body in base64.
    case bytes
}

/// What a level declines of the farther ones.
package struct Inheritance: Sendable, Equatable {
    /// Whether header fields of farther levels apply.
    package var headers = true
    /// Whether query parameters of farther levels apply.
    package var query = true
    /// Whether parameters of farther levels apply.
    package var params = true
    /// Whether filters of farther levels apply.
    package var filters = true
    /// Whether expectations of farther levels apply.
    package var expect = true
}
