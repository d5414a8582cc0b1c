/// Lays findings out for a person: headline, place, the lines that belong to it, what to do.
///
/// ```
/// error[missing-input]: the call of 'user' lacks input 'id'
///   --> manifests/accounts.yaml:52:19
///    |
///  8 |     inputs: {id: integer}
///    |              -- declared here
/// ...
/// 52 |           - call: user
///    |                   ^^^^
///    |
///    = help: Give it under 'with'.
/// ```
package struct HumanRenderer: DiagnosticRenderer {
    /// Whether to use ANSI colours.
    package var colour: Bool

    /// Whether `waybill explain` knows a kind of finding, so that the summary can say so.
    package var isExplained: @Sendable (DiagnosticID) -> Bool

    /// The greatest number of columns of a source line that are shown; longer lines are cut around the carets.
    package var width = 120

    /// A renderer with or without ANSI colours, which names only explained findings in its summaries.
    package init(colour: Bool = false, isExplained: @escaping @Sendable (DiagnosticID) -> Bool = { _ in false }) {
        self.colour = colour
        self.isExplained = isExplained
    }

    /// The findings and, if there are any, a last line that sums them up.
    package func document(for findings: [Diagnostic]) -> String {
        findings.isEmpty ? "" : "\(render(findings))\n\(summary(of: findings))"
    }

    /// The text of several findings, an empty line between them; of many of one kind, the first and how many more.
    package func render(_ findings: [Diagnostic]) -> String {
        findings.limitingRepeats().map(render).joined(separator: "\n")
    }

    /// The text of one finding, ending in a line break.
    package func render(_ finding: Diagnostic) -> String {
        let style: Style = finding.severity == .error ? .error : .warning
        var text = paint("\(finding.severity.rawValue)[\(finding.id)]", style)
        text += paint(": \(PrintableText.oneLine(finding.headline))", .strong) + "\n"
        let blocks = blocks(of: finding, primaryStyle: style)
        let gutter = blocks.map { String($0.excerpt.lastLine).utf8.count }.max() ?? 1
        let margin = String(repeating: " ", count: gutter)
        let bar = "\(margin) \(paint("|", .frame))\n"
        for (index, block) in blocks.enumerated() {
            if index > 0 { text += bar }
            text += "\(margin)\(paint(index == 0 ? "-->" : ":::", .frame)) \(block.place)\n\(bar)"
            for row in block.excerpt.rows { text += self.text(of: row, gutter: gutter) }
        }
        if !blocks.isEmpty, !finding.help.isEmpty { text += bar }
        for help in finding.help {
            text += blocks.isEmpty ? "" : "\(margin) \(paint("=", .frame)) "
            text += paint("help", .strong) + ": \(PrintableText.oneLine(help))\n"
        }
        return text
    }

    /// One line: how many findings there are, and how to read more about one.
    package func summary(of findings: [Diagnostic]) -> String {
        let errors = findings.filter { $0.severity == .error }
        let counts = [(errors.count, "error", Style.error), (findings.count - errors.count, "warning", .warning)]
            .filter { $0.0 > 0 }
            .map { paint("\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")", $0.2) }
            .joined(separator: " and ")
        guard let example = (errors + findings).first(where: { isExplained($0.id) }) else { return "\(counts)\n" }
        return "\(counts). More about \(findings.count == 1 ? "it" : "one"): waybill explain \(example.id)\n"
    }

    /// What is shown of one file.
    private struct Block {
        var place: String
        var excerpt: SourceExcerpt
    }

    /// A block for each file, that of the finding's own place first.
    private func blocks(of finding: Diagnostic, primaryStyle: Style) -> [Block] {
        // Where no place is the first, all are what the finding is about.
        let secondaryIsPrimary = finding.primary == nil
        let labels =
            (finding.primary.map { [($0, true)] } ?? []) + finding.secondary.map { ($0, secondaryIsPrimary) }
        var files: [SourceFile] = []
        for (label, _) in labels where !files.contains(where: { $0 == label.span.file }) {
            files.append(label.span.file)
        }
        return files.compactMap { file in
            let ofFile = labels.filter { $0.0.span.file == file }
            guard let start = ofFile.first?.0.span.start else { return nil }
            let name = PrintableText.oneLine(file.name)
            return Block(
                place: "\(name):\(start.line):\(start.column)",
                excerpt: SourceExcerpt(of: file, labels: ofFile, primaryStyle: primaryStyle, width: width)
            )
        }
    }

    private func text(of row: SourceExcerpt.Row, gutter: Int) -> String {
        var text: String
        switch row.margin {
        case .gap: return paint("...", .frame) + "\n"
        case .none: text = String(repeating: " ", count: gutter)
        case .number(let number):
            let digits = String(number)
            text = paint(String(repeating: " ", count: gutter - digits.utf8.count) + digits, .frame)
        }
        text += " " + paint("|", .frame)
        var column = -1
        for fragment in row.fragments {
            text += String(repeating: " ", count: max(0, fragment.column - column))
            text += fragment.style.map { paint(fragment.text, $0) } ?? fragment.text
            column = fragment.column + DisplayWidth.of(fragment.text)
        }
        return text + "\n"
    }

    /// How a piece of text is painted.
    enum Style: String {
        case error = "1;31"
        case warning = "1;33"
        case note = "1;34"
        case frame = "34"
        case strong = "1"
    }

    private func paint(_ text: String, _ style: Style) -> String {
        colour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}
