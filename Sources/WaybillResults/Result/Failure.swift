package import WaybillDiagnostics

/// The stage of a step that failed.
package enum FailureKind: String, Sendable, CaseIterable {
    /// An input is missing, or is not what its schema asks for.
    case input
    /// The host's name could not be resolved.
    case dns
    /// No connection could be made.
    case connect
    /// No TLS session could be set up, or the peer is not who it should be.
    case tls
    /// It took longer than allowed.
    case timeout
    /// The connection broke, or what came over it cannot be read.
    case transfer
    /// The service is known not to be reachable; nothing was sent.
    case unreachable
    /// The same request was under way, and this one was to give way.
    case duplicate
    /// The status is not one that was expected.
    case status
    /// The answer's media type is not accepted.
    case contentType = "content-type"
    /// The body is not what its media type says.
    case decode
    /// A filter stage refused the data.
    case filter
    /// An output, or what is returned, could not be taken from the data.
    case output
    /// The answer is not as expected.
    case expect
    /// The file could not be fetched or stored whole.
    case download
    /// It was stopped from outside.
    case cancelled
}

/// Why a step failed.
package struct Failure: Error, Sendable, Equatable {
    /// One thing found wrong, where several were looked for, as the expectations of one answer are.
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
    /// The server's name for the failure: the status, or the code in the response's envelope, as the string or number that it
    /// is.
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
