import CLibCurl
import WaybillFormats

/// The validated header fields of a request, in the form that libcurl expects.
struct RequestHeader {
    /// Lines for `CURLOPT_HTTPHEADER`.
    private(set) var lines: [String] = []
    /// The request's own `Cookie` fields, joined into one. libcurl combines them with the cookies of a jar.
    private(set) var cookies: String?

    /// Validates the fields of a request with its body, if it has one. Throws for fields that must not be sent.
    init(_ request: HTTPRequest, body: BodyPlan?) throws(TransportFailure) {
        let fields = request.headers
        func isMissing(_ name: String) -> Bool { !fields.contains { $0.isNamed(name) } }
        lines.reserveCapacity(fields.count + 4)
        // libcurl has an option for this, but it would build the field twice.
        if request.acceptsCompression, isMissing("Accept-Encoding") {
            lines.append("Accept-Encoding: \(ContentDecoder.accepted)")
        }
        for field in fields {
            let value = try Self.checkedValue(of: field, bodyCount: body?.count ?? 0)
            if field.isNamed("Content-Length") { continue }
            if field.isNamed("Cookie") && !value.isEmpty {
                cookies = cookies.map { "\($0); \(value)" } ?? value
                continue
            }
            // libcurl omits the field for "Name:", and sends an empty one for "Name;".
            lines.append(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        // libcurl adds these fields unless they are removed. `Expect` would also cost a second.
        if isMissing("Accept") { lines.append("Accept:") }
        guard body != nil else { return }
        if isMissing("Content-Type") { lines.append("Content-Type:") }
        if isMissing("Expect") { lines.append("Expect:") }
    }

    private static func checkedValue(of field: HTTPField, bodyCount: Int) throws(TransportFailure) -> String {
        guard field.name.isToken else {
            throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "the name of a header field is not a token")
        }
        let value = field.value.withoutOuterBlanks
        guard !value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            throw .refused(
                CURLE_BAD_FUNCTION_ARGUMENT,
                "the value of the header field \(field.name) contains a control character, such as a line break"
            )
        }
        if field.isNamed("Transfer-Encoding") {
            throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "the header field Transfer-Encoding cannot be set by hand")
        }
        if field.isNamed("Content-Length") && value != String(bodyCount) {
            throw .refused(
                CURLE_BAD_FUNCTION_ARGUMENT,
                "the header field Content-Length is not the length of the body, \(bodyCount)"
            )
        }
        return value
    }
}
