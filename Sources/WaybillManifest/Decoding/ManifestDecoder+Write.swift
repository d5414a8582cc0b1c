package import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON

/// Reads an entry of `write`: a file or table that receives the records of a step.
extension ManifestDecoder {
    mutating func write(_ node: YAMLNode) -> Write? {
        let to = node["to"].flatMap { scalarTemplate($0) }
        let records = node["records"].flatMap { expression($0) }
        var columns: [Write.Column] = []
        var known: [CodePoints: SourceSpan] = [:]
        for column in node["columns"]?.sequence ?? [] {
            if let name = text(column) { add(.init(name: name, value: nil), to: &columns, &known) }
            for (name, value) in named(column) {
                add(.init(name: name, value: expression(value)), to: &columns, &known)
            }
        }
        guard let to else { return nil }
        let write = Write(
            to: to,
            format: node["format"].flatMap { node in RecordFormats.writable.first { $0.name == node.text } },
            records: records,
            columns: columns,
            escapesFormulas: node["csv"]?["formulas"]?.span,
            table: node["table"].flatMap { text($0) },
            key: texts(in: node["key"]),
            aggregates: node["aggregate"].map { aggregates($0) } ?? [],
            checks: (node["expect"]?.sequence ?? []).compactMap {
                check($0, help: "Use 'records', 'bytes' or an aggregate, as in 'records > 0'.")
            },
            span: node.span
        )
        if node["format"] == nil, !isMisspelt("format", in: node) { checkExtension(of: to) }
        // If a table or key cannot be read, or is misspelt, that is already reported.
        let isReadable = (node["table"] == nil || write.table != nil) && (node["key"] == nil || !write.key.isEmpty)
        if isReadable, !["format", "table", "key"].contains(where: { isMisspelt($0, in: node) }) {
            checkTable(of: write)
        }
        if !write.checks.isEmpty { reportHiddenAggregates(of: write) }
        return write
    }

    private mutating func aggregates(_ node: YAMLNode) -> [Write.Aggregate] {
        var aggregates: [Write.Aggregate] = []
        for (name, definition) in distinctNames(node) {
            for (function, value) in named(definition) {
                guard let function = AggregateFunction(rawValue: function.value), let value = expression(value) else {
                    continue
                }
                check(value, in: function)
                aggregates.append(Write.Aggregate(name: name, function: function, value: value))
            }
        }
        return aggregates
    }

    /// Reports aggregates that the conditions of `expect` cannot read, because the language has another meaning for the name.
    private mutating func reportHiddenAggregates(of write: Write) {
        for name in write.aggregates.map(\.name)
        where Reference.Root.allCases.contains(where: { $0.name == name.value }) {
            diagnostics.report(
                "invalid-name",
                "'expect' cannot read this aggregate, because '\(name.value)' has another meaning in conditions",
                at: name.span,
                help: ["Choose another name."]
            )
        }
    }

    /// Reports a value that an aggregate never accepts.
    private mutating func check(_ value: ManifestExpression, in function: AggregateFunction) {
        let (accepted, words): (ExpressionType, String) =
            switch function {
            case .sum: (.number, "numbers")
            case .min, .max: ([.number, .string], "numbers or strings")
            case .count, .first, .last: (.any, "values")
            }
        guard value.expression.resultType.isDisjoint(with: accepted.union(.null)) else { return }
        let message = "'\(function.rawValue)' accepts only \(words), but '\(value.expression.text)' never yields one"
        diagnostics.report("wrong-type", message, at: value.span)
    }

    /// Adds a column, or reports it if another column has the same name.
    private mutating func add(
        _ column: Write.Column,
        to columns: inout [Write.Column],
        _ known: inout [CodePoints: SourceSpan]
    ) {
        if let first = known[CodePoints(column.name.value)] {
            diagnostics.report(
                "duplicate-key",
                "two columns have the name '\(column.name.value)'",
                at: column.name.span,
                secondary: [.init(first, "first used here")]
            )
        } else {
            known[CodePoints(column.name.value)] = column.name.span
            columns.append(column)
        }
    }

    /// Reports a path whose extension does not determine a format, if the end of the path is certain.
    private mutating func checkExtension(of path: ScalarTemplate) {
        guard let end = path.certainEnd, RecordFormats.writable(ofFile: end) == nil else { return }
        let formats = RecordFormats.writable.map { $0.name }.joined(separator: ", ")
        let extensions = RecordFormats.writable.flatMap { $0.extensions }
        let nearest = NearestName.of(RecordFormats.fileExtension(of: end) ?? "", among: extensions)
        diagnostics.report(
            "unknown-format",
            RecordFormats.unknownExtension(of: end),
            at: path.span,
            label: nearest.map { "did you mean '.\($0)'?" } ?? "",
            help: [
                "Use one of the extensions \(extensions.map { ".\($0)" }.joined(separator: ", ")), or set 'format' "
                    + "to one of \(formats)."
            ]
        )
    }

    /// Reports a database without a table or key, a key of `write` that does not apply to the file's format, and a key
    /// column that is not among the columns.
    private mutating func checkTable(of write: Write) {
        let format = write.format ?? write.to.certainEnd.flatMap { RecordFormats.writable(ofFile: $0) }
        if let problem = format.flatMap({ write.contradiction(to: $0) }) {
            diagnostics.report(problem.id, problem.message, at: problem.span, help: [problem.help])
        }
        if format?.isDatabase == true { checkColumnNames(of: write) }
        guard !write.columns.isEmpty else { return }
        let names = write.columns.map(\.name.value)
        for key in write.key where !names.contains(where: { $0.hasSameCodePoints(as: key.value) }) {
            let nearest = NearestName.of(key.value, among: names)
            diagnostics.report(
                "write-table",
                "the key column '\(key.value)' is not among the columns",
                at: key.span,
                label: nearest.map { "did you mean '\($0)'?" } ?? "",
                help: ["Add it to 'columns': each record needs a value for each column of the key."]
            )
        }
    }

    /// Reports columns of a table whose names differ only in case, which SQL does not distinguish.
    private mutating func checkColumnNames(of write: Write) {
        var first: [[UInt8]: Spanned<String>] = [:]
        for column in write.columns {
            let name = column.name.value
            guard
                let other = first.updateValue(
                    column.name,
                    forKey: name.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
                )
            else { continue }
            diagnostics.report(
                "write-table",
                "the columns '\(other.value)' and '\(name)' differ only in case, which SQLite ignores",
                at: column.name.span,
                secondary: [.init(other.span, "first used here")],
                help: ["Rename one of them: {OTHER: item.\(name)}."]
            )
        }
    }
}

extension Write {
    /// Returns why `table`, `key` and `csv` do not match the format of the file; `nil` if they do.
    package func contradiction(
        to format: any WritableRecordFormat.Type
    ) -> (id: DiagnosticID, message: String, help: String, span: SourceSpan)? {
        if let escapesFormulas, format != CSVFormat.self {
            return (
                "misplaced-key",
                "'csv' applies only to CSV files, but this file's format is '\(format.name)'",
                "Write to a file such as data.csv, or remove it.",
                escapesFormulas
            )
        }
        if format.isDatabase {
            guard table == nil || key.isEmpty else { return nil }
            let missing = table == nil ? key.isEmpty ? "'table' and 'key'" : "a 'table'" : "a 'key'"
            return (
                "write-table",
                "a database needs \(missing)",
                "'table' names the table, and 'key' lists the columns that identify a record: a record replaces "
                    + "an earlier one with the same key.",
                to.span
            )
        }
        guard let span = table?.span ?? key.first?.span else { return nil }
        return (
            "write-table",
            "'table' and 'key' apply only to databases, but this file's format is '\(format.name)'",
            "Write to a file such as data.sqlite, or remove them.",
            span
        )
    }
}

extension ScalarTemplate {
    /// The end of a path, if it is certain and contains the extension.
    fileprivate var certainEnd: String? {
        if let constantText { return constantText }
        guard case .literal(let text)? = template?.template.parts.last,
            text.contains(where: { $0 == "." || $0 == "/" })
        else { return nil }
        return text
    }
}
