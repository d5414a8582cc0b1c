import WaybillDiagnostics

/// The reference of diagnostics.
enum DiagnosticReference {
    static var markdown: String {
        var text = "# Diagnostics\n\n"
        text +=
            "`waybill explain ID` prints the same in the terminal. The id of a diagnostic never changes its meaning.\n"
        for page in Explanation.all {
            text += "\n## `\(page.id.name)`\n\n**\(Markdown.prose(page.title))**\n"
            for paragraph in page.paragraphs { text += "\n\(Markdown.prose(paragraph))\n" }
            guard let example = page.example else { continue }
            text += "\nWrong:\n\n\(sample(example.wrong))\nRight:\n\n\(sample(example.right))"
        }
        return text
    }

    private static func sample(_ sample: Explanation.Sample) -> String {
        let isUsual = sample.command == Explanation.usualCommand && sample.files.count == 1
        var text = sample.files.map { file in
            let language = String(file.name.split(separator: ".").last ?? "")
            return (isUsual ? "" : "`\(file.name)`\n\n") + Markdown.block(language, file.text)
        }.joined(separator: "\n")
        if !isUsual { text += (text.isEmpty ? "" : "\n") + Markdown.block("sh", sample.command) }
        return text
    }
}
