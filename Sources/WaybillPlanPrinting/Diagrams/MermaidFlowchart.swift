import WaybillDiagnostics

extension PlanDescription {
    /// The graphs as a Mermaid flowchart, which many sites and editors draw inside Markdown.
    package var mermaid: String { MermaidFlowchart.text(of: PlanDiagramBuilder.diagram(of: self)) }
}

private enum MermaidFlowchart {
    static func text(of diagram: PlanDiagram) -> String {
        var text = "flowchart TD\n"
        for item in diagram.items { Self.write(item, indent: "  ", to: &text) }
        for arrow in diagram.arrows {
            text += "  \(Self.name(of: arrow.from)) \(Self.line(for: arrow.reason)) \(Self.name(of: arrow.to))\n"
        }
        return text
    }

    /// Recursive, as deep as the steps: their depth is limited where the manifest is read.
    private static func write(_ item: PlanDiagram.Item, indent: String, to text: inout String) {
        switch item.end {
        case .node:
            let (open, close) = brackets(of: item.shape)
            text += "\(indent)\(name(of: item.end))\(open)\"\(label(item.lines))\"\(close)\n"
        case .box:
            text += "\(indent)subgraph \(name(of: item.end))[\"\(label(item.lines))\"]\n"
            for item in item.items { write(item, indent: indent + "  ", to: &text) }
            text += "\(indent)end\n"
        }
    }

    private static func brackets(of shape: PlanDiagram.Shape) -> (open: String, close: String) {
        switch shape {
        case .step: ("[", "]")
        case .graph: ("[[", "]]")
        case .decision: ("{{", "}}")
        case .nothing: ("([", "])")
        }
    }

    private static func line(for reason: PlanDiagram.Reason) -> String {
        switch reason {
        case .order: "-->"
        case .data: "-.->"
        case .graph: "==>"
        }
    }

    private static func name(of end: PlanDiagram.End) -> String {
        switch end {
        case .node(let number): "n\(number)"
        case .box(let number): "b\(number)"
        }
    }

    /// Returns the lines of a label. Characters with a meaning in Mermaid or HTML are written as the number of their
    /// code point, `#35;`, which Mermaid turns back.
    private static func label(_ lines: [String]) -> String {
        lines.map { escaped(PrintableText.oneLine($0)) }.joined(separator: "<br/>")
    }

    private static func escaped(_ line: String) -> String {
        let scalars = Array(line.unicodeScalars)
        // In lines with these words, Mermaid treats the last semicolon after a colon and '#' as the end of a style.
        let hasStyle = line.contains("style") || line.contains("classDef")
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let rest = scalars[(index + 1)...]
            let isSpecial =
                switch scalar {
                case "#", "\"", "&", "<", ">", "`", "\\": true
                // '$$' starts a formula, '%%' a comment or a directive.
                case "$", "%": rest.first == scalar
                // 'fa:fa-car' is an icon.
                case ":": hasStyle || rest.starts(with: "fa-".unicodeScalars)
                default: false
                }
            if isSpecial {
                result.append(contentsOf: "#\(scalar.value);".unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
