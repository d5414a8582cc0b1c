import CLibCurl

/// The fields of a request, checked, in the form in which libcurl takes them.
struct RequestHeader {
    /// Lines for `CURLOPT_HTTPHEADER`.
    private(set) var lines: [String] = []
    /// The `Cookie` fields set by hand, as one: libcurl puts them together with those of a jar.
    private(set) var cookies: String?

    /// Checks the fields of a request with a body, or without one. Throws for what may not be sent.
    init(_ request: HTTPRequest, body: BodyPlan?) throws(TransportFailure) {
        let fields = request.headers
        func isMissing(_ name: String) -> Bool { !fields.contains { $0.isNamed(name) } }
        lines.reserveCapacity(fields.count + 4)
        // libcurl has an option for it, but puts what is given so together twice.
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
            // libcurl takes "Name:" as the wish to leave the field out, and "Name;" as an empty one.
            lines.append(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        // What libcurl adds by itself when it is not told otherwise. `Expect` would also cost a second.
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
                "the value of the header field \(field.name) holds a control character, such as a line break"
            )
        }
        if field.isNamed("Transfer-Encoding") {
            throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "the header field Transfer-Encoding cannot be set by hand")
        }
        if field.isNamed("Content-Length") && value != String(bodyCount) {
            throw .refused(
                CURLE_BAD_FUNCTION_ARGUMENT,
                "the header field Content-Length does not say the length of the body, \(bodyCount)"
            )
        }
        return value
    }
}

extension String {
    /// Whether the text is a token (RFC 9110, section 5.6.2).
    package var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// RFC 9110, section 5.5: white space around a value is not part of it.
    fileprivate var withoutOuterBlanks: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let first = utf8.first, let last = utf8.last, isBlank(first) || isBlank(last) else { return self }
        guard let start = utf8.firstIndex(where: { !isBlank($0) }), let end = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[start...end])
    }
}
