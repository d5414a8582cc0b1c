/// An order of nodes in which each comes after those that it leads to, and the cycles that prevent one.
package struct DependencyOrder {
    /// The nodes. The last edge of each cycle is ignored.
    package private(set) var order: [Int] = []
    /// The nodes of each cycle, and the index of the edge from the last of them back to the first.
    package private(set) var cycles: [(nodes: [Int], last: Int, edge: Int)] = []

    /// Orders nodes.
    ///
    /// - Parameter edges: For each node, those that it leads to.
    package init(_ edges: [[Int]]) {
        var isDone = [Bool](repeating: false, count: edges.count)
        // The position of each node in the path.
        var positions = [Int?](repeating: nil, count: edges.count)
        for start in edges.indices where !isDone[start] {
            // The traversal is not recursive, because there may be very many nodes.
            var path: [(node: Int, next: Int)] = [(start, 0)]
            positions[start] = 0
            while let (node, next) = path.last {
                guard next < edges[node].count else {
                    order.append(node)
                    (isDone[node], positions[node]) = (true, nil)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let target = edges[node][next]
                if let first = positions[target] {
                    cycles.append((path[first...].map(\.node), node, next))
                } else if !isDone[target] {
                    positions[target] = path.count
                    path.append((target, 0))
                }
            }
        }
    }
}
