import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// A run that was killed in a folder, and what a resumed one makes of it.
struct ResumedRun {
    /// What was decided before anything was sent.
    let decision: ResumeDecision
    /// How it ended; `nil` where nothing was sent.
    let outcome: Executor.Outcome?
    /// The words of all warnings.
    let warnings: [String]
    /// What was sent, as `POST /login`.
    let sent: [String]

    /// Runs a manifest, cuts its journal after the last line that has a text, as a kill does, and resumes it.
    init(
        _ text: String,
        killedAfter line: String,
        repeatsUnsure: Bool = false,
        secrets: [String: String] = [:],
        answering answer: @escaping @Sendable (String) -> ScriptedTransport.Reply? = { _ in nil }
    ) async throws {
        let folder = TemporaryFolder()
        let fixture = { try ExecutionFixture(text) { answer($0.url.replacing("http://s", with: "")) ?? .json("{}") } }
        _ = try await fixture().run(into: folder, secrets: secrets)
        try folder.cutJournal(after: line)
        try await self.init(fixture(), in: folder, repeatsUnsure: repeatsUnsure, secrets: secrets)
    }

    /// Resumes the run in a folder.
    init(
        _ fixture: ExecutionFixture,
        in folder: TemporaryFolder,
        repeatsUnsure: Bool = false,
        secrets: [String: String] = [:]
    ) async throws {
        let earlier = try RunRecord(folder: folder.path)
        decision = ResumeDecision(fixture.plan, earlier.steps, repeatsUnsure: repeatsUnsure)
        guard decision.diagnostics.isEmpty else {
            (outcome, sent, warnings) = (nil, [], [])
            return
        }
        let run = try RunFolder.reopen(folder.path, after: earlier)
        let listener = EventListener()
        outcome = await fixture.run(
            secrets: secrets,
            events: EventStream(journal: run.journal, observers: [listener], after: earlier.lastNumber),
            folder: run,
            earlierRun: earlier,
            resumption: decision,
            repeatsUnsure: repeatsUnsure
        )
        try await run.journal.finish()
        warnings = listener.warnings
        sent = fixture.transport.sent.map { "\($0.method) \($0.url.replacing("http://s", with: ""))" }
    }

    /// The messages of the diagnostics.
    var messages: [String] { decision.diagnostics.map(\.headline) }
}

extension TemporaryFolder {
    /// Takes back what came after the last line of the journal that has a text.
    func cutJournal(after text: String) throws {
        let lines = try #require(read("events.ndjson")).split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.contains(text) }, "\(lines.joined(separator: "\n"))")
        write(lines[...last].joined(separator: "\n") + "\n", to: "events.ndjson")
    }
}
