import WaybillDiagnostics
import WaybillExpressions
import WaybillRuntime

/// One part of a multipart body: `{name, value|file|text|base64|json, filename, contentType, headers}`.
struct MultipartPart: Sendable {
    /// The kinds of content that a part can have.
    static let contents: [any RequestBody.Type] = [
        ValueContent.self, FileBody.self, TextBody.self, Base64Body.self, JSONBody.self,
    ]

    /// The name of the field.
    let name: ScalarTemplate?
    /// The content.
    let content: any RequestBody
    /// The file name that the server receives.
    let filename: ScalarTemplate?
    /// The media type.
    let contentType: ScalarTemplate?
    /// Additional header fields.
    let headers: [(name: Spanned<String>, value: ScalarTemplate)]

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let content = Self.content(of: node, &decoder) else { return nil }
        self.content = content
        var headers: [(name: Spanned<String>, value: ScalarTemplate)] = []
        for (name, value) in decoder.named(node["headers"]) {
            if let value = decoder.scalarTemplate(value) { headers.append((name, value)) }
        }
        self.headers = headers
        name = node["name"].flatMap { decoder.scalarTemplate($0) }
        filename = node["filename"].flatMap { decoder.scalarTemplate($0) }
        contentType = node["contentType"].flatMap { decoder.scalarTemplate($0) }
    }

    private static func content(of node: YAMLNode, _ decoder: inout ManifestDecoder) -> (any RequestBody)? {
        for (key, value) in node.mapping?.entries ?? .empty {
            if let type = contents.first(where: { $0.key == key.text }) { return type.init(value, &decoder) }
        }
        return nil
    }

    func visitUses(_ visitor: UseVisitor) {
        for scalar in [name, filename, contentType] { visitor.scalar(scalar, .request, .body) }
        for (_, value) in headers { visitor.scalar(value, .request, .body) }
        content.visitUses(visitor)
    }

    /// Writes the part.
    ///
    /// - Returns: Whether the part depends on a secret.
    func write(to writer: inout MultipartWriter, _ context: BodyContext) throws(EvaluationFailure) -> Bool {
        var isSecret = false
        func text(_ scalar: ScalarTemplate, allowing controls: Set<UInt8>) throws(EvaluationFailure) -> String {
            let text = try scalar.text(in: context.scope)
            isSecret = isSecret || text.isSecret
            return try text.text.withoutControls(but: controls, at: scalar.span)
        }
        // Line breaks are escaped in names.
        let allowedInNames: Set<UInt8> = [0x09, 0x0A, 0x0D]

        var fields: [(name: String, value: String)] = []
        for (name, value) in headers { fields.append((name.value, try text(value, allowing: [0x09]))) }
        var type: String?
        if let contentType { type = try text(contentType, allowing: [0x09]) }
        var filename: String?
        if let written = self.filename {
            filename = try text(written, allowing: allowedInNames)
        } else if let file = content as? FileBody {
            filename = FileContents.name(of: try text(file.path, allowing: allowedInNames))
        }
        var name: String?
        if let written = self.name { name = try text(written, allowing: allowedInNames) }

        var context = context
        context.noun = "this part"
        let encoded = try content.encoded(in: context)
        let usualType = content is FileBody ? MediaType.ofFile(named: filename ?? "") : encoded.mediaType
        writer.add(encoded.parts, name: name, filename: filename, contentType: type ?? usualType, fields)
        return isSecret || encoded.isSecret
    }
}

/// A scalar as the content of a part, without a content type: `value: SCALAR`.
struct ValueContent: ScalarBody {
    static let key = "value"

    let text: ScalarTemplate

    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody {
        let content = try text.content(in: context.scope)
        return EncodedBody(.bytes(content.bytes), mediaType: nil, isSecret: content.isSecret)
    }
}

extension String {
    /// Returns the string; throws if it contains a control character that is not allowed.
    fileprivate func withoutControls(
        but allowed: Set<UInt8>,
        at span: SourceSpan
    ) throws(EvaluationFailure) -> String {
        guard !utf8.contains(where: { ($0 < 0x20 || $0 == 0x7F) && !allowed.contains($0) }) else {
            throw EvaluationFailure(message: "a control character such as a line break is not allowed here", span: span)
        }
        return self
    }
}
