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
    mutating func note(_ name: String, in section: ManifestSection) {
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
