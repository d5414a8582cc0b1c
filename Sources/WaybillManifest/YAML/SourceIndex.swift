package import WaybillDiagnostics
import WaybillJSON

/// The values of YAML files by their spans: the source that a setting or a step was read from.
///
/// With it, plans show the source and `resume` compares it, without a description of every construct.
package struct SourceIndex: Sendable {
    private struct File {
        let tree: YAMLTree
        /// The values by the start and end of their spans.
        let values: [Range<Int>: ValueTree.Index]
    }

    private let files: [SourceFile: File]

    /// Indexes the documents of files.
    package init(_ documents: [YAMLNode]) {
        var files: [SourceFile: File] = [:]
        for tree in documents.map(\.tree) {
            var values: [Range<Int>: ValueTree.Index] = [:]
            values.reserveCapacity(tree.marks.count)
            // Of several values with the same span, the last one is the outermost, or the mapping with resolved merge
            // keys.
            for (index, mark) in tree.marks.enumerated() { values[mark.range] = ValueTree.Index(index) }
            files[tree.file] = File(tree: tree, values: values)
        }
        self.files = files
    }

    /// Returns the value with a span; `nil` for a span of another file.
    package func node(at span: SourceSpan) -> YAMLNode? {
        guard let file = files[span.file] else { return nil }
        return file.values[span.range].map { YAMLNode(tree: file.tree, index: $0) }
    }

    /// Returns the value of the entry whose key has a span.
    package func value(ofKeyAt span: SourceSpan) -> YAMLNode? {
        guard let file = files[span.file], let key = node(at: span) else { return nil }
        let values = file.tree.values
        for index in file.tree.marks.indices where values.kind(of: ValueTree.Index(index)) == .object {
            let entries = YAMLMapping(tree: file.tree, index: ValueTree.Index(index)).entries
            if let entry = entries.first(where: { $0.key == key }) { return entry.value }
        }
        return nil
    }
}
