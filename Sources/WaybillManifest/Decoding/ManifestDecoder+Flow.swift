import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// When, how often and after what a step is done.
extension ManifestDecoder {
    /// What a step's keys say of that; `nil` where they say nothing.
    ///
    /// - Parameters:
    ///   - deadline: That of the step, which is among its settings.
    ///   - span: Where the step is written.
    mutating func flow(
        _ entries: KnownEntries<StepKey>,
        deadline: Setting<DurationTemplate>?,
        at span: SourceSpan,
        level: Level
    ) -> Flow? {
        guard Self.flowKeys.contains(where: entries.has) else { return nil }
        return Flow(
            when: entries[.when].flatMap { condition($0) },
            delay: entries[.delay].flatMap { duration($0) },
            deadline: entries.has(.deadline) ? deadline : nil,
            forEach: entries[.forEach].flatMap { forEach($0, level: level) },
            until: entries[.until].flatMap { until($0) },
            paginate: entries[.paginate].flatMap { pagination($0) },
            write: entries[.write].flatMap { sink($0) },
            needs: (entries[.needs]?.sequence ?? []).compactMap { text($0) },
            span: span
        )
    }

    private static let flowKeys = Flow.keys.compactMap(StepKey.init)

    private mutating func forEach(_ node: YAMLNode, level: Level) -> ForEach? {
        guard let source = node["in"], let variable = node["as"].flatMap({ text($0) }) else { return nil }
        let elements: ForEach.Elements?
        if let list = source.sequence {
            elements = .list(list.compactMap { valueTemplate($0) })
        } else {
            let list = expression(source)
            if let list, list.expression.resultType.isDisjoint(with: .array) {
                report(
                    Diagnostic(
                        "wrong-type",
                        "'forEach' needs a list, and '\(list.expression.text)' is none",
                        at: list.span
                    )
                )
            }
            elements = list.map(ForEach.Elements.expression)
        }
        let concurrency = node["concurrency"].flatMap { node in
            integer(node).map { Setting($0, at: node.span, level: level) }
        }
        return elements.map {
            ForEach(elements: $0, variable: variable, concurrency: concurrency, span: node.span)
        }
    }

    private mutating func until(_ node: YAMLNode) -> Until? {
        let that = node["that"].flatMap { condition($0) }
        let every = node["every"].flatMap { duration($0) }
        let within = node["within"].flatMap { duration($0) }
        let fail: (when: ManifestExpression, message: ScalarTemplate?)? = node["fail"].flatMap { node in
            let message = node.mapping == nil ? nil : node["message"].flatMap { scalarTemplate($0) }
            return (node.mapping == nil ? node : node["when"]).flatMap { condition($0) }.map { ($0, message) }
        }
        return that.map {
            Until(
                that: $0,
                every: every,
                times: node["times"].flatMap { integer($0) },
                within: within,
                fail: fail,
                span: node.span
            )
        }
    }

    private mutating func pagination(_ node: YAMLNode) -> Pagination? {
        let items = node["items"].flatMap { expression($0) }
        let goesOn = node["while"].flatMap { condition($0) }
        return way(node).map {
            Pagination(
                way: $0,
                items: items,
                max: node["max"].flatMap { integer($0) },
                condition: goesOn,
                span: node.span
            )
        }
    }

    private mutating func way(_ node: YAMLNode) -> Pagination.Way? {
        if let next = node["next"] { return expression(next).map(Pagination.Way.next) }
        if let page = node["page"] {
            return place(page).map { .page($0, start: page["start"].flatMap { integer($0) } ?? 1) }
        }
        if let offset = node["offset"], let limit = offset["limit"].flatMap({ integer($0) }) {
            return place(offset).map { .offset($0, limit: limit) }
        }
        if let cursor = node["cursor"], let from = cursor["from"].flatMap({ expression($0) }) {
            return place(cursor).map { .cursor($0, from: from) }
        }
        return node["link"].flatMap { boolean($0) } == true ? .link : nil
    }

    private func place(_ node: YAMLNode) -> Pagination.Place? {
        node["input"].flatMap { text($0) }.map(Pagination.Place.input)
            ?? node["query"].flatMap { text($0) }.map(Pagination.Place.query)
    }

    private mutating func sink(_ node: YAMLNode) -> Sink? {
        let to = node["to"].flatMap { scalarTemplate($0) }
        let records = node["records"].flatMap { expression($0) }
        var columns: [Sink.Column] = []
        for column in node["columns"]?.sequence ?? [] {
            if let name = text(column) { add(.init(name: name, value: nil), to: &columns) }
            for (name, value) in named(column) { add(.init(name: name, value: expression(value)), to: &columns) }
        }
        if let to, node["format"] == nil { checkExtension(of: to) }
        return to.map {
            Sink(
                to: $0,
                format: node["format"].flatMap { node in RecordFormats.writable.first { $0.name == node.text } },
                records: records,
                columns: columns,
                span: node.span
            )
        }
    }

    /// Adds a column whose name no other one has.
    private mutating func add(_ column: Sink.Column, to columns: inout [Sink.Column]) {
        if let first = columns.first(where: { $0.name.value.hasSameCodePoints(as: column.name.value) }) {
            report(
                Diagnostic(
                    "duplicate-key",
                    "two columns have the name '\(column.name.value)'",
                    at: column.name.span,
                    secondary: [.init(first.name.span, "first used here")]
                )
            )
        } else {
            columns.append(column)
        }
    }

    /// Reports a path without a format whose extension names none, as far as the end of the path is certain.
    private mutating func checkExtension(of path: ScalarTemplate) {
        var end = path.constantText
        if case .literal(let text)? = path.template?.template.parts.last,
            text.contains(where: { $0 == "." || $0 == "/" })
        {
            end = text
        }
        guard let end, RecordFormats.writable(ofFile: end) == nil else { return }
        let formats = RecordFormats.writable.map { $0.name }.joined(separator: ", ")
        let extensions = RecordFormats.writable.flatMap { $0.extensions }
        let nearest = NearestName.of(RecordFormats.fileExtension(of: end) ?? "", among: extensions)
        report(
            Diagnostic(
                "unknown-format",
                RecordFormats.unknownExtension(of: end),
                at: path.span,
                label: nearest.map { "did you mean '.\($0)'?" } ?? "",
                help: [
                    "Write one of the extensions \(extensions.map { ".\($0)" }.joined(separator: ", ")), or add 'format' "
                        + "with one of \(formats)."
                ]
            )
        )
    }
}
