import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillPlan

extension PlanDescription {
    /// Returns the plan as text for people, with or without ANSI colours: a tree of steps for each graph. A graph that
    /// several steps run is written once.
    package func text(colour: Bool = false) -> String {
        var text = TextPlan(form: makeValues(), paint: TextPaint(colour: colour))
        text.add(plan, environment: environment)
        return text.text
    }
}

/// The text of a plan while it is being written.
private struct TextPlan {
    let form: PlanValues
    let paint: TextPaint
    private(set) var text = ""

    mutating func add(_ plan: Plan, environment: EnvironmentLocations) {
        let environment = plan.environment.map { ", environment \($0)" } ?? ""
        line("\(paint.strong(form.text(plan.name)))  \(plan.manifest)\(environment)")
        line("at most \(plan.concurrency) requests at once")
        section("inputs", plan.inputs.map { ($0.name, PlanValues.line(form.value($0.value))) })
        section("secrets", plan.secrets.map { ($0.name, "from \(Self.origin(of: $0.source))") })
        section("data", plan.data.map { ($0.name, Self.extent($0.value)) })
        addServices(of: plan)
        for graph in plan.graphs { add(graph, "graph \(paint.strong(graph.name))") }
        for graph in plan.sortedSubgraphs where !plan.graphs.contains(where: { $0.path == graph.path }) {
            let callers = graph.path == graph.name ? "other graphs" : "\(graph.path), with its settings"
            add(graph, "graph \(paint.strong(graph.name)), run by \(callers)")
        }
        for (service, session) in plan.sortedSessions {
            let statuses = session.renewOn.map(\.description).joined(separator: ", ")
            line("")
            line("session of \(paint.strong(service)), run when first needed, again on \(statuses)")
            add(StepText(form: form).lines(for: session.request), prefix: "   ")
        }
    }

    private mutating func addServices(of plan: Plan) {
        for (name, request, _) in ServiceText(plan).services {
            let lines = StepText(form: form).settingLines(for: request, ofSharedLevels: true)
            guard !lines.isEmpty else { continue }
            line("")
            line(name.map { "every request of \(paint.strong($0))" } ?? "every request without a service")
            add(lines, prefix: "   ")
        }
    }

    // MARK: Graphs

    private mutating func add(_ graph: GraphPlan, _ title: PlanLine) {
        line("")
        let tags = graph.tags.isEmpty ? "" : ", tags \(graph.tags.map(form.text).joined(separator: ", "))"
        let deadline = graph.deadline.map { ", deadline \(PlanValues.line(form.value(at: $0.span)))" } ?? ""
        line("\(title): \(StepText(form: form).words(for: graph.body))\(deadline)\(tags)")
        for input in graph.inputs.values {
            let words = input.value.defaultValue.map { " = \(PlanValues.line(form.value($0)))" } ?? ""
            line("   input \(input.name.value)\(words)")
        }
        for state in graph.state {
            let value = PlanValues.line(form.value(state.defaultValue))
            line("   state \(state.name) = \(value), next \(form.text(state.next.value))")
        }
        add(graph.body.steps, prefix: "")
        if let finally = graph.finally, !finally.steps.isEmpty {
            line("at the end, even after failures")
            add(finally.steps, prefix: "")
        }
        for output in graph.outputs {
            let secret = output.isSecret ? " (secret)" : ""
            line("output \(output.name.value)\(secret) = \(form.text(output.value))")
        }
    }

    /// Recursive, as deep as the steps: their depth is limited where the manifest is read.
    private mutating func add(_ steps: [StepPlan], prefix: String) {
        for (index, step) in steps.enumerated() {
            let isLast = index == steps.count - 1
            let words = StepText(form: form)
            line("\(prefix)\(isLast ? "└─ " : "├─ ")\(words.headline(for: step, paint))")
            let inner = prefix + (isLast ? "   " : "│  ")
            var steps: [StepPlan] = []
            if case .group(let group) = step.work { steps = group.steps }
            add(words.lines(for: step), prefix: inner + (steps.isEmpty ? "  " : "│ "))
            add(steps, prefix: inner)
        }
    }

    // MARK: Lines

    private mutating func section(_ title: String, _ entries: [(name: String, text: String)]) {
        guard !entries.isEmpty else { return }
        line("")
        line(paint.strong(title))
        for (name, text) in entries { line("   \(name)  \(paint.faint(text))") }
    }

    private mutating func add(_ lines: [String], prefix: String) {
        for text in lines { line("\(prefix)\(paint.faint(text))") }
    }

    private mutating func line(_ line: PlanLine) {
        text += line.text + "\n"
    }

    private static func origin(of secret: SecretDeclaration) -> String {
        guard case .command(let arguments, _) = secret.source else { return secret.words }
        return "the command \(arguments.map(PrintableText.shellWord).joined(separator: " "))"
    }

    private static func extent(_ value: JSON) -> String {
        switch value {
        case .array(let elements): "\(elements.count) \(elements.count == 1 ? "record" : "records")"
        case .object(let members): "an object of \(members.count) \(members.count == 1 ? "member" : "members")"
        default: value.kind.rawValue
        }
    }
}
