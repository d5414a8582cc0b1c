package import WaybillDiagnostics
package import WaybillJSON

/// Why a part of the manifest could not be evaluated, with its location.
package struct EvaluationFailure: Error, Sendable {
    /// The message.
    package var message: String
    /// The location in the manifest.
    package var span: SourceSpan
    /// The kind of failure that it causes in the step.
    package var kind: FailureKind
    /// The server's code for the failure, if the server caused it.
    package var code: JSON?

    /// Creates a failure; see the properties.
    package init(message: String, span: SourceSpan, kind: FailureKind = .input, code: JSON? = nil) {
        self.message = message
        self.span = span
        self.kind = kind
        self.code = code
    }
}
