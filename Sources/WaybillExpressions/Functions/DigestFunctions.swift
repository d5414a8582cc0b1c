import Crypto
import WaybillJSON

extension ExpressionFunction {
    /// Digests.
    static let digests: [ExpressionFunction] = [
        ExpressionFunction(
            "sha256",
            [Parameter("value", [.string, .bytes]), Parameter("encoding", .string, isOptional: true)],
            .string,
            "The SHA-256 digest of a string or of bytes as 'hex' (or 'base64', 'base64url').",
            concealsSecrets: true,
            .compute(DigestFunctions.sha256)
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

/// SHA-256 (FIPS 180-4) and HMAC (RFC 2104) of bytes, or of the UTF-8 bytes of a string.
enum DigestFunctions {
    static func sha256(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try encoded(Array(SHA256.hash(data: arguments.bytes(0))), arguments.optionalString(1))
    }

    static func hmac(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        let key = SymmetricKey(data: arguments.bytes(0))
        let code = HMAC<SHA256>.authenticationCode(for: arguments.bytes(1), using: key)
        return try encoded(Array(code), arguments.optionalString(2))
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
