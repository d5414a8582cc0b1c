/// Lays out diagnostics for a person: headline, location, source lines, help.
///
/// ```
/// error[missing-input]: the call of 'user' requires input 'id'
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
package struct HumanRenderer: Sendable {
    /// Whether to use ANSI colours.
    package var colour: Bool

    /// Whether `waybill explain` has a page about an id. The summary suggests only such pages.
    package var isExplained: @Sendable (DiagnosticID) -> Bool

    /// The maximum number of columns to show of a source line. Longer lines are cut around the carets.
    package var width = 120

    /// Creates a renderer with or without ANSI colours.
    package init(colour: Bool = false, isExplained: @escaping @Sendable (DiagnosticID) -> Bool = { _ in false }) {
        self.colour = colour
        self.isExplained = isExplained
    }

    /// Returns the diagnostics followed by a summary line; an empty string for no diagnostics.
    package func document(for diagnostics: [Diagnostic]) -> String {
        diagnostics.isEmpty ? "" : "\(render(diagnostics))\n\(summary(of: diagnostics))"
    }

    /// Returns the text of several diagnostics, separated by empty lines. If many have the same id, shows the first
    /// ones and the number of the others.
    package func render(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.limitingRepeats().map { render($0) }.joined(separator: "\n")
    }

    /// Returns the text of one diagnostic, ending with a line break.
    ///
    /// - Parameters:
    ///   - location: The location of a diagnostic that has none in a source file, such as `pull.yaml:8:5`.
    ///   - notes: Details, which come before the help.
    package func render(_ diagnostic: Diagnostic, location: String? = nil, notes: [String] = []) -> String {
        let style: TerminalStyle = diagnostic.severity == .error ? .bad : .strongWarning
        var text = paint("\(diagnostic.severity.rawValue)[\(diagnostic.id)]", style)
        text += paint(": \(PrintableText.oneLine(diagnostic.headline))", .strong) + "\n"
        let blocks = blocks(of: diagnostic, primaryStyle: style)
        let gutter = blocks.map { String($0.excerpt.lastLine).utf8.count }.max() ?? 1
        let margin = String(repeating: " ", count: gutter)
        let bar = "\(margin) \(paint("|", .frame))\n"
        for (index, block) in blocks.enumerated() {
            if index > 0 { text += bar }
            text += "\(margin)\(paint(index == 0 ? "-->" : ":::", .frame)) \(block.location)\n\(bar)"
            for row in block.excerpt.rows { text += self.text(of: row, gutter: gutter) }
        }
        if blocks.isEmpty, let location {
            text += "\(margin)\(paint("-->", .frame)) \(PrintableText.oneLine(location))\n"
        }
        let remarks = notes.map { ("note", $0) } + diagnostic.help.map { ("help", $0) }
        if !blocks.isEmpty, !remarks.isEmpty { text += bar }
        for (kind, remark) in remarks {
            text += blocks.isEmpty && location == nil ? "" : "\(margin) \(paint("=", .frame)) "
            text += paint(kind, .strong) + ": \(PrintableText.oneLine(remark))\n"
        }
        return text
    }

    /// Returns one line with the number of diagnostics and how to read more about one of them.
    package func summary(of diagnostics: [Diagnostic]) -> String {
        let errors = diagnostics.filter { $0.severity == .error }
        func words(_ count: Int, _ noun: String, _ style: TerminalStyle) -> [String] {
            count == 0 ? [] : [paint(count == 1 ? "1 \(noun)" : "\(count) \(noun)s", style)]
        }
        let kinds =
            words(errors.count, "error", .bad)
            + words(diagnostics.count - errors.count, "warning", .strongWarning)
        let counts = kinds.joined(separator: " and ")
        guard let example = (errors + diagnostics).first(where: { isExplained($0.id) }) else { return "\(counts)\n" }
        return "\(counts). More about \(diagnostics.count == 1 ? "it" : "one"): waybill explain \(example.id)\n"
    }

    /// The excerpt of one file.
    private struct Block {
        var location: String
        var excerpt: SourceExcerpt
    }

    /// Returns a block for each file, starting with that of the primary location.
    private func blocks(of diagnostic: Diagnostic, primaryStyle: TerminalStyle) -> [Block] {
        // Without a primary location, the secondary locations are those of the error itself.
        let secondaryIsPrimary = diagnostic.primary == nil
        let labels =
            (diagnostic.primary.map { [($0, true)] } ?? []) + diagnostic.secondary.map { ($0, secondaryIsPrimary) }
        var files: [SourceFile] = []
        for (label, _) in labels where !files.contains(where: { $0 == label.span.file }) {
            files.append(label.span.file)
        }
        return files.compactMap { file in
            let ofFile = labels.filter { $0.0.span.file == file }
            guard let start = ofFile.first?.0.span.start else { return nil }
            let name = PrintableText.oneLine(file.name)
            return Block(
                location: "\(name):\(start.line):\(start.column)",
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

    private func paint(_ text: String, _ style: TerminalStyle) -> String {
        colour ? style.applied(to: text) : text
    }
}
