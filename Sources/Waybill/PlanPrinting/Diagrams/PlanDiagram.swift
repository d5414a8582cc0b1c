/// A plan as nodes, boxes and arrows, for the formats that draw them.
///
/// A group of steps is a box, and arrows lead to it and from it as a whole, so that there are never more of them than a
/// few for each step.
struct PlanDiagram {
    /// What a node stands for.
    enum Shape {
        /// A request, or values.
        case step
        /// A step that runs a graph.
        case graph
        /// A step that may end its chain.
        case decision
        /// What stands in a box without steps.
        case nothing
    }

    /// Why an arrow leads from one thing to another.
    enum Reason: Hashable {
        /// The one is done after the other.
        case order
        /// The one uses what the other gave.
        case data
        /// A step runs a graph.
        case graph
    }

    /// What an arrow begins and ends at, by its number.
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

    /// What is in a box, or on the sheet.
    enum Item {
        case node(Node)
        case box(Box)

        /// The thing as the end of an arrow.
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

    /// What is on the sheet.
    var items: [Item] = []
    /// The arrows.
    var arrows: [Arrow] = []
}
