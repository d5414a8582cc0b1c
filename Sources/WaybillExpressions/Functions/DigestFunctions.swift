import WaybillFormats
import WaybillJSON

extension ExpressionFunction {
    /// The functions that compute digests.
    static let digests: [ExpressionFunction] = [
        ExpressionFunction(
            "md5",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The MD5 digest of a string (as UTF-8) or of bytes, in 'hex' (the default), 'base64' or 'base64url'.",
            example: ("md5('abc')", "900150983cd24fb0d6963f7d28e17f72"),
            concealsSecrets: true,
            .compute(DigestFunctions.md5)
        ),
        ExpressionFunction(
            "sha1",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The SHA-1 digest of a string (as UTF-8) or of bytes, in 'hex' (the default), 'base64' or 'base64url'.",
            example: ("sha1('abc')", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            concealsSecrets: true,
            .compute(DigestFunctions.sha1)
        ),
        ExpressionFunction(
            "sha256",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The SHA-256 digest of a string (as UTF-8) or of bytes, in 'hex' (the default), 'base64' or 'base64url'.",
            example: ("sha256('abc', 'base64')", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
            concealsSecrets: true,
            .compute(DigestFunctions.sha256)
        ),
        ExpressionFunction(
            "sha512",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The SHA-512 digest of a string (as UTF-8) or of bytes, in 'hex' (the default), 'base64' or 'base64url'.",
            example: (
                "sha512('', 'base64')",
                .string(
                    "z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="
                )
            ),
            concealsSecrets: true,
            .compute(DigestFunctions.sha512)
        ),
        ExpressionFunction(
            "hmac",
            [
                Parameter("key", [.string, .bytes]), Parameter("value", [.string, .bytes]),
                Parameter("encoding", .string, isOptional: true),
            ],
            .string,
            "The HMAC-SHA-256 of a string or of bytes with a key, in 'hex' (the default), 'base64' or 'base64url'.",
            example: ("hmac('key', 'value', 'base64')", "kPv88V50o2uJ29sqch2a7P/f3dxcg+J/dZJZT3GTJIE="),
            concealsSecrets: true,
            .compute(DigestFunctions.hmac)
        ),
    ]
}

/// Digests (MD5: RFC 1321; SHA: FIPS 180-4) and HMAC (RFC 2104) of bytes, or of the UTF-8 bytes of a string.
enum DigestFunctions {
    static func md5(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try digest(.md5, arguments)
    }

    static func sha1(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try digest(.sha1, arguments)
    }

    static func sha256(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try digest(.sha256, arguments)
    }

    static func sha512(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try digest(.sha512, arguments)
    }

    static func hmac(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try encoded(Digest.hmacSHA256(of: arguments.bytes(1), key: arguments.bytes(0)), arguments.optionalString(2))
    }

    private static func digest(
        _ algorithm: Digest.Algorithm,
        _ arguments: FunctionArguments
    ) throws(FunctionFailure) -> JSON {
        try encoded(Digest.value(of: arguments.bytes(0), algorithm), arguments.optionalString(1))
    }

    private static func encoded(_ bytes: [UInt8], _ encoding: String?) throws(FunctionFailure) -> JSON {
        switch encoding ?? "hex" {
        case "hex": return .string(Hexadecimal.encode(bytes))
        case "base64": return .string(Base64.encode(bytes))
        case "base64url": return .string(Base64.encode(bytes, urlSafe: true))
        default: throw FunctionFailure(.value, "the encoding of a digest must be 'hex', 'base64' or 'base64url'")
        }
    }
}
