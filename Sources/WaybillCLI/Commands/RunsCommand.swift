import ArgumentParser
import Waybill
import WaybillDiagnostics
import WaybillFormats
import WaybillResults
import WaybillRuntime

/// `waybill runs`
struct RunsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs",
        abstract: "Lists or removes earlier runs.",
        subcommands: [List.self, Prune.self],
        defaultSubcommand: List.self
    )

    /// `waybill runs list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists earlier runs, the newest first.",
            discussion: "An 'unfinished' run was killed or stopped; 'waybill resume' continues it."
        )

        @Argument(help: "The folder that the folders of the runs are in.", completion: .directory)
        var folder = RunFolders.usual

        func run() throws {
            let output = Output(noColour: true)
            let now = Timestamp.now()
            for entry in RunFolders.entries(in: folder) {
                let name = String(entry.folder.dropFirst(folder.count).drop { $0 == "/" })
                let manifest = entry.result?.manifest ?? entry.record?.manifest ?? ""
                let outcome = entry.result?.outcome.rawValue ?? (entry.isRunning ? "running" : "unfinished")
                let result = entry.result.map { ["\($0.counts.summary) in \(RunPrinter.time($0.time))"] } ?? []
                let start = entry.result?.startedAt ?? entry.record?.startedAt
                let words = [name, outcome] + result + [start.map { Self.age($0.duration(to: now)) } ?? "", manifest]
                output.write(words.map(PrintableText.oneLine).joined(separator: "  ") + "\n")
            }
        }

        /// Returns an age in the largest unit that fits, such as `3 days ago`.
        static func age(_ age: Duration) -> String {
            let seconds = age.components.seconds
            for (unit, name) in [(86_400, "day"), (3_600, "hour"), (60, "minute")] as [(Int64, String)]
            where seconds >= unit {
                let count = seconds / unit
                return "\(count) \(name)\(count == 1 ? "" : "s") ago"
            }
            return "just now"
        }
    }

    /// `waybill runs prune`
    struct Prune: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Removes the results of earlier runs.",
            discussion: """
                Removes only folders that are named like runs, with everything in them. With both options, a run is \
                removed only if it is older than AGE and not among the newest. Runs that are still running, the cache \
                and states are kept.
                """
        )

        /// A duration such as `7d`.
        struct Age: ExpressibleByArgument {
            let seconds: Int64

            init?(argument: String) {
                let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
                guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()),
                    count >= 0
                else { return nil }
                let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
                guard !overflow else { return nil }
                self.seconds = seconds
            }
        }

        @Option(help: "Keep this many of the newest runs.")
        var keep: Int?

        @Option(
            help: ArgumentHelp(
                "Remove runs that started longer ago than this, such as 12h, 7d or 4w.",
                valueName: "age"
            )
        )
        var olderThan: Age?

        @Argument(help: "The folder that the folders of the runs are in.", completion: .directory)
        var folder = RunFolders.usual

        func validate() throws {
            if keep == nil, olderThan == nil {
                throw ValidationError("Name the runs to remove: --keep N, --older-than AGE, or both.")
            }
            if let keep, keep < 0 { throw ValidationError("--keep must not be negative.") }
        }

        func run() throws {
            let output = Output(noColour: true)
            let now = Timestamp.now()
            var errors: [Diagnostic] = []
            var removed = 0
            do throws(FileError) {
                for id in try OldRuns.folders(in: folder).dropFirst(keep ?? 0) {
                    let age = id.startedAt?.duration(to: now).components.seconds ?? 0
                    guard olderThan.map({ age > $0.seconds }) ?? true, !OldRuns.isRunning(id, in: folder) else {
                        continue
                    }
                    do throws(ResultsError) {
                        try OldRuns.remove(id, in: folder)
                        removed += 1
                    } catch {
                        errors.append(Diagnostic("run-error", error.description, at: nil))
                    }
                }
            } catch {
                errors.append(Diagnostic("run-error", "cannot read '\(folder)': \(error.message)", at: nil))
            }
            output.write("removed \(removed == 1 ? "1 run" : "\(removed) runs")\n")
            guard errors.isEmpty else {
                output.report(errors)
                throw ExitStatus.notCarriedOut
            }
        }
    }
}
