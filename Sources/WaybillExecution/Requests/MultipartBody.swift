import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillRuntime
import WaybillTransport

/// A body of several parts, as `multipart/form-data` (RFC 7578). Files in it are read when it is sent.
struct MultipartBody {
    /// What is sent, one piece behind the other.
    private(set) var pieces: [HTTPRequest.Part] = []
    /// What stands between the parts.
    let boundary: String
    /// Whether a secret took part in anything of it.
    private(set) var isSecret = false

    /// Header fields of a part.
    private typealias Fields = [(name: String, value: String)]

    private var text: [UInt8] = []

    /// A body without parts; the boundary occurs in no part but by a chance of one in 2^122.
    init(boundary: String = RandomUUID.make()) {
        self.boundary = "waybill-\(boundary)"
    }

    /// The media type, with the boundary.
    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Another media type of several parts with this body's boundary; any other media type as it is.
    static func contentType(_ type: String, boundary: String) -> String {
        var parameters = type.split(separator: ";").map(String.init)
        guard parameters.first?.lowercased().hasPrefix("multipart/") == true else { return type }
        parameters.removeAll { $0.drop { $0 == " " || $0 == "\t" }.lowercased().hasPrefix("boundary=") }
        return parameters.joined(separator: ";") + "; boundary=\(boundary)"
    }

    /// A field that one of `params` is.
    mutating func add(field name: String, _ value: String) {
        begin(Self.disposition(name: name, filename: nil), contentType: nil, [])
        end(bytes: Array(value.utf8))
    }

    /// A part of the manifest; a file that it names has to lie within a boundary.
    mutating func add(
        _ part: BodyDefinition.Part,
        files: FolderBoundary,
        in scope: EvaluationScope
    ) throws(EvaluationProblem) {
        func name(_ scalar: ScalarTemplate?) throws(EvaluationProblem) -> String? {
            guard let scalar else { return nil }
            // Line breaks are escaped in names.
            return try note(scalar.text(in: scope)).withoutControls(but: [0x09, 0x0A, 0x0D], at: scalar.span)
        }
        func value(_ scalar: ScalarTemplate) throws(EvaluationProblem) -> String {
            try note(scalar.text(in: scope)).withoutControls(but: [0x09], at: scalar.span)
        }
        var headers: Fields = []
        for (name, scalar) in part.headers { headers.append((name.value, try value(scalar))) }
        let type = try part.contentType.map(value)
        var filename = try name(part.filename)
        if case .file(let path) = part.content, filename == nil {
            filename = FileContents.name(of: try name(path) ?? "")
        }
        let disposition = Self.disposition(name: try name(part.name), filename: filename)

        switch part.content {
        case .file(let path):
            let file = try path.file(within: files, in: scope)
            begin(disposition, contentType: type ?? MediaType.ofFile(named: filename ?? ""), headers)
            flush()
            pieces.append(.file(file))
            end(bytes: [])
        case .value(let scalar):
            begin(disposition, contentType: type, headers)
            end(bytes: note(try scalar.content(in: scope)).bytes)
        case .text(let scalar):
            let content = note(try scalar.content(in: scope))
            begin(disposition, contentType: type ?? content.mediaType, headers)
            end(bytes: content.bytes)
        case .base64(let scalar):
            guard let bytes = note(try scalar.content(in: scope)).decodedBytes else {
                throw EvaluationProblem(message: "this part is not Base64", span: scalar.span)
            }
            begin(disposition, contentType: type ?? "application/octet-stream", headers)
            end(bytes: bytes)
        case .json(let value):
            begin(disposition, contentType: type ?? "application/json", headers)
            end(bytes: Array(JSONWriter().string(note(try value.value(in: scope))).utf8))
        }
    }

    /// The text of something in the body; notes whether a secret took part in it.
    private mutating func note(_ text: ComputedText) -> String {
        isSecret = isSecret || text.isSecret
        return text.text
    }

    /// The content of something in the body; notes whether a secret took part in it.
    private mutating func note(_ content: ComputedContent) -> ComputedContent {
        isSecret = isSecret || content.isSecret
        return content
    }

    /// The value of something in the body; notes whether a secret took part in it.
    private mutating func note(_ value: ScopeValue) -> JSON {
        isSecret = isSecret || value.isSecret
        return value.json
    }

    /// The whole body.
    consuming func body() -> HTTPRequest.Body {
        text += Array("--\(boundary)--\r\n".utf8)
        flush()
        return .parts(pieces)
    }

    /// Begins a part; its own fields go before what it would have without them.
    private mutating func begin(_ disposition: String, contentType: String?, _ headers: Fields) {
        var fields: Fields = [("Content-Disposition", disposition)]
        if let contentType { fields.append(("Content-Type", contentType)) }
        fields.removeAll { field in
            headers.contains { HTTPField(name: $0.name, value: $0.value).isNamed(field.name) }
        }
        let lines = (fields + headers).map { "\($0.name): \($0.value)\r\n" }.joined()
        text += Array("--\(boundary)\r\n\(lines)\r\n".utf8)
    }

    private static func disposition(name: String?, filename: String?) -> String {
        "form-data" + (name.map { "; name=\"\(escaped($0))\"" } ?? "")
            + (filename.map { "; filename=\"\(escaped($0))\"" } ?? "")
    }

    private mutating func end(bytes: [UInt8]) {
        text += bytes
        text += [0x0D, 0x0A]
    }

    private mutating func flush() {
        if !text.isEmpty { pieces.append(.bytes(text)) }
        text = []
    }

    /// A name as it stands between the quotes, with the three bytes escaped that browsers escape (WHATWG HTML, section
    /// 4.10.21.8).
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\n": escaped += "%0A"
            case "\r": escaped += "%0D"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension String {
    /// The text, if there are no control characters in it but some.
    fileprivate func withoutControls(
        but allowed: Set<UInt8>,
        at span: SourceSpan
    ) throws(EvaluationProblem) -> String {
        guard !utf8.contains(where: { ($0 < 0x20 || $0 == 0x7F) && !allowed.contains($0) }) else {
            throw EvaluationProblem(message: "a line break or another control character cannot stand here", span: span)
        }
        return self
    }
}
