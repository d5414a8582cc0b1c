import Synchronization
import WaybillJSON

/// A compiled schema: all nodes that are reachable from the first one.
final class SchemaProgram: Sendable {
    /// The nodes that are compiled already, by index: all, or none where each is compiled when it is first needed.
    let nodes: [SchemaNode?]
    /// The addresses of the schema resources, by index.
    let addresses: [String]
    /// For each dynamic anchor that is referred to: the nodes that carry it, by resource.
    let dynamicAnchors: [[Int: Int]]
    /// For each resource the pointer of its root in its document.
    let roots: [JSONPointer]
    /// Compiles the other nodes, if there are others.
    private let compiler: Mutex<SchemaCompiler?>

    /// A program of these nodes, and of those that the compiler is left for.
    init(
        nodes: [SchemaNode],
        resources: [SchemaDocuments.Resource],
        dynamicAnchors: [[Int: Int]],
        compiler: SchemaCompiler?
    ) {
        self.nodes = nodes
        self.addresses = resources.map(\.address)
        self.roots = resources.map(\.root)
        self.dynamicAnchors = dynamicAnchors
        self.compiler = Mutex(compiler)
    }

    /// The node with an index.
    func node(_ index: Int) -> SchemaNode {
        if index < nodes.count, let node = nodes[index] { return node }
        guard let node = compiler.withLock({ $0?.nodeOnDemand(index) }) else { preconditionFailure("not a node") }
        return node
    }

    /// The node that a `$dynamicRef` means: the outermost resource in the dynamic scope that has the anchor decides.
    func target(ofDynamicAnchor anchor: Int, initially node: Int, scope: [Int]) -> Int {
        for resource in scope {
            if let target = dynamicAnchors[anchor][resource] { return target }
        }
        return node
    }
}
