import WaybillJSON
import WaybillManifest

/// What happens after a step: `onSuccess` and `onFailure` (Arazzo 1.1.0, sections "Success Action Object" and "Failure Action
/// Object").
struct ArazzoFlow {
    /// Steps that are skipped.
    struct Skip {
        /// The position of the first step that is not skipped.
        var end: Int
        /// The condition under which they are run.
        var when: String
    }

    /// Settings of the step itself.
    var settings: [ManifestEntry] = []
    /// The statuses that the step accepts, if its actions add some.
    var statuses: Set<Int>?
    /// Steps after it.
    var following: [ManifestEntry] = []
    var skips: [Skip] = []
    /// Whether the workflow may end after it.
    var mayEnd = false
}

/// An action with its condition.
private struct ArazzoAction {
    let node: YAMLNode
    var type: String
    /// What it requires; empty without a condition.
    var requirements: [ArazzoRequirement] = []

    /// The statuses that it requires, if it requires nothing else.
    var statuses: Set<Int>? {
        requirements.reduce(StatusSet.all as Set<Int>?) { result, requirement in
            if case .status(let codes, _) = requirement { result?.intersection(codes) } else { nil }
        }
    }
}

extension ArazzoWriter {
    /// Returns what happens after a step.
    ///
    /// - Parameter statuses: The statuses of success; nil for a step that runs a workflow.
    mutating func flow(
        after node: YAMLNode,
        _ step: ArazzoStep,
        statuses: Set<Int>?,
        hasConditions: Bool
    ) -> ArazzoFlow {
        var flow = ArazzoFlow()
        let view = statuses == nil ? ArazzoView.outputs(step.outputs) : .after(step)
        addFailure(actions("onFailure", "failureActions", node, view), step, statuses, hasConditions, &flow)
        addSuccess(actions("onSuccess", "successActions", node, view), step, statuses, &flow)
        return flow
    }

    /// Returns the actions of a step, and those of its workflow that it does not replace.
    private mutating func actions(
        _ key: String,
        _ outerKey: String,
        _ step: YAMLNode,
        _ view: ArazzoView
    ) -> [ArazzoAction] {
        let own = step[key].elements
        let names = own.compactMap { $0["name"]?.text }
        let outer = current.node[outerKey].elements.filter { action in
            action["name"]?.text.map { !names.contains($0) } ?? true
        }
        var result: [ArazzoAction] = []
        for element in own + outer {
            var node = element
            let name = element["name"]?.text
            if let reference = element["reference"]?.text ?? name.flatMap({ $0.hasPrefix("$components.") ? $0 : nil }) {
                guard let found = documents[document].component(reference) else {
                    lose("the action '\(reference)'", "the component is not defined", element)
                    continue
                }
                node = found
            }
            let known: Set<String> = [
                "name", "type", "workflowId", "stepId", "parameters", "retryAfter", "retryLimit", "criteria",
                "reference",
            ]
            reportUnknown(node, known, of: "the action '\(name ?? "")'")
            var action = ArazzoAction(node: node, type: node["type"]?.text ?? "")
            do throws(Untranslatable) {
                for criterion in node["criteria"].elements {
                    action.requirements += try requirements(criterion, view)
                }
                result.append(action)
            } catch {
                lose("the action '\(name ?? action.type)'", "its criteria: \(error.reason)", element)
                // Whether those after it are reached is not known.
                return result
            }
        }
        return result
    }

    // MARK: Failures

    private mutating func addFailure(
        _ actions: [ArazzoAction],
        _ step: ArazzoStep,
        _ statuses: Set<Int>?,
        _ hasConditions: Bool,
        _ flow: inout ArazzoFlow
    ) {
        var remaining = StatusSet.all.subtracting(statuses ?? [])
        for action in actions {
            let what = "the action '\(action.node["name"]?.text ?? action.type)' after a failure"
            let isConditional = !action.requirements.isEmpty
            let codes = action.statuses.map { $0.intersection(remaining) }
            guard codes != nil else {
                return lose(what, "its condition is not only one on the status", action.node)
            }
            switch action.type {
            case "end":
                if !isConditional { return }
                remaining.subtract(codes ?? [])
            case "retry":
                if !addRetry(action, isConditional ? codes : nil, statuses, &flow) { return }
            case "goto":
                let isRetried = !flow.settings.isEmpty
                if isConditional {
                    guard let codes, let statuses, !hasConditions, !isRetried,
                        let condition = Self.condition(codes, "steps.\(step.id).status")
                    else { return lose(what, "a failure under a condition does not continue elsewhere", action.node) }
                    guard add(action, step, condition, &flow) else { return }
                    flow.statuses = (flow.statuses ?? statuses).union(codes)
                    remaining.subtract(codes)
                } else {
                    guard add(action, step, "not(steps.\(step.id).ok)", &flow) else { return }
                    flow.settings.append(ManifestEntry("onFailure", .plain("continue")))
                    return
                }
            default: return lose(what, "there are no actions of the type '\(action.type)'", action.node)
            }
        }
    }

    /// Adds the setting `retry`; false if it cannot express the action.
    private mutating func addRetry(
        _ action: ArazzoAction,
        _ codes: Set<Int>?,
        _ statuses: Set<Int>?,
        _ flow: inout ArazzoFlow
    ) -> Bool {
        let node = action.node
        let limit = Int(node["retryLimit"]?.text ?? "1") ?? 1
        let wait = node["retryAfter"]?.json.number?.double
        let causes =
            codes.map { StatusSet.patterns($0) ?? [] }
            ?? ["dns", "connect", "tls", "timeout", "transfer", "status", "decode", "output", "expect"]
        guard statuses != nil, flow.settings.isEmpty, !causes.isEmpty,
            ["stepId", "workflowId"].allSatisfy({ node[$0]?.text?.isEmpty ?? true })
        else {
            lose("the retry of the step", "'retry' only repeats the request itself", node)
            return false
        }
        var entries = [
            ManifestEntry("times", .literal("\(limit)")), ManifestEntry("for", .list(of: causes.map { .literal($0) })),
        ]
        if let wait, wait > 0 {
            var backoff: [(String, ManifestNode)] = [
                ("first", .duration(wait)), ("factor", .literal("1")),
            ]
            if wait > 30 { backoff.append(("max", .duration(wait))) }
            backoff.append(("jitter", .literal("false")))
            entries.append(ManifestEntry("backoff", .map(backoff.map { ManifestEntry($0.0, $0.1) })))
        }
        if method.map({ ["POST", "PATCH"].contains($0) }) ?? true {
            entries.append(ManifestEntry("unsafe", .literal("true")))
        }
        flow.settings.append(ManifestEntry("retry", .map(entries)))
        return true
    }

    // MARK: Successes

    private mutating func addSuccess(
        _ actions: [ArazzoAction],
        _ step: ArazzoStep,
        _ statuses: Set<Int>?,
        _ flow: inout ArazzoFlow
    ) {
        // What must not hold, because an earlier action would have been taken.
        var earlier: [String] = []
        // The step may also have been skipped, or have failed without an effect.
        var start: [String] = []
        if flow.statuses != nil, let statuses, let condition = Self.condition(statuses, "steps.\(step.id).status") {
            start = [condition]
        } else if step.isUncertain || flow.settings.contains(where: { $0.name == "onFailure" }) {
            start = ["steps.\(step.id).ok"]
        }
        for action in actions {
            let conditions = action.requirements.compactMap { requirement in
                // What the step requires anyway.
                if case .status(let codes, _) = requirement, let statuses, statuses.isSubset(of: codes) { return nil }
                return requirement.condition
            }.map { $0.contains(" || ") ? "(\($0))" : $0 }
            let own = conditions.joined(separator: " && ")
            let others = earlier.filter { !Self.excludes($0, own) }.map(Self.negated)
            let condition = (start + others + conditions).joined(separator: " && ")
            guard action.type == "goto" || action.type == "end" else {
                return lose("the action '\(action.type)' after a success", "no action has this type", action.node)
            }
            guard add(action, step, condition.isEmpty ? "true" : condition, &flow) else { return }
            if conditions.isEmpty { return }
            if action.type == "goto", action.node["stepId"]?.text?.isEmpty == false { earlier.append(own) }
        }
    }

    /// Adds an action that ends the workflow or continues elsewhere; false if that is not possible.
    private mutating func add(
        _ action: ArazzoAction,
        _ step: ArazzoStep,
        _ condition: String,
        _ flow: inout ArazzoFlow
    ) -> Bool {
        let isLast = step.position == current.steps.count - 1
        let isAlways = condition == "true"
        let end = ManifestEntry(nil, .map(("end", isAlways ? .literal("true") : .plain(condition))))
        if action.type == "end" {
            if !isLast {
                flow.following.append(end)
                flow.mayEnd = true
            }
            return true
        }
        if let id = action.node["stepId"]?.text, !id.isEmpty {
            let position = current.steps.firstIndex { $0["stepId"]?.text == id }
            guard let position, position > step.position else {
                let reason = position == nil ? "no step has this id" : "it is not a later step"
                lose("the transfer to the step '\(id)'", reason, action.node)
                return false
            }
            if position > step.position + 1 {
                flow.skips.append(ArazzoFlow.Skip(end: position, when: isAlways ? "false" : Self.negated(condition)))
            }
            return true
        }
        let name = action.node["workflowId"]?.text ?? ""
        guard let (document, index) = workflow(named: name) else {
            lose("the transfer to the workflow '\(name)'", "no source has this workflow", action.node)
            return false
        }
        let target = documents[document].workflows[index]
        guard addCall(to: target.graph) else {
            lose("the transfer to the workflow '\(name)'", "the workflows run each other", action.node)
            return false
        }
        let id = stepNames.add(target.graph)
        var entries = [ManifestEntry("graph", .plain(target.graph))]
        if id != target.graph { entries.insert(ManifestEntry("id", .plain(id)), at: 0) }
        if !isAlways { entries.append(ManifestEntry("when", .plain(condition))) }
        let arguments = action.node["parameters"].elements.compactMap { parameter -> ManifestEntry? in
            guard let name = parameter["name"]?.text, let value = parameter["value"] else {
                lose("a parameter of the workflow '\(target.id)'", "it has no name or no value", parameter)
                return nil
            }
            return ManifestEntry(NameForms.kept(name) ?? "value", node(value, named: name))
        }
        if !arguments.isEmpty { entries.append(ManifestEntry("with", .map(arguments))) }
        flow.following.append(ManifestEntry(nil, .map(entries, isOpen: true)))
        if !isLast {
            flow.following.append(end)
            flow.mayEnd = true
        }
        return true
    }

    private static func condition(_ codes: Set<Int>, _ status: String) -> String? {
        StatusSet.patterns(codes).map { ImportedCheck.condition(status: $0, of: status) }
    }

    /// The sides of a single comparison of a value with a literal.
    private static func sides(_ condition: String, _ operation: String) -> [String]? {
        guard !["&&", "||", "[?", "'", "\"", "not("].contains(where: condition.contains) else { return nil }
        let sides = condition.split(separator: " \(operation) ", omittingEmptySubsequences: false).map(String.init)
        return sides.count == 2 ? sides : nil
    }

    /// Whether two conditions never hold together: they compare the same value.
    private static func excludes(_ first: String, _ second: String) -> Bool {
        let (equal, other) = (sides(first, "=="), sides(second, "=="))
        if let equal, let other { return equal[0] == other[0] && equal[1] != other[1] }
        return (equal ?? other) != nil && (equal ?? other) == (equal == nil ? sides(first, "!=") : sides(second, "!="))
    }

    /// The opposite of a condition.
    private static func negated(_ condition: String) -> String {
        if condition.hasPrefix("not("), condition.dropFirst(4).firstIndex(of: "(") == nil, condition.hasSuffix(")") {
            return String(condition.dropFirst(4).dropLast())
        }
        return ScriptTranslator.negated(ImportedText(condition)).literal ?? "not(\(condition))"
    }
}
