import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime

/// The file that a step writes its records to: begun before its first request, put in its place at its end.
struct StepFile: Sendable {
    let write: Sink
    private let step: String
    private let graph: String
    private let run: RunContext
    private let path: RedactedText
    private let sink: RecordSink
    private let format: any WritableRecordFormat.Type
    private let secretWarning = Once()

    /// Evaluates the path, which is the same for all elements, and begins the file; `nil` where all elements of a resumed run
    /// had written to it and it is in its place.
    init?(_ write: Sink, of step: StepPlan, in context: StepContext) async throws(Failure) {
        self.write = write
        self.step = context.path
        graph = context.graph
        run = context.run
        let path: String
        do throws(EvaluationFailure) {
            var scope = context.scope
            try await scope.provideSession(for: .scalar(write.to))
            path = try write.to.text(in: scope.scope(.graph(graph))).text
        } catch {
            throw run.failure(error)
        }
        self.path = run.redactor.text(path)
        guard let format = write.format ?? RecordFormats.writable(ofFile: path) else {
            throw Failure(.input, run.redactor.text(RecordFormats.unknownExtension(of: path)), at: write.to.span)
        }
        self.format = format
        guard let folder = run.folder else {
            throw Failure(.output, "there is no results folder to write to", at: write.span)
        }
        if let completed = run.earlier?.completedOutput(of: self.step),
            await folder.isInPlace(path, completed, allowsOutside: run.allowsOutside)
        {
            run.events.emit(
                .writeCommitted(.init(path: self.path, records: completed.records, bytes: completed.bytes)),
                step: self.step
            )
            return nil
        }
        do {
            sink = try await folder.records(
                at: path,
                format.init(columns: write.columns.isEmpty ? nil : write.columns.map(\.name.value)),
                allowsOutside: run.allowsOutside,
                of: self.step,
                from: step.flow?.until == nil ? run.earlier?.output(of: self.step) : nil
            )
        } catch {
            switch error {
            case .refused(let reason): throw Failure(.input, run.redactor.text(reason), at: write.to.span)
            case .file(let error): throw Failure(.output, run.redactor.text(error.description), at: write.to.span)
            }
        }
        if let loss = sink.loss { try await settle(loss, of: step, in: folder) }
    }

    /// What was lost of the file before the run was resumed; `nil` where it is all there.
    var loss: RecordSink.Loss? { sink.loss }

    /// Has the journal say what is left of the file, before anything is added.
    private func settle(_ loss: RecordSink.Loss, of step: StepPlan, in folder: RunFolder) async throws(Failure) {
        guard step.isIdempotent || run.repeatsUnsure else {
            let message =
                "'\(RecordSink.part(path.string))' is shorter than its journal says, and the requests were sent whose "
                + "records it lacks; --repeat-unsure sends them again"
            throw Failure(.output, run.redactor.text(message), at: write.to.span)
        }
        run.events.emit(.writeCut(.init(path: path, rest: loss.rest)), step: self.step, durably: true)
        do throws(ResultsError) {
            try await folder.journal.settle()
        } catch {
            throw failure(error)
        }
    }

    /// Whether nothing can be written any more.
    var isBroken: Bool { sink.error != nil }

    /// Whether more elements may begin.
    var hasRoom: Bool { sink.hasRoom }

    /// Adds the records that are in the data of an element.
    ///
    /// - Parameter isList: Whether a list is taken apart even in a raw file.
    @discardableResult
    func append(
        _ data: ScopeValue,
        isList: Bool,
        of element: Int,
        in scope: RequestScope
    ) throws(Failure) -> RecordedOutput {
        var scope = scope.scope(.graph(graph))
        scope.current = data
        let records: [RedactedJSON]
        do throws(EvaluationFailure) {
            records = try self.records(of: data, isList: isList, in: scope)
        } catch {
            throw run.failure(EvaluationFailure(message: error.message, span: error.span, kind: .output))
        }
        do throws(ResultsError) {
            defer { warn() }
            return try sink.append(records, of: element)
        } catch {
            throw failure(error)
        }
    }

    /// Waits until there is room for more records of an element: until it is its turn, or little waits for theirs.
    func room(for element: Int) async {
        await sink.room(for: element)
    }

    /// Takes back all records of an element.
    func takeBack(_ element: Int) throws(Failure) {
        do throws(ResultsError) {
            try sink.takeBack(element)
        } catch {
            throw failure(error)
        }
    }

    /// An element has ended.
    func end(_ element: Int, _ end: RecordSink.End) throws(Failure) -> RecordedOutput {
        do throws(ResultsError) {
            defer { warn() }
            return try sink.end(element, end)
        } catch {
            throw failure(error)
        }
    }

    /// Moves the file to its place if the request has passed, or has failed and that is tolerated.
    func finished(_ outcome: AttemptOutcome, isTolerated: Bool) async -> AttemptOutcome {
        var outcome = outcome
        let failure = outcome.failure
        guard failure == nil || isTolerated && failure?.kind != .cancelled else { return outcome }
        do throws(Failure) {
            outcome.written = try await commit().json
        } catch {
            outcome.failure = failure ?? error
        }
        return outcome
    }

    /// Moves the file to its place.
    func commit() async throws(Failure) -> RunEvent.WrittenFile {
        do throws(ResultsError) {
            let committed = try await sink.commit { (complete) throws(ResultsError) in
                // Whoever resumes the run can tell from this that the file is whole, if it is in its place.
                run.events.emit(
                    .writeCommitting(.init(path: path, records: complete.records, bytes: complete.bytes)),
                    step: step,
                    durably: true
                )
                try await run.folder?.journal.settle()
            }
            let written = RunEvent.WrittenFile(path: path, records: committed.records, bytes: committed.bytes)
            run.events.emit(.writeCommitted(written), step: step)
            return written
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: ResultsError) -> Failure {
        Failure(.output, run.redactor.text(error.description), at: write.to.span)
    }

    private func warn() {
        guard let warning = sink.takeWarning() else { return }
        run.events.emit(.warning("\(path): \(run.redactor.text(warning))", at: write.span), step: step)
    }

    /// A record without secrets. The rules let none into a file, so that this is for what they cannot know.
    private func redacted(_ record: JSON) -> RedactedJSON {
        let (json, isChanged) = run.redactor.data(record)
        if isChanged { warnOfSecret() }
        return json
    }

    private func warnOfSecret() {
        guard secretWarning.isFirst() else { return }
        run.events.emit(
            .warning("\(path): the value of a secret occurs in the records, and is replaced by ***", at: write.span),
            step: step
        )
    }

    // MARK: Records

    private func records(
        of data: ScopeValue,
        isList: Bool,
        in scope: EvaluationScope
    ) throws(EvaluationFailure) -> [RedactedJSON] {
        let value = try write.records?.value(in: scope) ?? data
        if value.isSecret { try run.redactor.register(secretsIn: value.json, at: write.span) }
        switch value.json {
        case .null: return []
        case .array(let elements) where isList || format != RawFormat.self:
            var records: [RedactedJSON] = []
            records.reserveCapacity(elements.count)
            for element in elements { records.append(try record(element, isSecret: value.isSecret, in: scope)) }
            return records
        default: return [try record(value.json, isSecret: value.isSecret, in: scope)]
        }
    }

    private func record(
        _ value: JSON,
        isSecret: Bool,
        in scope: EvaluationScope
    ) throws(EvaluationFailure) -> RedactedJSON {
        guard !write.columns.isEmpty else { return redacted(value) }
        var scope = scope
        scope.item = ScopeValue(value, isSecret: isSecret)
        var object = JSONObject()
        for column in write.columns {
            if let expression = column.value {
                let value = try expression.value(in: scope)
                if value.isSecret { try run.redactor.register(secretsIn: value.json, at: write.span) }
                object[column.name.value] = value.json
            } else {
                object[column.name.value] = value[column.name.value]
            }
        }
        return redacted(.object(object))
    }
}

/// Tells the first time from all others.
private final class Once: Sendable {
    private let isDone = Mutex(false)

    func isFirst() -> Bool {
        isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}

extension RunEvent.WrittenFile {
    /// The file as expressions see it in `steps.ID.written`: `{file, records, bytes}`.
    var json: JSON {
        [
            "file": .string(path.string),
            "records": .number(JSONNumber(records)),
            "bytes": .number(JSONNumber(bytes)),
        ]
    }
}
