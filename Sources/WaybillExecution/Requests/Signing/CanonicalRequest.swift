import WaybillFormats
import WaybillJSON
import WaybillTransport

/// A request in the canonical form from which client and server compute an AWS signature.
struct CanonicalRequest {
    /// The canonical form.
    let text: String
    /// The names of the fields in it, as the signature lists them.
    let signedNames: String

    init(_ request: HTTPRequest, payloadDigest: String, isForS3: Bool) {
        let address = URIReference(request.url)
        var values: [String: [String]] = [:]
        for field in request.headers {
            let name = field.name.lowercased()
            if !Self.unsigned.contains(name) { values[name, default: []].append(Self.trimmed(field.value)) }
        }
        let names = values.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let header = names.map { "\($0):\(values[$0, default: []].joined(separator: ","))\n" }.joined()
        signedNames = names.joined(separator: ";")
        let path = isForS3 ? Self.decodedOnce(address.path) : Self.normalized(address.path)
        text = [
            request.method, path, Self.query(address.query ?? ""), header, signedNames, payloadDigest,
        ].joined(separator: "\n")
    }

    /// The value of `Host` for a URL. It has a port only if that is not the scheme's default.
    static func host(of url: String) -> String {
        let address = URIReference(url)
        let authority = address.authority ?? ""
        let usual = address.scheme?.lowercased() == "https" ? ":443" : ":80"
        if authority.hasSuffix(usual) { return String(authority.dropLast(usual.count)) }
        return authority.hasSuffix(":") ? String(authority.dropLast()) : authority
    }

    /// Fields that are not signed, because a proxy may change them or they are only known when the request is sent.
    /// They are like those of the JavaScript and Python SDKs.
    private static let unsigned: Set<String> = [
        "accept-encoding", "baggage", "cache-control", "connection", "content-length", "cookie", "expect", "from",
        "keep-alive", "max-forwards", "pragma", "priority", "proxy-authenticate", "proxy-authorization", "referer",
        "te",
        "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
    ]

    /// A value without white space around it, and with a single space for any white space inside.
    private static func trimmed(_ value: String) -> String {
        value.utf8.split { $0 == 0x20 || (0x09...0x0D).contains($0) }
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    // MARK: Path

    /// The path for all services but S3: dot segments are resolved, repeated slashes are merged, and everything is
    /// percent-encoded once more than in the request.
    private static func normalized(_ path: String) -> String {
        var segments: [Substring.UTF8View] = []
        for segment in path.utf8.split(separator: UInt8(ascii: "/")).map({ Substring($0).utf8 }) {
            if segment.elementsEqual("..".utf8) {
                _ = segments.popLast()
            } else if !segment.elementsEqual(".".utf8) {
                segments.append(segment)
            }
        }
        let isFolder = !segments.isEmpty && path.utf8.last == UInt8(ascii: "/")
        return "/" + segments.map { PercentEncoding.component($0) }.joined(separator: "/") + (isFolder ? "/" : "")
    }

    /// The path for S3, which is the name of an object: unchanged, but fully percent-encoded.
    private static func decodedOnce(_ path: String) -> String {
        guard !path.isEmpty else { return "/" }
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: encodedOnce($0), as: UTF8.self) }.joined(separator: "/")
    }

    // MARK: Query

    /// The query, or nothing once `WorkLimit` is reached.
    private static func query(_ query: String) -> String {
        var limit = WorkLimit.Check()
        var pairs: [(name: [UInt8], value: [UInt8])] = []
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) where !limit.isReached(before: 64) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            // AWS does not treat a plus sign as a space.
            pairs.append((encodedOnce(pair[..<equals]), encodedOnce(pair[equals...].dropFirst())))
        }
        let sorted = try? pairs.sorted { left, right in
            if limit.isReached(before: 8) { throw CancellationError() }
            return left.name == right.name
                ? left.value.lexicographicallyPrecedes(right.value) : left.name.lexicographicallyPrecedes(right.name)
        }
        return (sorted ?? []).map { String(decoding: $0.name + [UInt8(ascii: "=")] + $0.value, as: UTF8.self) }
            .joined(separator: "&")
    }

    /// A string in which every character that may be encoded is percent-encoded once, whether or not it was encoded
    /// before.
    private static func encodedOnce(_ text: Substring.UTF8View) -> [UInt8] {
        Array(PercentEncoding.component(PercentEncoding.decodedBytes(text)).utf8)
    }
}
