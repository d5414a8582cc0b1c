import WaybillDiagnostics
import WaybillPlan

extension PlanDescription {
    /// The graphs as a document in Graphviz's DOT language, for `dot`.
    package var graphviz: String {
        let diagram = PlanDiagramBuilder.diagram(of: self)
        var writer = GraphvizWriter()
        writer.text += "digraph \(GraphvizWriter.quoted([name])) {\n"
        writer.text += "  compound=true;\n"
        writer.text += "  node [shape=box, fontname=\"Helvetica\", fontsize=11];\n"
        writer.text += "  graph [fontname=\"Helvetica\", fontsize=11, labeljust=l];\n"
        for item in diagram.items { writer.write(item, indent: "  ") }
        for arrow in diagram.arrows { writer.write(arrow) }
        writer.text += "}\n"
        return writer.text
    }
}

private struct GraphvizWriter {
    var text = ""
    /// A node in each box. In Graphviz an arrow points to a node, and is cut off at the box around it.
    private var nodes: [Int: Int] = [:]

    /// Recursive, as deep as the steps: their depth is limited where the manifest is read.
    ///
    /// - Returns: The number of a node in the item.
    @discardableResult
    mutating func write(_ item: PlanDiagram.Item, indent: String) -> Int {
        switch item.end {
        case .node(let number):
            text += "\(indent)n\(number) [label=\(Self.quoted(item.lines))\(Self.style(of: item.shape))];\n"
            return number
        case .box(let number):
            text += "\(indent)subgraph cluster_\(number) {\n\(indent)  label=\(Self.quoted(item.lines));\n"
            var first: Int?
            for item in item.items {
                let node = write(item, indent: indent + "  ")
                first = first ?? node
            }
            text += "\(indent)}\n"
            // A box is never empty.
            let node = first ?? 0
            nodes[number] = node
            return node
        }
    }

    mutating func write(_ arrow: PlanDiagram.Arrow) {
        var attributes: [String] = []
        switch arrow.reason {
        case .order: break
        case .data: attributes.append("style=dotted")
        case .graph: attributes.append("style=bold")
        }
        let from = node(of: arrow.from, "ltail", &attributes)
        let to = node(of: arrow.to, "lhead", &attributes)
        text += "  n\(from) -> n\(to)\(attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]");\n"
    }

    private func node(of end: PlanDiagram.End, _ attribute: String, _ attributes: inout [String]) -> Int {
        switch end {
        case .node(let number): return number
        case .box(let number):
            attributes.append("\(attribute)=cluster_\(number)")
            return nodes[number] ?? 0
        }
    }

    private static func style(of shape: PlanDiagram.Shape) -> String {
        switch shape {
        case .step: ""
        case .graph: ", shape=box, peripheries=2"
        case .decision: ", shape=hexagon"
        case .nothing: ", shape=plaintext"
        }
    }

    /// Returns lines as a quoted Graphviz string without escapes such as `\N` and without HTML entities.
    static func quoted(_ lines: [String]) -> String {
        let escaped = lines.map { line in
            PrintableText.oneLine(line)
                .replacing("\\", with: "\\\\")
                .replacing("\"", with: "\\\"")
                .replacing("&", with: "&amp;")
        }
        return "\"\(escaped.joined(separator: "\\n"))\""
    }
}
