import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The file to which a step writes its records: created before its first request, and moved to its path at the end. With
/// several entries of `write`, it has the records of all of them.
struct StepFile: Sendable {
    /// How a step finishes, and what is kept of it.
    typealias StepEnd = (result: StepResult, kept: RunEvent.KeptRecord)

    private let entries: [WriteEntry]
    /// The element whose records are added; a step without `forEach` has a single one.
    private var element = 0
    private let context: StepContext
    private let writer: RecordFileWriter
    private let container: RecordContainer
    /// Whether the journal has the end of the step, so that only its files are moved to their paths.
    private let isPending: Bool
    /// Whether the run was resumed after some of several files may have been replaced.
    let isPartlyReplaced: Bool

    private var step: String { context.path }
    private var graph: String { context.graph }
    private var run: RunContext { context.run }
    private var deadline: Deadline? { context.deadline }
    /// The path of the first entry.
    private var path: RedactedText { entries[0].path }

    /// Evaluates the paths, which are the same for all elements, and opens the file; `nil` if all elements had written to
    /// it before the run was resumed and the files are at their paths.
    ///
    /// - Parameter pending: The end of the file, if the journal has the end of the step.
    init?(
        _ writes: [Write],
        of step: StepPlan,
        in context: StepContext,
        completing pending: RecordFileWriter.Resumption.Mark? = nil
    ) async throws(Failure) {
        self.context = context
        let run = context.run
        isPending = pending != nil
        // A request with 'until' starts again; of a 'forEach', the elements that had finished are kept.
        let startsAgain = step.flow?.until != nil && step.flow?.forEach == nil
        let resumption =
            pending.map(RecordFileWriter.Resumption.init(at:))
            ?? (startsAgain ? nil : context.earlier?.output(of: context.path))
        var targets: [(write: Write, format: any WritableRecordFormat.Type, path: String)] = []
        for write in writes { targets.append(try await Self.target(of: write, in: context)) }
        entries = targets.map { write, format, path in
            let columns = ColumnCheck(write, isContinued: resumption.map { $0.records.count > 0 } ?? false)
            return WriteEntry(
                write: write,
                path: run.redactor.text(path),
                format: format,
                columns: columns,
                isPaginated: step.paginate != nil,
                run: run,
                step: context.path
            )
        }
        let writer: any RecordWriter
        (container, writer) = RecordContainer.of(targets)
        guard let folder = run.folder else {
            throw Failure(.output, "there is no results folder to write to", at: writes[0].span)
        }
        let completed = context.earlier?.completedFiles(of: context.path) ?? []
        isPartlyReplaced = completed.count > 1
        if !completed.isEmpty,
            await folder.isInPlace(
                targets[0].path,
                in: container,
                completed.map(\.bytes),
                allowsOutside: run.allowsOutside
            )
        {
            for file in completed { run.events.emit(.writeCommitted(file), step: context.path) }
            return nil
        }
        do {
            self.writer = try await folder.records(
                at: targets[0].path,
                step.shard == nil ? writer : HeldRecords(writer),
                in: container,
                allowsOutside: run.allowsOutside,
                of: context.path,
                from: resumption
            )
        } catch {
            let kind: FailureKind = error.kind == .refused ? .input : .output
            throw Failure(kind, run.redactor.text(error.description), at: Self.span(of: error, entries))
        }
        if let loss = self.writer.loss {
            try await settle(loss, of: step, in: folder)
        } else if context.earlier?.restarted.contains(context.path) ?? false {
            // The positions in the journal are those of the earlier file.
            try await recordCut(to: .start, in: folder)
        }
    }

    /// Evaluates the path of an entry.
    private static func target(
        of write: Write,
        in context: StepContext
    ) async throws(Failure) -> (write: Write, format: any WritableRecordFormat.Type, path: String) {
        let run = context.run
        let path: String
        do throws(EvaluationFailure) {
            var scope = context.scope
            try await scope.provideSession(for: .scalar(write.to))
            let text = try write.to.text(in: scope.scope(.graph(context.graph)))
            if text.isSecret { throw EvaluationFailure(message: "the path contains a secret", span: write.to.span) }
            path = text.text
        } catch {
            throw run.failure(error)
        }
        try run.checkPath(path, at: write.to.span)
        guard let format = write.format ?? RecordFormats.writable(ofFile: path) else {
            throw Failure(.input, run.redactor.text(RecordFormats.unknownExtension(of: path)), at: write.to.span)
        }
        if let problem = write.contradiction(to: format) {
            throw Failure(.input, run.redactor.text(problem.message), at: problem.span)
        }
        return (write, format, path)
    }

    /// Moves the files of a step to their paths, whose end the journal has.
    static func complete(
        _ pending: RunEvent.WrittenFile.Commit,
        of step: StepPlan,
        in context: StepContext
    ) async throws(Failure) {
        let writes = step.flow?.writes ?? []
        _ = try await StepFile(writes, of: step, in: context, completing: pending.unfinished)?.commit()
    }

    /// What was lost of the file before the run was resumed; `nil` if it is complete.
    var loss: RecordFileWriter.Loss? { writer.loss }

    /// How many pages of the element, which had not finished before the run was resumed, have their records in the file.
    var continuedPages: Int { writer.continuedPages[element] ?? 0 }

    /// The location of the entry that an error is about, or else of the first.
    private static func span(of error: ResultsError, _ entries: [WriteEntry]) -> SourceSpan {
        let entry = entries.first { error.description.contains("'\($0.path.string)'") } ?? entries[0]
        return entry.write.to.span
    }

    /// Records in the journal what is left of the file, before anything is added.
    private func settle(_ loss: RecordFileWriter.Loss, of step: StepPlan, in folder: RunFolder) async throws(Failure) {
        guard !isPending, step.isIdempotent || run.executor.repeatsUnsure else {
            let advice =
                isPending
                ? "start a new run" : "\(run.executor.audience.repeatsUnsure) sends them again"
            let message =
                "'\(container.part(of: path.string))' is shorter than recorded in the journal or has other content, and the "
                + "requests for the missing records were already sent; \(advice)"
            throw Failure(.output, run.redactor.text(message), at: entries[0].write.to.span)
        }
        try await recordCut(to: loss.rest, in: folder)
    }

    private func recordCut(
        to rest: RecordFileWriter.Resumption.Mark,
        in folder: RunFolder
    ) async throws(Failure) {
        run.events.emit(.writeCut(.init(path: path, rest: rest)), step: step, durably: true)
        do throws(ResultsError) {
            try await folder.journal.settle()
        } catch {
            throw failure(error)
        }
    }

    /// Whether writing has failed, so that no more records can be added.
    var isBroken: Bool { writer.error != nil }

    /// Whether more elements may start.
    var hasRoom: Bool { writer.hasRoom }

    /// The file for the records of an element.
    func of(_ element: Int) -> StepFile {
        var file = self
        file.element = element
        return file
    }

    /// Adds the records that the data of the element contains.
    ///
    /// - Parameters:
    ///   - data: The data; `nil` if the response has no content by definition, so that there are no records.
    ///   - isList: Whether the elements of a list are separate records even in a raw file.
    @discardableResult
    func append(
        _ data: ScopeValue?,
        isList: Bool,
        in scope: RequestScope
    ) throws(Failure) -> RecordedOutput {
        var scope = scope.scope(.graph(graph))
        scope.current = data
        var records: [RedactedJSON] = []
        var aggregates: [RecordAggregate] = []
        for (index, entry) in entries.enumerated() {
            guard let data else { break }
            do throws(EvaluationFailure) {
                let own = try entry.records(of: data, isList: isList, in: scope)
                if entries.count == 1 {
                    (records, aggregates) = own
                } else {
                    records += own.records.map { JoinedRecords.record($0, of: index) }
                    aggregates += JoinedRecords.aggregates(own.aggregates, of: own.records.count)
                }
            } catch {
                if WorkLimit.isReached { throw .stopped(at: entry.write.span) }
                throw run.failure(EvaluationFailure(message: error.message, span: error.span, kind: .output))
            }
        }
        do throws(ResultsError) {
            return try writer.append(records, aggregates: aggregates, of: element)
        } catch {
            throw failure(error)
        }
    }

    /// Waits until there is room for more records of the element: until it is the element's turn, or few bytes of later
    /// elements are buffered.
    func room() async {
        await writer.room(for: element)
    }

    /// Removes all records of the element.
    func removeRecords() throws(Failure) {
        do throws(ResultsError) {
            try writer.removeRecords(element)
        } catch {
            throw failure(error)
        }
    }

    /// Notes that an element has ended.
    func end(_ element: Int, _ end: RecordFileWriter.End) throws(Failure) -> RecordedOutput {
        do throws(ResultsError) {
            return try writer.end(element, end)
        } catch {
            throw failure(error)
        }
    }

    /// Removes the unfinished file if there was no response to write, so that an earlier file stays as it is; returns whether
    /// there was none.
    func discardUnused() -> Bool {
        guard !writer.isUsed, !isPending else { return false }
        writer.discard()
        return true
    }

    /// Moves the file to its path if the request passed, or its failure is tolerated, unless there was nothing to write.
    ///
    /// - Parameter end: The end of the step with an outcome.
    func finished(
        _ outcome: AttemptOutcome,
        isTolerated: Bool,
        end: @escaping @Sendable (AttemptOutcome) -> StepEnd
    ) async -> AttemptOutcome {
        var outcome = outcome
        if outcome.failure == nil { outcome.failure = deadline?.passed }
        let failure = outcome.failure
        guard failure == nil || isTolerated && failure?.kind != .cancelled else { return outcome }
        if discardUnused() { return outcome }
        do throws(Failure) {
            let files = try await commit { [outcome] files in
                var committed = outcome
                committed.written = RunEvent.WrittenFile.json(of: files)
                return end(committed)
            }
            outcome.written = RunEvent.WrittenFile.json(of: files)
        } catch {
            // An interruption, or the end of the run, has left the file to a resumed run.
            outcome.failure = error.kind == .cancelled || error.endsRun ? error : failure ?? error
        }
        return outcome
    }

    /// Starts the file with the records of the first of some elements, if it has none yet.
    func start(with elements: Range<Int>) {
        writer.start(with: elements)
    }

    /// Records that the file has all records of this shard.
    func completeShard() async throws(Failure) {
        do throws(ResultsError) {
            let complete = try writer.complete()
            let file = RunEvent.ShardFile(
                path: path,
                others: entries.dropFirst().map(\.path),
                records: complete.records,
                bytes: complete.bytes,
                checksum: complete.checksum
            )
            run.events.emit(.writeSharded(file), step: step, durably: true)
            try await run.folder?.journal.settle()
        } catch {
            throw failure(error)
        }
    }

    /// Moves the file, or the files and tables of all entries, to their paths. A wait for a lock ends when the deadline has
    /// passed or the task is cancelled.
    ///
    /// - Parameter end: The end of the step with these files; absent if the journal has all its elements.
    func commit(
        _ end: (@Sendable ([RunEvent.WrittenFile]) -> StepEnd)? = nil
    ) async throws(Failure) -> [RunEvent.WrittenFile] {
        for entry in entries { entry.warnOfMissingColumns() }
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await commit(end) { [deadline] in
                cancellation.isRequested || deadline?.passed != nil
            } orUntil: { [context] in
                // A deadline cancels the task too, but does not stop the load of a database.
                cancellation.isRequested
                    && context.run.control.hasCancelled(step: context.path, isFinal: context.isFinal)
            }
        } onCancel: {
            cancellation.request()
        }
        let files = written(try result.get())
        for file in files { run.events.emit(.writeCommitted(file), step: step) }
        return files
    }

    private func commit(
        _ end: (@Sendable ([RunEvent.WrittenFile]) -> StepEnd)?,
        until isStopped: @escaping @Sendable () -> Bool,
        orUntil isCancelled: @escaping @Sendable () -> Bool
    ) async -> Result<[RecordFileWriter.Committed], Failure> {
        var unmet: Failure?
        do throws(ResultsError) {
            let committed = try await writer.commit(
                until: isStopped,
                orUntil: isCancelled,
                notice: run.lockNotice,
                mustSucceed: isPartlyReplaced
            ) { (contents) throws(ResultsError) in
                guard !isPending else { return }
                unmet = await unmetChecks(of: written(contents))
                if unmet != nil { throw .unexpected(path.string) }
            } announce: { (contents, unfinished) throws(ResultsError) in
                guard !isPending else { return }
                // This tells a resumed run that the files are complete, if they are at their paths.
                var files = written(contents)
                if files.count > 1 {
                    let end = end?(files)
                    files[files.count - 1].commit = .init(unfinished: unfinished, result: end?.result, kept: end?.kept)
                }
                for file in files { run.events.emit(.writeCommitting(file), step: step, durably: true) }
                try await run.folder?.journal.settle()
            }
            return .success(committed)
        } catch {
            return .failure(unmet ?? failure(error))
        }
    }

    /// The failure if the complete records are not what `expect` requires.
    private func unmetChecks(of files: [RunEvent.WrittenFile]) async -> Failure? {
        for (entry, file) in zip(entries, files) where !entry.write.checks.isEmpty {
            var summary: [String: ScopeValue] = [:]
            for (name, value) in file.json.object ?? JSONObject() { summary[name] = ScopeValue(value) }
            var scope = context.adding(summary).scope
            do throws(EvaluationFailure) {
                for check in entry.write.checks { try await scope.provideSession(for: check.that) }
            } catch {
                return run.failure(error)
            }
            let violations = entry.write.checks.compactMap { $0.violation(in: scope.scope(.graph(graph))) }
            if let failure = Failure(violations, run.redactor) { return failure }
        }
        return nil
    }

    private func written(_ contents: [RecordFileWriter.Committed]) -> [RunEvent.WrittenFile] {
        .init(entries.map(\.write), at: entries.map(\.path), contents, run.redactor)
    }

    private func failure(_ error: ResultsError) -> Failure {
        var failure = Failure(
            error.wasStopped ? .cancelled : .output,
            run.redactor.text(error.description),
            at: Self.span(of: error, entries)
        )
        failure.endsRun = error.kind == .disk
        return failure
    }
}

/// Returns `true` only the first time.
final class Once: Sendable {
    private let isDone = Mutex(false)

    func isFirst() -> Bool {
        isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}
