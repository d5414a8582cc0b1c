import WaybillExpressions
import WaybillRuntime

/// Writes the parts of `multipart/form-data` (RFC 7578).
struct MultipartWriter {
    /// What is between the parts.
    let boundary: String

    private var parts: [EncodedBody.Part] = []
    private var bytes: [UInt8] = []

    /// A writer with no parts yet. The boundary is in no part, except by a chance of one in 2^122.
    init(boundary: String = RandomUUID.make()) {
        self.boundary = "waybill-\(boundary)"
    }

    /// Adds a field that one of `params` is.
    mutating func add(field name: String, _ value: String) {
        add([.bytes(Array(value.utf8))], name: name, filename: nil, contentType: nil, [])
    }

    /// Adds a part; its own fields replace those that it has without them.
    mutating func add(
        _ content: [EncodedBody.Part],
        name: String?,
        filename: String?,
        contentType: String?,
        _ headers: [(name: String, value: String)]
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

    /// All parts and what ends them.
    mutating func finished() -> [EncodedBody.Part] {
        bytes += Array("--\(boundary)--\r\n".utf8)
        flush()
        return parts
    }

    private mutating func flush() {
        if !bytes.isEmpty { parts.append(.bytes(bytes)) }
        bytes = []
    }

    /// A name as it is written between quotes, with the three bytes escaped that browsers escape (WHATWG HTML, section
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
