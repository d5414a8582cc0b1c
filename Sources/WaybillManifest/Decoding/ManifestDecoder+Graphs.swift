import WaybillData
import WaybillDiagnostics

/// Graphs and their steps.
extension ManifestDecoder {
    /// A graph.
    mutating func graph(_ node: YAMLNode, named name: String) -> Graph? {
        let level = Level.graph(name)
        guard let body = group(node, level: level) else { return nil }
        return Graph(
            description: node["description"]?.scalar?.text,
            settings: settings(node, level: level),
            body: body,
            onFailure: node["onFailure"].flatMap { word($0) } ?? .stop,
            outputs: outputs(node["outputs"], level: level)
        )
    }

    /// The `chain` or `batch` of a graph or step, if it has one.
    private mutating func group(_ node: YAMLNode, level: Level) -> Group? {
        for order in [Group.Order.chain, .batch] {
            if let steps = node[order.rawValue]?.sequence {
                return Group(order: order, steps: steps.compactMap { step($0, level: level) })
            }
        }
        return nil
    }

    private mutating func step(_ node: YAMLNode, level: Level) -> Step? {
        let entries = entries(node)
        guard
            let (form, key, value) = entries.lazy.compactMap({ entry in
                StepForm(rawValue: entry.name.value).map { ($0, entry.name, entry.value) }
            }).first, let action = action(form, key: key, value: value, in: node, level: level)
        else { return nil }
        for (name, _) in entries {
            if let reason = form.reasonAgainst(key: name.value) {
                report(Diagnostic("misplaced-key", "'\(name.value)' has no meaning here: \(reason)", at: name.span))
            }
        }
        return Step(
            id: node["id"].flatMap { text($0) },
            name: node["name"]?.scalar?.text,
            action: action,
            settings: settings(node, level: level),
            outputs: outputs(node["outputs"], level: level),
            onFailure: node["onFailure"].flatMap { word($0) } ?? .stop,
            span: key.span
        )
    }

    private mutating func action(
        _ form: StepForm,
        key: Spanned<String>,
        value: YAMLNode,
        in node: YAMLNode,
        level: Level
    ) -> Step.Action? {
        switch form {
        case .call:
            let with = node["with"]
            return text(value).map {
                .call(endpoint: $0, arguments: with.map { members($0) } ?? [], argumentsSpan: with?.span)
            }
        case .request:
            return request(value, level: level).map(Step.Action.request)
        case .chain, .batch:
            return group(node, level: level).map(Step.Action.group)
        case .get, .head, .post, .put, .patch, .delete:
            guard let text = scalarTemplate(value) else { return nil }
            var request = RequestDefinition(address: address(text, level: level))
            request.method = key.map { $0.uppercased() }
            request.service = node["service"].flatMap { self.text($0) }
            request.mock = node["mock"].map { mockExamples($0) } ?? []
            return .request(request)
        }
    }

    /// What a short form such as `get` names: an absolute URL stands alone, anything else is a path.
    private func address(_ text: ScalarTemplate, level: Level) -> Address {
        let start = (text.constantText ?? text.template?.template.text ?? "").lowercased()
        let setting = Setting(text, at: text.span, level: level)
        return start.hasPrefix("http://") || start.hasPrefix("https://") ? .url(setting) : .path(setting)
    }
}

/// The key that says what a step does.
private enum StepForm: String {
    case call, request, chain, batch, get, head, post, put, patch, delete

    /// Why a key that the schema lets stand at any step has no meaning at this form; `nil` when it has one.
    func reasonAgainst(key: String) -> String? {
        let ofRequests = ["service", "method", "path", "url", "mock"]
        switch self {
        case .call:
            return ofRequests.contains(key) ? "it belongs to the endpoint that is called" : nil
        case _ where key == "with":
            return "only a call takes inputs"
        case .request:
            return ofRequests.contains(key) ? "write it inside 'request'" : nil
        case .chain, .batch:
            return (ofRequests + ["outputs"]).contains(key) ? "a \(rawValue) sends no request of its own" : nil
        case .get, .head, .post, .put, .patch, .delete:
            return ["method", "path", "url"].contains(key) ? "'\(rawValue)' already says it" : nil
        }
    }
}
