import WaybillDiagnostics
import WaybillJSON

/// Checks whether a value matches its explicit tag. Only the tags of the core schema are known.
struct TagCheck {
    private let written: Spanned<String>
    private let kind: Kind

    private enum Kind {
        case string, integer, float, boolean, null, sequence, mapping
        /// `!` alone: the value is not resolved by its content.
        case nonSpecific
        case unknown
    }

    /// Creates a check for a tag as written and with its handle expanded; libyaml drops a lone `!` there.
    init(_ written: Spanned<String>, expanded: String?) {
        self.written = written
        kind =
            switch expanded {
            case "tag:yaml.org,2002:str": .string
            case "tag:yaml.org,2002:int": .integer
            case "tag:yaml.org,2002:float": .float
            case "tag:yaml.org,2002:bool": .boolean
            case "tag:yaml.org,2002:null": .null
            case "tag:yaml.org,2002:seq": .sequence
            case "tag:yaml.org,2002:map": .mapping
            case nil, "!": .nonSpecific
            default: .unknown
            }
    }

    /// Returns how a scalar with this tag is resolved; `nil` if its content determines that, because the tag does not
    /// match.
    func scalarTag(for text: String) -> YAMLScalar.Tag? {
        guard matches(text) else { return nil }
        return switch kind {
        case .string, .nonSpecific: .string
        case .integer: .integer
        case .float: .float
        case .boolean: .boolean
        case .null: .null
        case .sequence, .mapping, .unknown: nil
        }
    }

    /// Returns the error in the tag of a scalar, if there is one.
    func diagnosticForScalar(_ text: String, at span: SourceSpan) -> Diagnostic? {
        if kind == .unknown { return unknown }
        guard !matches(text) else { return nil }
        return Diagnostic(
            "tag-mismatch",
            "the value does not match its tag \(written.value.shortened): expected \(expectation)",
            at: span,
            secondary: [.init(written.span, "the tag")]
        )
    }

    /// Returns the error in the tag of a sequence or mapping, if there is one.
    func diagnosticForCollection(isMapping: Bool) -> Diagnostic? {
        switch kind {
        case .unknown:
            return unknown
        case .nonSpecific:
            return nil
        case .sequence where !isMapping, .mapping where isMapping:
            return nil
        default:
            let found = isMapping ? "a mapping" : "a list"
            return Diagnostic(
                "tag-mismatch",
                "the value does not match its tag \(written.value.shortened): expected \(expectation), found \(found)",
                at: written.span
            )
        }
    }

    private func matches(_ text: String) -> Bool {
        switch kind {
        case .string, .nonSpecific, .unknown: true
        case .integer: CoreSchema.isInteger(text)
        case .float: CoreSchema.value(of: text).number != nil || CoreSchema.isNotFinite(text)
        case .boolean: CoreSchema.value(of: text).bool != nil
        case .null: CoreSchema.value(of: text).kind == .null
        case .sequence, .mapping: false
        }
    }

    private var expectation: String {
        switch kind {
        case .string, .nonSpecific, .unknown: "a string"
        case .integer: "an integer"
        case .float: "a number"
        case .boolean: "a boolean"
        case .null: "null"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    private var unknown: Diagnostic {
        Diagnostic(
            "unknown-tag",
            "unknown tag \(written.value.shortened)",
            at: written.span,
            help: [
                "A string that starts with '!' must be quoted.",
                "The tags of YAML's core schema can be used: !!str !!int !!float !!bool !!null !!seq !!map.",
            ]
        )
    }
}
