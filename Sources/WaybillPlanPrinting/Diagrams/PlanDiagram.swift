/// A plan as nodes, boxes and arrows, for the formats that draw them.
///
/// A group of steps is a box, and arrows connect the box as a whole, so that there are only a few arrows for each step.
struct PlanDiagram {
    /// What a node represents.
    enum Shape {
        /// A request, or values.
        case step
        /// A step that runs a graph.
        case graph
        /// A step that may end its chain.
        case decision
        /// The content of a box without steps.
        case nothing
    }

    /// What an arrow means.
    enum Reason: Hashable {
        /// The target runs after the source.
        case order
        /// The target uses data of the source.
        case data
        /// The source is a step that runs the target, a graph.
        case graph
    }

    /// The node or box where an arrow starts or ends, by its number.
    enum End: Hashable {
        case node(Int)
        case box(Int)
    }

    /// A node, with the lines of its label.
    struct Node {
        var number: Int
        var shape: Shape
        var lines: [String]
    }

    /// A box around nodes and boxes. It is never empty.
    struct Box {
        var number: Int
        var lines: [String]
        var items: [Item]
    }

    /// A node or box, in a box or at the top level.
    enum Item {
        case node(Node)
        case box(Box)

        /// The item as the end of an arrow.
        var end: End {
            switch self {
            case .node(let node): .node(node.number)
            case .box(let box): .box(box.number)
            }
        }
    }

    /// An arrow.
    struct Arrow: Hashable {
        var from: End
        var to: End
        var reason: Reason
    }

    /// The items at the top level.
    var items: [Item] = []
    /// The arrows.
    var arrows: [Arrow] = []
}
