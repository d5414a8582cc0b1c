import OrderedCollections
import WaybillContract
package import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
package import WaybillJSON
package import WaybillManifest

/// What a step resolves to, as a short text for each of its parts: the settings that apply to it, the values of its
/// keys, and the definitions that it uses. A part with the same meaning in two versions of a manifest has the same text.
///
/// The text is a digest, because values may be secret. It covers literals, and the names of secrets. It ignores comments,
/// white space, quotes, the order of keys, names for people and examples for the mock server.
package struct StepContent: Sendable {
    /// A part of a step.
    package struct Part: Sendable {
        /// SHA-256 in hexadecimal digits, or words if the part has only names from the manifest or of its language.
        package let text: String
        /// Its span, if it is written in one location.
        package let span: SourceSpan?
    }

    /// The parts by name: the key, followed by a space and a name if the key holds names (`headers X-Key`). `data NAME`
    /// is the data of a file that the step uses, `elements NAME` the data that it uses in the `in` of its `forEach`.
    package fileprivate(set) var parts: [String: Part] = [:]
    /// The paths of the steps inside it.
    package fileprivate(set) var steps: [String] = []

    /// The texts of the parts.
    package var texts: [String: String] { parts.mapValues(\.text) }

    /// The digest of everything.
    fileprivate var digest: String {
        PlanContent.digest(parts.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value.text] })
    }

    fileprivate mutating func add(_ name: String, _ text: String, at span: SourceSpan? = nil) {
        parts[name] = Part(text: text, span: span)
    }
}

/// The content of each step of a plan.
package struct PlanContent {
    /// The steps by their paths in the plan.
    package private(set) var steps: [String: StepContent] = [:]

    private let plan: Plan
    private let index: SourceIndex
    /// The normalised expressions and templates by their spans: without blanks around expressions, and without `${…}`
    /// where only an expression is allowed.
    private var evaluated: [SourceSpan: [UInt8]] = [:]
    private var values: [ValueKey: String] = [:]
    private var graphs: [String: String] = [:]
    private var filters: [String: String] = [:]
    private var data: [String: String] = [:]

    /// A value and the meaning of its position.
    private struct ValueKey: Hashable {
        var span: SourceSpan
        var level: Level?
        var kind: String?
    }

    /// Digests every step, including those of graphs that steps run.
    package init(_ plan: Plan) {
        self.plan = plan
        index = SourceIndex(plan.documents)
        let all = plan.graphs + plan.sortedSubgraphs
        for graph in all {
            for output in graph.outputs { note(output.value) }
            for check in graph.checks { note(check.that) }
            for step in graph.allSteps {
                var texts: [any EvaluatedText] = []
                step.visitOwnUses(UseVisitor { texts.append($0.text) })
                for text in texts { note(text) }
            }
        }
        for step in all.flatMap(\.allSteps) { _ = content(of: step) }
    }

    /// Returns the digests of the files of documents, by their names.
    package static func digests(of documents: [YAMLNode]) -> [CodePoints: String] {
        Dictionary(documents.map { (CodePoints($0.file.name), digest(of: $0.file.bytes)) }) { first, _ in first }
    }

    /// Returns the digest of a file.
    package static func digest(of text: [UInt8]) -> String { Digest.sha256(of: text) }

    // MARK: Expressions

    private mutating func note(_ text: any EvaluatedText) {
        guard evaluated[text.span] == nil else { return }
        let namespaces = text.xpaths.flatMap(\.prefixes).map { " \($0)=\(plan.namespaces[$0] ?? "")" }
        var content = text.canonicalText + Array(namespaces.joined().utf8)
        for filter in text.filters { content += digest(ofFilter: filter.name).utf8 }
        evaluated[text.span] = content
    }

    /// Returns the digest of a filter that an expression applies to a value, with the data that it uses.
    private mutating func digest(ofFilter name: String) -> String {
        if let known = filters[name] { return known }
        var words: [String] = []
        for stage in plan.appliedFilters[name] ?? [] {
            var texts: [any EvaluatedText] = []
            stage.value.stage.visitUses(UseVisitor { texts.append($0.text) })
            for text in texts { note(text) }
            words.append(value(at: stage.span))
            for reference in texts.flatMap(\.references) where reference.root == .data {
                words += plan.data.filter { [nil, $0.name].contains(reference.segments.first?.name) }.map {
                    Self.text($0.value)
                }
            }
        }
        let digest = Self.digest(words)
        filters[name] = digest
        return digest
    }

    // MARK: Steps

    private mutating func digest(of graph: GraphPlan) -> String {
        if let known = graphs[graph.path] { return known }
        var words = [graph.name, graph.body.onFailure.rawValue, "\(graph.body.concurrency ?? 0)"]
        words += steps(of: graph.body)
        for input in graph.inputs.values { words += [input.name.value, Self.text(input.value.defaultValue ?? .null)] }
        for check in graph.checks { words += ["check", value(at: check.that.span)] }
        if let finally = graph.finally { words += ["finally"] + steps(of: finally) }
        if let deadline = graph.deadline { words.append(value(at: deadline.span)) }
        for output in graph.outputs.sorted(by: { $0.name.value < $1.name.value }) {
            words += [output.name.value, value(of: output)]
        }
        let digest = Self.digest(words)
        graphs[graph.path] = digest
        return digest
    }

    /// Returns the order of a group and the digests of its steps.
    private mutating func steps(of group: GroupPlan) -> [String] {
        [group.order.rawValue] + group.steps.map { content(of: $0).digest }
    }

    private mutating func content(of step: StepPlan) -> StepContent {
        if let known = steps[step.path] { return known }
        var content = StepContent()
        if step.onFailure != .stop { content.add("onFailure", step.onFailure.rawValue) }
        if let flow = step.flow, let node = index.node(at: flow.span) {
            for key in Flow.keys {
                if let value = node[key] { content.add(key, self.value(at: value.span), at: value.span) }
            }
        }
        addData(of: step, to: &content)
        switch step.work {
        case .request(let request): add(request, to: &content)
        case .group(let group):
            content.steps = group.steps.map(\.path)
            content.add("steps", Self.digest(steps(of: group)))
            if let concurrency = group.concurrency { content.add("concurrency", "\(concurrency)") }
        case .graph(let call):
            let called = plan.graphs.first { $0.path == call.path } ?? plan.subgraphs[call.path]
            content.add("graph", called.map { digest(of: $0) } ?? "", at: call.name.span)
            content.add("graph name", call.path, at: call.name.span)
            add(call.arguments, to: &content)
        case .values(let values):
            for output in values.outputs {
                content.add("values \(output.name.value)", value(of: output), at: output.value.span)
            }
            addSettings(values.expectations, to: &content)
        case .end(let condition): content.add("end", value(at: condition.span), at: condition.span)
        }
        steps[step.path] = content
        return content
    }

    /// Adds a part for the data of each file that the step uses.
    private mutating func addData(of step: StepPlan, to content: inout StepContent) {
        guard !plan.data.isEmpty else { return }
        var elements: SourceSpan?
        if case .expression(let expression)? = step.flow?.forEach?.elements { elements = expression.span }
        let all = plan.data.names
        var used: Set<String> = []
        step.visitOwnUses(
            UseVisitor { use in
                let part = use.text.span == elements ? "elements" : "data"
                for reference in use.text.references where reference.root == .data {
                    let names = reference.segments.first?.name.map { [$0] } ?? all
                    used.formUnion(names.map { "\(part) \($0)" })
                }
            }
        )
        for part in used {
            let name = String(part.drop { $0 != " " }.dropFirst())
            guard let value = plan.data[name] else { continue }
            let digest = data[name] ?? Self.digest(of: Array(Self.text(value).utf8))
            data[name] = digest
            content.add(part, digest, at: plan.dataFiles[name]?.span)
        }
    }

    // MARK: Requests

    private mutating func add(_ request: RequestPlan, to content: inout StepContent) {
        add(request.arguments, to: &content)
        if let endpoint = request.endpoint { content.add("endpoint", endpoint) }
        for (index, check) in request.checks.enumerated() {
            content.add("check \(index + 1)", value(at: check.that.span), at: check.that.span)
        }
        let service = request.service ?? ""
        switch request.serviceOrigin {
        case .any: content.add("service", "any \(service)")
        case .none: content.add("service", "none \(service)")
        case .of(let baseURL): content.add("service", "\(value(at: baseURL.span, baseURL.level)) \(service)")
        }
        let method = request.method
        // The method of a short form is its key.
        let hasTemplate = method?.value.template != nil
        content.add(
            "method",
            hasTemplate ? method.map { value(at: $0.span, $0.level) } ?? "" : request.writtenMethod,
            at: method?.span
        )
        if let operation = request.operation?.operation {
            let server = request.settings.baseURL?.value.written ?? ""
            content.add("operation", Self.digest([operation.text, server]))
        }
        let address = request.address.text
        content.add("url", value(at: address.span, address.level, Self.kind(of: request.address)), at: address.span)
        // The stages of a named filter are digested with the request.
        addSettings(request.settings.without(FilterEntry.key), to: &content)
        for (position, stage) in request.filters.enumerated() {
            let statuses = stage.value.onEveryStatus ? "any" : "2xx"
            content.add("filters \(position + 1)", value(at: stage.span, stage.level, statuses), at: stage.span)
        }
        for variable in request.vars {
            let span = variable.value.span
            content.add("vars \(variable.name.value)", value(at: span, variable.level), at: span)
        }
        for output in request.outputs {
            content.add("outputs \(output.name.value)", value(of: output), at: output.value.span)
        }
        if let returns = request.returns {
            let kind = returns.isCollection ? "collection" : "object"
            content.add("returns", value(at: returns.span, returns.level, kind), at: returns.span)
        }
        if let paginate = request.paginate {
            content.add("paginate", value(at: paginate.span, paginate.level), at: paginate.span)
        }
        if let download = request.download {
            content.add("download", value(at: download.span, download.level), at: download.span)
        }
    }

    private mutating func addSettings(_ settings: Settings, to content: inout StepContent) {
        var counts: [String: Int] = [:]
        for setting in settings.entries {
            var name = setting.value.key
            if let part = setting.value.part { name += " \(part)" }
            if setting.value.isAdded {
                counts[name, default: 0] += 1
                name += " \(counts[name] ?? 1)"
            }
            content.add(name, value(at: setting.span, setting.level), at: setting.span)
        }
    }

    private mutating func add(_ arguments: [ArgumentPlan], to content: inout StepContent) {
        for argument in arguments {
            let text: String
            switch argument.source {
            case .template(let template): text = value(at: template.span)
            // The journal has the run's value for an input of the manifest.
            case .constant where plan.inputs[argument.name] != nil: text = Self.digest(["input", argument.name])
            case .constant(let constant): text = Self.digest(["constant", Self.text(constant)])
            case .omitted: continue
            }
            content.add("with \(argument.name)", text, at: argument.span)
        }
    }

    private static func kind(of address: Address) -> String {
        switch address {
        case .path: "path"
        case .url: "url"
        case .computed: "computed"
        }
    }

    // MARK: Values

    private mutating func value(of output: OutputDefinition) -> String {
        value(at: output.value.span, output.level, output.isSecret ? "secret" : "shown")
    }

    /// Returns the digest of the value at a span. It covers the level only if an expression is evaluated, because the
    /// level decides which names are known.
    private mutating func value(at span: SourceSpan, _ level: Level? = nil, _ kind: String? = nil) -> String {
        let valueKey = ValueKey(span: span, level: level, kind: kind)
        if let known = values[valueKey] { return known }
        var text: [UInt8] = []
        var isEvaluated = false
        if let node = index.node(at: span) {
            write(node, to: &text, &isEvaluated)
        } else {
            text = evaluated[span] ?? []
        }
        // This byte never occurs in YAML text.
        if let kind { text += [0xFF] + kind.utf8 }
        if isEvaluated, let level { text += [0xFF] + level.words.utf8 }
        let digest = Self.digest(of: text)
        values[valueKey] = digest
        return digest
    }

    /// Recurses as deep as the value; the depth of a value is limited when it is read.
    private func write(_ node: YAMLNode, to text: inout [UInt8], _ isEvaluated: inout Bool) {
        switch node.content {
        case .scalar(let scalar):
            if let expression = evaluated[scalar.span] {
                isEvaluated = true
                text += expression
            } else {
                JSONWriter().write(plan.schemaFiles[scalar.span] ?? scalar.json, to: &text)
            }
        case .sequence(let elements):
            text.append(UInt8(ascii: "["))
            for element in elements {
                write(element, to: &text, &isEvaluated)
                text.append(UInt8(ascii: ","))
            }
            text.append(UInt8(ascii: "]"))
        case .mapping(let mapping):
            text.append(UInt8(ascii: "{"))
            for (key, value) in mapping.entries.sorted(by: { $0.key.text ?? "" < $1.key.text ?? "" }) {
                JSONWriter().write(.string(key.text ?? ""), to: &text)
                text.append(UInt8(ascii: ":"))
                write(value, to: &text, &isEvaluated)
                text.append(UInt8(ascii: ","))
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func text(_ json: JSON) -> String { JSONWriter().string(json) }

    /// Returns the digest of some strings.
    fileprivate static func digest(_ texts: [String]) -> String {
        var bytes: [UInt8] = []
        for text in texts {
            bytes += text.utf8
            // This byte never occurs in YAML text.
            bytes.append(0xFF)
        }
        return digest(of: bytes)
    }
}

extension PlanContent {
    /// Returns the parts of a step that differ from those of an earlier plan, in the order of their names: their keys,
    /// and the span of each part that the step still has.
    ///
    /// - Parameters:
    ///   - earlier: The texts of the parts of the earlier plan's steps, by path and part.
    ///   - isWhole: Whether the step has finished. If a `forEach` has not finished, each element is compared with the
    ///     earlier one when it is reached, and the list may be longer.
    ///   - isAround: Whether only some of the steps inside it have run, which are compared by themselves.
    package func changes(
        of path: String,
        since earlier: [String: [String: String]],
        isWhole: Bool,
        isAround: Bool = false
    ) -> (keys: [String], files: [String], spans: [SourceSpan]) {
        guard let content = steps[path], let before = earlier[path] else { return ([], [], []) }
        var (keys, files, spans): ([String], [String], [SourceSpan]) = ([], [], [])
        for name in Set(before.keys).union(content.parts.keys).sorted()
        where before[name] != content.parts[name]?.text {
            let key = String(name.prefix { $0 != " " })
            if key == "elements" && !isWhole || isAround && ["graph", "steps"].contains(name) { continue }
            // Data that the step no longer uses, or did not use before, is a change of another part.
            if key == "elements" || key == "data" {
                guard let file = plan.dataFiles[String(name.dropFirst(key.count + 1))], before[name] != nil,
                    content.parts[name] != nil
                else { continue }
                if !files.contains(file.value) { files.append(file.value) }
            } else if keys.last != key {
                keys.append(key)
            }
            if let span = content.parts[name]?.span { spans.append(span) }
        }
        if isAround { return (keys, files, spans) }
        for inner in content.steps { spans += changes(of: inner, since: earlier, isWhole: isWhole).spans }
        return (keys, files, spans)
    }

    /// Returns an expression in parentheses, without the blanks around it.
    fileprivate static func canonicalText(of expression: Expression) -> [UInt8] {
        let isBlank = { (byte: UInt8) in
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t")
        }
        let text = Array(expression.text.utf8)
        let start = text.firstIndex { !isBlank($0) } ?? 0
        let end = text.lastIndex { !isBlank($0) } ?? -1
        return [UInt8(ascii: "(")] + text[start..<(end + 1)] + [UInt8(ascii: ")")]
    }
}

extension Level {
    /// The part of a digest that identifies the level.
    fileprivate var words: String {
        switch self {
        case .defaults: "defaults"
        case .service(let name): "service(\"\(name)\")"
        case .endpoint(let name): "endpoint(\"\(name)\")"
        case .graph(let name): "graph(\"\(name)\")"
        }
    }
}

extension EvaluatedText {
    /// The text without insignificant characters.
    fileprivate var canonicalText: [UInt8] {
        if let expression = self as? ManifestExpression { return PlanContent.canonicalText(of: expression.expression) }
        guard let template = self as? ManifestTemplate else { return [] }
        return template.template.parts.reduce(into: Array("template ".utf8)) { text, part in
            switch part {
            case .literal(let literal): JSONWriter.write(literal, to: &text)
            case .expression(let expression): text += PlanContent.canonicalText(of: expression)
            }
        }
    }
}
