import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillRuntime

/// A body that is read from a single scalar.
protocol ScalarBody: RequestBody {
    /// The scalar.
    var text: ScalarTemplate { get }

    init(text: ScalarTemplate)
}

extension ScalarBody {
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let text = decoder.scalarTemplate(node) else { return nil }
        self.init(text: text)
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.scalar(text, .request, .body)
    }
}

/// A string sent as UTF-8, or the bytes that a single `${…}` evaluates to: `text: STRING`.
struct TextBody: ScalarBody {
    static let key = "text"

    let text: ScalarTemplate

    var knownLength: Int? { text.constantText?.utf8.count }

    var constantContent: JSON? { text.constantText.map(JSON.string) }

    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody {
        let content = try text.content(in: context.scope)
        return EncodedBody(.bytes(content.bytes), mediaType: content.mediaType, isSecret: content.isSecret)
    }
}

/// Bytes written as Base64: `base64: STRING`.
struct Base64Body: ScalarBody {
    static let key = "base64"

    let text: ScalarTemplate

    init(text: ScalarTemplate) {
        self.text = text
    }

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let text = decoder.scalarTemplate(node) else { return nil }
        self.text = text
        guard let constant = text.constantText, Base64.decode(constant) == nil else { return }
        decoder.diagnostics.report("invalid-value", "this is not Base64", at: text.span)
    }

    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody {
        let content = try text.content(in: context.scope)
        guard let bytes = content.decodedBytes else {
            throw EvaluationFailure(message: "\(context.noun) is not Base64", span: text.span)
        }
        return EncodedBody(.bytes(bytes), mediaType: "application/octet-stream", isSecret: content.isSecret)
    }
}

/// The bytes of a file: `file: PATH`.
struct FileBody: RequestBody {
    static let key = "file"

    let path: ScalarTemplate

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let path = decoder.scalarTemplate(node) else { return nil }
        self.path = path
    }

    var files: [ScalarTemplate] { [path] }

    func visitUses(_ visitor: UseVisitor) {
        visitor.scalar(path, .request, .fileName)
    }

    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody {
        let path = Spanned(try path.text(in: context.scope).text, at: path.span)
        let file = NamedFile(path: path, kind: .body).file(within: context.boundary)
        return EncodedBody(.file(file), mediaType: MediaType.ofFile(named: path.value), isSecret: false)
    }
}
