/// Lays a diagnostic out for a person: headline, place, source line, carets.
///
/// ```
/// error[unknown-endpoint]: no endpoint is named 'shedule'
///   --> manifests/accounts.yaml:52:19
///    |
/// 52 |           - call: shedule
///    |                   ^^^^^^^ did you mean 'schedule'?
/// ```
package struct HumanRenderer: Sendable {
    /// Whether to use ANSI colours.
    package var colour: Bool

    /// The greatest number of columns of a source line that are shown; longer lines are cut around the carets.
    package var width = 120

    /// A renderer with or without ANSI colours.
    package init(colour: Bool = false) {
        self.colour = colour
    }

    /// The text of one diagnostic, ending in a line break.
    package func render(_ diagnostic: Diagnostic) -> String {
        let style: Style = diagnostic.severity == .error ? .error : .warning
        var text = paint("\(diagnostic.severity.rawValue)[\(diagnostic.id)]", style)
        text += paint(": \(Self.printable(diagnostic.headline))", .strong) + "\n"
        let labels = (diagnostic.primary.map { [$0] } ?? []) + diagnostic.secondary
        let gutter = labels.map { String($0.span.start.line).count }.max() ?? 1
        for (index, label) in labels.enumerated() {
            text += render(label, gutter: gutter, first: index == 0, style: index == 0 ? style : .note)
        }
        for help in diagnostic.help {
            let pad = String(repeating: " ", count: gutter + 1)
            text += labels.isEmpty ? "" : pad + paint("=", .frame) + " "
            text += paint("help", .strong) + ": \(Self.printable(help))\n"
        }
        return text
    }

    /// The text of several diagnostics, an empty line between them.
    package func render(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map(render).joined(separator: "\n")
    }

    private func render(_ label: Diagnostic.Label, gutter: Int, first: Bool, style: Style) -> String {
        let start = label.span.start
        let margin = String(repeating: " ", count: gutter)
        let number = String(repeating: " ", count: gutter - String(start.line).count) + String(start.line)
        let excerpt = SourceExcerpt(of: label.span, width: width)
        let bar = paint("|", .frame)
        var carets = excerpt.carets
        if !label.text.isEmpty { carets += " " + Self.printable(label.text) }
        var text = margin + paint(first ? "-->" : ":::", .frame)
        text += " \(Self.printable(label.span.file.name)):\(start.line):\(start.column)\n"
        if first { text += "\(margin) \(bar)\n" }
        text += "\(paint(number, .frame)) \(bar)\(excerpt.line.isEmpty ? "" : " " + excerpt.line)\n"
        text += "\(margin) \(bar) \(excerpt.indent)\(paint(carets, style))\n"
        return text
    }

    private enum Style: String {
        case error = "1;31"
        case warning = "1;33"
        case note = "1;34"
        case frame = "34"
        case strong = "1"
    }

    private func paint(_ text: String, _ style: Style) -> String {
        colour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// A text without control characters, so that nothing from a file or a server can steer the terminal.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t", "\n": result.append(" ")
            case _ where scalar.properties.generalCategory == .control: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
