import Synchronization
import WaybillJSON

/// A compiled schema: all nodes that are reachable from the first.
final class SchemaProgram: Sendable {
    /// The compiled nodes by index: all of them, or none if each is compiled when it is first needed.
    let nodes: [SchemaNode?]
    /// The addresses of the schema resources, by index.
    let addresses: [String]
    /// The nodes with each dynamic anchor that is referred to, by resource.
    let dynamicAnchors: [[Int: Int]]
    /// The pointer to each resource's root in its document.
    let roots: [JSONPointer]
    /// Compiles the remaining nodes, if any.
    private let compiler: Mutex<SchemaCompiler?>

    /// Creates a program of these nodes, and of those that the compiler compiles later.
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

    /// Returns the node with an index.
    func node(_ index: Int) -> SchemaNode {
        if index < nodes.count, let node = nodes[index] { return node }
        guard let node = compiler.withLock({ $0?.nodeOnDemand(index) }) else { preconditionFailure("not a node") }
        return node
    }

    /// Returns the target of a `$dynamicRef`, determined by the outermost resource in the dynamic scope that has the
    /// anchor.
    func target(ofDynamicAnchor anchor: Int, initially node: Int, scope: [Int]) -> Int {
        for resource in scope {
            if let target = dynamicAnchors[anchor][resource] { return target }
        }
        return node
    }
}
