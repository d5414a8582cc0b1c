package import WaybillDiagnostics

/// A kind of source.
package enum ImportKind: String, Sendable, CaseIterable {
    // In the order in which they are tried on a source: curl commands may occur in any text.
    case postman
    case har
    case hurl
    case http
    case bruno
    case arazzo
    case curl

    private var reader: any ImportReader.Type {
        switch self {
        case .postman: PostmanReader.self
        case .har: HARReader.self
        case .hurl: HurlReader.self
        case .http: HTTPFileReader.self
        case .bruno: BrunoReader.self
        case .arazzo: ArazzoReader.self
        case .curl: CurlReader.self
        }
    }

    /// What the sources are, for messages.
    package var description: String { reader.description }

    /// The endings of the names of its files in a folder: `.yaml or .yml`.
    package var endings: String { reader.fileExtensions.joined(separator: " or ") }

    /// The maximum size of all sources together in bytes.
    package static let maximumSize = 64 << 20

    /// Returns the kind of a source from its content; nil if it is of none.
    package init?(recognizing source: SourceFile) {
        let text = RecognizedText(source)
        guard let kind = Self.allCases.first(where: { $0.reader.recognizes(text) }) else { return nil }
        self = kind
    }

    /// Whether a file in a folder may belong to a source of this kind.
    package func reads(_ path: String) -> Bool {
        let path = path.lowercased()
        return reader.fileExtensions.contains { path.hasSuffix($0) }
    }

    /// Reads sources of this kind.
    package func read(
        _ sources: [SourceFile],
        _ options: ImportOptions = ImportOptions()
    ) -> (collection: ImportedCollection, diagnostics: [Diagnostic]) {
        let errors = (sources + options.environments).compactMap(\.encodingError)
        guard errors.isEmpty else { return (ImportedCollection(), errors) }
        var result = reader.read(sources, options)
        // Of a recording, most does not become part of the manifest; its reader finds the secrets of the rest.
        for source in (self == .har ? [] : sources) + options.environments { result.collection.secrets.add(source) }
        return result
    }
}
