package import WaybillDiagnostics

/// What of a definition or a step is not known, because of a mistake in its text: it may say anything.
///
/// Where something unknown could have given what is lacking, nothing is said to lack.
package struct UnknownParts: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// What a step does.
    package static let form = UnknownParts(rawValue: 1 << 0)
    /// The id of a step.
    package static let id = UnknownParts(rawValue: 1 << 1)
    /// Whether a condition decides about a step.
    package static let condition = UnknownParts(rawValue: 1 << 2)
    /// Whether a step is done for the elements of a list, and by which name they go.
    package static let loop = UnknownParts(rawValue: 1 << 3)
    /// What a step of a batch needs.
    package static let needs = UnknownParts(rawValue: 1 << 4)
    /// How the next page is found.
    package static let pages = UnknownParts(rawValue: 1 << 5)
    /// The inputs that a call gives.
    package static let arguments = UnknownParts(rawValue: 1 << 6)
    /// The steps of a graph or a step, and in what order they run.
    package static let steps = UnknownParts(rawValue: 1 << 7)
    /// The names of the inputs that are declared.
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
}

/// The sections of a manifest that define something by name.
package enum ManifestSection: String, Sendable, CaseIterable {
    case inputs, secrets, data, environments, services, filters, endpoints, graphs
}

/// What of a manifest is not known, because of mistakes in its text.
package struct UnknownContent: Sendable {
    /// Sections in which something may be defined by any name.
    package private(set) var sections: Set<ManifestSection> = []
    /// Names that are defined, of which nothing more is known.
    package private(set) var names: [ManifestSection: Set<String>] = [:]
    /// The places that the findings of these mistakes point at.
    package private(set) var spans: [SourceSpan] = []

    /// Whether the whole manifest is known: nothing is wrong with its text.
    package private(set) var isEmpty = true

    /// Nothing is unknown.
    init() {}

    /// What mistakes leave unknown that findings tell at some places.
    init(at spans: [SourceSpan]) {
        self.spans = spans
        isEmpty = false
    }

    /// Notes that something may be defined in a section by any name.
    mutating func note(_ section: ManifestSection) {
        sections.insert(section)
        isEmpty = false
    }

    /// Notes that a name is defined in a section, of which nothing more is known.
    mutating func note(_ name: String, in section: ManifestSection) {
        names[section, default: []].insert(name)
        isEmpty = false
    }

    /// Notes that any name may be defined.
    mutating func noteAll() {
        sections = Set(ManifestSection.allCases)
        isEmpty = false
    }

    /// Adds what is unknown of an included file.
    mutating func formUnion(_ other: UnknownContent) {
        sections.formUnion(other.sections)
        names.merge(other.names) { $0.union($1) }
        spans += other.spans
        isEmpty = isEmpty && other.isEmpty
    }

    /// Whether a section may define a name, though no definition of it was read.
    package func mayDefine(_ name: String, in section: ManifestSection) -> Bool {
        sections.contains(section) || isDefined(name, in: section)
    }

    /// Whether a section defines a name, and it is not known as what.
    package func isDefined(_ name: String, in section: ManifestSection) -> Bool {
        names[section]?.contains(name) ?? false
    }

    /// Whether a section may define something though nothing of it was read.
    package func mayDefineSomething(in section: ManifestSection) -> Bool {
        sections.contains(section) || names[section] != nil
    }

    /// Whether what is found at a place comes of one of the mistakes.
    package func explain(_ span: SourceSpan) -> Bool { spans.contains { $0.overlaps(span) } }
}
