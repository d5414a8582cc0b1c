import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults

/// An entry of `write`: a file or table, and how its records are made from the data of requests.
struct WriteEntry: Sendable {
    let write: Write
    let path: RedactedText
    let format: any WritableRecordFormat.Type
    let columns: ColumnCheck
    /// Whether the data is that of a page.
    let isPaginated: Bool
    let run: RunContext
    /// The path of the step.
    let step: String
    private let secretWarning = Once()

    /// The work for a record, in the units of `WorkLimit.Check`.
    private static let unitsPerRecord = 256

    /// Makes the records that the data of a request contains, and the values of the aggregates over them.
    ///
    /// - Parameter isList: Whether the elements of a list are separate records even in a raw file.
    func records(
        of data: ScopeValue,
        isList: Bool,
        in scope: EvaluationScope
    ) throws(EvaluationFailure) -> (records: [RedactedJSON], aggregates: [RecordAggregate]) {
        let value = try write.records?.outputValue(in: scope) ?? data
        if value.isSecret { try run.redactor.register(secretsIn: value.json, at: write.span) }
        let elements: [JSON]
        switch value.json {
        case .null:
            // Not an empty list: an earlier file would be replaced by an empty one.
            throw EvaluationFailure(
                message: write.records.map {
                    "'\($0.expression.text)' is null, not records; default(…, list()) makes it an empty list"
                }
                    ?? "the data is null, not records; the filter 'default: []' makes it an empty list",
                span: write.records?.span ?? write.span
            )
        case .array(let list) where isList || format != RawFormat.self: elements = list
        default:
            try refuse(value, in: scope)
            elements = [value.json]
            if isPaginated, write.records == nil, let warning = columns.pageWarning(value.json) {
                warn(warning)
            }
        }
        columns.note(elements)
        var records: [RedactedJSON] = []
        records.reserveCapacity(elements.count)
        var aggregates = write.aggregates.map { RecordAggregate($0.function) }
        var scope = scope
        var limit = WorkLimit.Check()
        var size = JSONSize()
        for (index, element) in elements.enumerated() {
            if limit.isReached(before: Self.unitsPerRecord) {
                throw EvaluationFailure(message: WorkLimit.message, span: write.span, kind: .output)
            }
            if !write.columns.isEmpty || !aggregates.isEmpty {
                scope.item = ScopeValue(element, isSecret: value.isSecret)
            }
            let record = try self.record(element, at: index, in: scope)
            // Columns may insert a list into each record.
            if !write.columns.isEmpty { try size.add(record.value, at: write.span) }
            records.append(record)
            for position in aggregates.indices {
                try naming(element, at: index) { () throws(EvaluationFailure) in
                    try add(to: &aggregates[position], position, in: scope)
                }
            }
        }
        return (records, aggregates)
    }

    /// Throws if a value would be one record although it may be anything: a text or bytes, such as a page with an error, that
    /// only the content type made of the body. A raw file takes the content as it is, and an expression makes a record of it.
    private func refuse(_ value: ScopeValue, in scope: EvaluationScope) throws(EvaluationFailure) {
        guard value.content == .undeclared, format != RawFormat.self, write.columns.allSatisfy({ $0.value == nil })
        else { return }
        let kind = value.json.string == nil ? "bytes" : "text"
        var type = ""
        if case .namespace(let response) = scope.root.member("response"),
            case .namespace(let headers) = response.member("headers"),
            case .value(let found) = headers.member("content-type")
        {
            type = found.json.string ?? ""
        }
        let words = type.isEmpty ? "without a content type" : type.excerpt(100)
        throw EvaluationFailure(
            message: "the data is \(kind) (\(words)), not records; 'decoding: json' decodes it as JSON, and "
                + "'decoding: \(kind)' makes it one record",
            span: write.records?.span ?? write.span
        )
    }

    /// Calls a function that evaluates an expression for a record. An error names the record.
    private func naming<Value>(
        _ record: JSON,
        at index: Int,
        _ evaluate: () throws(EvaluationFailure) -> Value
    ) throws(EvaluationFailure) -> Value {
        do {
            return try evaluate()
        } catch {
            var error = error
            error.message = "record \(index): \(error.message); the record is \(run.redactor.start(of: record, 80))"
            throw error
        }
    }

    /// Adds the value of the current record to an aggregate.
    private func add(
        to aggregate: inout RecordAggregate,
        _ index: Int,
        in scope: EvaluationScope
    ) throws(EvaluationFailure) {
        let definition = write.aggregates[index]
        let value = try definition.value.value(in: scope)
        if value.isSecret { try run.redactor.register(secretsIn: value.json, at: write.span) }
        let (json, isChanged) = run.redactor.data(value.json)
        guard !isChanged || definition.function == .count else {
            throw EvaluationFailure(
                message: "aggregate '\(definition.name.value)': the value contains a secret, which is written nowhere",
                span: definition.value.span,
                kind: .output
            )
        }
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

    private func record(
        _ value: JSON,
        at index: Int,
        in scope: EvaluationScope
    ) throws(EvaluationFailure) -> RedactedJSON {
        var record = value
        if !write.columns.isEmpty {
            var object = JSONObject()
            for column in write.columns {
                if let expression = column.value {
                    let value = try naming(value, at: index) { () throws(EvaluationFailure) in
                        try expression.value(in: scope)
                    }
                    if value.isSecret { try run.redactor.register(secretsIn: value.json, at: write.span) }
                    object[column.name.value] = value.json
                } else {
                    object[column.name.value] = try member(ofColumn: column.name, in: value)
                }
            }
            record = .object(object)
        }
        let redacted = redacted(record)
        for key in write.key where redacted.value.member(ofColumn: key.value) != record.member(ofColumn: key.value) {
            throw EvaluationFailure(
                message: "record \(index): '\(key.value)', which is part of the table's key, contains a secret; "
                    + "records with other secrets would replace it",
                span: key.span,
                kind: .output
            )
        }
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
    private func member(
        ofColumn name: Spanned<String>,
        in record: JSON
    ) throws(EvaluationFailure) -> JSON? {
        guard record.object == nil, name.value != "value" else { return record.member(ofColumn: name.value) }
        throw EvaluationFailure(
            message:
                "the record \(redacted(record).value.excerpt) is not an object, so it has no column '\(name.value)'; "
                + "'{\(name.value): item}' writes the record itself",
            span: name.span,
            kind: .output
        )
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
        warn("the records contain a secret, which is replaced by ***")
    }

    /// Warns of columns that no record has had.
    func warnOfMissingColumns() {
        if let warning = columns.warning() { warn(warning) }
    }

    private func warn(_ message: String) {
        let warning: RedactedText = "\(path): \(run.redactor.text(message))"
        run.events.emit(.warning(warning, at: SourceLocation(write.span)), step: step)
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
