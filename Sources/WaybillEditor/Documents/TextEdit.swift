import WaybillDiagnostics
import WaybillJSON

/// A replacement of a range of a text.
struct TextEdit: Hashable {
    var span: SourceSpan
    var text: String
}

/// A name as it is written in a text, perhaps in quotes.
struct WrittenName {
    /// The span of the name without its quotes.
    let span: SourceSpan
    /// The text between the quotes, as written.
    let text: String
    /// Whether the name is in quotes.
    let isQuoted: Bool

    init(_ span: SourceSpan) {
        let bytes = span.file.bytes[span.range]
        let quotes: [UInt8] = [UInt8(ascii: "'"), UInt8(ascii: "\"")]
        isQuoted = bytes.count >= 2 && bytes.first == bytes.last && quotes.contains(bytes.first ?? 0)
        let range = isQuoted ? bytes.startIndex + 1..<bytes.endIndex - 1 : span.range
        self.span = span.file.span(range)
        text = String(decoding: span.file.bytes[range], as: UTF8.self)
    }

    /// Returns the edit that replaces the name.
    func edit(to name: String) -> TextEdit { TextEdit(span: span, text: name) }
}

extension Workspace {
    /// Returns the `WorkspaceEdit` of some edits.
    func edit(_ edits: [TextEdit]) -> JSON {
        var changes = JSONObject()
        for (file, edits) in Dictionary(grouping: edits, by: \.span.file) {
            let uri = uri(of: key(ofName: file.name))
            changes[uri] = .array((changes[uri]?.array ?? []) + edits.map(json))
        }
        return ["changes": .object(changes)]
    }

    /// Returns the `TextEdit` of an edit.
    func json(_ edit: TextEdit) -> JSON {
        var writer = PositionWriter(edit.span.file, encoding)
        return ["range": writer.range(edit.span.range), "newText": .string(edit.text)]
    }
}
