import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan

/// Describes a step in a few lines for people.
struct StepText {
    let form: PlanValues

    /// Returns the first line: what the step is called and what it does.
    func headline(for step: StepPlan, _ paint: TextPaint) -> PlanLine {
        let id: PlanLine = step.id.map { "\(paint.strong($0))  " } ?? ""
        return "\(id)\(summary(of: step))\(ownName(of: step).map { "  “\(form.text($0))”" } ?? "")"
    }

    /// Returns the name of the step, unless it only repeats its id or what it does.
    func ownName(of step: StepPlan) -> String? {
        if step.name == step.id { return nil }
        guard step.id == nil else { return step.name }
        switch step.work {
        case .request(let request):
            let written = request.address.text.value
            let address = written.constantText ?? written.template?.template.text ?? ""
            return step.name == "\(request.writtenMethod) \(address)" ? nil : step.name
        case .group(let group): return step.name == group.order.rawValue ? nil : step.name
        case .values, .end: return step.name == step.form.rawValue ? nil : step.name
        case .graph: return step.name
        }
    }

    /// Returns what the step does, in a few words.
    func summary(of step: StepPlan) -> String {
        switch step.work {
        case .request(let request): "\(request.writtenMethod) \(form.address(of: request))"
        case .group(let group): words(for: group)
        case .graph(let call): "graph \(call.name.value)"
        case .values(let values): "values \(values.outputs.map(\.name.value).joined(separator: ", "))"
        case .end(let condition): "end if \(form.text(condition))"
        }
    }

    /// Returns how a group is run.
    func words(for group: GroupPlan) -> String {
        var words = group.order.rawValue
        if group.steps.isEmpty { words += " of nothing" }
        if let concurrency = group.concurrency { words += ", \(concurrency) at once" }
        if group.onFailure != .stop { words += ", on failure \(group.onFailure.rawValue)" }
        return words
    }

    /// Returns the lines below the first one.
    func lines(for step: StepPlan) -> [String] {
        var lines = flowLines(for: step)
        switch step.work {
        case .request(let request): lines += detailLines(for: request)
        case .graph(let call):
            if !call.arguments.isEmpty { lines.append("with \(words(for: call.arguments))") }
        case .values(let values):
            lines += values.outputs.map { "\($0.name.value) = \(form.text($0.value))" }
            lines += [response(values.expectations, [], of: nil)].filter { !$0.isEmpty }
        case .group, .end: break
        }
        // A group without 'forEach' has its 'onFailure' in its first line.
        if case .group = step.work, step.flow?.forEach == nil { return lines }
        if step.onFailure != .stop { lines.append("on failure \(step.onFailure.rawValue)") }
        return lines
    }

    /// Returns the lines of a request without a step.
    func lines(for request: RequestPlan) -> [String] {
        ["\(request.writtenMethod) \(form.address(of: request))"] + detailLines(for: request)
    }

    // MARK: Flow

    /// Returns when, how often and after which steps the step runs.
    func flowLines(for step: StepPlan) -> [String] {
        guard let flow = step.flow else { return step.paginate.map { [words(for: $0)] } ?? [] }
        var lines: [String] = []
        if !flow.needs.isEmpty { lines.append("needs \(flow.needs.map(\.value).joined(separator: ", "))") }
        if let when = flow.when { lines.append("when \(form.text(when))") }
        if let delay = form.line(of: "delay", at: flow.span) { lines.append("after a delay of \(delay)") }
        if let deadline = form.line(of: "deadline", at: flow.span) { lines.append("deadline \(deadline)") }
        if let forEach = flow.forEach { lines.append(words(for: forEach)) }
        if let until = flow.until { lines.append(words(for: until)) }
        if let paginate = step.paginate { lines.append(words(for: paginate)) }
        for write in flow.writes {
            let records = write.records.map { ", records \(form.text($0))" } ?? ""
            let format = write.format.map { " as \($0.name)" } ?? ""
            lines.append("writes \(form.text(write.to))\(format)\(records)")
            let checks = write.checks.map { form.text($0.that) }
            if !checks.isEmpty { lines.append("if \(checks.joined(separator: ", "))") }
        }
        return lines
    }

    private func words(for forEach: ForEach) -> String {
        let elements =
            switch forEach.elements {
            case .expression(let expression): form.text(expression)
            case .list(let elements): elements.count == 1 ? "1 element" : "\(elements.count) elements"
            }
        let atOnce = forEach.concurrency.map { ", \($0.value) at once" } ?? ""
        let name = forEach.name.map { ", named \(form.text($0))" } ?? ""
        return "for each \(forEach.variable.value) in \(elements)\(name)\(atOnce)"
    }

    private func words(for until: Until) -> String {
        var words = "until \(form.text(until.that))"
        if let every = form.line(of: "every", at: until.span) { words += ", every \(every)" }
        if let times = until.times { words += ", at most \(times) times" }
        if let within = form.line(of: "within", at: until.span) { words += ", within \(within)" }
        if let fail = until.fail { words += ", failing when \(form.text(fail.when))" }
        return words
    }

    private func words(for pagination: Pagination) -> String {
        func parameter(_ parameter: Pagination.Target) -> String {
            if case .input(let name) = parameter { "input \(name.value)" } else { "query \(parameter.name.value)" }
        }
        var words =
            switch pagination.style {
            case .next(let next): "pages by the URL \(form.text(next))"
            case .link: "pages by the Link field"
            case .page(let to, let start): "pages by number, from \(start), in \(parameter(to))"
            case .offset(let to, let limit): "pages of \(limit) by offset in \(parameter(to))"
            case .cursor(let to, let from): "pages by the cursor \(form.text(from)) in \(parameter(to))"
            }
        if let items = pagination.items { words += ", items \(form.text(items))" }
        if let condition = pagination.condition { words += ", while \(form.text(condition))" }
        if let max = pagination.max { words += ", at most \(max)" }
        return words
    }

    private func words(for arguments: [ArgumentPlan]) -> String {
        arguments.compactMap { argument in
            let value: JSON
            switch argument.source {
            case .template(let template): value = form.value(template)
            case .constant(let constant): value = form.value(constant)
            case .omitted: return nil
            }
            return "\(argument.name) = \(PlanValues.line(value))"
        }.joined(separator: ", ")
    }

    // MARK: Requests

    private func detailLines(for request: RequestPlan) -> [String] {
        var lines: [String] = []
        if let endpoint = request.endpoint {
            let service = request.service.map { " of \($0)" } ?? ""
            let words = words(for: request.arguments)
            let with = words.isEmpty ? "" : " with \(words)"
            lines.append("calls \(endpoint)\(service)\(with)")
            if !request.checks.isEmpty {
                lines.append("checks \(request.checks.map { form.text($0.that) }.joined(separator: ", "))")
            }
            if let span = request.operation?.span { lines.append("declared at \(span)") }
        } else if let service = request.service {
            lines.append("service \(service)")
        }
        if !request.settings.declined.isEmpty {
            lines.append("declines \(request.settings.declined.map(\.value).joined(separator: ", "))")
        }
        return lines + settingLines(for: request, ofSharedLevels: false)
    }

    /// Returns the lines about the settings of a request that are from the defaults and its service, or those about its
    /// other settings and its own definitions.
    func settingLines(for request: RequestPlan, ofSharedLevels isShared: Bool) -> [String] {
        let settings = request.settings.without { setting in
            // Each operation of a document has credentials of its own.
            let isOwn = request.operation != nil && setting.value.key == Authentication.key
            return (setting.level.isShared && !isOwn) != isShared
        }
        let filters = request.filters.filter { $0.level.isShared == isShared }
        let own = isShared ? nil : request
        let lines = [content(settings, of: own), transfer(settings), response(settings, filters, of: own)]
        return lines.filter { !$0.isEmpty }
    }

    /// The keys of settings for which the names, or only the kind, are shown.
    private static let keysWithNames: [String] = [HeaderSetting.key, QuerySetting.key, ParameterSetting.key]
    private static let keysWithKinds: [String] = [BodySetting.key, Authentication.key]
    /// The keys of settings that are shown elsewhere, or not for each request.
    private static let otherKeys: Set<String> = [
        BaseURLSetting.key, VersionSetting.key, AcceptSetting.key, Decoding.key, FilterEntry.key,
        ExpectationSetting.key,
        Interception.key, MessageSetting.key, ConcurrencySetting.key,
    ]

    /// Returns the name of a field or parameter. An empty one is shown as quotes, so that it is visible.
    private static func part(of entry: Setting<any SettingDefinition>) -> String? {
        entry.value.part.map { $0.isEmpty ? "''" : $0 }
    }

    /// Returns what is sent.
    private func content(_ settings: Settings, of request: RequestPlan?) -> String {
        let entries = settings.entries
        var parts: [String] = []
        func add(_ title: String, _ names: [String]) {
            if !names.isEmpty { parts.append("\(title) \(names.joined(separator: ", "))") }
        }
        add("vars", request?.vars.map(\.name.value) ?? [])
        for key in Self.keysWithNames {
            add(key, entries.filter { $0.value.key == key && !$0.value.isUnset }.compactMap(Self.part))
        }
        add("without", entries.filter(\.value.isUnset).compactMap(Self.part))
        for key in Self.keysWithKinds {
            for entry in entries where entry.value.key == key {
                parts.append("\(key) \(Self.kind(of: form.value(entry)))")
            }
        }
        return parts.isEmpty ? "" : "sends \(parts.joined(separator: "; "))"
    }

    /// Returns how the request is sent.
    private func transfer(_ settings: Settings) -> String {
        let shownElsewhere = Self.otherKeys.union(Self.keysWithNames + Self.keysWithKinds)
        return settings.entries.filter { !shownElsewhere.contains($0.value.key) && !$0.value.isUnset }
            .map { entry in
                let name = ([entry.value.key] + (entry.value.part.map { [$0] } ?? [])).joined(separator: ".")
                return "\(name) \(PlanValues.line(form.value(entry)))"
            }
            .joined(separator: ", ")
    }

    /// Returns how the response is evaluated.
    private func response(
        _ settings: Settings,
        _ filters: [Setting<PlannedStage>],
        of request: RequestPlan?
    ) -> String {
        var parts: [String] = []
        if let decoding = settings.decoding { parts.append("decoded as \(decoding.value.rawValue)") }
        if !filters.isEmpty {
            parts.append("filters \(filters.map { Self.kind(of: form.value(at: $0.span)) }.joined(separator: ", "))")
        }
        let expected = settings.entries.filter { $0.value.key == ExpectationSetting.key && !$0.value.isUnset }
            .map(expectation)
        if !expected.isEmpty { parts.append("expects \(expected.joined(separator: ", "))") }
        if let returns = request?.returns {
            parts.append("returns \(returns.isCollection ? "a collection" : "an object")")
        }
        if let download = request?.download {
            let folder = settings.downloads.map { form.text($0.value) }
            let path = [folder, download.to.map { form.text($0) }].compactMap { $0 }.joined(separator: "/")
            parts.append("downloads to \(path.isEmpty ? "the results folder" : path)")
        }
        if let outputs = request?.outputs, !outputs.isEmpty {
            parts.append(
                "outputs "
                    + outputs.map { $0.name.value + ($0.isSecret ? " (secret)" : "") }.joined(separator: ", ")
            )
        }
        return parts.joined(separator: "; ")
    }

    /// Returns an expectation: its key, with the expected value if that is short, or only the condition.
    private func expectation(_ setting: Setting<any SettingDefinition>) -> String {
        let value = form.value(setting)
        if setting.value.isAdded { return PlanValues.line(value["that"] ?? value) }
        let part = setting.value.part ?? ""
        switch value {
        case .object: return part
        case .array(let elements): return "\(part) \(elements.map(PlanValues.line).joined(separator: " or "))"
        case .null, .bool, .number, .string, .bytes: return "\(part) \(PlanValues.line(value))"
        }
    }

    /// Returns the first key of a mapping, or the value on one line.
    private static func kind(of value: JSON) -> String {
        value.object?.names.first ?? PlanValues.line(value)
    }
}

extension Level {
    /// Whether it is the defaults or a service, which apply to many requests, not an endpoint, a graph or a step.
    var isShared: Bool {
        switch self {
        case .defaults, .service: true
        case .endpoint, .graph: false
        }
    }
}
