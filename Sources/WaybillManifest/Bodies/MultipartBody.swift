import WaybillDiagnostics

/// Parts sent as `multipart/form-data` (RFC 7578), the fields of `params` first: `multipart: [PART]`.
///
/// Its files are read when it is sent.
struct MultipartBody: RequestBody {
    static let key = "multipart"
    static let takesFields = true

    let parts: [MultipartPart]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        parts = (node.sequence ?? []).compactMap { MultipartPart($0, &decoder) }
    }

    var files: [ScalarTemplate] { parts.flatMap(\.content.files) }

    var headerTexts: [ScalarTemplate] {
        parts.flatMap { part in [part.contentType].compactMap { $0 } + part.headers.map(\.value) }
    }

    func visitUses(_ visitor: UseVisitor) {
        for part in parts { part.visitUses(visitor) }
    }

    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody {
        var writer = MultipartWriter()
        for (name, value) in context.fields.pairs { writer.add(field: name, value.text) }
        var isSecret = context.fields.isSecret
        for part in parts { isSecret = try part.write(to: &writer, context) || isSecret }
        return EncodedBody(writer.finished(), boundary: writer.boundary, isSecret: isSecret)
    }
}
