import WaybillFormats
import WaybillJSON

/// Digests (MD5: RFC 1321; SHA: FIPS 180-4) and HMAC (RFC 2104) of bytes, or of the UTF-8 bytes of a string.
extension ExpressionFunction {
    /// The functions that compute digests.
    static let digests: [ExpressionFunction] = [
        digest("md5", "MD5", .md5, example: ("md5('abc')", "900150983cd24fb0d6963f7d28e17f72")),
        digest("sha1", "SHA-1", .sha1, example: ("sha1('abc')", "a9993e364706816aba3e25717850c26c9cd0d89d")),
        digest(
            "sha256",
            "SHA-256",
            .sha256,
            example: ("sha256('abc', 'base64')", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        ),
        digest(
            "sha512",
            "SHA-512",
            .sha512,
            example: (
                "sha512('', 'base64')",
                "z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
            )
        ),
        ExpressionFunction(
            "hmac",
            [Parameter("key", [.string, .bytes]), Parameter("value", [.string, .bytes]), encoding],
            .string,
            "The HMAC-SHA-256 of a string or of bytes with a key, in 'hex' (the default), 'base64' or 'base64url'.",
            example: ("hmac('key', 'value', 'base64')", "kPv88V50o2uJ29sqch2a7P/f3dxcg+J/dZJZT3GTJIE="),
            concealsSecrets: true,
            .compute { arguments throws(EvaluationError) in
                try encoded(Digest.hmacSHA256(of: arguments.bytes(1), key: arguments.bytes(0)), arguments, 2)
            }
        ),
    ]

    private static let encoding = Parameter("encoding", .string, isOptional: true)

    private static func digest(
        _ name: String,
        _ title: String,
        _ algorithm: Digest.Algorithm,
        example: (call: String, result: JSON)
    ) -> ExpressionFunction {
        ExpressionFunction(
            name,
            [Parameter("value", [.string, .bytes]), encoding],
            .string,
            "The \(title) digest of a string (as UTF-8) or of bytes, in 'hex' (the default), 'base64' or 'base64url'.",
            example: example,
            concealsSecrets: true,
            .compute { arguments throws(EvaluationError) in
                try encoded(Digest.value(of: arguments.bytes(0), algorithm), arguments, 1)
            }
        )
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
