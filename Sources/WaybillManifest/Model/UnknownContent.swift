package import WaybillDiagnostics

/// The sections of a manifest that define something by name.
package enum ManifestSection: String, Sendable, CaseIterable {
    case inputs, secrets, data, environments, services, filters, endpoints, graphs

    /// Which of the cases it is, from 0: an enum without payloads is laid out as just that number.
    fileprivate var position: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}

/// What of a manifest is not known, because of mistakes in its text.
package struct UnknownContent: Sendable {
    /// By the positions of the sections, whether something may be defined by any name. Nothing is in it where that is so of
    /// none, which is asked far more often than anything is noted.
    private var openSections: [Bool] = []
    /// By the positions of the sections, names that are defined, of which nothing more is known; likewise.
    private var names: [Set<String>] = []
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
        if openSections.isEmpty { openSections = ManifestSection.allCases.map { _ in false } }
        openSections[section.position] = true
        isEmpty = false
    }

    /// Notes that a name is defined in a section, of which nothing more is known.
    mutating func note(_ name: String, in section: ManifestSection) {
        if names.isEmpty { names = ManifestSection.allCases.map { _ in [] } }
        names[section.position].insert(name)
        isEmpty = false
    }

    /// Notes that any name may be defined.
    mutating func noteAll() {
        for section in ManifestSection.allCases { note(section) }
    }

    /// Adds what is unknown of an included file.
    mutating func formUnion(_ other: UnknownContent) {
        for section in ManifestSection.allCases {
            if other.isOpen(section) { note(section) }
            for name in other.names(in: section) { note(name, in: section) }
        }
        spans.formUnion(other.spans)
        isEmpty = isEmpty && other.isEmpty
    }

    /// Whether a section may define a name, though no definition of it was read.
    package func mayDefine(_ name: String, in section: ManifestSection) -> Bool {
        isOpen(section) || isDefined(name, in: section)
    }

    /// Whether a section defines a name, and it is not known as what.
    package func isDefined(_ name: String, in section: ManifestSection) -> Bool {
        !names.isEmpty && names[section.position].contains(name)
    }

    /// Whether a section may define something though nothing of it was read.
    package func mayDefineSomething(in section: ManifestSection) -> Bool {
        isOpen(section) || !names(in: section).isEmpty
    }

    private func isOpen(_ section: ManifestSection) -> Bool {
        !openSections.isEmpty && openSections[section.position]
    }

    private func names(in section: ManifestSection) -> Set<String> { names.isEmpty ? [] : names[section.position] }

    /// Whether what is found at a place comes of one of the mistakes.
    package func explain(_ span: SourceSpan) -> Bool { spans.overlaps(span) }
}
