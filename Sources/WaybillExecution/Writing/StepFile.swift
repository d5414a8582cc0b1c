import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
package import WaybillJSON
package import WaybillManifest
import WaybillPlan
package import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The file to which a step writes its records: created before its first request, and moved to its path at the end.
struct StepFile: Sendable {
    let write: Write
    /// The element whose records are added; a step without `forEach` has a single one.
    private var element = 0
    private let context: StepContext
    private let path: RedactedText
    private let writer: RecordFileWriter
    private let format: any WritableRecordFormat.Type
    private let container: RecordContainer
    private let isPaginated: Bool
    private let columns: ColumnCheck
    private let secretWarning = Once()
    /// The work for a record, in the units of `WorkLimit.Check`.
    private static let unitsPerRecord = 256

    private var step: String { context.path }
    private var graph: String { context.graph }
    private var run: RunContext { context.run }
    private var deadline: Deadline? { context.deadline }

    /// Evaluates the path, which is the same for all elements, and opens the file; `nil` if all elements had written to
    /// it before the run was resumed and it is at its path.
    init?(_ write: Write, of step: StepPlan, in context: StepContext) async throws(Failure) {
        self.write = write
        self.context = context
        let (run, graph) = (context.run, context.graph)
        let path: String
        do throws(EvaluationFailure) {
            var scope = context.scope
            try await scope.provideSession(for: .scalar(write.to))
            path = try write.to.text(in: scope.scope(.graph(graph))).text
        } catch {
            throw run.failure(error)
        }
        try run.checkPath(path, at: write.to.span)
        self.path = run.redactor.text(path)
        guard let format = write.format ?? RecordFormats.writable(ofFile: path) else {
            throw Failure(.input, run.redactor.text(RecordFormats.unknownExtension(of: path)), at: write.to.span)
        }
        if let problem = write.contradiction(to: format) {
            throw Failure(.input, run.redactor.text(problem.message), at: problem.span)
        }
        self.format = format
        container = RecordContainer(write, format, path: path)
        isPaginated = step.paginate != nil
        guard let folder = run.folder else {
            throw Failure(.output, "there is no results folder to write to", at: write.span)
        }
        if let completed = context.earlier?.completedOutput(of: context.path),
            await folder.isInPlace(path, in: container, completed, allowsOutside: run.allowsOutside)
        {
            if let written = context.earlier?.written(context.path) {
                run.events.emit(.writeCommitted(written), step: context.path)
            }
            return nil
        }
        // A request with 'until' starts again; of a 'forEach', the elements that had finished are kept.
        let startsAgain = step.flow?.until != nil && step.flow?.forEach == nil
        let resumption = startsAgain ? nil : context.earlier?.output(of: context.path)
        columns = ColumnCheck(write, isContinued: resumption.map { $0.records.count > 0 } ?? false)
        do {
            writer = try await folder.records(
                at: path,
                step.shard == nil
                    ? write.writer(of: format) : HeldRecords(write.writer(of: format)),
                in: container,
                allowsOutside: run.allowsOutside,
                of: context.path,
                from: resumption
            )
        } catch {
            let kind: FailureKind = error.kind == .refused ? .input : .output
            throw Failure(kind, run.redactor.text(error.description), at: write.to.span)
        }
        if let loss = writer.loss {
            try await settle(loss, of: step, in: folder)
        } else if context.earlier?.restarted.contains(context.path) ?? false {
            // The positions in the journal are those of the earlier file.
            try await recordCut(to: .start, in: folder)
        }
    }

    /// What was lost of the file before the run was resumed; `nil` if it is complete.
    var loss: RecordFileWriter.Loss? { writer.loss }

    /// How many pages of the element, which had not finished before the run was resumed, have their records in the file.
    var continuedPages: Int { writer.continuedPages[element] ?? 0 }

    /// Records in the journal what is left of the file, before anything is added.
    private func settle(_ loss: RecordFileWriter.Loss, of step: StepPlan, in folder: RunFolder) async throws(Failure) {
        guard step.isIdempotent || run.executor.repeatsUnsure else {
            let message =
                "'\(container.part(of: path.string))' is shorter than recorded in the journal or has other content, and the "
                + "requests for the missing records were already sent; "
                + "\(run.executor.audience.repeatsUnsure) sends them again"
            throw Failure(.output, run.redactor.text(message), at: write.to.span)
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
    /// - Parameter isList: Whether the elements of a list are separate records even in a raw file.
    @discardableResult
    func append(
        _ data: ScopeValue,
        isList: Bool,
        in scope: RequestScope
    ) throws(Failure) -> RecordedOutput {
        var scope = scope.scope(.graph(graph))
        scope.current = data
        let (records, aggregates): ([RedactedJSON], [RecordAggregate])
        do throws(EvaluationFailure) {
            (records, aggregates) = try self.records(of: data, isList: isList, in: scope)
        } catch {
            if WorkLimit.isReached { throw .stopped(at: write.span) }
            throw run.failure(EvaluationFailure(message: error.message, span: error.span, kind: .output))
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

    /// Moves the file to its path if the request passed, or its failure is tolerated.
    func finished(_ outcome: AttemptOutcome, isTolerated: Bool) async -> AttemptOutcome {
        var outcome = outcome
        if outcome.failure == nil { outcome.failure = deadline?.passed }
        let failure = outcome.failure
        guard failure == nil || isTolerated && failure?.kind != .cancelled else { return outcome }
        do throws(Failure) {
            outcome.written = try await commit().json
        } catch {
            // An interruption has left the file to a resumed run.
            outcome.failure = error.kind == .cancelled ? error : failure ?? error
        }
        return outcome
    }

    /// Starts the file with the records of an element, if it has none yet.
    func start(at element: Int) {
        writer.start(at: element)
    }

    /// Records that the file has all records of this shard.
    func completeShard() async throws(Failure) {
        do throws(ResultsError) {
            let complete = try writer.complete()
            let file = RunEvent.ShardFile(
                path: path,
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

    /// Moves the file to its path. A wait for a lock on it ends when the deadline has passed or the task is cancelled.
    func commit() async throws(Failure) -> RunEvent.WrittenFile {
        if let warning = columns.warning() { warn(warning) }
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await commit { [deadline] in
                cancellation.isRequested || deadline?.passed != nil
            } orUntil: { [context] in
                // A deadline cancels the task too, but does not stop the load of a database.
                cancellation.isRequested
                    && context.run.control.hasCancelled(step: context.path, isFinal: context.isFinal)
            }
        } onCancel: {
            cancellation.request()
        }
        let file = written(try result.get())
        run.events.emit(.writeCommitted(file), step: step)
        return file
    }

    private func commit(
        until isStopped: @escaping @Sendable () -> Bool,
        orUntil isCancelled: @escaping @Sendable () -> Bool
    ) async -> Result<RecordFileWriter.Committed, Failure> {
        var unmet: Failure?
        do throws(ResultsError) {
            let committed = try await writer.commit(until: isStopped, orUntil: isCancelled) {
                (complete) throws(ResultsError) in
                unmet = await unmetChecks(of: complete)
                if unmet != nil { throw .unexpected(path.string) }
                // This tells a resumed run that the file is complete, if it is at its path.
                run.events.emit(.writeCommitting(written(complete)), step: step, durably: true)
                try await run.folder?.journal.settle()
            }
            return .success(committed)
        } catch {
            return .failure(unmet ?? failure(error))
        }
    }

    /// The failure if the complete records are not what `expect` requires.
    private func unmetChecks(of complete: RecordFileWriter.Committed) async -> Failure? {
        guard !write.checks.isEmpty else { return nil }
        var summary: [String: ScopeValue] = [:]
        for (name, value) in written(complete).json.object ?? JSONObject() { summary[name] = ScopeValue(value) }
        var scope = context.adding(summary).scope
        do throws(EvaluationFailure) {
            for check in write.checks { try await scope.provideSession(for: check.that) }
        } catch {
            return run.failure(error)
        }
        return Failure(write.checks.compactMap { $0.violation(in: scope.scope(.graph(graph))) }, run.redactor)
    }

    private func written(_ committed: RecordFileWriter.Committed) -> RunEvent.WrittenFile {
        RunEvent.WrittenFile(write, at: path, committed, run.redactor)
    }

    private func failure(_ error: ResultsError) -> Failure {
        Failure(error.wasStopped ? .cancelled : .output, run.redactor.text(error.description), at: write.to.span)
    }

    private func warn(_ message: String) {
        run.events.emit(.warning("\(path): \(run.redactor.text(message))", at: SourceLocation(write.span)), step: step)
    }

    /// Returns a record without secrets. Validation already rejects known secrets in a file; this finds those that it
    /// cannot know.
    private func redacted(_ record: JSON) -> RedactedJSON {
        let (json, isChanged) = run.redactor.data(record)
        if isChanged { warnOfSecret() }
        return json
    }

    private func warnOfSecret() {
        // After the deadline, all data is masked, and none of it is written.
        guard !WorkLimit.isDeadlinePassed, secretWarning.isFirst() else { return }
        run.events.emit(
            .warning("\(path): the records contain a secret, which is replaced by ***", at: SourceLocation(write.span)),
            step: step
        )
    }

    // MARK: Records

    private func records(
        of data: ScopeValue,
        isList: Bool,
        in scope: EvaluationScope
    ) throws(EvaluationFailure) -> (records: [RedactedJSON], aggregates: [RecordAggregate]) {
        let value = try write.records?.outputValue(in: scope) ?? data
        if value.isSecret { try run.redactor.register(secretsIn: value.json, at: write.span) }
        let elements: [JSON]
        switch value.json {
        case .null: elements = []
        case .array(let list) where isList || format != RawFormat.self: elements = list
        default:
            elements = [value.json]
            if isPaginated, write.records == nil, let warning = columns.pageWarning(value.json) { warn(warning) }
        }
        columns.note(elements)
        var records: [RedactedJSON] = []
        records.reserveCapacity(elements.count)
        var aggregates = write.aggregates.map { RecordAggregate($0.function) }
        var scope = scope
        var limit = WorkLimit.Check()
        var size = JSONSize()
        for element in elements {
            if limit.isReached(before: Self.unitsPerRecord) {
                throw EvaluationFailure(message: WorkLimit.message, span: write.span, kind: .output)
            }
            if !write.columns.isEmpty || !aggregates.isEmpty {
                scope.item = ScopeValue(element, isSecret: value.isSecret)
            }
            let record = try self.record(element, in: scope)
            // Columns may insert a list into each record.
            if !write.columns.isEmpty { try size.add(record.value, at: write.span) }
            records.append(record)
            for index in aggregates.indices { try add(to: &aggregates[index], write.aggregates[index], in: scope) }
        }
        return (records, aggregates)
    }

    /// Adds the value of the current record to an aggregate.
    private func add(
        to aggregate: inout RecordAggregate,
        _ definition: Write.Aggregate,
        in scope: EvaluationScope
    ) throws(EvaluationFailure) {
        let value = try definition.value.value(in: scope)
        if value.isSecret { try run.redactor.register(secretsIn: value.json, at: write.span) }
        let (json, isChanged) = run.redactor.data(value.json)
        if isChanged { warnOfSecret() }
        do {
            try aggregate.add(json.value)
        } catch {
            throw EvaluationFailure(
                message: "aggregate '\(definition.name.value)': \(error.message)",
                span: definition.value.span,
                kind: .output
            )
        }
    }

    private func record(_ value: JSON, in scope: EvaluationScope) throws(EvaluationFailure) -> RedactedJSON {
        var record = value
        if !write.columns.isEmpty {
            var object = JSONObject()
            for column in write.columns {
                if let expression = column.value {
                    let value = try expression.value(in: scope)
                    if value.isSecret { try run.redactor.register(secretsIn: value.json, at: write.span) }
                    object[column.name.value] = value.json
                } else {
                    object[column.name.value] = try member(ofColumn: column.name, in: value)
                }
            }
            record = .object(object)
        }
        let redacted = redacted(record)
        for key in write.key where redacted.value.member(ofColumn: key.value) ?? .null == .null {
            throw EvaluationFailure(
                message:
                    "a record has no value for '\(key.value)', which is part of the table's key: \(redacted.value.excerpt)",
                span: key.span,
                kind: .output
            )
        }
        return redacted
    }

    /// The value in a column without an expression. A record that is not an object would be lost in all columns but
    /// `value`.
    private func member(ofColumn name: Spanned<String>, in record: JSON) throws(EvaluationFailure) -> JSON? {
        guard record.object == nil, name.value != "value" else { return record.member(ofColumn: name.value) }
        throw EvaluationFailure(
            message:
                "the record \(redacted(record).value.excerpt) is not an object, so it has no column '\(name.value)'; "
                + "'{\(name.value): item}' writes the record itself",
            span: name.span,
            kind: .output
        )
    }
}

extension RunEvent.WrittenFile {
    /// A report of a complete file of `write`.
    package init(_ write: Write, at path: RedactedText, _ committed: RecordFileWriter.Committed, _ redactor: Redactor) {
        var results = JSONObject()
        for (index, aggregate) in write.aggregates.enumerated() {
            let values = committed.records.aggregates
            let value = values.indices.contains(index) ? values[index] : RecordAggregate(aggregate.function)
            results[aggregate.name.value] = value.result.markingBytes
        }
        self.init(
            path: path,
            table: write.table?.value,
            records: committed.records.count,
            bytes: committed.bytes,
            aggregated: results.isEmpty ? nil : redactor.data(.object(results)).json
        )
    }
}

extension RecordContainer {
    /// Where the records of a file go.
    package init(_ write: Write, _ format: any WritableRecordFormat.Type, path: String) {
        if format.isDatabase, let table = write.table {
            self = .table(SQLiteTable(table.value, key: write.key.map(\.value), columns: write.columnNames))
        } else {
            self = format.isCompressed(path) ? .gzip : .file
        }
    }
}

extension Write {
    /// The names of the columns; `nil` if the records decide.
    package var columnNames: [String]? { columns.isEmpty ? nil : columns.map(\.name.value) }

    /// Creates the writer of the file.
    package func writer(of format: any WritableRecordFormat.Type) -> any WritableRecordFormat {
        escapesFormulas != nil && format == CSVFormat.self
            ? CSVFormat(columns: columnNames, escapesFormulas: true) : format.init(columns: columnNames)
    }
}

extension JSON {
    /// The value in a column: a member, or in the column `value` a record that is not an object.
    fileprivate func member(ofColumn name: String) -> JSON? {
        object == nil ? name == "value" ? self : nil : self[name]
    }

    /// The start of the value as JSON text.
    fileprivate var excerpt: String {
        JSONWriter().excerpt(of: self, 80)
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

extension RunEvent.WrittenFile {
    /// The file as expressions see it in `steps.ID.written`: `{file, table, records, bytes}` and the aggregates.
    package var json: JSON {
        var object = JSONObject([("file", .string(path.string))])
        if let table { object["table"] = .string(table) }
        object["records"] = .number(JSONNumber(records))
        object["bytes"] = .number(JSONNumber(bytes))
        for (name, value) in aggregated?.value.object ?? JSONObject() { object[name] = JSON(markingBytes: value) }
        return .object(object)
    }
}
