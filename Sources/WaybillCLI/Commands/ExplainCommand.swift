import ArgumentParser
import Waybill
import WaybillDiagnostics

/// `waybill explain`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains a diagnostic, with a wrong and a right example, or a manifest key. Without an argument,"
            + " lists all diagnostics."
    )

    @Argument(
        help: "The id in brackets after 'error' or 'warning', such as unknown-endpoint, or a key, such as retry.",
        completion: .list(Explanation.all.map(\.id.name) + KeyExplanation.keys)
    )
    var id: String?

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        guard let id, page == nil, key.isEmpty else { return }
        let name = Self.name(in: id)
        let nearest = NearestName.of(name, among: Explanation.all.map(\.id.name) + KeyExplanation.keys)
        let hint = nearest.map { "Did you mean '\($0)'?" } ?? "'waybill explain' lists all diagnostics."
        throw ValidationError("There is no diagnostic or key named '\(PrintableText.oneLine(name))'. \(hint)")
    }

    func run() throws {
        let output = Output(noColour: noColor)
        let printer = ExplanationPrinter(colour: output.coloursOutput)
        // A diagnostic and a key may have the same name, such as 'timeout'.
        var parts = page.map { [printer.page($0)] } ?? []
        if let id, !key.isEmpty { parts.append(printer.key(id, key)) }
        let text = parts.isEmpty ? printer.list(Explanation.all) : parts.joined(separator: "\n")
        try output.writeResult(Array(text.utf8))
    }

    /// The requested page; `nil` if no id was given, or if there is no such diagnostic.
    private var page: Explanation? {
        id.flatMap { Explanation.of(DiagnosticID(stringLiteral: Self.name(in: $0))) }
    }

    /// The meanings of the requested key.
    private var key: [KeyExplanation] { id.map { KeyExplanation.of($0) } ?? [] }

    /// Returns the id in an argument that may be copied from the output, such as `error[unknown-endpoint]:`.
    private static func name(in text: String) -> String {
        guard let start = text.firstIndex(of: "["), let end = text[start...].firstIndex(of: "]") else { return text }
        return String(text[start..<end].dropFirst())
    }
}
