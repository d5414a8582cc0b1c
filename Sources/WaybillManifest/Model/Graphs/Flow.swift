package import WaybillDiagnostics
package import WaybillFormats

/// When, how often and after what a step is done.
///
/// It nests as: `when` → `delay` → `forEach`( `until`( `paginate`( `retry`( attempt )))).
package final class Flow: Sendable {
    /// The condition for doing it at all.
    package let when: ManifestExpression?
    /// The time to wait before.
    package let delay: DurationTemplate?
    /// The longest time that it may take.
    package let deadline: Setting<DurationTemplate>?
    /// What it is done for, one element at a time.
    package let forEach: ForEach?
    /// What must hold before it is done no more.
    package let until: Until?
    /// How the next page is found.
    package let paginate: Pagination?
    /// The file that records go to.
    package let write: Sink?
    /// Siblings in a batch that must be done before.
    package let needs: [Spanned<String>]
    /// The location of the step.
    package let span: SourceSpan

    /// The keys of a step that control when and how often it is executed.
    package static let keys = ["when", "delay", "deadline", "forEach", "until", "paginate", "write", "needs"]

    init(
        when: ManifestExpression?,
        delay: DurationTemplate?,
        deadline: Setting<DurationTemplate>?,
        forEach: ForEach?,
        until: Until?,
        paginate: Pagination?,
        write: Sink?,
        needs: [Spanned<String>],
        span: SourceSpan
    ) {
        self.when = when
        self.delay = delay
        self.deadline = deadline
        self.forEach = forEach
        self.until = until
        self.paginate = paginate
        self.write = write
        self.needs = needs
        self.span = span
    }
}

/// What a step is done for, one element at a time.
package struct ForEach: Sendable {
    /// Where the elements come from.
    package enum Elements: Sendable {
        /// An expression that gives a list.
        case expression(ManifestExpression)
        /// A list written in place.
        case list([ValueTemplate])
    }

    /// The elements.
    package var elements: Elements
    /// The name of the element at hand.
    package var variable: Spanned<String>
    /// The greatest number of elements at once.
    package var concurrency: Setting<Int>?
    /// Where it was written.
    package var span: SourceSpan
}

/// What must hold before a step is done no more.
package struct Until: Sendable {
    /// The condition.
    package var that: ManifestExpression
    /// The time between two tries.
    package var every: DurationTemplate?
    /// The greatest number of tries.
    package var times: Int?
    /// The longest time of all tries.
    package var within: DurationTemplate?
    /// What ends it in failure.
    package var fail: (when: ManifestExpression, message: ScalarTemplate?)?
    /// Where it was written.
    package var span: SourceSpan
}

/// How the next page is found.
package struct Pagination: Sendable {
    /// Where a page's number, offset or cursor goes.
    package enum Place: Sendable {
        /// An input of the endpoint.
        case input(Spanned<String>)
        /// A query parameter.
        case query(Spanned<String>)

        /// The name, with its span.
        package var name: Spanned<String> {
            switch self {
            case .input(let name), .query(let name): name
            }
        }
    }

    /// The ways.
    package enum Way: Sendable {
        /// The response contains the URL of the next page.
        case next(ManifestExpression)
        /// The Link field does (RFC 8288).
        case link
        /// Pages have numbers.
        case page(Place, start: Int)
        /// Pages begin at an offset.
        case offset(Place, limit: Int)
        /// The response contains a cursor for the next page.
        case cursor(Place, from: ManifestExpression)
    }

    /// The way.
    package var way: Way
    /// Where the items of a page are.
    package var items: ManifestExpression?
    /// The greatest number of pages.
    package var max: Int?
    /// The condition for asking for another page.
    package var condition: ManifestExpression?
    /// Where it was written.
    package var span: SourceSpan
}

/// A file that records go to.
package struct Sink: Sendable {
    /// A column of a CSV file.
    package struct Column: Sendable {
        /// The name, which is also that of the member where there is no expression.
        package var name: Spanned<String>
        /// What stands in it.
        package var value: ManifestExpression?
    }

    /// A value that is computed over the records.
    package struct Aggregate: Sendable {
        /// The name, under which `steps.ID.written` has it.
        package var name: Spanned<String>
        /// What is computed.
        package var function: AggregateFunction
        /// The value of a record.
        package var value: ManifestExpression
    }

    /// The path.
    package var to: ScalarTemplate
    /// The format, if it is not the one that the extension of the path names.
    package var format: (any WritableRecordFormat.Type)?
    /// The records; the data when nothing is said.
    package var records: ManifestExpression?
    /// The columns.
    package var columns: [Column]
    /// The table of a database.
    package var table: Spanned<String>?
    /// The columns of a table that tell records apart.
    package var key: [Spanned<String>]
    /// The values computed over the records.
    package var aggregates: [Aggregate]
    /// Where it was written.
    package var span: SourceSpan
}
