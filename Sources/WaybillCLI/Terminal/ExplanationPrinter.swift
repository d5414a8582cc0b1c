import WaybillDiagnostics
import WaybillExplanations
import WaybillExpressions
import WaybillJSON
import WaybillPipeline

/// Formats explanations of diagnostics, keys and functions for a terminal.
struct ExplanationPrinter {
    /// Whether to use ANSI colours.
    let colour: Bool

    /// The maximum number of columns of a line of prose.
    private static let width = 80

    /// Everything that can be explained.
    static let names =
        Explanation.all.map(\.id.name) + KeyExplanation.keys + FunctionExplanation.all.map(\.function.name)

    /// Returns what is known of a name, also in a call, such as `join()`, or in brackets, such as `error[unknown-endpoint]:`; `nil`
    /// if nothing has this name. A diagnostic, a key and a function may have the same one, such as `timeout` or `value`.
    func text(about text: String) -> String? {
        var parts = Explanation.of(DiagnosticID(stringLiteral: Self.name(in: text))).map { [page($0)] } ?? []
        let key = KeyExplanation.of(text)
        if !key.isEmpty { parts.append(self.key(text, key)) }
        if let function = FunctionExplanation.of(text.hasSuffix("()") ? String(text.dropLast(2)) : text) {
            parts.append(self.function(function))
        }
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    /// Returns the message about a name that nothing has.
    static func unknown(_ text: String) -> String {
        let name = name(in: text)
        let nearest = NearestName.of(name, among: names)
        let hint = nearest.map { "Did you mean '\($0)'?" } ?? "'waybill explain' lists all diagnostics."
        return "There is no diagnostic, key or function named '\(PrintableText.oneLine(name))'. \(hint)"
    }

    /// Returns the name in a text that may be copied from the output, such as `error[unknown-endpoint]:`.
    private static func name(in text: String) -> String {
        guard let start = text.firstIndex(of: "["), let end = text[start...].firstIndex(of: "]") else { return text }
        return String(text[start..<end].dropFirst())
    }

    /// Returns names with their descriptions, one per line.
    func table(_ entries: [(name: String, text: String)]) -> String {
        let width = entries.map(\.name.count).max() ?? 0
        return entries.reduce(into: "") { text, entry in
            let margin = String(repeating: " ", count: width - entry.name.count)
            text += "\(strong(entry.name))\(margin)  \(entry.text)\n"
        }
    }

    /// Returns one page.
    private func page(_ page: Explanation) -> String {
        var text = "\(strong(page.id.name)): \(page.title)\n"
        for paragraph in page.paragraphs { text += "\n\(Self.wrapped(paragraph))" }
        if let example = page.example {
            text += "\n\(strong("Wrong:"))\n\n\(Self.sample(example.wrong))"
            text += "\n\(strong("Right:"))\n\n\(Self.sample(example.right))"
        }
        return text
    }

    /// Returns a page about a key, with all of its meanings.
    private func key(_ name: String, _ meanings: [KeyExplanation]) -> String {
        var text = "\(strong(name)): a manifest key\n"
        for meaning in meanings {
            text += "\n\(Self.wrapped(meaning.key.text))\n"
            if let type = meaning.key.type { text += Self.wrapped("Type: \(type)") }
            if !meaning.keys.isEmpty { text += Self.wrapped("Keys: \(meaning.keys.joined(separator: ", "))") }
            if let value = meaning.key.defaultValue { text += Self.wrapped("Default: \(JSONWriter().string(value))") }
            if let example = meaning.key.exampleText { text += Self.example(example) }
            text += Self.wrapped("In: \(meaning.locations.joined(separator: ", "))")
        }
        return text
    }

    /// Returns what a function does, with an example.
    func function(_ explanation: FunctionExplanation) -> String {
        var text = "\(strong(explanation.function.signature)): a function of expressions\n\n"
        text += "\(Self.wrapped(explanation.summary))\n"
        text += "Example: \(explanation.call)\n"
        text += "Result:  \(JSONWriter().string(explanation.result))\n"
        if explanation.call.contains("$") { text += "Here $ is \(JSONWriter().string(FunctionExplanation.data))\n" }
        return text
    }

    /// Returns an example on the line of its heading, or below it if it has several lines.
    private static func example(_ yaml: String) -> String {
        let lines = yaml.split(separator: "\n")
        if lines.count == 1 { return "Example: \(lines[0])\n" }
        return lines.reduce(into: "Example:\n") { $0 += "    \($1)\n" }
    }

    /// Returns the files and the command of an example. A single file that the usual command runs is shown without its
    /// name and the command.
    private static func sample(_ sample: Explanation.Sample) -> String {
        let isUsual = sample.command == Explanation.usualCommand && sample.files.count == 1
        var text = ""
        for file in sample.files {
            if !isUsual { text += "  \(file.name)\n" }
            for line in file.text.split(separator: "\n", omittingEmptySubsequences: false) {
                text += line.isEmpty ? "\n" : "    \(line)\n"
            }
        }
        return isUsual ? text : text + "  $ \(sample.command)\n"
    }

    private static func wrapped(_ paragraph: String) -> String {
        var text = ""
        var column = 0
        for word in paragraph.split(separator: " ") {
            if column > 0, column + 1 + word.count > width {
                text += "\n"
                column = 0
            }
            text += column > 0 ? " \(word)" : word
            column += word.count + (column > 0 ? 1 : 0)
        }
        return text + "\n"
    }

    private func strong(_ text: String) -> String {
        colour ? TerminalStyle.strong.applied(to: text) : text
    }
}
