package import WaybillDiagnostics
package import WaybillExpressions
package import WaybillJSON
package import WaybillRuntime

/// The explicit body of a request: `body: {json: …}`.
///
/// Each kind of body is defined in one file of this folder; `RequestBodies` lists them.
package protocol RequestBody: Sendable {
    /// The key that the body is written with.
    static var key: String { get }
    /// Whether `params` become fields of the body.
    static var takesFields: Bool { get }
    /// The paths of the files that are sent.
    var files: [ScalarTemplate] { get }
    /// The strings of the body that are sent in header fields.
    var headerTexts: [ScalarTemplate] { get }
    /// The size in bytes, if it is known before anything is evaluated.
    var knownLength: Int? { get }

    /// The JSON or the text of the body, if nothing in it is computed, and it is one of these.
    var constantContent: JSON? { get }

    /// Reads the body from the value of its key; `nil` if it cannot be read, which is reported.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder)
    /// Visits every use of the expression language in the body.
    func visitUses(_ visitor: UseVisitor)
    /// Returns the body in the form in which it is sent.
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
    package var constantContent: JSON? { nil }
}

/// The values that the encoding of a body needs.
package struct BodyContext: Sendable {
    /// The scope of the expressions in the body.
    let scope: EvaluationScope
    /// The fields of `params`, for a body that takes them.
    let fields: ParameterList
    /// The folder that the files must be in.
    let boundary: FolderBoundary
    /// Where the body was written.
    let span: SourceSpan
    /// What messages call the body.
    var noun = "the body"

    package init(scope: EvaluationScope, fields: ParameterList, boundary: FolderBoundary, span: SourceSpan) {
        self.scope = scope
        self.fields = fields
        self.boundary = boundary
        self.span = span
    }
}

/// The kinds of request bodies.
package enum RequestBodies {
    /// All kinds.
    package static let all: [any RequestBody.Type] = [
        JSONBody.self, FormBody.self, PropertyListBody.self, TextBody.self, Base64Body.self, FileBody.self,
        GraphQLBody.self, MultipartBody.self,
    ]

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// Reads a body from a mapping with its key; `nil` if it cannot be read, which is reported.
    static func read(_ node: YAMLNode, _ decoder: inout ManifestDecoder) -> (any RequestBody)? {
        guard let (key, value) = node.entries.first, let type = byKey[key.text ?? ""] else { return nil }
        return type.init(value, &decoder)
    }
}

/// A body in the form in which it is sent.
package struct EncodedBody: Sendable {
    /// The parts in order.
    package var parts: [BodyPart]
    /// The media type for the Content-Type field, unless the request sets that field.
    package var mediaType: String?
    /// Whether the body contains the value of a secret or a string derived from one.
    package var isSecret: Bool
    /// The boundary of `multipart/form-data`; `nil` for any other body.
    package var boundary: String?

    init(_ part: BodyPart, mediaType: String?, isSecret: Bool) {
        parts = [part]
        self.mediaType = mediaType
        self.isSecret = isSecret
    }

    /// Creates a body from a string.
    init(_ text: String, mediaType: String, isSecret: Bool) {
        self.init(.bytes(Array(text.utf8)), mediaType: mediaType, isSecret: isSecret)
    }

    init(_ parts: [BodyPart], boundary: String, isSecret: Bool) {
        self.parts = parts
        mediaType = "multipart/form-data; boundary=\(boundary)"
        self.isSecret = isSecret
        self.boundary = boundary
    }
}
