public import WaybillDiagnostics
import WaybillJSON

/// The failure of a step.
public struct Failure: Error, Sendable, Equatable {
    /// One of the errors of a stage that can report several, such as the expectations of a response.
    public struct Detail: Sendable, Equatable {
        /// What failed, in one sentence without a full stop.
        public var message: RedactedText
        /// The text of the manifest that was not satisfied.
        package var span: SourceSpan?
        /// A few words to show after the carets there.
        package var label: RedactedText?
        /// The location of an error without a span.
        private let knownLocation: SourceLocation?

        /// Creates an error of a stage; see the properties.
        package init(_ message: RedactedText, at span: SourceSpan?, label: RedactedText? = nil) {
            self.message = message.limited
            self.span = span
            self.label = label
            knownLocation = nil
        }

        /// Creates an error of a stage, such as one in the results of an earlier run.
        public init(message: RedactedText, location: SourceLocation? = nil) {
            self.message = message
            knownLocation = location
        }

        /// The location in the manifest of what was not satisfied.
        public var location: SourceLocation? { SourceLocation(span) ?? knownLocation }
    }

    /// The stage that failed.
    public var kind: FailureKind
    /// The server's code for the failure: the status, or the code in the response's envelope, as a string or number.
    package var serverCode: RedactedJSON?
    /// What failed, in one sentence without a full stop.
    public var message: RedactedText
    /// The text of the manifest that the failure refers to.
    package var span: SourceSpan?
    /// The location of a failure without a span.
    private let knownLocation: SourceLocation?
    /// All errors of a stage that checks several things; otherwise empty.
    public var details: [Detail]
    /// Whether the message is the server's own or the manifest's for this failure, so that `messages.general` does not
    /// replace it. It is not stored in results.
    package var isSpecific = false
    /// Whether the run ends because of it, so that no `onFailure` tolerates it. It is not stored in results.
    package var endsRun = false

    /// Creates a failure; see the properties.
    package init(
        _ kind: FailureKind,
        _ message: RedactedText,
        code: RedactedJSON? = nil,
        at span: SourceSpan?,
        details: [Detail] = []
    ) {
        self.kind = kind
        serverCode = code?.limited
        self.message = message.limited
        self.span = span
        self.details = details
        knownLocation = nil
    }

    /// Creates a failure, such as one in the results of an earlier run; see the properties.
    ///
    /// - Parameter code: The server's code for the failure.
    public init(
        kind: FailureKind,
        message: RedactedText,
        code: String? = nil,
        location: SourceLocation? = nil,
        details: [Detail] = []
    ) {
        self.kind = kind
        serverCode = code.map { RedactedJSON(redacted: .string($0)) }
        self.message = message
        self.details = details
        knownLocation = location
    }

    /// The location in the manifest that the failure refers to.
    public var location: SourceLocation? { SourceLocation(span) ?? knownLocation }

    /// Returns the failure laid out as a diagnostic, because it points into the manifest like one. A failure read from
    /// its results has a location without the lines of the manifest.
    package func text(_ renderer: HumanRenderer) -> String {
        var diagnostic = Diagnostic(DiagnosticID(stringLiteral: kind.rawValue), message.description, at: span)
        let located = details.filter { $0.span != nil }
        // What a document requires is not where the manifest calls it.
        let isElsewhere = located.contains { $0.span?.file.name != span?.file.name }
        let showsAll = located.count > 1 || isElsewhere
        if showsAll {
            if !isElsewhere { diagnostic.primary = nil }
            diagnostic.secondary = located.compactMap { detail in
                guard let labelled = detail.span, !isElsewhere || detail.message != message || labelled != span else {
                    return nil
                }
                return .init(
                    labelled,
                    isElsewhere && detail.message == message ? "declared here" : detail.message.description
                )
            }
        }
        // The errors that no label shows.
        let rest = details.filter { !showsAll || $0.span == nil }.map(\.message).filter { $0 != message }
        return renderer.render(diagnostic, location: location?.description, notes: rest.map(\.description))
    }
}

extension RedactedText {
    /// The start of the text, if it is very long: a server can send any message, and a run keeps and repeats it. What is left
    /// out was redacted before.
    fileprivate var limited: RedactedText {
        let maximum = 8_192
        return string.utf8.count > maximum ? excerpt(maximum) : self
    }
}

extension RedactedJSON {
    /// The start of a string that is very long.
    fileprivate var limited: RedactedJSON {
        value.string.map { RedactedJSON(redacted: .string(RedactedText(redacted: $0).limited.string)) } ?? self
    }
}

extension Failure: CustomStringConvertible {
    /// `accounts.yaml:12:5: expect: the first order is worth nothing`
    public var description: String { "\(location.map { "\($0): " } ?? "")\(kind.rawValue): \(message)" }
}

extension Failure: JSONStreamable {
    /// Writes `{kind, code, message, file, line, column, details}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("kind", kind.rawValue)
        object.add("code", serverCode)
        object.add("message", message)
        object.add(location)
        if !details.isEmpty { object.add("details", each: details) }
    }
}

extension Failure.Detail: JSONStreamable {
    /// Writes `{message, label, file, line, column}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("message", message)
        object.add("label", label)
        object.add(location)
    }
}
