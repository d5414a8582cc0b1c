import WaybillDiagnostics
import WaybillJSON

/// Something that is wrong with a manifest, or probably not as it was meant.
public struct Finding: Sendable {
    /// How much a finding matters.
    public enum Severity: String, Sendable, CaseIterable {
        /// The manifest can be used, but probably does not say what was meant.
        case warning
        /// The manifest cannot be used.
        case error
    }

    /// A place, and a few words about it.
    public struct Note: Sendable, Equatable {
        /// The place.
        public let place: SourcePlace
        /// The words; may be empty.
        public let text: String
    }

    let diagnostic: Diagnostic

    init(_ diagnostic: Diagnostic) {
        self.diagnostic = diagnostic
    }

    /// The stable name of the kind of finding, such as `unknown-endpoint`. Tools may rely on it; `waybill explain` says
    /// more about each.
    public var id: String { diagnostic.id.name }

    /// How much it matters.
    public var severity: Severity {
        switch diagnostic.severity {
        case .warning: .warning
        case .error: .error
        }
    }

    /// What is wrong, in one sentence without a full stop.
    public var message: String { diagnostic.headline }

    /// The place to look at first; `nil` where there is no text, as for a file that does not exist.
    public var place: SourcePlace? { diagnostic.primary.map { SourcePlace($0.span) } }

    /// A few words about that place; may be empty.
    public var label: String { diagnostic.primary?.text ?? "" }

    /// Other places that belong to it, such as that of a first definition.
    public var notes: [Note] { diagnostic.secondary.map { Note(place: SourcePlace($0.span), text: $0.text) } }

    /// What to do about it, in whole sentences.
    public var help: [String] { diagnostic.help }

    /// The finding as `waybill validate` shows it: with the lines of the text, and carets below the place. Ends in a line
    /// break.
    public var excerpt: String { HumanRenderer().render(diagnostic) }
}

extension Finding: CustomStringConvertible {
    /// One line, as compilers write it: `accounts.yaml:12:5: error: no endpoint is named 'usr' [unknown-endpoint]`.
    public var description: String {
        "\(place.map { "\($0): " } ?? "")\(severity.rawValue): \(diagnostic.statement) [\(id)]"
    }
}

extension Finding: Equatable {
    /// Whether two findings say the same of the same place, also where the file was read twice.
    public static func == (left: Finding, right: Finding) -> Bool {
        left.id == right.id && left.severity == right.severity && left.place == right.place
            && left.notes == right.notes && left.message.hasSameCodePoints(as: right.message)
            && left.label.hasSameCodePoints(as: right.label) && left.help == right.help
    }
}
