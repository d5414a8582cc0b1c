import WaybillDiagnostics
import WaybillJSON

/// Constructs that are valid YAML but surely not what the author of a manifest meant. They are reported instead of the
/// schema violations and expression errors that they cause.
struct YAMLPitfalls {
    private(set) var diagnostics: [Diagnostic] = []

    private let tree: YAMLTree

    /// Checks all values of the document that a value was read from.
    init(in root: YAMLNode) {
        tree = root.tree
        for index in tree.marks.indices where tree.marks[index].range.isEmpty {
            if let properties = tree.properties[ValueTree.Index(index)] {
                // With a tag, it is an empty string on purpose.
                if let anchor = properties.anchor, properties.tag == nil { report(anchor) }
            } else if lacksColon(before: index) {
                report(key: index - 1)
            }
        }
    }

    /// Whether a value of zero length directly follows its key, so that there is no colon.
    private func lacksColon(before index: Int) -> Bool {
        index > 0 && tree.marks[index - 1].range.upperBound == tree.marks[index].range.lowerBound
            && tree.values.isScalar(ValueTree.Index(index - 1))
    }

    private mutating func report(_ anchor: Spanned<String>) {
        diagnostics.report(
            "anchor-of-nothing",
            "'&' names the value after it, but there is no value",
            at: anchor.span,
            help: ["A string that starts with '&' must be quoted: '&\(anchor.value)'."]
        )
    }

    private mutating func report(key index: Int) {
        let text = tree.values.text(of: ValueTree.Index(index))
        // The end of a call, such as default($.x, 0), is certainly not a key.
        let isCall = text.hasSuffix(")")
        let entry = isCall ? "" : "Write '\(text): null' for an entry without value."
        let quote =
            isCall
            ? "Inside braces, quote an expression with ',' in it, such as \"default($.x, 0)\"."
            : "Inside braces, a string with ',' in it must be quoted. \(entry)"
        let previous = valueBeforeComma(before: index)
        diagnostics.report(
            "missing-colon",
            "the entry '\(text)' has no ':'",
            at: tree.span(of: ValueTree.Index(index)),
            secondary: previous.map { [.init($0, "the ',' after this starts another entry")] } ?? [],
            help: [previous == nil && !isCall ? entry : quote]
        )
    }

    /// Returns the location of the value that only a comma separates from a key.
    private func valueBeforeComma(before key: Int) -> SourceSpan? {
        guard key > 0 else { return nil }
        let previous = ValueTree.Index(key - 1)
        let span = tree.span(of: previous)
        let between = tree.file.bytes[
            span.range.upperBound..<max(span.range.upperBound, tree.marks[key].range.lowerBound)
        ]
        let isComma = between.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == [UInt8(ascii: ",")]
        return isComma ? span : nil
    }
}
