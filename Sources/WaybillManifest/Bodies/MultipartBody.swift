import WaybillDiagnostics
import WaybillExpressions
import WaybillRuntime

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
        for (name, value) in context.fields.pairs { writer.add([.bytes(Array(value.text.utf8))], name: name) }
        var isSecret = context.fields.isSecret
        for part in parts { isSecret = try part.write(to: &writer, context) || isSecret }
        return EncodedBody(writer.finished(), boundary: writer.boundary, isSecret: isSecret)
    }
}

/// One part of a multipart body: `{name, value|file|text|base64|json, filename, contentType, headers}`.
struct MultipartPart: Sendable {
    /// The kinds of content that a part can have.
    static let contents: [any RequestBody.Type] = [
        ValueContent.self, FileBody.self, TextBody.self, Base64Body.self, JSONBody.self,
    ]

    /// The name of the field.
    let name: ScalarTemplate?
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
        for (key, value) in node.entries {
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

/// Writes the parts of `multipart/form-data` (RFC 7578).
struct MultipartWriter {
    /// The boundary between the parts.
    let boundary: String

    private var parts: [BodyPart] = []
    private var bytes: [UInt8] = []

    /// Creates a writer without parts. Its boundary is random: a part contains it with a probability of 1 in 2^122.
    init(boundary: String = RandomUUID.make()) {
        self.boundary = "waybill-\(boundary)"
    }

    /// Adds a part. Its header fields replace default fields with the same name.
    mutating func add(
        _ content: [BodyPart],
        name: String?,
        filename: String? = nil,
        contentType: String? = nil,
        _ headers: [(name: String, value: String)] = []
    ) {
        let disposition =
            "form-data" + (name.map { "; name=\"\(Self.escaped($0))\"" } ?? "")
            + (filename.map { "; filename=\"\(Self.escaped($0))\"" } ?? "")
        var fields = [(name: "Content-Disposition", value: disposition)]
        if let contentType { fields.append(("Content-Type", contentType)) }
        fields.removeAll { field in headers.contains { $0.name.lowercased() == field.name.lowercased() } }
        let lines = (fields + headers).map { "\($0.name): \($0.value)\r\n" }.joined()
        bytes += Array("--\(boundary)\r\n\(lines)\r\n".utf8)
        for part in content {
            switch part {
            case .bytes(let content): bytes += content
            case .file:
                flush()
                parts.append(part)
            }
        }
        bytes += [0x0D, 0x0A]
    }

    /// Finishes the body and returns its parts.
    mutating func finished() -> [BodyPart] {
        bytes += Array("--\(boundary)--\r\n".utf8)
        flush()
        return parts
    }

    private mutating func flush() {
        if !bytes.isEmpty { parts.append(.bytes(bytes)) }
        bytes = []
    }

    /// Returns a name for use between quotes. The three characters that browsers escape are escaped (WHATWG HTML,
    /// section 4.10.21.8).
    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "%22"
            case "\n": "%0A"
            case "\r": "%0D"
            default: String(scalar)
            }
        }
        .joined()
    }
}
