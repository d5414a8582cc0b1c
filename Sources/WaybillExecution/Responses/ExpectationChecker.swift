import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillResults
import WaybillSchema
import WaybillTransport

/// Compares a response, or the values of a step, with what the manifest expects. All failed expectations are reported together.
struct ExpectationChecker {
    /// An expectation that does not hold, or a part of one.
    struct Violation: Sendable {
        let message: String
        let span: SourceSpan
        /// What to report in one sentence instead, if the expectation does not hold in several ways.
        var summary: RedactedText?
        /// Whether it is another part of the expectation before it.
        var isFurther = false
        /// Whether the manifest has a message for it.
        var isWorded = false

        /// The violations of one expectation, and another for those that are not among them.
        ///
        /// - Parameters:
        ///   - count: The number of all violations.
        ///   - noun: What they are, such as `differences from 'json'`.
        static func all(
            _ first: [Self],
            of count: Int,
            _ noun: RedactedText,
            at span: SourceSpan,
            isComplete: Bool = true
        ) -> [Self] {
            guard count > 1, !first.isEmpty else { return first }
            var all = first
            all[0].summary = "the data has \(isComplete ? "" : "at least ")\(count) \(noun)"
            let rest = count - first.count
            if rest > 0 {
                all.append(Self(message: "there are \(isComplete ? "" : "at least ")\(rest) more \(noun)", span: span))
            }
            for index in all.indices.dropFirst() { all[index].isFurther = true }
            return all
        }
    }

    /// The maximum number of differences from a value, or violations of a schema, that are reported one by one.
    static let limit = 20
    /// The maximum number of violations of a schema that are counted: each takes memory and time.
    private static let countLimit = 1_000

    let settings: Settings
    /// The response; `nil` for the values of a step, of which only the data is checked.
    let response: HTTPResponse?
    let data: ScopeValue
    let scope: (Level) -> EvaluationScope
    /// Why the data is a string, although it is JSON; empty if it is not.
    var undecodedReason = ""

    /// All expectations that do not hold, except those of the status.
    func violations() -> [Violation] {
        var violations =
            response.map { response in
                headerViolations(of: response) + timeViolations(of: response) + certificateViolations(of: response)
            } ?? []
        for value in expected({ if case .json(let value) = $0 { value } else { nil } }) {
            violations += self.violations(of: value, .contains, "differences from 'json'")
        }
        for value in expected({ if case .equals(let value) = $0 { value } else { nil } }) {
            violations += self.violations(of: value, .equals, "differences from 'equals'")
        }
        return violations + bodyViolations() + schemaViolations()
    }

    private func expected<Value>(_ value: (ExpectationSetting) -> Value?) -> [Setting<Value>] {
        settings.expectations.compactMap { entry in
            value(entry.value).map { Setting($0, at: entry.span, level: entry.level) }
        }
    }

    private func headerViolations(of response: HTTPResponse) -> [Violation] {
        let fields = expected {
            if case .header(let name, let glob?) = $0 { (name: name.value, glob: glob) } else { nil }
        }
        return fields.compactMap { field in
            let (name, wanted) = field.value
            return violation(at: field.span) { () throws(EvaluationFailure) in
                let pattern = try wanted.text(in: scope(field.level)).text
                let values = response.headers.values(named: name)
                if values.isEmpty { return "header field '\(name)' is missing" }
                // Several fields mean the same as one with all their values (RFC 9110, section 5.3), except fields with
                // cookies.
                let (glob, whole) = (Glob(pattern), values.joined(separator: ", "))
                let isOfCookies = HTTPField(name: name, value: "").isNamed("Set-Cookie")
                if glob.matches(whole) || values.allSatisfy({ glob.matches($0) }) { return nil }
                if isOfCookies, values.contains(where: { glob.matches($0) }) { return nil }
                let found = CredentialNames.contains(name) ? Redactor.mask : whole
                let shown = try wanted.shownText(in: scope(field.level))
                return "header field '\(name)' is '\(found)', not '\(shown)'"
            }
        }
    }

    private func timeViolations(of response: HTTPResponse) -> [Violation] {
        let maximum = expected { if case .maxTime(let limit) = $0 { (TimePhase.total, limit) } else { nil } }
        let limits = expected { if case .time(let phase, let limit) = $0 { (phase, limit) } else { nil } }
        return (maximum + limits).compactMap { entry in
            violation(at: entry.span) { () throws(EvaluationFailure) in
                let (phase, limit) = entry.value
                let wanted = try limit.duration(in: scope(entry.level))
                let time = response.timings.time(of: phase)
                return time <= wanted
                    ? nil : "\(phase.subject) took \(time.milliseconds), more than \(wanted.milliseconds)"
            }
        }
    }

    private func certificateViolations(of response: HTTPResponse) -> [Violation] {
        let expected = settings.expectedCertificate
        guard let first = expected.first else { return [] }
        guard let certificate = response.certificate else {
            return [
                Violation(message: "the connection has no certificate, because it does not use TLS", span: first.span)
            ]
        }
        return expected.compactMap { part in
            violation(at: part.span) { () throws(EvaluationFailure) in
                switch part.value {
                case .expiresIn(let minimum):
                    let rest = Timestamp.now().duration(to: certificate.expiresAt)
                    if rest > minimum { return nil }
                    let days = Int((rest / .seconds(86_400)).rounded(.down))
                    let words = days < 0 ? "has expired" : "expires in \(days == 1 ? "1 day" : "\(days) days")"
                    return "the certificate \(words), at \(certificate.expiresAt)"
                case .name(let key, let glob):
                    let pattern = try glob.text(in: scope(part.level)).text
                    let name = key == .subject ? certificate.subject : certificate.issuer
                    if Glob(pattern).matches(name) { return nil }
                    let shown = try glob.shownText(in: scope(part.level))
                    return "the \(key.rawValue) of the certificate is '\(name)', not '\(shown)'"
                }
            }
        }
    }

    /// The differences of the data from a value that it must contain or equal.
    private func violations(
        of wanted: Setting<ValueTemplate>,
        _ kind: JSONComparison.Expectation,
        _ noun: RedactedText
    ) -> [Violation] {
        let value: ScopeValue
        do {
            value = try wanted.value.value(in: scope(wanted.level))
        } catch {
            return [Violation(message: error.message, span: error.span)]
        }
        let comparison = JSONComparison(
            of: data.json,
            with: value.json,
            kind,
            limit: Self.limit,
            hidesExpected: value.isSecret
        )
        let parts = comparison.differences.map { difference in
            Violation(message: "the data \(difference.message)", span: wanted.value.span(at: difference.path))
        }
        return Violation.all(parts, of: comparison.count, noun, at: wanted.span)
    }

    private func bodyViolations() -> [Violation] {
        let checks = expected { if case .body(let check) = $0 { check } else { nil } }
        return checks.compactMap { $0.value.violation(in: scope($0.level), because: undecodedReason) }
    }

    private func schemaViolations() -> [Violation] {
        let schemas = expected { if case .schema(let schema) = $0 { schema } else { nil } }
        return schemas.flatMap { schema -> [Violation] in
            let violations = schema.value.schema.validate(data.json, limit: Self.countLimit)
            let shown = violations.prefix(Self.limit)
            let parts = shown.map {
                Violation(message: $0.sentence(in: data.json), span: schema.value.span(of: $0))
            }
            let isComplete = violations.count < Self.countLimit
            return Violation.all(
                parts,
                of: violations.count,
                "violations of 'schema'",
                at: schema.span,
                isComplete: isComplete
            )
        }
    }

    private func violation(at span: SourceSpan, _ check: () throws(EvaluationFailure) -> String?) -> Violation? {
        do {
            return try check().map { Violation(message: $0, span: span) }
        } catch {
            return Violation(message: error.message, span: error.span)
        }
    }
}

extension Check {
    /// Returns the violation if the condition does not hold.
    ///
    /// - Parameter reason: What is added to the message; may be empty.
    func violation(in scope: EvaluationScope, because reason: String = "") -> ExpectationChecker.Violation? {
        do throws(EvaluationFailure) {
            if try that.holds(in: scope) { return nil }
            let complaint = that.complaint(in: scope) + reason
            guard let message else { return .init(message: complaint, span: that.span) }
            let words = "\(try message.shownText(in: scope)): \(complaint)"
            return .init(message: words, span: that.span, isWorded: true)
        } catch {
            return .init(message: error.message + reason, span: error.span, isWorded: message != nil)
        }
    }
}

extension Failure {
    /// The failure of the expectations that do not hold; `nil` if all of them hold.
    ///
    /// - Parameter unmet: The message and location of each violation.
    init?(_ violations: [ExpectationChecker.Violation], _ unmet: [Detail]) {
        guard let first = unmet.first else { return nil }
        let count = violations.count { !$0.isFurther }
        let words = count == 1 ? violations[0].summary ?? first.message : "\(count) expectations failed"
        self.init(.expect, words, at: first.span, details: unmet)
        isSpecific = violations.contains(where: \.isWorded)
    }

    /// The failure of the expectations that do not hold, without secrets; `nil` if all of them hold.
    init?(_ violations: [ExpectationChecker.Violation], _ redactor: Redactor) {
        self.init(violations, violations.map { Detail(redactor.text($0.message), at: $0.span) })
    }
}

extension TransferTimings {
    /// How long a phase took; zero if it did not happen.
    fileprivate func time(of phase: TimePhase) -> Duration {
        switch phase {
        case .dns: dns
        case .connect: connect
        case .tls: tls
        case .firstByte: firstByte
        case .total: total
        }
    }
}

extension TimePhase {
    /// The phase as the subject of a sentence.
    fileprivate var subject: String {
        switch self {
        case .dns: "the name lookup"
        case .connect: "the connection"
        case .tls: "the TLS handshake"
        case .firstByte: "the first byte"
        case .total: "the response"
        }
    }
}

extension Duration {
    /// The duration in words, rounded up to a millisecond, or to a tenth below 10 ms: `1234 ms`, `1.3 ms`. Rounding up shows
    /// that a time is longer than a limit.
    var milliseconds: String {
        let (seconds, attoseconds) = components
        let tenths = seconds * 10_000 + (attoseconds + 99_999_999_999_999) / 100_000_000_000_000
        if tenths < 100, tenths % 10 != 0 { return "\(tenths / 10).\(tenths % 10) ms" }
        return "\((tenths + 9) / 10) ms"
    }
}
