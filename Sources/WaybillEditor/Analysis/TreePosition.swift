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
}

extension YAMLNode {
    fileprivate func contains(_ offset: Int) -> Bool {
        span.range.lowerBound <= offset && offset <= span.range.upperBound
    }
}
