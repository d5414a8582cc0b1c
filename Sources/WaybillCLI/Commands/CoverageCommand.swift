import ArgumentParser
import WaybillDiagnostics
import WaybillJSON
import WaybillPipeline
import WaybillResults

/// `waybill coverage`
struct CoverageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coverage",
        abstract: "Lists which operations of OpenAPI documents runs have called.",
        discussion: """
            For each document, lists the operations that were called, which of the declared responses were received, what was \
            received without being declared, and the operations that were not called. The runs, and those of suites, are \
            combined. Runs with --mock have no coverage.

            Exit status: 0 the coverage was listed, 1 --min-coverage is not reached, or there is no coverage, 3 a run has no \
            result, 64 wrong usage.
            """
    )

    @Argument(
        help: "The runs: their names in waybill-results, 'latest', 'latest-passed', or the paths of their folders.",
        completion: .runs
    )
    var runs: [String]

    @Option(
        help: ArgumentHelp(
            "Fail if less than this share of the operations of a document was called, in percent.",
            valueName: "percent"
        )
    )
    var minCoverage: Int?

    @Option(help: "The format of the list: text or json.")
    var format = ListFormat.text

    @Flag(help: "Print without colours.")
    var noColor = false

    func validate() throws {
        if let minCoverage { try ReportOptions.validate(minCoverage: minCoverage) }
        if runs.contains("") { throw ValidationError("The name of a run must not be empty.") }
    }

    func run() throws {
        let output = Output(noColour: noColor)
        var results: [ReportedRun] = []
        do throws(RunError) {
            for run in runs { results += try RunFolders.reportedRuns(of: run).runs }
        } catch {
            throw output.notRun(error.commandMessage)
        }
        if let unfinished = results.first(where: { $0.folder == nil }) {
            throw output.notRun(
                "the run of '\(unfinished.result.manifest)' has no result: 'waybill resume' continues it"
            )
        }
        let documents = ContractCoverage.combined(results.map(\.result.coverage))
        switch format {
        case .json: try output.writeResult(CoverageReport.bytes(of: documents), as: .json)
        case .text: output.write(documents.map { CoverageText(colour: output.coloursOutput).text(of: $0) }.joined())
        }
        if let minCoverage {
            if Output.annotates {
                let errors = GitHubAnnotations.errors(ReportOptions.shortfalls(of: documents, below: minCoverage))
                output.writeError(errors, as: .annotations)
            }
            return try ReportOptions.check(documents, reaches: minCoverage, output)
        }
        guard documents.isEmpty else { return }
        output.writeError("no operation of an OpenAPI document was called\n")
        throw ExitStatus.failed
    }
}

/// The coverage of OpenAPI documents for people.
struct CoverageText {
    /// Whether the text has colours.
    let colour: Bool

    /// Returns a line for each of some documents, with the numbers.
    static func summaries(of documents: [ContractCoverage]) -> String {
        documents.map { document in
            let isShared = documents.count { $0.document.hasSameCodePoints(as: document.document) } > 1
            let name = document.document + (isShared ? " (\(document.service))" : "")
            return "\(PrintableText.oneLine(name)): \(document.summary)\n"
        }.joined()
    }

    /// Returns the numbers of a document, and a line for each operation and for the responses that differ.
    func text(of document: ContractCoverage) -> String {
        var text = Self.summaries(of: [document])
        for operation in document.operations {
            let mark: (String, TerminalStyle) = operation.isCalled ? ("✓", .good) : ("-", .faint)
            let id = operation.id.map { "  \($0)" } ?? ""
            text += line("  ", (mark.0, mark.1), (" \(operation.name)\(id)", nil))
            let groups: [(String, TerminalStyle, (ContractCoverage.Response) -> Bool)] = [
                ("seen", .faint, { $0.isDeclared && $0.isSeen }), ("not seen", .faint, { !$0.isSeen }),
                ("undeclared", .warning, { !$0.isDeclared }),
            ]
            for (word, style, belongs) in groups {
                let names = operation.responses.filter(belongs).map(\.name)
                if !names.isEmpty { text += line("    ", ("\(word): \(names.joined(separator: ", "))", style)) }
            }
        }
        return text
    }

    private func line(_ indent: String, _ pieces: (String, TerminalStyle?)...) -> String {
        var line = StyledText(colour: colour)
        line.append(indent)
        for (piece, style) in pieces { line.append(piece, style) }
        return line.text + "\n"
    }
}
