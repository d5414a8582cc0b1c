import WaybillExpressions
import WaybillRuntime

/// Writes the parts of `multipart/form-data` (RFC 7578).
struct MultipartWriter {
    /// The boundary between the parts.
    let boundary: String

    private var parts: [EncodedBody.Part] = []
    private var bytes: [UInt8] = []

    /// Creates a writer without parts. Its boundary is random: a part contains it with a probability of 1 in 2^122.
    init(boundary: String = RandomUUID.make()) {
        self.boundary = "waybill-\(boundary)"
    }

    /// Adds a field of `params`.
    mutating func add(field name: String, _ value: String) {
        add([.bytes(Array(value.utf8))], name: name, filename: nil, contentType: nil, [])
    }

    /// Adds a part. Its header fields replace default fields with the same name.
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

    /// Finishes the body and returns its parts.
    mutating func finished() -> [EncodedBody.Part] {
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
