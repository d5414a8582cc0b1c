import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// A position in the tree of a document: the keys and elements that lead to it.
struct TreePosition {
    /// The path of the value, or of that of the key. All elements of a list have the index 0.
    private(set) var path: [JSONPointer.Token] = []
    /// The mapping that contains the key or the value.
    private(set) var mapping: YAMLMapping?
    /// The spans of that mapping and of its key.
    private(set) var owners: [SourceSpan] = []
    /// The end of the entry of that mapping.
    private(set) var entryEnd: Int?
    /// The key at the position; `nil` if a value is there.
    private(set) var key: YAMLNode?
    /// The innermost value at the position.
    private(set) var value: YAMLNode?

    /// Finds the position of an offset.
    init(of offset: Int, in root: YAMLNode) {
        var next: YAMLNode? = root
        var outer: SourceSpan?
        while let node = next {
            next = nil
            value = node
            let spans = [node.span, outer].compactMap { $0 }
            for entry in node.entries where entry.key.span.range.lowerBound <= offset {
                if offset <= entry.key.span.range.upperBound {
                    (mapping, key, value) = (node.mapping, entry.key, entry.value)
                    (owners, entryEnd) = (spans, entry.value.span.range.upperBound)
                    path.append(.name(entry.key.text ?? ""))
                    return
                }
                if entry.value.contains(offset) {
                    path.append(.name(entry.key.text ?? ""))
                    (mapping, next, outer) = (node.mapping, entry.value, entry.key.span)
                    (owners, entryEnd) = (spans, entry.value.span.range.upperBound)
                }
            }
            for element in node.sequence ?? [] where element.contains(offset) {
                path.append(.index(0))
                (mapping, next, outer, owners) = (nil, element, nil, [])
            }
        }
    }

    /// Whether a key of the mapping at the position would be an error, because of the other keys of the step that it is.
    func isMeaningless(_ name: String) -> Bool {
        guard case .name(let list)? = path.dropLast(2).last, ["chain", "batch", "finally"].contains(list),
            case .index? = path.dropLast().last, let mapping
        else { return false }
        return StepForm.isMeaningless(name, in: mapping)
    }
}

extension YAMLNode {
    fileprivate func contains(_ offset: Int) -> Bool {
        span.range.lowerBound <= offset && offset <= span.range.upperBound
    }
}
