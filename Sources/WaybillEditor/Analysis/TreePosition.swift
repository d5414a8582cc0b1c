import WaybillDiagnostics
import WaybillJSON
import WaybillManifest

/// A position in the tree of a document: the keys and elements that lead to it.
struct TreePosition {
    /// A step from a value to one inside it.
    enum Part {
        case key(String)
        case element
    }

    /// The path of the value, or of that of the key.
    private(set) var path: [Part] = []
    /// The mapping that contains the key or the value.
    private(set) var mapping: YAMLMapping?
    /// The key at the position; `nil` if a value is there.
    private(set) var key: YAMLNode?
    /// The innermost value at the position.
    private(set) var value: YAMLNode?

    /// Finds the position of an offset.
    init(of offset: Int, in root: YAMLNode) {
        var next: YAMLNode? = root
        while let node = next {
            next = nil
            value = node
            for entry in node.entries where entry.key.span.range.lowerBound <= offset {
                if offset <= entry.key.span.range.upperBound {
                    (mapping, key, value) = (node.mapping, entry.key, entry.value)
                    path.append(.key(entry.key.text ?? ""))
                    return
                }
                if entry.value.contains(offset) {
                    path.append(.key(entry.key.text ?? ""))
                    (mapping, next) = (node.mapping, entry.value)
                }
            }
            for element in node.sequence ?? [] where element.contains(offset) {
                path.append(.element)
                (mapping, next) = (nil, element)
            }
        }
    }

    /// Whether a key of the mapping at the position would be an error, because of the other keys of the step that it is.
    func isMeaningless(_ name: String) -> Bool {
        guard case .key(let list)? = path.dropLast(2).last, ["chain", "batch", "finally"].contains(list),
            case .element? = path.dropLast().last, let mapping
        else { return false }
        return StepForm.isMeaningless(name, in: mapping)
    }
}

extension YAMLNode {
    fileprivate func contains(_ offset: Int) -> Bool {
        span.range.lowerBound <= offset && offset <= span.range.upperBound
    }
}
