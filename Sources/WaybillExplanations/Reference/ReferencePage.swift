import WaybillDiagnostics

/// A page of the reference in `docs/reference`, made from the schemas and from what `explain` prints.
package enum ReferencePage: String, Sendable, CaseIterable {
    /// Every key of a manifest.
    case keys
    /// Every function of expressions.
    case functions
    /// Every event of a run.
    case events
    /// Every diagnostic.
    case diagnostics

    /// The page in Markdown.
    package var markdown: String {
        let content =
            switch self {
            case .keys: KeyReference().markdown
            case .functions: FunctionReference.markdown
            case .events: EventReference().markdown
            case .diagnostics: DiagnosticReference.markdown
            }
        return "<!-- Made by 'waybill explain --reference \(rawValue)'. Do not edit. -->\n\n\(content)"
    }
}

/// The parts that Markdown is put together from.
enum Markdown {
    /// A table with a header.
    static func table(_ header: [String], _ rows: [[String]]) -> String {
        func line(_ cells: [String]) -> String { "| \(cells.map(cell).joined(separator: " | ")) |\n" }
        return line(header) + line(header.map { _ in "---" }) + rows.map(line).joined()
    }

    /// Code within a sentence; empty for no code.
    static func code(_ text: String) -> String {
        if text.isEmpty { return "" }
        return text.contains("`") ? "`` \(text) ``" : "`\(text)`"
    }

    /// A block of code.
    static func block(_ language: String, _ text: String) -> String {
        "```\(language)\n\(text.hasSuffix("\n") ? text : text + "\n")```\n"
    }

    /// Running text: what Markdown would read as HTML or emphasis stays as it is.
    static func prose(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "<>*_[]".contains(character) { result.append("\\") }
            result.append(character)
        }
    }

    private static func cell(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if character == "|" { result.append("\\") }
            result.append(character)
        }
    }
}
