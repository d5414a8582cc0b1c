public import WaybillDiagnostics

/// The failure of a step.
public struct Failure: Error, Sendable, Equatable {
    /// One of the errors of a stage that can report several, such as the expectations of a response.
    public struct Detail: Sendable, Equatable {
        /// What failed, in one sentence without a full stop.
        public package(set) var message: RedactedText
        /// The text of the manifest that was not satisfied.
        package var span: SourceSpan?
        /// A few words to show after the carets there.
        package var label: RedactedText?
        /// The location of an error that was read from a file of results.
        var readPosition: Position?

        /// Creates an error of a stage; see the properties.
        package init(_ message: RedactedText, at span: SourceSpan?, label: RedactedText? = nil) {
            self.message = message
            self.span = span
            self.label = label
        }

        /// The location in the manifest that was not satisfied.
        var position: Position? { span.map(Position.init) ?? readPosition }
    }

    /// A location in a manifest whose text may be unknown, such as that of a failure in `run.json`.
    package struct Position: Sendable, Equatable, CustomStringConvertible {
        /// The path of the file, as it was specified.
        package var file: String
        /// The line, from 1.
        package var line: Int
        /// The column, from 1, in code points.
        package var column: Int

        /// `FILE:LINE:COLUMN`
        package var description: String { "\(file):\(line):\(column)" }

        /// Writes `{file, line, column}`.
        fileprivate func addMembers(to object: inout JSONStream) {
            object.add("file", file)
            object.add("line", line)
            object.add("column", column)
        }
    }

    /// The stage that failed.
    public package(set) var kind: FailureKind
    /// The server's code for the failure: the status, or the code in the response's envelope, as a string or number.
    package var serverCode: RedactedJSON?
    /// What failed, in one sentence without a full stop.
    public package(set) var message: RedactedText
    /// The text of the manifest that the failure refers to.
    package var span: SourceSpan?
    /// The location of a failure that was read from a file of results.
    var readPosition: Position?
    /// All errors of a stage that checks several things; otherwise empty.
    public package(set) var details: [Detail]
    /// Whether the message is the server's own or the manifest's for this failure, so that `messages.general` does not
    /// replace it. It is not stored in results.
    package var isSpecific = false

    /// Creates a failure; see the properties.
    package init(
        _ kind: FailureKind,
        _ message: RedactedText,
        code: RedactedJSON? = nil,
        at span: SourceSpan?,
        details: [Detail] = []
    ) {
        self.kind = kind
        serverCode = code
        self.message = message
        self.span = span
        self.details = details
    }

    /// The location in the manifest that the failure refers to.
    package var position: Position? { span.map(Position.init) ?? readPosition }

    /// Returns the failure laid out as a diagnostic, because it points into the manifest like one. A failure read from
    /// its results has a location without the lines of the manifest.
    package func text(_ renderer: HumanRenderer) -> String {
        var diagnostic = Diagnostic(DiagnosticID(stringLiteral: kind.rawValue), message.description, at: span)
        let located = details.filter { $0.span != nil }
        if located.count > 1 {
            diagnostic.primary = nil
            diagnostic.secondary = located.compactMap { detail in
                detail.span.map { .init($0, detail.message.description) }
            }
        }
        // The errors that no label shows.
        let rest = details.filter { located.count < 2 || $0.span == nil }.map(\.message).filter { $0 != message }
        return renderer.render(diagnostic, location: position?.description, notes: rest.map(\.description))
    }
}

extension Failure.Position {
    fileprivate init(_ span: SourceSpan) {
        let start = span.start
        self.init(file: span.file.name, line: start.line, column: start.column)
    }
}

extension Failure: CustomStringConvertible {
    /// `accounts.yaml:12:5: expect: the first order is worth nothing`
    public var description: String { "\(position.map { "\($0): " } ?? "")\(kind.rawValue): \(message)" }
}

extension Failure: JSONStreamable {
    /// Writes `{kind, code, message, file, line, column, details}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("kind", kind.rawValue)
        object.add("code", serverCode)
        object.add("message", message)
        position?.addMembers(to: &object)
        if !details.isEmpty { object.add("details", each: details) }
    }
}

extension Failure.Detail: JSONStreamable {
    /// Writes `{message, label, file, line, column}`, without unknown members.
    package func addMembers(to object: inout JSONStream) {
        object.add("message", message)
        object.add("label", label)
        position?.addMembers(to: &object)
    }
}
