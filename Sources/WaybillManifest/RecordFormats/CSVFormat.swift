package import WaybillDiagnostics
package import WaybillFormats
package import WaybillJSON

/// A header and rows (RFC 4180). Each row is read as an object of strings.
///
/// If `write` has no columns, the members of the first record are the columns, and a later record with another member is
/// an error. A record that is not an object is written to the column `value`.
package struct CSVFormat: ReadableRecordFormat, WritableRecordFormat {
    package static let name = "csv"
    package static let extensions = ["csv"]
    package static let isList = true

    package static func read(_ file: DataFile, _ body: (DataDocument) -> Bool) -> [Diagnostic] {
        var reader = CSVReader()
        var rest = file.bytes[...]
        var diagnostics: [Diagnostic] = []
        while diagnostics.count < DataFile.maximumDiagnostics {
            do {
                var next = try reader.nextRow(in: &rest)
                if next == nil { next = try reader.finish() }
                guard let row = next else { break }
                let origin = DataDocument.Origin.csv(file, row.range, names: reader.names ?? [])
                if !body(DataDocument(value: row.value, origin: origin)) { return diagnostics }
            } catch {
                let help = error.help.map { [$0] } ?? []
                diagnostics.report("csv-syntax", error.message, at: file.source.span(error.range), help: help)
            }
        }
        if reader.names == nil, diagnostics.isEmpty {
            diagnostics.report("empty-file", "the file is empty", at: file.source.span(0..<0))
        }
        return diagnostics
    }

    // MARK: Writing

    private let given: [String]?
    private var columns: [String] { didSet { known = Set(columns.map { CodePoints($0) }) } }
    private var known: Set<CodePoints> = []
    private let writer: CSVWriter

    package init(columns: [String]? = nil) { self.init(columns: columns, escapesFormulas: false) }

    /// Creates a writer of a file.
    ///
    /// - Parameter escapesFormulas: Whether strings that a spreadsheet would treat as formulas start with an apostrophe.
    package init(columns: [String]?, escapesFormulas: Bool) {
        given = columns
        self.columns = columns ?? []
        writer = CSVWriter(escapesFormulas: escapesFormulas)
    }

    package mutating func append(
        _ record: JSON,
        isFirst: Bool,
        to file: inout [UInt8]
    ) throws(UnwritableRecord) {
        let members = record.members
        if isFirst {
            columns = given ?? members.names
            writer.write(header: columns, to: &file)
        } else if given == nil {
            try checkMembers(of: record)
        }
        writer.write(row(of: members), to: &file)
    }

    /// Without given columns, the first record is not known yet, so waiting records are stored as JSON.
    package func hold(_ record: JSON, in held: inout [UInt8]) {
        if given == nil {
            JSONWriter(stopsAtDeadline: true).write(record, to: &held)
            held.append(UInt8(ascii: "\n"))
        } else {
            writer.write(row(of: record.members), to: &held)
        }
    }

    package mutating func release(
        _ held: [UInt8],
        isFirst: Bool,
        to file: inout [UInt8]
    ) throws(UnwritableRecord) {
        guard given == nil else {
            if isFirst { writer.write(header: columns, to: &file) }
            file += held
            return
        }
        var isFirst = isFirst
        for line in held.split(separator: UInt8(ascii: "\n")) {
            // Only `hold` writes these lines, unless a journal was edited.
            guard let value = try? JSONParser.ownFiles.parse(line) else { continue }
            try append(value, isFirst: isFirst, to: &file)
            isFirst = false
        }
    }

    package func end(hasRecords: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        if !hasRecords, given != nil { writer.write(header: columns, to: &bytes) }
        return bytes
    }

    package mutating func resume(after head: [UInt8]) {
        guard given == nil else { return }
        var reader = CSVReader()
        var rest = head[...]
        _ = try? reader.nextRow(in: &rest)
        columns = (reader.names ?? []).map(writer.name(fromHeader:))
    }

    /// Throws if a record after the first has a member that is not a column.
    private func checkMembers(of record: JSON) throws(UnwritableRecord) {
        guard let lost = record.members.names.first(where: { !known.contains(CodePoints($0)) }) else { return }
        let excerpt = JSONWriter().excerpt(of: record, 80)
        let difference = record.object == nil ? "is not an object" : "also has '\(lost)'"
        throw UnwritableRecord(
            "the columns are the members of the first record, but the record \(excerpt) \(difference); "
                + "'columns' chooses the columns"
        )
    }

    private func row(of members: JSONObject) -> [JSON] {
        columns.map { members[$0] ?? .null }
    }
}

extension JSON {
    /// The members of an object, or any other value as a member `value`.
    fileprivate var members: JSONObject {
        object ?? JSONObject([("value", self)])
    }
}
