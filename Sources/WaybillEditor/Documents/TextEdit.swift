import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

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

    /// Whether a byte can be part of a name that is written without quotes.
    static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }

    /// Returns a value in YAML. A string that would be read as something else is written as JSON.
    static func yaml(_ value: JSON) -> String {
        guard let text = value.string else { return JSONWriter().string(value) }
        let list = SourceFile(name: "", bytes: Array("[\(text)]".utf8))
        let isPlain = text.utf8.allSatisfy { isPart($0) && $0 < 0x80 || $0 == UInt8(ascii: ".") }
        if isPlain, YAMLReader().read(list).document?.sequence?.first?.json == value { return text }
        return JSONWriter().string(.string(text.replacing("${", with: "$${")))
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

extension SourceSpan {
    /// Whether a key at the span is in a mapping in braces.
    var isInBraces: Bool {
        let before = file.bytes[..<range.lowerBound].last { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D }
        return before == UInt8(ascii: "{") || before == UInt8(ascii: ",")
    }

    /// As many spaces as there are bytes before the span in its line.
    var indentation: String {
        let line = file.byteRange(ofLine: file.line(at: range.lowerBound))
        return String(repeating: " ", count: range.lowerBound - line.lowerBound)
    }
}
