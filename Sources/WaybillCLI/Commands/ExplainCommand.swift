import ArgumentParser
import WaybillDiagnostics
import WaybillExplanations
import WaybillExpressions
import WaybillPipeline

/// `waybill explain`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains a diagnostic, with a wrong and a right example, a manifest key, or a function of"
            + " expressions. Without an argument, lists all diagnostics."
    )

    @Argument(
        help: ArgumentHelp(
            "The id in brackets after 'error' or 'warning', such as unknown-endpoint; a key, such as retry; or a"
                + " function, such as join.",
            valueName: "id|key|function"
        ),
        // Not '.list': the generated scripts name a variable after 'valueName', and expand names such as '$defs'.
        completion: .candidates { Candidates.matching($0.prefix, in: Self.names) }
    )
    var id: String?

    @Option(
        help: "Print a page of the reference in docs/reference as Markdown: keys, functions, events or diagnostics."
    )
    var reference: ReferencePage?

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if reference != nil, id != nil { throw ValidationError("--reference takes no argument.") }
        guard let id, page == nil, key.isEmpty, function == nil else { return }
        let name = Self.name(in: id)
        let nearest = NearestName.of(name, among: Self.names)
        let hint = nearest.map { "Did you mean '\($0)'?" } ?? "'waybill explain' lists all diagnostics."
        throw ValidationError(
            "There is no diagnostic, key or function named '\(PrintableText.oneLine(name))'. \(hint)"
        )
    }

    func run() throws {
        let output = Output(noColour: noColor)
        if let reference { return try output.writeResult(Array(reference.markdown.utf8), as: .verbatim) }
        let printer = ExplanationPrinter(colour: output.coloursOutput)
        // A diagnostic, a key and a function may have the same name, such as 'timeout' or 'value'.
        var parts = page.map { [printer.page($0)] } ?? []
        if let id, !key.isEmpty { parts.append(printer.key(id, key)) }
        if let function { parts.append(printer.function(function)) }
        let text =
            parts.isEmpty
            ? printer.table(Explanation.all.map { ($0.id.name, $0.title) }) : parts.joined(separator: "\n")
        try output.writeResult(Array(text.utf8), as: .verbatim)
    }

    /// Everything that can be explained.
    private static let names =
        Explanation.all.map(\.id.name) + KeyExplanation.keys + FunctionExplanation.all.map(\.function.name)

    /// The requested page; `nil` if no id was given, or if there is no such diagnostic.
    private var page: Explanation? {
        id.flatMap { Explanation.of(DiagnosticID(stringLiteral: Self.name(in: $0))) }
    }

    /// The meanings of the requested key.
    private var key: [KeyExplanation] { id.map { KeyExplanation.of($0) } ?? [] }

    /// The requested function, also as a call: `join()`.
    private var function: FunctionExplanation? {
        id.flatMap { FunctionExplanation.of($0.hasSuffix("()") ? String($0.dropLast(2)) : $0) }
    }

    /// Returns the id in an argument that may be copied from the output, such as `error[unknown-endpoint]:`.
    private static func name(in text: String) -> String {
        guard let start = text.firstIndex(of: "["), let end = text[start...].firstIndex(of: "]") else { return text }
        return String(text[start..<end].dropFirst())
    }
}

extension ReferencePage: ExpressibleByArgument {}
