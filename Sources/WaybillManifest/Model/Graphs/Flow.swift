package import WaybillDiagnostics
package import WaybillFormats

/// The flow of a step: when, how often and after which steps it runs.
///
/// The keys are nested as `deadline`( `when` → `delay` → `forEach`( `until`( `paginate`( `retry`( attempt ))))).
package final class Flow: Sendable {
    /// The condition for running the step.
    package let when: ManifestExpression?
    /// The delay before the step.
    package let delay: DurationTemplate?
    /// The maximum time that the step may take.
    package let deadline: Setting<DurationTemplate>?
    /// The elements that the step is repeated for.
    package let forEach: ForEach?
    /// The condition that ends its repetition.
    package let until: Until?
    /// How the next page is found.
    package let paginate: Pagination?
    /// The location of `paginate: none`, with which a call requests no pages although the endpoint does.
    package let withoutPages: SourceSpan?
    /// The files and tables that records are written to, in order: all of them when the step has passed, or none.
    package let writes: [Write]
    /// The sibling steps in a batch that must finish before.
    package let needs: [Spanned<String>]
    package let span: SourceSpan

    /// The keys of a step that control when and how often it runs.
    package static let keys = ["when", "delay", "deadline", "forEach", "until", "paginate", "write", "needs"]

    /// Reads the flow that the keys of a step define; `nil` if it has no such key.
    ///
    /// - Parameters:
    ///   - deadline: The deadline of the step, which is among its settings.
    ///   - span: The location of the step.
    init?(
        _ entries: StepEntries,
        deadline: Setting<DurationTemplate>?,
        at span: SourceSpan,
        level: Level,
        _ decoder: inout ManifestDecoder
    ) {
        guard Self.keys.compactMap(StepKey.init).contains(where: entries.has) else { return nil }
        when = entries[.when].flatMap { decoder.condition($0) }
        delay = entries[.delay].flatMap { decoder.duration($0) }
        self.deadline = entries.has(.deadline) ? deadline : nil
        forEach = entries[.forEach].flatMap { decoder.forEach($0, level: level) }
        until = entries[.until].flatMap { decoder.until($0) }
        let pages = entries[.paginate]
        withoutPages = pages.flatMap { $0.text == "none" ? $0.span : nil }
        paginate = pages.flatMap { decoder.pagination($0, level: level) }
        writes = entries[.write].map { node in (node.sequence ?? [node]).compactMap { decoder.write($0) } } ?? []
        needs = decoder.texts(in: entries[.needs])
        self.span = span
        if let check = writes.lazy.compactMap(\.checks.first).first, let shard = forEach?.shard, shard.value {
            decoder.diagnostics.report(
                "misplaced-key",
                "'expect' has no meaning here: 'waybill merge' writes the records of all shards, and evaluates nothing",
                at: check.that.span,
                secondary: [.init(shard.span, "the elements are divided")],
                help: ["Check 'steps.ID.written' in a later step with 'values', or remove 'shard'."]
            )
        }
        if let node = entries[.delay], let delay = delay?.constant, let limit = self.deadline,
            let longest = limit.value.constant, delay >= longest
        {
            decoder.diagnostics.report(
                "out-of-range",
                "the delay of \(delay.words) is part of the deadline of \(longest.words), so the step would always fail",
                at: node.span,
                secondary: [.init(limit.span, "the deadline")]
            )
        }
    }
}

/// The elements that a step is repeated for.
package struct ForEach: Sendable {
    /// The source of the elements.
    package enum Elements: Sendable {
        /// An expression that evaluates to a list.
        case expression(ManifestExpression)
        /// An inline list.
        case list([ValueTemplate])
    }

    package var elements: Elements
    /// The name of the current element in expressions.
    package var variable: Spanned<String>
    /// The name of each element for people.
    package var name: ScalarTemplate?
    /// The maximum number of elements that run at once.
    package var concurrency: Setting<Int>?
    /// The value of `shard`: whether the elements can be divided among several processes.
    package var shard: Spanned<Bool>?
    package var span: SourceSpan

    /// Whether the elements can be divided among several processes.
    package var isSharded: Bool { shard?.value ?? false }
}

/// The condition that ends the repetition of a step.
package struct Until: Sendable {
    /// The condition.
    package var that: ManifestExpression
    /// The interval between two tries.
    package var every: DurationTemplate?
    /// The maximum number of tries.
    package var times: Int?
    /// The maximum time of all tries.
    package var within: DurationTemplate?
    /// The condition on which it fails, with a message.
    package var fail: (when: ManifestExpression, message: ScalarTemplate?)?
    package var span: SourceSpan
}

/// How the next page is found.
package struct Pagination: Sendable {
    /// The part of a request that receives a page's number, offset or cursor.
    package enum Target: Sendable {
        /// An input of the endpoint.
        case input(Spanned<String>)
        /// A query parameter.
        case query(Spanned<String>)

        package var name: Spanned<String> {
            switch self {
            case .input(let name), .query(let name): name
            }
        }
    }

    /// How the next page is found.
    package enum Style: Sendable {
        /// The response contains the URL of the next page.
        case next(ManifestExpression)
        /// The Link field contains it (RFC 8288).
        case link
        /// Pages have numbers.
        case page(Target, start: Int)
        /// Pages start at an offset.
        case offset(Target, limit: Int)
        /// The response contains a cursor for the next page.
        case cursor(Target, from: ManifestExpression)
    }

    /// How the next page is found.
    package var style: Style
    /// The expression for the items of a page.
    package var items: ManifestExpression?
    /// The maximum number of pages.
    package var max: Int?
    /// The condition for requesting another page.
    package var condition: ManifestExpression?
    package var span: SourceSpan
    /// The level that it is written at: an endpoint or a graph.
    package var level: Level
}

/// A file or table that records are written to.
package struct Write: Sendable {
    /// A column of a CSV file.
    package struct Column: Sendable {
        /// The name, which is also that of the member if there is no expression.
        package var name: Spanned<String>
        /// The expression for the value in the column.
        package var value: ManifestExpression?
    }

    /// A value that is computed over the records.
    package struct Aggregate: Sendable {
        /// The name of the value in `steps.ID.written`.
        package var name: Spanned<String>
        /// The function that computes it.
        package var function: AggregateFunction
        /// The value that a record contributes.
        package var value: ManifestExpression
    }

    /// The path.
    package var to: ScalarTemplate
    /// The format, if it is not that of the path's extension.
    package var format: (any WritableRecordFormat.Type)?
    /// The records; the data if not specified.
    package var records: ManifestExpression?
    package var columns: [Column]
    /// Whether strings in a CSV file that a spreadsheet would treat as formulas are escaped: the span of the setting.
    package var escapesFormulas: SourceSpan?
    /// The table of a database.
    package var table: Spanned<String>?
    /// The columns of a table that identify a record.
    package var key: [Spanned<String>]
    /// The values computed over the records.
    package var aggregates: [Aggregate]
    /// The conditions that must hold before the file is put in its place.
    package var checks: [Check]
    package var span: SourceSpan

    /// The names that `checks` see, in addition to those of the step. The size of a database is not known before.
    package var summaryNames: [String] {
        ["records"] + (table == nil ? ["bytes"] : []) + aggregates.map(\.name.value)
    }
}
