package import WaybillDiagnostics
package import WaybillJSON

/// Why a part of the manifest could not be evaluated, with its location.
package struct EvaluationFailure: Error, Sendable {
    /// What is wrong.
    package var message: String
    /// Where.
    package var span: SourceSpan
    /// The kind of failure of the step that it causes.
    package var kind: FailureKind
    /// The server's code for the failure, if the server caused it.
    package var code: JSON?

    /// A failure; see the properties.
    package init(message: String, span: SourceSpan, kind: FailureKind = .input, code: JSON? = nil) {
        self.message = message
        self.span = span
        self.kind = kind
        self.code = code
    }
}
