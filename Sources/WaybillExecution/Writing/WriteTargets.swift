import WaybillDiagnostics
package import WaybillFormats
package import WaybillJSON
package import WaybillManifest
package import WaybillResults

extension RunEvent.WrittenFile {
    /// A report of a complete file of `write`.
    fileprivate init(
        _ write: Write,
        at path: RedactedText,
        _ committed: RecordFileWriter.Committed,
        _ redactor: Redactor
    ) {
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
            checksum: committed.checksum,
            aggregated: results.isEmpty ? nil : redactor.data(.object(results)).json
        )
    }
}

extension [RunEvent.WrittenFile] {
    /// Reports of the complete files of the entries of `write`.
    package init(
        _ writes: [Write],
        at paths: [RedactedText],
        _ contents: [RecordFileWriter.Committed],
        _ redactor: Redactor
    ) {
        self = writes.indices.map { index in
            var file = RunEvent.WrittenFile(writes[index], at: paths[index], contents[index], redactor)
            if writes.count > 1 { file.position = .init(number: index + 1, count: writes.count) }
            return file
        }
    }
}

extension RecordContainer {
    /// Where the records of a file go.
    private init(_ write: Write, _ format: any WritableRecordFormat.Type, path: String) {
        if format.isDatabase, let table = write.table {
            self = .table(SQLiteTable(table.value, key: write.key.map(\.value), columns: write.columnNames))
        } else {
            self = format.isCompressed(path) ? .gzip : .file
        }
    }

    /// Returns where the records of the entries of `write` go, and the writer of the unfinished file.
    package static func of(
        _ entries: [(write: Write, format: any WritableRecordFormat.Type, path: String)]
    ) -> (container: RecordContainer, writer: any RecordWriter) {
        let targets = entries.map { write, format, path in
            RecordTarget(
                path: path,
                container: RecordContainer(write, format, path: path),
                writer: write.writer(of: format),
                aggregates: write.aggregates.count
            )
        }
        return targets.count == 1
            ? (targets[0].container, targets[0].writer) : (.several(targets), JoinedRecords(targets))
    }
}

extension Write {
    /// The names of the columns; `nil` if the records decide.
    package var columnNames: [String]? { columns.isEmpty ? nil : columns.map(\.name.value) }

    /// Creates the writer of the file.
    fileprivate func writer(of format: any WritableRecordFormat.Type) -> any WritableRecordFormat {
        escapesFormulas != nil && format == CSVFormat.self
            ? CSVFormat(columns: columnNames, escapesFormulas: true) : format.init(columns: columnNames)
    }
}

extension RunEvent.WrittenFile {
    /// The file as expressions see it in `steps.ID.written`: `{file, table, records, bytes}` and the aggregates.
    var json: JSON {
        var object = JSONObject([("file", .string(path.string))])
        if let table { object["table"] = .string(table) }
        object["records"] = .number(JSONNumber(records))
        object["bytes"] = .number(JSONNumber(bytes))
        for (name, value) in aggregated?.value.object ?? JSONObject() { object[name] = JSON(markingBytes: value) }
        return .object(object)
    }

    /// `steps.ID.written`: that of a single file, or a list of those of several.
    package static func json(of files: [RunEvent.WrittenFile]) -> JSON {
        files.count == 1 ? files[0].json : .array(files.map(\.json))
    }
}
