package import WaybillDiagnostics
import WaybillJSON

/// The values of YAML texts by their spans: the text that a setting or a step was read from.
///
/// With it, plans show and `resume` compares what is written, without a description of every construct. The texts are
/// parsed again, so an index is made only when it is needed.
package struct SourceIndex: Sendable {
    private struct File {
        let tree: YAMLTree
        /// By the start and the end of the span.
        let values: [UInt64: ValueTree.Index]
    }

    private let files: [SourceFile: File]

    /// Indexes texts that were parsed without errors before.
    package init(_ sources: [SourceFile]) {
        var files: [SourceFile: File] = [:]
        for source in sources {
            guard let tree = YAMLReader().read(source).document?.tree else { continue }
            var values = [UInt64: ValueTree.Index](minimumCapacity: tree.marks.count)
            // Of values with the same span, the last one is the outermost, or the mapping with its merge keys resolved.
            for (index, mark) in tree.marks.enumerated() {
                values[UInt64(mark.lower) << 32 | UInt64(mark.upper)] = ValueTree.Index(index)
            }
            files[source] = File(tree: tree, values: values)
        }
        self.files = files
    }

    /// Returns the value that is written at a span; `nil` for a span of another text.
    package func node(at span: SourceSpan) -> YAMLNode? {
        guard let file = files[span.file] else { return nil }
        let range = span.range
        return file.values[UInt64(range.lowerBound) << 32 | UInt64(range.upperBound)].map {
            YAMLNode(tree: file.tree, index: $0)
        }
    }

    /// Returns the value of the entry whose key is written at a span.
    package func value(ofKeyAt span: SourceSpan) -> YAMLNode? {
        guard let file = files[span.file], let key = node(at: span) else { return nil }
        let values = file.tree.values
        for index in file.tree.marks.indices where values.kind(of: ValueTree.Index(index)) == .object {
            let entries = YAMLMapping.Entries(tree: file.tree, index: ValueTree.Index(index))
            if let entry = entries.first(where: { $0.key == key }) { return entry.value }
        }
        return nil
    }
}
