import ArgumentParser
import Waybill
import WaybillDiagnostics

/// `waybill explain`
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        _superCommandName: "waybill",
        abstract: "Explains a kind of finding, with examples of wrong and right, or a key of manifests; lists all"
            + " findings without an argument."
    )

    @Argument(
        help: "What stands in brackets before a finding, such as unknown-endpoint, or a key, such as retry.",
        completion: .list(Explanation.all.map(\.id.name) + KeyExplanation.keys)
    )
    var id: String?

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        guard let id, page == nil, key.isEmpty else { return }
        let name = Self.name(in: id)
        let nearest = NearestName.of(name, among: Explanation.all.map(\.id.name) + KeyExplanation.keys)
        let hint = nearest.map { "Did you mean '\($0)'?" } ?? "'waybill explain' lists all kinds of findings."
        throw ValidationError("No finding and no key is called '\(PrintableText.oneLine(name))'. \(hint)")
    }

    func run() throws {
        let output = Output(noColour: noColor)
        let printer = ExplanationPrinter(colour: output.coloursOutput)
        // A finding and a key may have one name, as 'timeout' has.
        var parts = page.map { [printer.page($0)] } ?? []
        if let id, !key.isEmpty { parts.append(printer.key(id, key)) }
        let text = parts.isEmpty ? printer.list(Explanation.all) : parts.joined(separator: "\n")
        try output.writeResult(Array(text.utf8))
    }

    /// The page that is asked for; `nil` where none is, or none that there is.
    private var page: Explanation? {
        id.flatMap { Explanation.of(DiagnosticID(stringLiteral: Self.name(in: $0))) }
    }

    /// What the key means that is asked for.
    private var key: [KeyExplanation] { id.map { KeyExplanation.of($0) } ?? [] }

    /// The id in what was given, which may be copied with its surroundings: `error[unknown-endpoint]:`.
    private static func name(in text: String) -> String {
        guard let start = text.firstIndex(of: "["), let end = text[start...].firstIndex(of: "]") else { return text }
        return String(text[start..<end].dropFirst())
    }
}
