import WaybillDiagnostics

/// Reads graphs and their steps.
extension ManifestDecoder {
    /// Reads the values that a graph keeps between runs.
    mutating func state(_ node: YAMLNode?, level: Level) -> [StateDefinition] {
        constantNames(node, isData: false).compactMap { name, node in
            guard let initial = node["default"], let next = node["next"].flatMap({ expression($0) }) else { return nil }
            let output = OutputDefinition(name: name, value: next, secretMark: nil, level: level)
            return StateDefinition(defaultValue: initial.json, next: output)
        }
    }

    /// Reads the `chain` or `batch` of a graph or step, if it has one.
    mutating func group(_ node: YAMLNode, level: Level, earlier: Group?) -> Group? {
        for order in [Group.Order.chain, .batch] {
            if let node = node[order.rawValue] { return steps(node, order: order, level: level, earlier: earlier) }
        }
        return nil
    }

    /// Reads the steps of a group.
    mutating func steps(_ node: YAMLNode, order: Group.Order, level: Level, earlier: Group?) -> Group {
        let nodes = node.sequence ?? []
        let known = earlier?.steps.count == nodes.count ? earlier?.steps : nil
        let steps = nodes.enumerated().map { index, node in
            if let step = known?[index], isWithoutFaults(node) { return step }
            return Step(node, level: level, earlier: known?[index], &self)
        }
        return Group(order: order, steps: steps)
    }

    /// Reports the keys of a step that have no meaning at its form.
    mutating func reportMisplacedKeys(of node: YAMLNode, _ entries: StepEntries, in form: StepForm) {
        for name in StepKey.allCases {
            if let reason = form.reasonAgainst(name), let (key, _) = entries.entry(name) {
                let message = "'\(name)' has no meaning here: \(reason)"
                diagnostics.report("misplaced-key", message, at: key.span, help: name == .write ? Self.writeHelp : [])
            }
        }
        reportSettings(of: node, against: form)
        if form == .values { reportExpectationsOfResponses(in: node) }
        guard form != .chain, form != .batch, !entries.has(.forEach), !isMisspelt(StepKey.forEach.rawValue, in: node),
            let (key, value) = entries.entry(.onFailure), value.text == FailureMode.collect.rawValue
        else { return }
        let message = "'onFailure: collect' has no meaning here: nothing else runs in this step"
        let help = ["Write it at the chain, batch or graph that contains the step."]
        diagnostics.report("misplaced-key", message, at: key.span, help: help)
    }

    private static let writeHelp = [
        "Write it at a step that sends a request: the request itself, with its 'forEach', or a later one, whose 'records' "
            + "can be data of other steps, such as steps.ID.items[*].outputs.NAME[*] after a 'forEach' over a 'graph' with "
            + "'outputs'."
    ]

    /// Reports the settings of a step that sends no requests to which they could apply.
    private mutating func reportSettings(of node: YAMLNode, against form: StepForm) {
        for (key, _) in node.entries {
            guard let name = key.text, !form.canHave(setting: name) else { continue }
            let reason = "a step with '\(form.rawValue)' sends no request of its own"
            diagnostics.report("misplaced-key", "'\(name)' has no meaning here: \(reason)", at: key.span)
        }
    }

    /// Reports the expectations of a step with `values` that only a response can meet.
    private mutating func reportExpectationsOfResponses(in node: YAMLNode) {
        for (key, _) in node[ExpectationSetting.key]?.entries ?? [] {
            guard let part = key.text.flatMap(ExpectationSetting.Part.init), part.isOfResponses else { continue }
            diagnostics.report(
                "misplaced-key",
                "'\(part.rawValue)' has no meaning here: a step with 'values' has no response",
                at: key.span,
                help: ["Write it at the step that sends the request."]
            )
        }
    }

    /// Reads what a step does; `nil` if it cannot be read.
    mutating func action(
        _ written: StepForm.Written,
        _ entries: StepEntries,
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
            let method = ScalarTemplate(form.rawValue.uppercased(), at: key.span)
            return .request(
                RequestDefinition(
                    at: address(short: value, level: level) ?? Self.unknownAddress(at: value, level: level),
                    method: Setting(method, at: key.span, level: level),
                    settings: Settings(),
                    entries,
                    unknown: unknown,
                    level: level,
                    &self
                )
            )
        }
    }

    /// Returns an action for a step whose form is unknown: one in which all its keys have a meaning.
    mutating func unknownAction(
        at node: YAMLNode,
        _ entries: StepEntries,
        unknown: UnknownParts,
        level: Level
    ) -> Step.Action {
        if let inputs = entries[.with] {
            return .call(Step.Call(name: Spanned("", at: node.span), arguments: members(inputs)))
        }
        return .request(
            RequestDefinition(
                at: Self.unknownAddress(at: node, level: level),
                method: nil,
                settings: Settings(),
                entries,
                unknown: unknown,
                level: level,
                &self
            )
        )
    }

    /// Reads the name and the inputs of a call.
    mutating func call(_ name: YAMLNode, with inputs: YAMLNode?) -> Step.Call? {
        let arguments = inputs.map { members($0, isData: false) } ?? []
        return text(name).map { Step.Call(name: $0, arguments: arguments) }
    }
}

extension StepForm {
    /// The form of a step, and the key and value that determine it.
    typealias Written = (form: StepForm, key: YAMLNode, value: YAMLNode)

    /// Returns the form that the keys of a step determine.
    static func written(in entries: StepEntries) -> Written? {
        for name in StepKey.allCases {
            if let form = name.form, let (key, value) = entries.entry(name) { return (form, key, value) }
        }
        return nil
    }

    /// Whether the keys of the request are those of the step itself.
    var isShortRequest: Bool {
        switch self {
        case .get, .head, .post, .put, .patch, .delete: true
        case .call, .request, .graph, .chain, .batch, .values, .end: false
        }
    }

    /// The settings that have an effect at a step of this form; `nil` if all have one. `concurrency` is checked with the
    /// locations of steps.
    fileprivate var effectiveSettings: [String]? {
        switch self {
        case .values: [DeadlineSetting.key, TagSetting.key, ConcurrencySetting.key, ExpectationSetting.key]
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

extension StepForm {
    /// Whether requests of a step of this form can have a setting; `true` for any other key.
    fileprivate func canHave(setting name: String) -> Bool {
        guard let effectiveSettings else { return true }
        let isSetting = name == SettingDefinitions.inherit || SettingDefinitions.byKey[name] != nil
        return !isSetting || effectiveSettings.contains(name)
    }

    /// Whether a key has no meaning in a step of the form that other keys give it.
    package static func isMeaningless(_ name: String, in step: YAMLMapping) -> Bool {
        guard let form = written(in: StepEntries(step))?.form else { return false }
        guard let key = StepKey(rawValue: name) else { return !form.canHave(setting: name) }
        return form.reasonAgainst(key) != nil
    }
}

/// The entries of a step or a request.
struct StepEntries {
    private let mapping: YAMLMapping?

    init(_ mapping: YAMLMapping) { self.mapping = mapping }

    /// Creates the entries of a node; none if it is not a mapping.
    init(_ node: YAMLNode) { mapping = node.mapping }

    /// The value of a key; `nil` if the mapping does not have it.
    subscript(key: StepKey) -> YAMLNode? { mapping?[key.rawValue] }

    /// Whether the mapping has an entry with a key.
    func has(_ key: StepKey) -> Bool { self[key] != nil }

    /// Returns the entry of a key, for the span of the key.
    func entry(_ key: StepKey) -> YAMLMapping.Entry? { mapping?.entry(named: key.rawValue) }
}

/// The keys of a step that are not settings.
enum StepKey: String, CaseIterable {
    case call, request, get, head, post, put, patch, delete, graph, chain, batch, values, end
    case with, id, name, description, when, delay, deadline, forEach, until, paginate, write, needs, onFailure
    case service, method, path, url, mock, vars, outputs, returns, download

    /// The form of the step that the key determines; `nil` for a key that several forms can have.
    var form: StepForm? { StepForm(rawValue: rawValue) }
}
