import WaybillContract
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

extension RequestBuilder {
    /// Servers accept about 100. A list from a response may have millions.
    private static let mostFields = 10_000

    /// The header fields of a request, including the default ones, without credentials.
    func headers(of settings: Settings) throws(EvaluationFailure) -> [HTTPField] {
        var fields: [HTTPField] = []
        let written = settings.headers
        // With room for the three default fields.
        fields.reserveCapacity(written.count + 3)
        for entry in written {
            let name = entry.value.name.value
            for value in entry.value.texts ?? [] {
                for text in try value.texts(of: name, in: scope.scope(entry.level)) {
                    guard fields.count < Self.mostFields else {
                        let message = "a request has at most \(Self.mostFields) header fields"
                        throw EvaluationFailure(message: message, span: value.span)
                    }
                    try register(text)
                    if entry.value.isNamed("Host"), fields.contains(where: { $0.isNamed("Host") }) {
                        throw EvaluationFailure(message: "a request has only one field '\(name)'", span: value.span)
                    }
                    if CredentialNames.contains(name) { registerCredentials(text.text) }
                    // It is not sent to another origin after a redirect, and its response is not stored.
                    fields.append(
                        HTTPField(
                            name: name,
                            value: try text.text.asFieldValue(of: name, at: value.span),
                            isSensitive: text.isSecret || CredentialNames.contains(name)
                        )
                    )
                }
            }
        }
        func isMissing(_ name: String) -> Bool {
            !fields.contains { $0.isNamed(name) } && !settings.unsets(field: name)
        }
        func add(_ name: String, _ value: @autoclosure () -> String) {
            if isMissing(name) { fields.append(HTTPField(name: name, value: value())) }
        }
        add(
            "Accept",
            (settings.accept?.value).flatMap { $0 }?.map(\.description).joined(separator: ", ")
                ?? plan.operation?.operation.acceptField
                ?? (settings.decoding?.value == .sse ? "text/event-stream" : "*/*")
        )
        if let urgency = settings.urgency { add("Priority", "u=\(urgency)") }
        if isMissing("User-Agent") { fields.append(try userAgent(settings)) }
        return fields
    }

    /// Registers the value of a field that has credentials because of its name, also without the scheme before them (RFC 9110,
    /// section 11.4): servers may send it back. A short one may be a word that has other meanings.
    private func registerCredentials(_ value: String) {
        let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
        for credentials in [value, parts.last ?? ""] where credentials.utf8.count >= 6 {
            redactor.register(credentials)
        }
    }

    private func userAgent(_ settings: Settings) throws(EvaluationFailure) -> HTTPField {
        let name = "User-Agent"
        guard let agent = settings.userAgent else {
            return HTTPField(name: name, value: "waybill/\(WaybillVersion.current)")
        }
        let text = try text(agent)
        return HTTPField(
            name: name,
            value: try text.text.asFieldValue(of: name, at: agent.span),
            isSensitive: text.isSecret
        )
    }
}

extension [HTTPField] {
    /// Adds a field. A request has one field for all cookies (RFC 6265, section 5.4).
    mutating func add(_ field: HTTPField) {
        guard field.isNamed("Cookie") else { return append(field) }
        let cookies = filter { $0.isNamed("Cookie") && !$0.value.isEmpty } + [field]
        removeAll { $0.isNamed("Cookie") }
        append(
            HTTPField(
                name: field.name,
                value: cookies.map(\.value).joined(separator: "; "),
                isSensitive: cookies.contains(where: \.isSensitive)
            )
        )
    }
}

extension Setting<HeaderSetting> {
    /// The first value of the field.
    func firstText(in scope: RequestScope) throws(EvaluationFailure) -> String? {
        try value.texts?.first?.text(in: scope.scope(level)).text
    }
}

extension Settings {
    /// Whether a field that requests have by default is unset.
    func unsets(field name: String) -> Bool {
        headers.contains { entry in
            entry.value.isUnset && HTTPField(name: entry.value.name.value, value: "").isNamed(name)
        }
    }

    /// The urgency of a request (RFC 9218, section 4.1), from 0 to 7; `nil` for the default of 3.
    fileprivate var urgency: Int? {
        switch priority?.value {
        case .low: 5
        case .high: 1
        case .default, nil: nil
        }
    }
}

extension String {
    /// Returns the string if it can be the value of a header field. Throws if it contains control characters other than
    /// tab (RFC 9110, section 5.5).
    func asFieldValue(of name: String, at span: SourceSpan) throws(EvaluationFailure) -> String {
        guard !utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else {
            throw EvaluationFailure(
                message: "the value of header field '\(name)' contains a line break or another control character",
                span: span
            )
        }
        return self
    }
}
