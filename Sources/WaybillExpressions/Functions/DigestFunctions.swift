import Crypto
import WaybillJSON

extension ExpressionFunction {
    /// Digests.
    static let digests: [ExpressionFunction] = [
        ExpressionFunction(
            "md5",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The MD5 digest of a string or of bytes as 'hex' (or 'base64', 'base64url').",
            concealsSecrets: true,
            .compute(DigestFunctions.md5)
        ),
        ExpressionFunction(
            "sha1",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The SHA-1 digest of a string or of bytes as 'hex' (or 'base64', 'base64url').",
            concealsSecrets: true,
            .compute(DigestFunctions.sha1)
        ),
        ExpressionFunction(
            "sha256",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The SHA-256 digest of a string or of bytes as 'hex' (or 'base64', 'base64url').",
            concealsSecrets: true,
            .compute(DigestFunctions.sha256)
        ),
        ExpressionFunction(
            "sha512",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The SHA-512 digest of a string or of bytes as 'hex' (or 'base64', 'base64url').",
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
            "The HMAC-SHA-256 of a string or of bytes under a key as 'hex' (or 'base64', 'base64url').",
            concealsSecrets: true,
            .compute(DigestFunctions.hmac)
        ),
    ]
}

/// Digests (MD5: RFC 1321; SHA: FIPS 180-4) and HMAC (RFC 2104) of bytes, or of the UTF-8 bytes of a string.
enum DigestFunctions {
    static func md5(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try digest(Insecure.MD5.self, arguments)
    }

    static func sha1(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try digest(Insecure.SHA1.self, arguments)
    }

    static func sha256(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try digest(SHA256.self, arguments)
    }

    static func sha512(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try digest(SHA512.self, arguments)
    }

    static func hmac(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        let key = SymmetricKey(data: arguments.bytes(0))
        let code = HMAC<SHA256>.authenticationCode(for: arguments.bytes(1), using: key)
        return try encoded(Array(code), arguments.optionalString(2))
    }

    private static func digest(
        _ function: (some HashFunction).Type,
        _ arguments: FunctionArguments
    ) throws(FunctionFailure) -> JSON {
        try encoded(Array(function.hash(data: arguments.bytes(0))), arguments.optionalString(1))
    }

    private static func encoded(_ bytes: [UInt8], _ encoding: String?) throws(FunctionFailure) -> JSON {
        switch encoding ?? "hex" {
        case "hex":
            let digits = Array("0123456789abcdef".utf8)
            let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            return .string(String(decoding: text, as: UTF8.self))
        case "base64": return .string(Base64.encode(bytes))
        case "base64url": return .string(Base64.encode(bytes, urlSafe: true))
        default: throw FunctionFailure(.value, "the encoding of a digest is 'hex', 'base64' or 'base64url'")
        }
    }
}
