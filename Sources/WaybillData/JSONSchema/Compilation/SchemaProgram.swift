/// A compiled schema: all nodes that are reachable from the first one.
final class SchemaProgram: Sendable {
    let nodes: [SchemaNode]
    /// The addresses of the schema resources, by index.
    let addresses: [String]
    /// For each dynamic anchor that is referred to: the nodes that carry it, by resource.
    let dynamicAnchors: [[Int: Int]]
    /// For each resource the pointer of its root in its document.
    let roots: [JSONPointer]

    init(nodes: [SchemaNode], addresses: [String], roots: [JSONPointer], dynamicAnchors: [[Int: Int]]) {
        self.nodes = nodes
        self.addresses = addresses
        self.roots = roots
        self.dynamicAnchors = dynamicAnchors
    }

    /// The node that a `$dynamicRef` means: the outermost resource in the dynamic scope that has the anchor decides.
    func target(ofDynamicAnchor anchor: Int, initially node: Int, scope: [Int]) -> Int {
        for resource in scope {
            if let target = dynamicAnchors[anchor][resource] { return target }
        }
        return node
    }
}
