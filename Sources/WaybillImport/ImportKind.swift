package import WaybillDiagnostics

/// A kind of source.
package enum ImportKind: String, Sendable, CaseIterable {
    /// Commands and configuration files of curl.
    case curl

    /// What it is, for messages.
    package var description: String {
        switch self {
        case .curl: "curl commands"
        }
    }

    /// The maximum size of a source in bytes.
    package static let maximumSize = 64 << 20

    /// Returns the kind of a source from its content; nil if it is of none.
    package init?(recognizing source: SourceFile) {
        let text = String(decoding: source.bytes, as: UTF8.self)
        guard CurlReader.recognizes(text) || CurlConfiguration.isConfiguration(text) else { return nil }
        self = .curl
    }

    /// Reads sources of this kind.
    package func read(_ sources: [SourceFile]) -> (collection: ImportedCollection, diagnostics: [Diagnostic]) {
        switch self {
        case .curl: CurlReader.read(sources)
        }
    }
}
