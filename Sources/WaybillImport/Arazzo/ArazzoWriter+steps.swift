import WaybillContract
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillManifest

/// A parameter of a step.
struct ArazzoParameter {
    var name: String
    /// The part of the request: `path`, `query`, `querystring`, `header` or `cookie`; nil for an input of a workflow.
    var part: String?
    let value: YAMLNode
    let node: YAMLNode
}

extension ArazzoWriter {
    /// Returns the steps of the current workflow.
    mutating func stepEntries() -> [ManifestEntry] {
        var result: [ManifestEntry] = []
        var skips: [ArazzoFlow.Skip] = []
        var firstEnd: Int?
        for (position, node) in current.steps.enumerated() {
            skips.removeAll { $0.end <= position }
            let sourceID = node["stepId"]?.text ?? ""
            var step = ArazzoStep(id: stepNames.add(NameForms.kept(sourceID) ?? "step"), position: position)
            step.isUncertain = !skips.isEmpty
            do throws(Untranslatable) {
                var (entries, flow) = try stepEntries(node, &step)
                if !skips.isEmpty {
                    let when =
                        skips.contains { $0.when == "false" } ? "false" : skips.map(\.when).joined(separator: " && ")
                    entries.insert(ManifestEntry("when", when == "false" ? .literal(when) : .plain(when)), at: 1)
                }
                if Self.impliedID(entries) == step.id { entries.removeFirst() }
                steps[sourceID] = step
                result.append(ManifestEntry(nil, .map(entries, isOpen: true), comments: flush()))
                result += flow.following
                skips += flow.skips
                if flow.mayEnd { firstEnd = firstEnd ?? position }
            } catch {
                lose("the step '\(sourceID)'", error.reason, node)
                result.append(ManifestEntry(comments: flush()))
            }
        }
        if let firstEnd {
            for (id, step) in steps where step.position > firstEnd { steps[id]?.isUncertain = true }
        }
        return result
    }

    /// The id of a step that has none, from what it calls.
    private static func impliedID(_ entries: [ManifestEntry]) -> String? {
        for case .plain(let name)? in entries.filter({ $0.name == "call" || $0.name == "graph" }).map(\.value) {
            return name.split(separator: ".").last.map(String.init)
        }
        return nil
    }

    private mutating func stepEntries(
        _ node: YAMLNode,
        _ step: inout ArazzoStep
    ) throws(Untranslatable) -> (entries: [ManifestEntry], flow: ArazzoFlow) {
        guard node["channelPath"] == nil, node["action"] == nil, node["correlationId"] == nil else {
            throw Untranslatable("messages of AsyncAPI have no counterpart")
        }
        let target = try target(of: node)
        let known: Set<String> = [
            "stepId", "description", "operationId", "operationPath", "workflowId", "parameters", "requestBody",
            "successCriteria", "onSuccess", "onFailure", "outputs", "timeout", "dependsOn", "x-operation",
        ]
        reportUnknown(node, known, of: "the step '\(node["stepId"]?.text ?? "")'")
        for element in node["dependsOn"].elements where steps[element.text ?? ""] == nil {
            lose("the dependency on the step '\(element.text ?? "")'", "it is not an earlier step", element)
        }
        readParameters(node)
        var entries = [ManifestEntry("id", .plain(step.id))]
        entries += writer.descriptionEntries(node["description"]?.text?.trimmingSpaces)
        if case .workflow(let document, let index) = target {
            let workflow = documents[document].workflows[index]
            guard addCall(to: workflow.graph) else { throw Untranslatable("the workflows run each other") }
            entries += graphEntries(node, workflow, &step)
            let flow = flow(after: node, step, statuses: nil, hasConditions: true)
            return (entries + flow.settings, flow)
        }
        var (checks, statuses) = expectation(node["successCriteria"])
        entries += try requestEntries(node, target, statuses)
        if let timeout = node["timeout"]?.json.number?.double, timeout > 0 {
            entries.append(ManifestEntry("timeout", .duration(timeout / 1000)))
        }
        if statuses.isDisjoint(with: StatusSet.success), statuses.contains(where: { $0 < 400 }) {
            entries.append(ManifestEntry("redirects", .literal("false")))
        }
        let hasConditions = checks.contains { if case .status = $0 { false } else { true } }
        let flow = flow(after: node, step, statuses: statuses, hasConditions: hasConditions)
        entries += flow.settings
        entries += outputEntries(node, &step, flow.statuses ?? statuses)
        if let patterns = flow.statuses.flatMap(StatusSet.patterns) {
            checks.removeAll { if case .status = $0 { true } else { false } }
            checks.append(.status(patterns))
        }
        return (entries + writer.expectEntries(checks), flow)
    }

    /// Reads the parameters of a step and those of its workflow, which it may replace.
    private mutating func readParameters(_ step: YAMLNode) {
        parameters = []
        for element in current.node["parameters"].elements + step["parameters"].elements {
            var node = element
            if let reference = element["reference"]?.text, !reference.isEmpty {
                guard let found = documents[document].component(reference) else {
                    lose("the parameter '\(reference)'", "the component is not defined", element)
                    continue
                }
                node = found
            }
            guard let name = node["name"]?.text, let value = element["value"] ?? node["value"] else {
                let reason = element["$ref"] == nil ? "it has no name or no value" : "other files are not read"
                lose("a parameter", reason, element)
                continue
            }
            reportUnknown(node, ["name", "in", "value", "reference"], of: "the parameter '\(name)'")
            let parameter = ArazzoParameter(name: name, part: node["in"]?.text, value: value, node: element)
            parameters.removeAll { other in
                other.part == parameter.part
                    && (other.part == "header" ? other.name.lowercased() == name.lowercased() : other.name == name)
            }
            parameters.append(parameter)
        }
    }

    /// Returns the entries of a step that runs a workflow.
    private mutating func graphEntries(
        _ node: YAMLNode,
        _ target: ArazzoWorkflow,
        _ step: inout ArazzoStep
    ) -> [ManifestEntry] {
        for key in ["successCriteria", "requestBody", "timeout"] {
            guard let node = node[key] else { continue }
            lose("'\(key)' of a step that runs a workflow", "the steps of the graph have their own", node)
        }
        var entries = [ManifestEntry("graph", .plain(target.graph))]
        var arguments: [ManifestEntry] = []
        let definitions = target.inputs.compactMap(\.definition) + target.added
        for parameter in parameters where parameter.part == nil {
            let id = NameForms.kept(parameter.name) ?? "value"
            let isDeclared = definitions.contains { $0.name == id } || target.uses(input: parameter.name)
            guard isDeclared else {
                lose("the parameter '\(parameter.name)'", "the workflow has no such input", parameter.node)
                continue
            }
            arguments.append(ManifestEntry(id, self.node(parameter.value, named: parameter.name)))
        }
        for parameter in parameters where parameter.part != nil && parameter.node != current.node {
            let reason = "a graph has no \(parameter.part ?? "") parameters"
            lose("the parameter '\(parameter.name)'", reason, parameter.node)
        }
        if !arguments.isEmpty { entries.append(ManifestEntry("with", .map(arguments))) }
        let results = outputs(of: target, step: step.id)
        step.outputs = results
        for (name, source) in node["outputs"].members {
            do throws(Untranslatable) {
                step.outputs[name] = try output(source, .outputs(results))
            } catch {
                lose("the output '\(name)'", error.reason, source)
            }
        }
        return entries
    }

    /// Returns the outputs of a step. A response without a 2xx status has none: later steps read its data themselves.
    private mutating func outputEntries(
        _ node: YAMLNode,
        _ step: inout ArazzoStep,
        _ statuses: Set<Int>
    ) -> [ManifestEntry] {
        var entries: [ManifestEntry] = []
        let hasOutputs = !statuses.isDisjoint(with: StatusSet.success)
        for (name, source) in node["outputs"].members {
            do throws(Untranslatable) {
                var value = try output(source, hasOutputs ? .response : .after(step))
                value.isSecret = value.isSecret || SecretNames.contains(name)
                if hasOutputs {
                    let id = NameForms.kept(name) ?? "output"
                    let node = writer.outputNode(code(value.expression), isSecret: value.isSecret)
                    entries.append(ManifestEntry(id, node))
                    value.code = "steps.\(step.id).outputs.\(id)"
                    value.isUncertain = !statuses.isSubset(of: StatusSet.success)
                    value.isHeader = false
                } else {
                    let reason = "only 2xx responses have outputs; later steps read \(value.code)"
                    lose("the output '\(name)'", reason, source)
                }
                step.outputs[name] = value
            } catch {
                lose("the output '\(name)'", error.reason, source)
            }
        }
        return entries.isEmpty ? [] : [ManifestEntry("outputs", .map(entries))]
    }

    // MARK: Targets

    private mutating func target(of step: YAMLNode) throws(Untranslatable) -> ArazzoTarget {
        if let name = step["workflowId"]?.text, !name.isEmpty {
            guard let (document, index) = workflow(named: name) else {
                throw Untranslatable("no source has the workflow '\(name)'")
            }
            return .workflow(document: document, index: index)
        }
        if let operation = step["x-operation"] {
            guard let url = operation["url"] else { throw Untranslatable("'x-operation' has no URL") }
            let method = (operation["method"]?.text ?? "get").uppercased()
            return .request(source: nil, method: method, url: text(url, named: "url"))
        }
        if let id = step["operationId"]?.text { return try operation(id) }
        guard let path = step["operationPath"]?.text else { throw Untranslatable("it has no operation") }
        if let line = ArazzoRequestLine(path) {
            let source = try source(named: line.source)
            if documents[document].sources[source].isAddress {
                return .request(source: source, method: line.method, url: ImportedText(line.path))
            }
            return try operation(line.method, line.path, source)
        }
        let parts = path.split(separator: "#", maxSplits: 1).map(String.init)
        let name = parts[0].trimmingPrefix("{").dropFirst("$sourceDescriptions.".count).prefix {
            $0 != "." && $0 != "}"
        }
        guard parts[0].contains("$sourceDescriptions."), parts.count == 2,
            let tokens = JSONPointer(parsing: parts[1])?.tokens.map(\.text), tokens.count > 1, tokens[0] == "paths"
        else { throw Untranslatable("'\(path)' is not the path of an operation") }
        let source = try source(named: String(name))
        if tokens.count == 2 { lose("the method of '\(path)'", "it is missing; GET is assumed", step) }
        return try operation(tokens.count > 2 ? tokens[2].uppercased() : "GET", tokens[1], source)
    }

    /// Returns the index of a source with operations.
    private mutating func source(named name: String?) throws(Untranslatable) -> Int {
        let sources = documents[document].sources
        let index =
            if let name { sources.firstIndex { $0.name == name } } else {
                sources.firstIndex { $0.kind != "arazzo" }
            }
        guard let index else { throw Untranslatable("no source is named '\(name ?? "")'") }
        guard sources[index].kind == "openapi" else {
            throw Untranslatable("a source of the type '\(sources[index].kind)' has no operations")
        }
        documents[document].sources[index].isUsed = true
        return index
    }

    private mutating func operation(_ method: String, _ path: String, _ source: Int) throws(Untranslatable)
        -> ArazzoTarget
    {
        let name = "\(method) \(path)"
        if let known = documents[document].sources[source].document, known.entries(named: name).isEmpty {
            throw Untranslatable("the document '\(documents[document].sources[source].url)' has no operation '\(name)'")
        }
        return .operation(source: source, name: name, method: method)
    }

    /// Finds an operation by its id: `$sourceDescriptions.NAME.ID`, `NAME.ID` or `ID`.
    private mutating func operation(_ text: String) throws(Untranslatable) -> ArazzoTarget {
        let sources = documents[document].sources
        var id = text.trimmingPrefix("$sourceDescriptions.")
        var found: Int?
        if let dot = id.firstIndex(of: "."), let index = sources.firstIndex(where: { $0.name == id[..<dot] }) {
            found = try source(named: sources[index].name)
            id = id[id.index(after: dot)...]
        }
        let name = String(id)
        if found == nil {
            let services = sources.filter { $0.kind != "arazzo" }
            let known = services.filter { $0.document?.entries(named: name).isEmpty == false }
            let open = services.filter { $0.document == nil }
            let candidates = known.isEmpty ? open : known
            guard let first = candidates.first else { throw Untranslatable("no source has the operation '\(name)'") }
            if candidates.count > 1 {
                let reason = "several sources may have it; name their documents, too"
                lose("the source of the operation '\(name)'", reason, current.node)
            }
            found = try source(named: first.name)
        }
        let entries = found.flatMap { sources[$0].document }?.entries(named: name)
        guard let found, entries?.isEmpty != true else {
            throw Untranslatable("the document has no operation '\(name)'")
        }
        return .operation(source: found, name: name, method: entries?.first?.method)
    }
}

extension ArazzoWorkflow {
    /// Whether an expression in the workflow uses an input.
    func uses(input name: String) -> Bool { JSONWriter().string(node.json).contains("$inputs.\(name)") }
}

extension String {
    /// The string without a prefix.
    func trimmingPrefix(_ prefix: String) -> Substring { hasPrefix(prefix) ? dropFirst(prefix.count) : self[...] }
}
