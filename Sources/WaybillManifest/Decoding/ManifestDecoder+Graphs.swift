import WaybillDiagnostics

/// Reads graphs and their steps.
extension ManifestDecoder {
    /// Reads a graph.
    ///
    /// - Parameter earlier: The same graph, decoded before its errors were known.
    mutating func graph(_ node: YAMLNode, named name: String, earlier: Graph? = nil) -> Graph {
        let level = Level.graph(name)
        let body = group(node, level: level, earlier: earlier?.body) ?? Group(order: .chain, steps: [])
        let settings = settings(node, level: level)
        return Graph(
            description: node["description"]?.text,
            inputs: inputs(node["inputs"]),
            // Like the deadline of a step, that of a graph applies to the whole, not to each request in it.
            settings: settings.without(DeadlineSetting.key),
            deadline: settings.deadline,
            body: body,
            onFailure: node["onFailure"].flatMap { word($0) } ?? .stop,
            finally: node["finally"].map { steps($0, order: .chain, level: level, earlier: earlier?.finally) },
            outputs: outputs(node["outputs"], level: level),
            state: state(node["state"], level: level),
            tags: (node["tags"]?.sequence ?? []).compactMap { text($0) },
            unknown: unknownParts(of: node)
        )
    }

    /// Reads the values that a graph keeps between runs.
    private mutating func state(_ node: YAMLNode?, level: Level) -> [StateDefinition] {
        constantNames(node).compactMap { name, node in
            guard let initial = node["default"], let next = node["next"].flatMap({ expression($0) }) else { return nil }
            let output = OutputDefinition(name: name, value: next, secretMark: nil, level: level)
            return StateDefinition(defaultValue: initial.json, next: output)
        }
    }

    /// Reads the `chain` or `batch` of a graph or step, if it has one.
    private mutating func group(_ node: YAMLNode, level: Level, earlier: Group?) -> Group? {
        for order in [Group.Order.chain, .batch] {
            if let node = node[order.rawValue] { return steps(node, order: order, level: level, earlier: earlier) }
        }
        return nil
    }

    private mutating func steps(_ node: YAMLNode, order: Group.Order, level: Level, earlier: Group?) -> Group {
        let nodes = node.sequence ?? []
        guard let earlier, earlier.steps.count == nodes.count else {
            return Group(order: order, steps: nodes.map { step($0, level: level) })
        }
        let steps = zip(nodes, earlier.steps).map { node, known in
            isWithoutFaults(node) ? known : step(node, level: level, earlier: known)
        }
        return Group(order: order, steps: steps)
    }

    private mutating func step(_ node: YAMLNode, level: Level, earlier: Step? = nil) -> Step {
        let entries = KnownEntries<StepKey>(node)
        var unknown = unknownParts(of: node)
        let action: Step.Action
        let (form, place): (StepForm, YAMLNode)
        let written = Self.form(of: entries)
        let group = earlier?.group
        if let written, let known = self.action(written, entries, unknown: unknown, level: level, earlier: group) {
            (action, form, place) = (known, written.form, written.key)
        } else {
            unknown.formUnion([.form, .address, .method, .service])
            action = unknownAction(at: node, entries, unknown: unknown, level: level)
            (form, place) = (action.isCall ? .call : .get, node)
        }
        let settings = settings(node, level: level)
        // In the short forms, these keys of the request are written beside those of the step.
        let outputs = form.isShortRequest ? [] : outputs(entries[.outputs], level: level)
        let vars = form.isShortRequest ? [] : variables(entries[.vars], level: level)
        let flow = flow(entries, deadline: settings.deadline, at: node.span, level: level)
        for name in StepKey.allCases where entries.has(name) {
            if let reason = written?.form.reasonAgainst(name), let (key, _) = entries.entry(name) {
                report(Diagnostic("misplaced-key", "'\(name)' has no meaning here: \(reason)", at: key.span))
            }
        }
        if let form = written?.form { reportSettings(of: node, against: form) }
        if let form = written?.form, form != .chain, form != .batch, !entries.has(.forEach),
            let (key, value) = entries.entry(.onFailure), value.text == FailureMode.collect.rawValue
        {
            let message = "'onFailure: collect' has no meaning here: nothing else runs in this step"
            let help = ["Write it at the chain, batch or graph that contains the step."]
            report(Diagnostic("misplaced-key", message, at: key.span, help: help))
        }
        return Step(
            id: entries[.id].flatMap { text($0) },
            name: entries[.name]?.text?.replacing("$${", with: "${"),
            description: entries[.description]?.text,
            action: action,
            service: form == .call ? entries[.service].flatMap { text($0) } : nil,
            flow: flow,
            // The deadline of a step applies to the whole, not to each request in it.
            settings: flow?.deadline == nil ? settings : settings.without(DeadlineSetting.key),
            vars: vars,
            outputs: outputs,
            onFailure: entries[.onFailure].flatMap { word($0) } ?? .stop,
            span: place.span,
            form: form,
            unknown: unknown
        )
    }

    /// Reports the settings of a step that sends no requests to which they could apply.
    private mutating func reportSettings(of node: YAMLNode, against form: StepForm) {
        guard let effective = form.effectiveSettings else { return }
        for (key, _) in node.mapping?.entries ?? .empty {
            guard let name = key.text, name == SettingDefinitions.inherit || SettingDefinitions.byKey[name] != nil,
                !effective.contains(name)
            else { continue }
            let reason = "a step with '\(form.rawValue)' sends no request of its own"
            report(Diagnostic("misplaced-key", "'\(name)' has no meaning here: \(reason)", at: key.span))
        }
    }

    /// The form of a step, and the key and value that determine it.
    private typealias WrittenForm = (form: StepForm, key: YAMLNode, value: YAMLNode)

    private static func form(
        of entries: KnownEntries<StepKey>
    ) -> WrittenForm? {
        for name in StepKey.forms {
            if let form = name.form, let (key, value) = entries.entry(name) { return (form, key, value) }
        }
        return nil
    }

    private mutating func action(
        _ written: WrittenForm,
        _ entries: KnownEntries<StepKey>,
        unknown: UnknownParts,
        level: Level,
        earlier: Group?
    ) -> Step.Action? {
        let (form, key, value) = written
        switch form {
        case .call: return call(value, with: entries[.with]).map(Step.Action.call)
        case .graph: return call(value, with: entries[.with]).map(Step.Action.graph)
        case .request: return .request(request(value, level: level))
        case .chain: return .group(steps(value, order: .chain, level: level, earlier: earlier))
        case .batch: return .group(steps(value, order: .batch, level: level, earlier: earlier))
        case .values: return .values(outputs(value, level: level))
        case .end: return condition(value).map(Step.Action.end)
        case .get, .head, .post, .put, .patch, .delete:
            // The settings are those of the step.
            let address = address(short: value, level: level)
            return .request(
                request(
                    at: address ?? Self.unknownAddress(at: value, level: level),
                    method: Setting(
                        ScalarTemplate(form.rawValue.uppercased(), at: key.span),
                        at: key.span,
                        level: level
                    ),
                    settings: Settings(),
                    entries,
                    unknown: unknown,
                    level: level
                )
            )
        }
    }

    /// Returns an action for a step whose form is unknown: one in which all its keys have a meaning.
    private mutating func unknownAction(
        at node: YAMLNode,
        _ entries: KnownEntries<StepKey>,
        unknown: UnknownParts,
        level: Level
    ) -> Step.Action {
        if let inputs = entries[.with] {
            return .call(Step.Call(name: Spanned("", at: node.span), arguments: members(inputs)))
        }
        let address = Self.unknownAddress(at: node, level: level)
        return .request(
            request(at: address, method: nil, settings: Settings(), entries, unknown: unknown, level: level)
        )
    }

    /// Reads the name and the inputs of a call.
    mutating func call(_ name: YAMLNode, with inputs: YAMLNode?) -> Step.Call? {
        let arguments = inputs.map { members($0) } ?? []
        return text(name).map { Step.Call(name: $0, arguments: arguments) }
    }
}

extension Step {
    fileprivate var group: Group? {
        if case .group(let group) = action { group } else { nil }
    }
}

extension Step.Action {
    fileprivate var isCall: Bool {
        if case .call = self { true } else { false }
    }
}

extension StepForm {
    /// Whether the keys of the request are those of the step itself.
    var isShortRequest: Bool {
        switch self {
        case .get, .head, .post, .put, .patch, .delete: true
        case .call, .request, .graph, .chain, .batch, .values, .end: false
        }
    }

    /// The settings that have an effect at a step of this form; `nil` if all have one. `concurrency` is checked with the
    /// places of steps.
    fileprivate var effectiveSettings: [String]? {
        switch self {
        case .values: [DeadlineSetting.key, TagSetting.key, ConcurrencySetting.key]
        case .end: [TagSetting.key, ConcurrencySetting.key]
        case .call, .request, .graph, .chain, .batch, .get, .head, .post, .put, .patch, .delete: nil
        }
    }

    /// Returns why a key that the schema allows at every step is not allowed at this form; `nil` if it is allowed.
    fileprivate func reasonAgainst(_ key: StepKey) -> String? {
        switch key {
        case .service where self == .call: nil
        case .service, .method, .path, .url, .mock, .returns, .download: reasonAgainstRequestKey(key)
        case .with: self == .call || self == .graph ? nil : "only a step with 'call' or 'graph' takes inputs"
        case .outputs, .vars, .paginate, .write:
            sendsRequests ? nil : "a step with '\(rawValue)' sends no request of its own"
        case .until where self == .values || self == .end: "'\(rawValue)' has nothing to wait for"
        case .forEach where self == .end: "a step with 'end' cannot be repeated"
        default: nil
        }
    }

    private func reasonAgainstRequestKey(_ key: StepKey) -> String? {
        switch self {
        case .call: "it belongs to the endpoint that is called"
        case .request: "write it inside 'request'"
        case .graph, .chain, .batch, .values, .end: "a step with '\(rawValue)' sends no request of its own"
        case .get, .head, .post, .put, .patch, .delete:
            [.method, .path, .url].contains(key) ? "'\(rawValue)' already specifies it" : nil
        }
    }

    private var sendsRequests: Bool { self == .call || self == .request || isShortRequest }
}
