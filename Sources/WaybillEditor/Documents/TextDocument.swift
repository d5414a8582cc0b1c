import WaybillDiagnostics
import WaybillJSON

/// A document that is open in the editor, with its text as the editor has it.
struct TextDocument {
    /// The maximum size of a text in bytes, which is that of manifests.
    static let maximumBytes = 64 << 20

    /// The URI as the client wrote it.
    let uri: String
    /// The path, or the URI if it is not that of a file.
    let name: String
    var version: JSON
    /// Whether the client says that it is a manifest, by the language `waybill`, or an earlier text was one.
    var isMarkedAsManifest: Bool
    private(set) var file: SourceFile

    init(uri: String, name: String, version: JSON, language: String?, text: String) {
        (self.uri, self.name, self.version, isMarkedAsManifest) = (uri, name, version, language == "waybill")
        file = SourceFile(name: name, text: text)
    }

    /// Applies changes in order, each to the text after the one before it. Throws if one is not a change or makes the text too
    /// large; the text is then not that of the editor any more.
    mutating func apply(_ changes: [JSON], _ encoding: PositionEncoding) throws(ResponseError) {
        for change in changes {
            guard let text = change["text"]?.string else {
                throw ResponseError(.invalidParameters, "a change needs a 'text'")
            }
            guard let range = change["range"] else {
                try replace(0..<file.bytes.count, by: text)
                continue
            }
            guard let bytes = encoding.byteRange(of: range, in: file) else {
                throw ResponseError(.invalidParameters, "a change has an invalid 'range'")
            }
            try replace(bytes, by: text)
        }
    }

    private mutating func replace(_ range: Range<Int>, by text: String) throws(ResponseError) {
        guard file.bytes.count - range.count + text.utf8.count <= Self.maximumBytes else {
            throw ResponseError(.requestFailed, "the text has more than \(Self.maximumBytes) bytes")
        }
        var bytes = file.bytes
        bytes.replaceSubrange(range, with: text.utf8)
        file = SourceFile(name: name, bytes: bytes)
    }
}
