import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Reads the flow of a step: when, how often and after which steps it runs.
extension ManifestDecoder {
    mutating func forEach(_ node: YAMLNode, level: Level) -> ForEach? {
        guard let source = node["in"], let variable = node["as"].flatMap({ text($0) }) else { return nil }
        let elements: ForEach.Elements?
        if let list = source.sequence {
            elements = .list(list.compactMap { valueTemplate($0) })
        } else {
            let list = expression(source)
            if let list, list.expression.resultType.isDisjoint(with: .array) {
                diagnostics.report(
                    "wrong-type",
                    "'forEach' requires a list, but '\(list.expression.text)' is not a list",
                    at: list.span
                )
            }
            elements = list.map(ForEach.Elements.expression)
        }
        let name = node["name"].flatMap { scalarTemplate($0) }
        if let name, name.template == nil {
            diagnostics.report(
                "same-for-all",
                "all elements would have the same name",
                at: name.span,
                help: ["Use the element, as in \"${\(variable.value).name}\", or write the 'name' beside 'forEach'."]
            )
        }
        let concurrency = node["concurrency"].flatMap { node in
            integer(node).map { Setting($0, at: node.span, level: level) }
        }
        let shard = node["shard"].flatMap { node in boolean(node).map { Spanned($0, at: node.span) } }
        return elements.map {
            ForEach(
                elements: $0,
                variable: variable,
                name: name,
                concurrency: concurrency,
                shard: shard,
                span: node.span
            )
        }
    }

    mutating func until(_ node: YAMLNode) -> Until? {
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

    mutating func pagination(_ node: YAMLNode, level: Level) -> Pagination? {
        let items = node["items"].flatMap { expression($0) }
        let condition = node["while"].flatMap { self.condition($0) }
        return style(node).map {
            Pagination(
                style: $0,
                items: items,
                max: node["max"].flatMap { integer($0) },
                condition: condition,
                span: node.span,
                level: level
            )
        }
    }

    private mutating func style(_ node: YAMLNode) -> Pagination.Style? {
        if let next = node["next"] { return expression(next).map(Pagination.Style.next) }
        if let page = node["page"] {
            return target(page).map { .page($0, start: page["start"].flatMap { integer($0) } ?? 1) }
        }
        if let offset = node["offset"], let limit = offset["limit"].flatMap({ integer($0) }) {
            return target(offset).map { .offset($0, limit: limit) }
        }
        if let cursor = node["cursor"], let from = cursor["from"].flatMap({ expression($0) }) {
            return target(cursor).map { .cursor($0, from: from) }
        }
        return node["link"].flatMap { boolean($0) } == true ? .link : nil
    }

    private func target(_ node: YAMLNode) -> Pagination.Target? {
        node["input"].flatMap { text($0) }.map(Pagination.Target.input)
            ?? node["query"].flatMap { text($0) }.map(Pagination.Target.query)
    }
}
