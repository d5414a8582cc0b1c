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

    /// A node, or a box around nodes and boxes, in a box or at the top level.
    struct Item {
        /// The item as the end of an arrow.
        var end: End
        /// What it represents, if it is a node.
        var shape = Shape.step
        /// The lines of its label.
        var lines: [String]
        /// The items in it, if it is a box, which is never empty.
        var items: [Item] = []
    }

    /// An arrow.
    struct Arrow: Hashable {
        var from: End
        var to: End
        var reason: Reason
    }

    /// The items at the top level.
    var items: [Item] = []
    var arrows: [Arrow] = []
}
