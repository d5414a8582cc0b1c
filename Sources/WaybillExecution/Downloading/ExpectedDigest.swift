import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillTransport

/// The digest that a file must have, as manifests and servers write it.
enum ExpectedDigest {
    /// The bytes of a digest: hexadecimal or Base64, alone or after its name, as in `sha256:AB…` and in the fields
    /// `Digest` and `Repr-Digest` (RFC 9530), which may have several.
    static func bytes(
        _ value: JSON,
        _ algorithm: Digest.Algorithm,
        at span: SourceSpan
    ) throws(EvaluationFailure) -> [UInt8] {
        if case .bytes(let bytes) = value, bytes.count == algorithm.byteCount { return bytes }
        guard let text = value.string else {
            throw EvaluationFailure(message: "expected the digest as a string, found \(value.kind.phrase)", span: span)
        }
        for part in text.split(separator: ",") {
            var digest = part.filter { !$0.isWhitespace }
            if let end = digest.firstIndex(where: { $0 == ":" || $0 == "=" }),
                let named = names[digest[..<end].lowercased()]
            {
                guard named == algorithm else { continue }
                digest = String(digest[digest.index(after: end)...])
                // A byte sequence of a structured field.
                if digest.hasPrefix(":"), digest.hasSuffix(":"), digest.count > 2 {
                    digest = String(digest.dropFirst().dropLast())
                }
            }
            if let bytes = hexadecimal(digest) ?? Base64.decode(digest), bytes.count == algorithm.byteCount {
                return bytes
            }
        }
        throw EvaluationFailure(
            message:
                "'\(text.prefix(100))' is not a \(algorithm.rawValue) digest: expected \(2 * algorithm.byteCount) hexadecimal digits",
            span: span
        )
    }

    private static let names: [String: Digest.Algorithm] = [
        "sha256": .sha256, "sha-256": .sha256, "sha512": .sha512, "sha-512": .sha512, "sha1": .sha1, "sha-1": .sha1,
        "sha": .sha1, "md5": .md5,
    ]

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) }
    }
}
