/// Finds schemas that apply themselves to the same instance endlessly.
enum SchemaLoops {
    /// Returns a node that applies itself again whatever the instance; `nil` if there is none.
    static func first(in nodes: [SchemaNode]) -> Int? {
        var states = Array(repeating: State.unseen, count: nodes.count)
        for start in nodes.indices where states[start] == .unseen {
            var path = [(node: start, next: nodes[start].sameInstance)]
            states[start] = .open
            while let (node, next) = path.last {
                guard let target = next.first else {
                    states[node] = .done
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next.removeFirst()
                switch states[target] {
                case .open: return target
                case .done: break
                case .unseen:
                    states[target] = .open
                    path.append((target, nodes[target].sameInstance))
                }
            }
        }
        return nil
    }

    private enum State { case unseen, open, done }
}

extension SchemaNode {
    /// The nodes that this node applies to its own instance unconditionally.
    fileprivate var sameInstance: ArraySlice<Int> {
        var targets: [Int] = []
        for applicator in rules.applicators {
            switch applicator {
            case .reference(let target), .not(let target), .conditional(let target, _, _): targets.append(target)
            case .dynamicReference: break
            case .allOf(let schemas), .anyOf(let schemas), .oneOf(let schemas): targets += schemas
            }
        }
        return targets[...]
    }
}
