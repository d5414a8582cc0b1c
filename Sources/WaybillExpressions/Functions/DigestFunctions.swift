import WaybillFormats
import WaybillJSON

/// Digests (MD5: RFC 1321; SHA: FIPS 180-4) and HMAC (RFC 2104) of bytes, or of the UTF-8 bytes of a string.
extension ExpressionFunction {
    /// The functions that compute digests.
    static let digests: [ExpressionFunction] = [
        digest("md5", .md5), digest("sha1", .sha1), digest("sha256", .sha256), digest("sha512", .sha512),
        ExpressionFunction(
            "hmac",
            [Parameter("key", [.string, .bytes]), Parameter("value", [.string, .bytes]), encoding],
            .string,
            concealsSecrets: true
        ) { arguments throws(EvaluationError) in
            try encoded(Digest.hmacSHA256(of: arguments.bytes(1), key: arguments.bytes(0)), arguments, 2)
        },
    ]

    private static let encoding = Parameter("encoding", .string, isOptional: true)

    private static func digest(_ name: String, _ algorithm: Digest.Algorithm) -> ExpressionFunction {
        ExpressionFunction(name, [Parameter("value", [.string, .bytes]), encoding], .string, concealsSecrets: true) {
            arguments throws(EvaluationError) in
            try encoded(Digest.value(of: arguments.bytes(0), algorithm), arguments, 1)
        }
    }

    private static func encoded(
        _ bytes: [UInt8],
        _ arguments: FunctionArguments,
        _ index: Int
    ) throws(EvaluationError) -> JSON {
        switch arguments.optionalString(index) ?? "hex" {
        case "hex": return .string(Hexadecimal.encode(bytes))
        case "base64": return .string(Base64.encode(bytes))
        case "base64url": return .string(Base64.encode(bytes, urlSafe: true))
        default: throw EvaluationError(.value, "the encoding of a digest must be 'hex', 'base64' or 'base64url'")
        }
    }
}
