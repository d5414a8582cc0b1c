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
        try register(secretsIn: .string(secret), at: span)
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
        guard let problem = problem(registering: value, from: "the value at \(span)") else { return }
        throw EvaluationFailure(message: problem, span: span)
    }

    /// Registers the strings and numbers in a value that may be secrets: the long ones without spaces. Others are also in texts
    /// that have nothing to do with it.
    func register(possibleSecretsIn value: JSON) {
        var left = Self.maximumParts
        _ = problem(registering: value, ofAtLeast: 16, from: { nil }, &left)
    }

    /// Registers every string and number in a secret value; returns why they cannot be redacted, or `nil`.
    ///
    /// - Parameter source: A description of the value's origin for people.
    func problem(registering value: JSON, from source: @autoclosure () -> String?) -> String? {
        var left = Self.maximumParts
        return problem(registering: value, ofAtLeast: 0, from: source, &left)
    }

    private func problem(
        registering value: JSON,
        ofAtLeast count: Int,
        from source: () -> String?,
        _ left: inout Int
    ) -> String? {
        left -= 1
        if left < 0 { return "a secret value has more than \(Self.maximumParts) parts, which cannot all be redacted" }
        switch value {
        case .string(let text):
            return text.utf8.count < count || count > 0 && text.utf8.contains(0x20)
                ? nil : problem(registeringText: text, from: source)
        case .number(let number):
            return number.text.utf8.count < count ? nil : problem(registeringText: number.text, from: source)
        case .bytes(let bytes):
            let text = String(validating: bytes, as: UTF8.self)
            return problem(registeringText: Base64.encode(bytes), from: source)
                ?? text.flatMap { problem(registeringText: $0, from: source) }
        case .array(let elements):
            for element in elements {
                if let problem = problem(registering: element, ofAtLeast: count, from: source, &left) { return problem }
            }
            return nil
        case .object(let object):
            for member in object {
                if let problem = problem(registering: member.value, ofAtLeast: count, from: source, &left) {
                    return problem
                }
            }
            return nil
        case .null, .bool: return nil
        }
    }

    private func problem(registeringText secret: String, from source: () -> String?) -> String? {
        guard !register(secret, from: source()) else { return nil }
        if WorkLimit.isReached { return WorkLimit.message }
        return secret.utf8.count > Self.longestSecret
            ? "a secret of \(secret.utf8.count) bytes is too long: at most \(Self.longestSecret) can be redacted"
            : "a run can have at most \(Self.maximumCount) secrets, or 16 MiB of them"
    }
}
