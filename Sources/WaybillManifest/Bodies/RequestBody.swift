package import WaybillDiagnostics
package import WaybillExpressions
package import WaybillRuntime

/// The explicit body of a request: `body: {json: …}`.
///
/// A kind of body is one file of this folder, which says all about it; `RequestBodies` lists them.
package protocol RequestBody: Sendable {
    /// The key that the body is written with.
    static var key: String { get }
    /// Whether `params` become fields of the body.
    static var takesFields: Bool { get }
    /// The paths of the files that it consists of.
    var files: [ScalarTemplate] { get }
    /// The texts in it that are sent in header fields.
    var headerTexts: [ScalarTemplate] { get }
    /// How many bytes it has, where that is known before anything is evaluated.
    var knownLength: Int? { get }

    /// Reads the body from the value of its key; `nil` where that is impossible, which has its diagnostic.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder)
    /// Visits every use of the expression language in the body.
    func visitUses(_ visitor: UseVisitor)
    /// The body as it is sent.
    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody
}

extension RequestBody {
    /// The key that the body is written with.
    package var key: String { Self.key }
    /// Whether `params` become fields of the body.
    package var takesFields: Bool { Self.takesFields }
    package static var takesFields: Bool { false }
    package var files: [ScalarTemplate] { [] }
    package var headerTexts: [ScalarTemplate] { [] }
    package var knownLength: Int? { nil }
}

/// What a body is encoded with.
package struct BodyContext: Sendable {
    /// What expressions in it can see.
    let scope: EvaluationScope
    /// The fields that `params` are, for a body that takes them.
    let fields: ParameterList
    /// Where the files that it names have to be.
    let boundary: FolderBoundary
    /// Where the body was written.
    let span: SourceSpan
    /// What it is called in messages.
    var noun = "the body"

    /// What a body is encoded with; see the properties.
    package init(scope: EvaluationScope, fields: ParameterList, boundary: FolderBoundary, span: SourceSpan) {
        self.scope = scope
        self.fields = fields
        self.boundary = boundary
        self.span = span
    }
}
