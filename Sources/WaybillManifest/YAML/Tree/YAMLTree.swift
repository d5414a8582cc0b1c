import WaybillDiagnostics
import WaybillJSON

/// A parsed YAML file: its values in a flat layout, and the style and location of each of them.
final class YAMLTree: Sendable {
    /// The location and style of a value.
    struct Mark {
        var lower: UInt32
        var upper: UInt32
        /// The style and the tag of a scalar.
        var style = YAMLScalar.Style.plain
        var tag: YAMLScalar.Tag?
    }

    let file: SourceFile
    let values: ValueTree
    /// The marks by the index of the value.
    let marks: [Mark]
    /// The tags and anchors; most values have neither.
    let properties: [ValueTree.Index: YAMLProperties]

    init(file: SourceFile, values: ValueTree, marks: [Mark], properties: [ValueTree.Index: YAMLProperties]) {
        self.file = file
        self.values = values
        self.marks = marks
        self.properties = properties
    }

    /// Returns the location of a value.
    func span(of value: ValueTree.Index) -> SourceSpan {
        let mark = marks[Int(value)]
        return file.span(Int(mark.lower)..<Int(mark.upper))
    }
}

/// The properties before a value: `!tag` and `&anchor`.
struct YAMLProperties: Sendable {
    let tag: Spanned<String>?
    let anchor: Spanned<String>?
}
