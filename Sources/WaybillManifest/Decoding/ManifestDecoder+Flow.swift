import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Reads the flow of a step: when, how often and after which steps it runs.
extension ManifestDecoder {
    /// Returns the flow that the keys of a step define; `nil` if it has no such key.
    ///
    /// - Parameters:
    ///   - deadline: The deadline of the step, which is among its settings.
    ///   - span: The location of the step.
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
                        "'forEach' requires a list, but '\(list.expression.text)' is not a list",
                        at: list.span
                    )
                )
            }
            elements = list.map(ForEach.Elements.expression)
        }
        let concurrency = node["concurrency"].flatMap { node in
            integer(node).map { Setting($0, at: node.span, level: level) }
        }
        let shard = node["shard"].flatMap { node in boolean(node).map { Spanned($0, at: node.span) } }
        return elements.map {
            ForEach(elements: $0, variable: variable, concurrency: concurrency, shard: shard, span: node.span)
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
        return style(node).map {
            Pagination(
                style: $0,
                items: items,
                max: node["max"].flatMap { integer($0) },
                condition: goesOn,
                span: node.span
            )
        }
    }

    private mutating func style(_ node: YAMLNode) -> Pagination.Style? {
        if let next = node["next"] { return expression(next).map(Pagination.Style.next) }
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
}
