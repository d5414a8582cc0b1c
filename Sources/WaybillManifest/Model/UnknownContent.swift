package import WaybillDiagnostics

/// The sections of a manifest that contain named definitions.
package enum ManifestSection: String, Sendable, CaseIterable {
    case inputs, secrets, data, environments, services, filters, endpoints, graphs
}

/// The contents of a manifest that are unknown because of errors in the source.
package struct UnknownContent: Sendable {
    /// The sections that may define any name.
    private var openSections: Set<ManifestSection> = []
    /// Names that are defined in each section, with unknown content.
    private var names: [ManifestSection: Set<String>] = [:]
    /// The locations of the diagnostics of these errors.
    private var spans = SourceSpanSet()

    /// Whether the whole manifest is known because its source has no errors.
    package private(set) var isEmpty = true

    /// Creates a value in which nothing is unknown.
    init() {}

    /// Creates a value for errors with diagnostics at some locations.
    init(at spans: SourceSpanSet) {
        self.spans = spans
        isEmpty = false
    }

    /// Records that a section may define any name.
    mutating func note(_ section: ManifestSection) {
        openSections.insert(section)
        isEmpty = false
    }

    /// Records that a section defines a name with unknown content.
    package mutating func note(_ name: String, in section: ManifestSection) {
        names[section, default: []].insert(name)
        isEmpty = false
    }

    /// Records that any name may be defined.
    mutating func noteAll() {
        for section in ManifestSection.allCases { note(section) }
    }

    /// Adds the unknown contents of an included file.
    mutating func formUnion(_ other: UnknownContent) {
        openSections.formUnion(other.openSections)
        names.merge(other.names) { $0.union($1) }
        spans.formUnion(other.spans)
        isEmpty = isEmpty && other.isEmpty
    }

    /// Whether a section may define a name whose definition was not read.
    package func mayDefine(_ name: String, in section: ManifestSection) -> Bool {
        openSections.contains(section) || isDefined(name, in: section)
    }

    /// Whether a section defines a name with unknown content.
    package func isDefined(_ name: String, in section: ManifestSection) -> Bool {
        names[section]?.contains(name) ?? false
    }

    /// Whether a section may define something that was not read.
    package func mayDefineSomething(in section: ManifestSection) -> Bool {
        openSections.contains(section) || names[section] != nil
    }

    /// Whether a diagnostic at a location is the consequence of one of the errors.
    package func explain(_ span: SourceSpan) -> Bool { spans.overlaps(span) }
}

/// The parts of a definition or a step that are unknown because of an error in the source.
///
/// Nothing is reported as missing if an unknown part could contain it.
package struct UnknownParts: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The union of some parts. The standard library's own initializer is generic, and not specialized in other modules.
    package init(arrayLiteral parts: UnknownParts...) {
        rawValue = parts.reduce(0) { $0 | $1.rawValue }
    }

    /// What a step does.
    package static let form = UnknownParts(rawValue: 1 << 0)
    /// The id of a step.
    package static let id = UnknownParts(rawValue: 1 << 1)
    /// The condition of a step.
    package static let condition = UnknownParts(rawValue: 1 << 2)
    /// The list that a step is repeated for, and the name of its elements.
    package static let loop = UnknownParts(rawValue: 1 << 3)
    /// The steps that a step of a batch needs.
    package static let needs = UnknownParts(rawValue: 1 << 4)
    /// How the next page is found.
    package static let pages = UnknownParts(rawValue: 1 << 5)
    /// The inputs of a call.
    package static let arguments = UnknownParts(rawValue: 1 << 6)
    /// The steps of a graph or a step, and their order.
    package static let steps = UnknownParts(rawValue: 1 << 7)
    /// The names of the declared inputs.
    package static let inputs = UnknownParts(rawValue: 1 << 8)
    /// The outputs.
    package static let outputs = UnknownParts(rawValue: 1 << 9)
    /// The variables.
    package static let vars = UnknownParts(rawValue: 1 << 10)
    /// The service of a request.
    package static let service = UnknownParts(rawValue: 1 << 11)
    /// The method of a request.
    package static let method = UnknownParts(rawValue: 1 << 12)
    /// The path or URL of a request.
    package static let address = UnknownParts(rawValue: 1 << 13)
    /// The session of a service.
    package static let session = UnknownParts(rawValue: 1 << 14)
    /// The file that a step writes.
    package static let file = UnknownParts(rawValue: 1 << 15)
    /// The names of the state of a graph.
    package static let state = UnknownParts(rawValue: 1 << 16)
    /// The OpenAPI document of a service.
    package static let contract = UnknownParts(rawValue: 1 << 17)
    /// The credentials of a service, by security scheme.
    package static let security = UnknownParts(rawValue: 1 << 18)
    /// The download of a request.
    package static let download = UnknownParts(rawValue: 1 << 19)

    /// Whether any of some parts is unknown.
    package func contains(anyOf parts: UnknownParts) -> Bool { !isDisjoint(with: parts) }
}
