import ArgumentParser
import Waybill
import WaybillDiagnostics

/// `waybill explain`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        _superCommandName: "waybill",
        abstract: "Explains a kind of finding, with examples of wrong and right; lists all without an id."
    )

    @Argument(
        help: "What stands in brackets before a finding, such as unknown-endpoint.",
        completion: .list(Explanation.all.map(\.id.name))
    )
    var id: String?

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        guard let id, page == nil else { return }
        let name = Self.name(in: id)
        let nearest = NearestName.of(name, among: Explanation.all.map(\.id.name))
        let hint = nearest.map { "Did you mean '\($0)'?" } ?? "'waybill explain' lists all kinds of findings."
        throw ValidationError("No finding is called '\(PrintableText.oneLine(name))'. \(hint)")
    }

    func run() throws {
        let output = Output(noColour: noColor)
        let printer = ExplanationPrinter(colour: output.coloursOutput)
        let text = page.map(printer.page) ?? printer.list(Explanation.all)
        try output.writeResult(Array(text.utf8))
    }

    /// The page that is asked for; `nil` where none is, or none that there is.
    private var page: Explanation? {
        id.flatMap { Explanation.of(DiagnosticID(stringLiteral: Self.name(in: $0))) }
    }

    /// The id in what was given, which may be copied with its surroundings: `error[unknown-endpoint]:`.
    private static func name(in text: String) -> String {
        guard let start = text.firstIndex(of: "["), let end = text[start...].firstIndex(of: "]") else { return text }
        return String(text[start..<end].dropFirst())
    }
}
