import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

extension Redactor {
    /// Redacts the header fields of a request. Of those that contain a secret, only the name is kept.
    func headers(_ fields: [HTTPField]) -> [RedactedHeader] {
        fields.map { header($0.name, $0.isSensitive ? Self.mask : $0.value) }
    }

    /// Registers a string that contains a secret.
    ///
    /// - Throws: If it is too long to be redacted, or one too many.
    func register(_ secret: String, at span: SourceSpan) throws(EvaluationFailure) {
        guard !register(secret, from: "the value at \(span)") else { return }
        throw EvaluationFailure(
            message: secret.utf8.count > Self.longestSecret
                ? "a secret of \(secret.utf8.count) bytes is too long: at most \(Self.longestSecret) can be redacted"
                : "a run can have at most \(Self.maximumCount) secrets, or 16 MiB of them",
            span: span
        )
    }

    /// Registers the secrets in the outputs of a request that can be evaluated already: a part of the response is
    /// reported, recorded or written before its outputs are evaluated. Returns whether all of them were evaluated.
    @discardableResult
    func register(secretOutputsOf request: RequestPlan, in scope: RequestScope) -> Bool {
        var areAllKnown = true
        for output in request.outputs where output.isSecret {
            do throws(EvaluationFailure) {
                try register(secretsIn: output.value.value(in: scope.scope(output.level)).json, at: output.value.span)
            } catch {
                areAllKnown = false
            }
        }
        return areAllKnown
    }

    /// The maximum number of strings and numbers in one secret value.
    private static let maximumParts = 10_000

    /// Registers every string and number in a secret value.
    ///
    /// - Throws: If one is too long to be redacted, or if there are too many.
    func register(secretsIn value: JSON, at span: SourceSpan) throws(EvaluationFailure) {
        var left = Self.maximumParts
        try register(secretsIn: value, at: span, &left)
    }

    private func register(secretsIn value: JSON, at span: SourceSpan, _ left: inout Int) throws(EvaluationFailure) {
        left -= 1
        if left < 0 {
            let message = "a secret value has more than \(Self.maximumParts) parts, which cannot all be redacted"
            throw EvaluationFailure(message: message, span: span)
        }
        switch value {
        case .string(let text): try register(text, at: span)
        case .number(let number): try register(number.text, at: span)
        case .bytes(let bytes):
            try register(Base64.encode(bytes), at: span)
            if let text = String(validating: bytes, as: UTF8.self) { try register(text, at: span) }
        case .array(let elements): for element in elements { try register(secretsIn: element, at: span, &left) }
        case .object(let object): for member in object { try register(secretsIn: member.value, at: span, &left) }
        case .null, .bool: break
        }
    }
}
