import WaybillDiagnostics
import WaybillJSON

/// An error in a manifest, or a warning about something that is probably not intended.
public struct ManifestDiagnostic: Sendable {
    /// Whether the manifest can be used.
    public enum Severity: String, Sendable, CaseIterable {
        /// The manifest can be used, but probably does not mean what its author intended.
        case warning
        /// The manifest cannot be used.
        case error
    }

    /// A location with a short message about it.
    public struct Note: Sendable, Equatable {
        /// The location.
        public let location: SourceLocation
        /// The message; may be empty.
        public let text: String
    }

    private(set) var diagnostic: Diagnostic

    init(_ diagnostic: Diagnostic) {
        self.diagnostic = diagnostic
        diagnostic.programHelp.map { self.diagnostic.help = $0 }
    }

    /// The stable id, such as `unknown-endpoint`. Tools may rely on it; `waybill explain` describes each.
    public var id: String { diagnostic.id.name }

    /// Whether it is an error or a warning.
    public var severity: Severity {
        switch diagnostic.severity {
        case .warning: .warning
        case .error: .error
        }
    }

    /// What is wrong, in one sentence without a full stop.
    public var message: String { diagnostic.headline }

    /// The primary location; `nil` if there is no source, such as for a file that does not exist.
    public var location: SourceLocation? { diagnostic.primary.map { SourceLocation($0.span) } }

    /// A short message about the primary location; may be empty.
    public var label: String { diagnostic.primary?.text ?? "" }

    /// Other locations that the diagnostic refers to, such as that of an earlier definition.
    public var notes: [Note] { diagnostic.secondary.map { Note(location: SourceLocation($0.span), text: $0.text) } }

    /// Suggestions for a fix, in whole sentences.
    public var help: [String] { diagnostic.help }

    /// The diagnostic as `waybill validate` shows it: with the source lines, and carets below the location. Ends with a
    /// line break.
    public var excerpt: String { HumanRenderer().render(diagnostic) }
}

extension ManifestDiagnostic: CustomStringConvertible {
    /// One line, as compilers write it: `accounts.yaml:12:5: error: no endpoint is named 'usr' [unknown-endpoint]`.
    public var description: String {
        "\(location.map { "\($0): " } ?? "")\(severity.rawValue): \(diagnostic.statement) [\(id)]"
    }
}

extension ManifestDiagnostic: Equatable {
    /// Whether two diagnostics have the same content and location. The file may have been read twice.
    public static func == (left: ManifestDiagnostic, right: ManifestDiagnostic) -> Bool {
        left.id == right.id && left.severity == right.severity && left.location == right.location
            && left.notes == right.notes && left.message.hasSameCodePoints(as: right.message)
            && left.label.hasSameCodePoints(as: right.label) && left.help == right.help
    }
}

extension [ManifestDiagnostic] {
    /// The diagnostics with source lines, and a summary line.
    var document: String { HumanRenderer().document(for: map(\.diagnostic)) }
}
