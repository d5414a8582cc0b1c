import WaybillDiagnostics

/// What is done with an answer: expectations, interceptors, outputs.
extension ManifestDecoder {
    /// Gives each part of an expectation, with its node, to a closure.
    mutating func expectation(_ node: YAMLNode, _ add: (SettingValue?, YAMLNode) -> Void) {
        for (key, value) in node.mapping?.entries ?? .empty {
            switch key.text {
            case "status":
                add(.expectStatus((value.sequence ?? [value]).compactMap { status($0) }), value)
            case "headers":
                for (name, value) in named(value) {
                    add(.expectHeader(name, nonNull(value).flatMap { scalarTemplate($0) }), value)
                }
            case "json": add(valueTemplate(value).map(SettingValue.expectJSON), value)
            case "body":
                for condition in value.sequence ?? [] { add(check(condition).map(SettingValue.expectBody), condition) }
            case "maxTime": add(timeLimit(value).map(SettingValue.expectTime), value)
            case "schema": add(schema(value).map(SettingValue.expectSchema), value)
            default: break
            }
        }
    }

    private mutating func status(_ node: YAMLNode) -> StatusTemplate? {
        guard let scalar = scalarTemplate(node) else { return nil }
        if scalar.template != nil { return .template(scalar) }
        return scalar.constantText.flatMap { StatusPattern($0) }.map(StatusTemplate.constant)
    }

    private mutating func check(_ node: YAMLNode) -> Check? {
        let that = node.mapping == nil ? node : node["that"]
        let message = node.mapping == nil ? nil : node["message"].flatMap { scalarTemplate($0) }
        return that.flatMap { condition($0) }.map { Check(that: $0, message: message) }
    }

    /// What is done before and after success and failure.
    mutating func interception(_ node: YAMLNode) -> Interception {
        var interception = Interception()
        for (key, value) in node.mapping?.entries ?? .empty {
            guard let moment = word(key) as Interception.Moment? else { continue }
            interception.actions[moment] = (value.sequence ?? []).compactMap { action($0, at: moment) }
        }
        return interception
    }

    private mutating func action(_ node: YAMLNode, at moment: Interception.Moment) -> Interception.Action? {
        let when = node["when"].flatMap { condition($0) }
        for (key, value) in node.mapping?.entries ?? .empty {
            let work: Interception.Action.Work?
            reportActionWithoutEffect(key, at: moment)
            switch key.text {
            case "log": work = scalarTemplate(value).map(Interception.Action.Work.log)
            case "fail": work = scalarTemplate(value).map(Interception.Action.Work.fail)
            case "recover": work = valueTemplate(value).map(Interception.Action.Work.recover)
            default: continue
            }
            return work.map { Interception.Action(work: $0, when: when, span: node.span) }
        }
        return nil
    }

    /// Reports an action that could not take effect at its hook: only 'beforeSuccess' may fail, and only 'beforeFailure'
    /// may recover.
    private mutating func reportActionWithoutEffect(_ key: YAMLNode, at moment: Interception.Moment) {
        let allowed: Interception.Moment
        switch key.text {
        case "fail": allowed = .beforeSuccess
        case "recover": allowed = .beforeFailure
        default: return
        }
        guard moment != allowed else { return }
        let name = key.text ?? ""
        report(
            Diagnostic(
                "intercept-action",
                "'\(moment.rawValue)' must not have the action '\(name)'",
                at: key.span,
                help: ["Use '\(name)' in '\(allowed.rawValue)'. Every hook may have 'log'."]
            )
        )
    }

    /// Named values.
    mutating func outputs(_ node: YAMLNode?, level: Level) -> [OutputDefinition] {
        constantNames(node).compactMap { name, node in
            if leavesOut(node) { return nil }
            let value = node.mapping == nil ? node : node["value"]
            let secretMark = node["secret"].flatMap { boolean($0) }
            return value.flatMap { expression($0) }
                .map { OutputDefinition(name: name, value: $0, secretMark: secretMark, level: level) }
        }
    }

    /// Values computed before each attempt.
    mutating func variables(_ node: YAMLNode?, level: Level) -> [VariableDefinition] {
        constantNames(node).compactMap { name, node in
            if leavesOut(node) { return nil }
            return valueTemplate(node).map { VariableDefinition(name: name, value: $0, level: level) }
        }
    }

    /// What the data must be.
    mutating func returnShape(_ node: YAMLNode?, level: Level) -> ReturnShape? {
        guard let node, let (key, value) = node.mapping?.entries.first else { return nil }
        return schema(value, assertsFormats: true).map {
            ReturnShape(isCollection: key.text == "collection", schema: $0, span: value.span, level: level)
        }
    }
}
