import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

/// A run to report on.
package struct ReportedRun: Sendable {
    /// The result of the run.
    package let result: RunResult
    /// The run's folder, with its journal and the bodies of failed responses; `nil` if the run has no folder.
    package let folder: String?
    /// Whether the run was started and then interrupted.
    let wasInterrupted: Bool

    /// Creates a run whose results are in a folder, if there is one.
    package init(_ result: RunResult, in folder: String?) {
        self.result = result
        self.folder = folder
        wasInterrupted = result.outcome == .interrupted
    }

    /// Creates the run of a manifest that was not run. Its only step was skipped, or failed for a reason, so that no
    /// report leaves the manifest out.
    ///
    /// - Parameter reason: Why the run could not be started; `nil` if an earlier failure or a signal prevented it.
    package init(notRun manifest: String, because reason: RedactedText?) {
        var step = StepResult(id: "run", path: "run", graph: "run", outcome: reason == nil ? .skipped : .failed)
        step.name = reason == nil ? "the manifest was not run" : "the run has no result"
        step.failure = reason.map { Failure(.input, $0, at: nil) }
        self.init(step, of: manifest)
    }

    /// Creates the run of a check of all runs, which failed, so that reports name what made the command fail.
    package init(ofCheck id: String, _ name: String, failedBecause reason: RedactedText) {
        var step = StepResult(id: id, path: id, graph: id, outcome: .failed)
        step.name = name
        step.failure = Failure(.expect, reason, at: nil)
        self.init(step, of: id)
    }

    /// Creates a run without a folder, of a single step.
    private init(_ step: StepResult, of manifest: String) {
        let now = Timestamp.now()
        result = RunResult(
            id: RunID(),
            manifest: manifest,
            environment: nil,
            startedAt: now,
            finishedAt: now,
            time: .zero,
            outcome: step.outcome == .failed ? .failed : .interrupted,
            steps: [step]
        )
        folder = nil
        wasInterrupted = false
    }

    /// The first warnings of the run, as its journal has them, and the number of the others.
    package var warnings: [String] { ReportedWarnings(of: self).allLines }

    /// Reads the events of the run whose lines in its journal contain a string, and calls a function with each.
    func events(with part: StaticString, _ take: (RunEvent) -> Void) throws(ResultsError) {
        guard let folder, case let path = "\(folder)/\(FolderContents.journal)", FolderContents.status(of: path) != nil
        else { return }
        let part = Array(part.description.utf8)
        var journal = JournalReader(path) { line in
            line.indices.contains { line[$0] == part[0] && line[$0...].starts(with: part) } ? line : nil
        }
        try journal.readEvents(take)
    }

    /// Reads the results of the sessions, which are not among the steps. Of a session that was renewed, the last one.
    func sessions() throws(ResultsError) -> [StepResult] {
        var sessions: [StepResult] = []
        try events(with: "\"step\":\"session.") { event in
            guard case .stepFinished(let result, _) = event.kind else { return }
            sessions.removeAll { $0.path.hasSameCodePoints(as: result.path) }
            sessions.append(result)
        }
        return sessions
    }

    /// Reads the run's requests and responses from its journal, and calls a function with each, in the order of
    /// completion.
    func exchanges(_ take: (Exchange) -> Void) throws(ResultsError) {
        guard let folder else { return }
        var journal = JournalReader("\(folder)/\(FolderContents.journal)", reading: ExchangeReader.part)
        var exchanges = ExchangeReader()
        try journal.read { exchanges.take($0, take) }
        exchanges.finish(take)
    }

    /// A body of an exchange.
    struct Body {
        /// The bytes, at most as many as were asked for.
        var bytes: [UInt8]
        /// Whether they are only the start of the body.
        var isCut = false
        /// The name of its file in the folder of bodies; `nil` if the journal has it.
        var file: String?
    }

    /// Returns the body of an exchange's response, or of its request, as far as it was kept.
    ///
    /// - Parameter limit: The maximum number of bytes to read.
    func body(of exchange: Exchange, ofRequest: Bool = false, limit: Int = .max) -> Body? {
        let excerpt = ofRequest ? exchange.body : exchange.response?.body
        for name in exchange.bodyFiles(ofRequest: ofRequest) {
            guard let bytes = read(name, limit: limit == .max ? limit : max(limit, BodyExcerpt.maximumBytes) + 1) else {
                continue
            }
            // Without an excerpt, only the bodies of failed responses were kept.
            let isRead = bytes.count <= limit
            guard
                excerpt.map({ isRead ? $0.isStart(of: bytes) : bytes.starts(with: $0.text?.string.utf8 ?? "".utf8) })
                    ?? (exchange.failure != nil && !ofRequest)
            else { continue }
            return Body(bytes: Array(bytes.prefix(limit)), isCut: !isRead, file: name)
        }
        return excerpt?.text.map { Body(bytes: Array($0.string.utf8), isCut: excerpt?.isCut == true) }
    }

    private func read(_ name: String, limit: Int) -> [UInt8]? {
        guard let folder else { return nil }
        var bytes: [UInt8] = []
        do {
            try FolderContents.checkBodies(in: folder)
            let file = try InputFile("\(folder)/\(FolderContents.bodies)/\(name)")
            while bytes.count < limit {
                let piece = try file.next(min(256 * 1024, limit - bytes.count))
                if piece.isEmpty { break }
                bytes += piece
            }
            return bytes
        } catch {
            return nil
        }
    }
}
