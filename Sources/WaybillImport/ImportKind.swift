package import WaybillDiagnostics
import WaybillJSON

/// A kind of source.
package enum ImportKind: String, Sendable, CaseIterable {
    /// Commands and configuration files of curl.
    case curl
    /// Collections of Postman, v2.0 and v2.1.
    case postman

    /// What it is, for messages.
    package var description: String {
        switch self {
        case .curl: "curl commands"
        case .postman: "Postman collections"
        }
    }

    /// The maximum size of a source in bytes.
    package static let maximumSize = 64 << 20

    /// Returns the kind of a source from its content; nil if it is of none.
    package init?(recognizing source: SourceFile) {
        let start = source.bytes.first { $0 > UInt8(ascii: " ") && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        if start == UInt8(ascii: "{") || start == UInt8(ascii: "[") {
            guard let json = try? JSONParser().parse(source.bytes), PostmanReader.recognizes(json) else { return nil }
            self = .postman
            return
        }
        let text = String(decoding: source.bytes, as: UTF8.self)
        guard CurlReader.recognizes(text) || CurlConfiguration.isConfiguration(text) else { return nil }
        self = .curl
    }

    /// Reads sources of this kind.
    ///
    /// - Parameter environments: Files with the values of variables.
    package func read(
        _ sources: [SourceFile],
        environments: [SourceFile] = []
    ) -> (collection: ImportedCollection, diagnostics: [Diagnostic]) {
        var result =
            switch self {
            case .curl: CurlReader.read(sources)
            case .postman: PostmanReader.read(sources, environments: environments)
            }
        for source in sources + environments { result.collection.secrets.add(source) }
        return result
    }
}
