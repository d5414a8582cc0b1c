import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// A killed run in a folder, and the result of resuming it.
struct ResumedRun {
    /// The decision that was made before anything was sent.
    let decision: ResumeDecision
    /// The outcome, or `nil` if the decision has diagnostics.
    let outcome: Executor.Outcome?
    /// The messages of all warnings.
    let warnings: [String]
    /// The requests that were sent, such as `POST /login`.
    let sent: [String]

    /// Runs a manifest, cuts its journal after the last line that contains a string, as a kill does, and resumes it.
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
        repeatsTolerated: Bool = false,
        secrets: [String: String] = [:]
    ) async throws {
        var earlier = try RunRecord(folder: folder.path)
        if repeatsTolerated { earlier.steps.forgetTolerated() }
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
    /// Removes everything after the last line of the journal that contains a string.
    func cutJournal(after text: String) throws {
        let lines = try #require(read("events.ndjson")).split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.contains(text) }, "\(lines.joined(separator: "\n"))")
        write(lines[...last].joined(separator: "\n") + "\n", to: "events.ndjson")
    }
}
