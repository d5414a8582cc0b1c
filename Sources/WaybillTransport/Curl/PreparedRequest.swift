import CLibCurl

/// A request that has been checked, in the form in which libcurl takes it.
struct PreparedRequest: Sendable {
    /// The request as it was given.
    let request: HTTPRequest
    /// Where it goes.
    let origin: Origin
    /// Header lines as libcurl's `CURLOPT_HTTPHEADER` takes them.
    let headerLines: [String]
    /// The bytes to send; nil for a request without body and without `Content-Length`.
    let body: [UInt8]?

    /// Checks a request. What may not be sent throws a failure, and nothing has been sent.
    init(_ request: HTTPRequest) throws(TransportFailure) {
        guard request.method.isToken else {
            throw .refused(
                CURLE_BAD_FUNCTION_ARGUMENT,
                "the method is not a token of letters, digits and !#$%&'*+-.^_`|~"
            )
        }
        self.request = request
        self.origin = try Origin(ofURL: request.url, connectTo: request.connectTo)
        self.body = try Self.body(of: request)
        self.headerLines = try Self.headerLines(of: request, bodyCount: body?.count)
    }

    private static func body(of request: HTTPRequest) throws(TransportFailure) -> [UInt8]? {
        switch request.body {
        case .none:
            // RFC 9110, section 8.6: a method that anticipates content says when there is none.
            return ["POST", "PUT", "PATCH"].contains(request.method) ? [] : nil
        case .bytes(let bytes):
            guard request.method != "HEAD" else {
                throw .refused(CURLE_BAD_FUNCTION_ARGUMENT, "a HEAD request cannot carry a body")
            }
            return bytes
        }
    }

    private static func headerLines(of request: HTTPRequest, bodyCount: Int?) throws(TransportFailure) -> [String] {
        var lines: [String] = []
        for field in request.headers {
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
            if field.isNamed("Content-Length") {
                guard value == String(bodyCount ?? 0) else {
                    throw .refused(
                        CURLE_BAD_FUNCTION_ARGUMENT,
                        "the header field Content-Length does not say the length of the body, \(bodyCount ?? 0)"
                    )
                }
                continue
            }
            // libcurl takes "Name:" as the wish to leave the field out, and "Name;" as an empty one.
            lines.append(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        // What libcurl adds by itself when it is not told otherwise. `Expect` would also cost a second.
        for name in ["Accept", "Content-Type", "Expect"] where !request.headers.contains(where: { $0.isNamed(name) }) {
            lines.append("\(name):")
        }
        return lines
    }
}

extension String {
    /// A token of RFC 9110, section 5.6.2.
    fileprivate var isToken: Bool {
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
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first...last])
    }
}
