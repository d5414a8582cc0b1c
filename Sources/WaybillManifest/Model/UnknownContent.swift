package import WaybillDiagnostics

/// The sections of a manifest that define something by name.
package enum ManifestSection: String, Sendable, CaseIterable {
    case inputs, secrets, data, environments, services, filters, endpoints, graphs
}

/// What of a manifest is not known, because of mistakes in its text.
package struct UnknownContent: Sendable {
    /// The sections that may define any name.
    private var openSections: Set<ManifestSection> = []
    /// By section, names that are defined, of which nothing more is known.
    private var names: [ManifestSection: Set<String>] = [:]
    /// The places that the findings of these mistakes point at.
    private var spans = SourceSpanSet()

    /// Whether the whole manifest is known: nothing is wrong with its text.
    package private(set) var isEmpty = true

    /// Nothing is unknown.
    init() {}

    /// What mistakes leave unknown that findings tell at some places.
    init(at spans: SourceSpanSet) {
        self.spans = spans
        isEmpty = false
    }

    /// Notes that something may be defined in a section by any name.
    mutating func note(_ section: ManifestSection) {
        openSections.insert(section)
        isEmpty = false
    }

    /// Notes that a name is defined in a section, of which nothing more is known.
    mutating func note(_ name: String, in section: ManifestSection) {
        names[section, default: []].insert(name)
        isEmpty = false
    }

    /// Notes that any name may be defined.
    mutating func noteAll() {
        for section in ManifestSection.allCases { note(section) }
    }

    /// Adds what is unknown of an included file.
    mutating func formUnion(_ other: UnknownContent) {
        openSections.formUnion(other.openSections)
        names.merge(other.names) { $0.union($1) }
        spans.formUnion(other.spans)
        isEmpty = isEmpty && other.isEmpty
    }

    /// Whether a section may define a name, though no definition of it was read.
    package func mayDefine(_ name: String, in section: ManifestSection) -> Bool {
        openSections.contains(section) || isDefined(name, in: section)
    }

    /// Whether a section defines a name, and it is not known as what.
    package func isDefined(_ name: String, in section: ManifestSection) -> Bool {
        names[section]?.contains(name) ?? false
    }

    /// Whether a section may define something though nothing of it was read.
    package func mayDefineSomething(in section: ManifestSection) -> Bool {
        openSections.contains(section) || names[section] != nil
    }

    /// Whether what is found at a place comes of one of the mistakes.
    package func explain(_ span: SourceSpan) -> Bool { spans.overlaps(span) }
}
