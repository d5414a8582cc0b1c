import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// The value of a header field must be valid (RFC 9110, section 5.5), and the fields that delimit a request are
/// reserved for the transport.
struct FieldValues: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let wrongLengths = wrongLengths(subject)
        let wrongSpans = Set(wrongLengths.compactMap(\.primary?.span))
        var diagnostics = wrongLengths
        for settings in subject.settings {
            // A computed value may be null, which sends none.
            let hosts = settings.headers.map(\.value).filter { $0.isNamed("Host") }.flatMap { $0.texts ?? [] }
                .filter { $0.constantText != nil }
            if hosts.count > 1 {
                diagnostics.report(
                    "invalid-header-value",
                    "a request has only one field 'Host'",
                    at: hosts[1].span,
                    secondary: [.init(hosts[0].span, "the other value")],
                    help: ["Remove one of them; a request for each host is sent by 'forEach'."]
                )
            }
            for entry in settings.entries {
                for scalar in entry.value.fieldTexts
                where scalar.literals.joined().utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
                    diagnostics.report(
                        "invalid-header-value",
                        "a header field cannot contain a line break or another control character",
                        at: scalar.span,
                        help: ["Write each field under its own name; a list sends a field several times."]
                    )
                }
                if let field = entry.value as? HeaderSetting, let texts = field.texts,
                    !texts.contains(where: { wrongSpans.contains($0.span) })
                {
                    diagnostics += framing(field.name)
                }
            }
        }
        return diagnostics
    }

    private func framing(_ name: Spanned<String>) -> [Diagnostic] {
        switch name.value.lowercased() {
        case "transfer-encoding":
            [
                Diagnostic(
                    "framing-header",
                    "'\(name.value)' cannot be set: Waybill rejects a request with it",
                    at: name.span,
                    help: ["Remove it: the length of the body is known, and is sent in 'Content-Length'."]
                )
            ]
        case "content-length":
            [
                Diagnostic(
                    "framing-header",
                    "'\(name.value)' is set by Waybill, which rejects a request with another length",
                    severity: .warning,
                    at: name.span,
                    help: ["Remove it: the length of the body is sent anyway."]
                )
            ]
        default: []
        }
    }

    private func wrongLengths(_ subject: RuleSubject) -> [Diagnostic] {
        guard
            subject.settings.contains(where: { $0.headers.contains(where: \.value.isContentLength) })
        else { return [] }
        return subject.diagnosticsOfRequests { request in
            guard let actual = request.bodyLength else { return [] }
            let values = request.merged.headers.map(\.value).filter(\.isContentLength)
                .flatMap { $0.texts ?? [] }
            return values.filter { $0.constantText.map { Int($0) != actual } ?? false }.map { value in
                Diagnostic(
                    "framing-header",
                    "'Content-Length' is not the length of the body, which has \(actual) bytes",
                    at: value.span,
                    help: ["Remove it: the length of the body is sent anyway."]
                )
            }
        }
    }
}

extension HeaderSetting {
    fileprivate var isContentLength: Bool { name.value.lowercased() == "content-length" }
}

extension ScalarTemplate {
    /// The literal strings that are known: the whole of a constant, and the parts of a template around its `${…}`.
    fileprivate var literals: [String] {
        guard let template = template?.template else { return constantText.map { [$0] } ?? [] }
        return template.parts.compactMap { if case .literal(let text) = $0 { text } else { nil } }
    }
}

extension RequestSite {
    /// The size of the body in bytes, if it is known.
    fileprivate var bodyLength: Int? {
        if unknown.contains(HeaderSetting.key) || mayHave(ParameterSetting.key) { return nil }
        guard mayHave(BodySetting.key) else { return 0 }
        return body?.value.knownLength
    }
}
