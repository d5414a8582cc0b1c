import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillResults

/// `waybill runs`
struct RunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "Lists earlier runs, the newest first.",
        discussion: "A run that is 'unfinished' was killed or stopped; waybill resume goes on with it."
    )

    @Argument(help: "The folder that the folders of the runs are in.", completion: .directory)
    var folder = RunFolders.usual

    func run() throws {
        let output = Output(noColour: true)
        for entry in RunFolders.entries(in: folder) {
            let name = entry.folder.dropFirst(folder.utf8.count).drop { $0 == "/" }
            let manifest = entry.result?.manifest ?? entry.record?.manifest ?? ""
            let outcome = entry.result?.outcome.rawValue ?? (entry.isRunning ? "running" : "unfinished")
            output.write(
                "\(PrintableText.oneLine(String(name)))  \(outcome)  \(PrintableText.oneLine(manifest))  \(entry.startedAt)\n"
            )
        }
    }
}
