import WaybillData
import WaybillDiagnostics
import WaybillManifest
import WaybillTransport

/// A body of several parts, as `multipart/form-data` (RFC 7578). Files in it are read when it is sent.
struct MultipartBody {
    /// What is sent, one piece behind the other.
    private(set) var pieces: [HTTPRequest.Part] = []
    /// The media type, with the boundary.
    let contentType: String

    private let boundary: String
    private var text: [UInt8] = []

    /// A body without parts; the boundary occurs in no part but by a chance of one in 2^122.
    init(boundary: String = RandomUUID.make()) {
        self.boundary = "waybill-\(boundary)"
        contentType = "multipart/form-data; boundary=\(self.boundary)"
    }

    /// A field that one of `params` is.
    mutating func add(field name: String, _ value: String) {
        begin(name: name, filename: nil, contentType: nil, headers: [])
        end(bytes: Array(value.utf8))
    }

    /// A part of the manifest.
    mutating func add(_ part: BodyDefinition.Part, in scope: EvaluationScope) throws(EvaluationProblem) {
        func text(_ scalar: ScalarTemplate?) throws(EvaluationProblem) -> String? {
            guard let scalar else { return nil }
            let text = try scalar.text(in: scope).text
            if text.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) {
                throw EvaluationProblem(message: "a line break or NUL cannot stand here", span: scalar.span)
            }
            return text
        }
        var headers: [(String, String)] = []
        for (name, value) in part.headers { headers.append((name.value, try text(value) ?? "")) }
        var filename = try part.filename.map { (scalar) throws(EvaluationProblem) in try scalar.text(in: scope).text }
        var type = try text(part.contentType)
        let name = try part.name.map { (scalar) throws(EvaluationProblem) in try scalar.text(in: scope).text }

        switch part.content {
        case .file(let path):
            let written = try path.text(in: scope).text
            filename = filename ?? written.split(separator: "/").last.map(String.init) ?? written
            begin(name: name, filename: filename, contentType: type ?? "application/octet-stream", headers: headers)
            flush()
            pieces.append(.file(Spanned(written, at: path.span).pathInFolder))
            end(bytes: [])
            return
        case .value(let scalar):
            begin(name: name, filename: filename, contentType: type, headers: headers)
            end(bytes: Array(try scalar.text(in: scope).text.utf8))
        case .text(let scalar):
            type = type ?? "text/plain; charset=utf-8"
            begin(name: name, filename: filename, contentType: type, headers: headers)
            end(bytes: Array(try scalar.text(in: scope).text.utf8))
        case .base64(let scalar):
            guard let bytes = Base64.decode(try scalar.text(in: scope).text) else {
                throw EvaluationProblem(message: "this part is not base64", span: scalar.span)
            }
            begin(name: name, filename: filename, contentType: type ?? "application/octet-stream", headers: headers)
            end(bytes: bytes)
        case .json(let value):
            begin(name: name, filename: filename, contentType: type ?? "application/json", headers: headers)
            end(bytes: Array(JSONWriter().string(try value.value(in: scope).json).utf8))
        }
    }

    /// The whole body.
    consuming func body() -> HTTPRequest.Body {
        text += Array("--\(boundary)--\r\n".utf8)
        flush()
        return .parts(pieces)
    }

    private mutating func begin(
        name: String?,
        filename: String?,
        contentType: String?,
        headers: [(String, String)]
    ) {
        var head = "--\(boundary)\r\nContent-Disposition: form-data"
        if let name { head += "; name=\"\(Self.escaped(name))\"" }
        if let filename { head += "; filename=\"\(Self.escaped(filename))\"" }
        head += "\r\n"
        if let contentType { head += "Content-Type: \(contentType)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        text += Array((head + "\r\n").utf8)
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
