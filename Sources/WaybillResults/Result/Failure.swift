package import WaybillDiagnostics

/// Why a step failed.
package struct Failure: Error, Sendable, Equatable {
    /// One of the errors of a stage that can find several, such as the expectations of a response.
    package struct Finding: Sendable, Equatable {
        /// What is wrong, in one sentence without a full stop.
        package var message: RedactedText
        /// The text of the manifest that asked for something else.
        package var span: SourceSpan?
        /// A few words to stand behind the carets there.
        package var label: RedactedText?

        /// A finding; see the properties.
        package init(_ message: RedactedText, at span: SourceSpan?, label: RedactedText? = nil) {
            self.message = message
            self.span = span
            self.label = label
        }
    }

    /// The stage that failed.
    package var kind: FailureKind
    /// The server's code for the failure: the status, or the code in the response's envelope, as a string or number.
    package var code: RedactedJSON?
    /// What went wrong, in one sentence without a full stop.
    package var message: RedactedText
    /// The text of the manifest that it belongs to.
    package var span: SourceSpan?
    /// All that was found wrong, when the stage looks for more than one thing; otherwise empty.
    package var findings: [Finding]

    /// A failure; see the properties.
    package init(
        _ kind: FailureKind,
        _ message: RedactedText,
        code: RedactedJSON? = nil,
        at span: SourceSpan?,
        findings: [Finding] = []
    ) {
        self.kind = kind
        self.code = code
        self.message = message
        self.span = span
        self.findings = findings
    }
}

extension Failure: JSONStreamable {
    /// `{kind, code, message, file, line, column, findings}`, without what is unknown.
    package func addMembers(to object: inout JSONStream) {
        object.add("kind", kind.rawValue)
        object.add("code", code)
        object.add("message", message)
        object.add(span)
        if !findings.isEmpty { object.add("findings", each: findings) }
    }
}

extension Failure.Finding: JSONStreamable {
    /// `{message, label, file, line, column}`, without what is unknown.
    package func addMembers(to object: inout JSONStream) {
        object.add("message", message)
        object.add("label", label)
        object.add(span)
    }
}
