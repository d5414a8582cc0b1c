import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

extension ManifestWriter {
    /// Returns the steps and variables that compute what a request sets before it is sent.
    mutating func assignments(of request: ImportedRequest, at position: Int) -> (
        steps: [ManifestEntry], vars: [ManifestEntry]
    ) {
        var values: [ManifestEntry] = []
        var vars: [ManifestEntry] = []
        // Expectations belong to the step, and those of a call have no variables of the request.
        let checked = Set(request.checkedTexts.flatMap(\.variables))
        let stepValues = Set(request.assignments.map(\.variable)).filter {
            uses.isUsed($0, after: position + 1) || checked.contains($0)
        }
        // What is set twice has the last value.
        let last = Dictionary(request.assignments.enumerated().map { (Self.id($1.variable), $0) }) { $1 }
        for (index, (variable, value)) in request.assignments.enumerated() {
            let id = Self.id(variable)
            guard last[id] == index else { continue }
            if stepValues.contains(variable), isSecret(variable) {
                // The values of a step cannot be secret.
                scopes[scopes.count - 1].set(variable, secretExpression(value, named: id))
            } else if stepValues.contains(variable) {
                values.append(ManifestEntry(id, .plain(expression(value))))
            } else if uses.isUsed(variable, after: position) {
                let text = isSecret(variable) ? secretTemplate(value, named: id) : template(value)
                vars.append(ManifestEntry(id, .string(text)))
                locals[variable] = "vars.\(id)"
            }
        }
        guard !values.isEmpty else { return ([], vars) }
        let step = scopes[scopes.count - 1].names.add("values")
        for (variable, _) in request.assignments where stepValues.contains(variable) && !isSecret(variable) {
            scopes[scopes.count - 1].set(variable, "steps.\(step).outputs.\(Self.id(variable))")
        }
        let entries = [ManifestEntry("id", .plain(step)), ManifestEntry("values", .map(values))]
        return ([ManifestEntry(nil, .map(entries, isOpen: true))], vars)
    }

    /// Returns a text whose value is secret as an expression.
    private mutating func secretExpression(_ text: ImportedText, named name: String) -> String {
        guard let literal = text.literal, !literal.isEmpty else { return expression(text) }
        return "secrets.\(secrets.name(ofValue: literal, suggestion: name))"
    }

    /// Returns a text as an expression.
    mutating func expression(_ text: ImportedText) -> String {
        let known = text.parts.flatMap { part in
            if case .literal(let text) = part { secrets.referring(text).parts } else { [part] }
        }
        let parts = known.map { part -> String in
            switch part {
            case .literal(let text): Self.quoted(sent(text))
            case .variable(let name): expression(for: name)
            case .expression(let expression): expression
            }
        }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? "''" : "concat(\(parts.joined(separator: ", ")))"
    }

    /// Returns an expression whose variables are written as the names that they have here.
    mutating func code(_ text: ImportedText) -> String {
        text.parts.map { part in
            switch part {
            case .literal(let code), .expression(let code): withoutSecrets(code)
            case .variable(let name): expression(for: name)
            }
        }.joined()
    }

    /// Returns an expression with references to secrets instead of strings with their values.
    private mutating func withoutSecrets(_ code: String) -> String {
        guard secrets.masked(code) != code else { return code }
        var result = ""
        var rest = code[...]
        while let open = rest.firstIndex(where: { $0 == "'" || $0 == "\"" }) {
            var close = rest.index(after: open)
            while close < rest.endIndex, rest[close] != rest[open] {
                close =
                    rest.index(close, offsetBy: rest[close] == "\\" ? 2 : 1, limitedBy: rest.endIndex) ?? rest.endIndex
            }
            let inner = rest[rest.index(after: open)..<close]
            let json = rest[open] == "'" ? inner.replacing("\"", with: "\\\"") : inner
            let end = close < rest.endIndex ? rest.index(after: close) : close
            let value = (try? JSONParser().parse("\"\(json)\"".utf8))?.string
            let isKept = value.map { secrets.masked($0) == $0 } ?? false
            // A name in brackets cannot be a reference.
            let isName = rest[..<open].last == "["
            hasMasked = hasMasked || !isKept && isName
            let written =
                isKept ? String(rest[open..<end]) : isName ? "'***'" : expression(ImportedText(value ?? "***"))
            result += rest[..<open] + written
            rest = rest[end...]
        }
        return result + rest
    }

    /// A string as a literal of an expression.
    static func quoted(_ text: String) -> String {
        let json = JSONWriter().string(.string(text))
        guard !text.contains("'") else { return json }
        return "'\(json.dropFirst().dropLast().replacing("\\\"", with: "\""))'"
    }

    /// Returns the outputs of a step, whose variables later requests use.
    mutating func outputEntries(_ request: ImportedRequest, step: String) -> [ManifestEntry] {
        var entries: [ManifestEntry] = []
        let status =
            request.checks.lazy.compactMap { if case .status(let codes) = $0 { codes } else { nil } }.first ?? ["2xx"]
        guard status.contains(where: { $0.hasPrefix("2") }) else {
            // Outputs are evaluated for 2xx responses only.
            for capture in request.captures {
                losses.add("the variable '\(capture.variable)'", "the response has no 2xx status", at: request.span)
            }
            return []
        }
        let last = Dictionary(request.captures.enumerated().map { (Self.id($1.variable), $0) }) { $1 }
        for (index, capture) in request.captures.enumerated() {
            let id = Self.id(capture.variable)
            guard last[id] == index else { continue }
            let entry = ManifestEntry(id, outputNode(code(capture.expression), isSecret: isSecret(capture.variable)))
            entries.append(entry)
            scopes[scopes.count - 1].set(capture.variable, "steps.\(step).outputs.\(id)")
        }
        return entries.isEmpty ? [] : [ManifestEntry("outputs", .map(entries))]
    }

    /// Returns the value of an output.
    func outputNode(_ expression: String, isSecret: Bool) -> ManifestNode {
        guard isSecret else { return .plain(expression) }
        return .map(("value", .plain(expression)), ("secret", .literal("true")))
    }

    /// Returns the settings of a step that an endpoint cannot have.
    mutating func stepEntries(_ request: ImportedRequest) -> [ManifestEntry] {
        guard let until = request.until else { return request.stepSettings }
        let entries = [ManifestEntry("that", .plain(code(until.condition)))] + until.settings
        return request.stepSettings + [ManifestEntry("until", .map(entries))]
    }

    /// Returns the expectations of a step.
    mutating func expectEntries(_ checks: [ImportedCheck]) -> [ManifestEntry] {
        var status: [String] = []
        var headers: [ManifestEntry] = []
        var headerNames: Set<String> = []
        var conditions: [ManifestNode] = []
        var maxTime: Int?
        var equals: ManifestNode?
        for check in checks {
            switch check {
            case .status(let codes):
                if status.isEmpty || status == codes {
                    status = codes
                } else {
                    conditions.append(.plain(ImportedCheck.condition(status: codes)))
                }
            case .header(let name, let glob):
                if !headerNames.insert(name.lowercased()).inserted {
                    conditions.append(.plain("response.headers[\(Self.quoted(name))] == \(Self.quoted(glob))"))
                } else {
                    headers.append(ManifestEntry(name, .text(constant(glob))))
                }
            case .condition(let expression, nil): conditions.append(.plain(code(expression)))
            case .condition(let expression, let message?):
                conditions.append(.map(("that", .plain(code(expression))), ("message", .string(constant(message)))))
            case .maxTime(let time): maxTime = min(maxTime ?? time, time)
            case .equals(let text, let isJSON):
                let data = isJSON ? jsonNode(text, isExact: false) : nil
                equals = data ?? .string(template(text))
            }
        }
        var entries: [ManifestEntry] = []
        if status.count == 1 { entries.append(ManifestEntry("status", .literal(status[0]))) }
        if status.count > 1 { entries.append(ManifestEntry("status", .list(of: status.map { .literal($0) }))) }
        if !headers.isEmpty { entries.append(ManifestEntry("headers", .map(headers))) }
        if let equals { entries.append(ManifestEntry("equals", equals)) }
        if !conditions.isEmpty { entries.append(ManifestEntry("body", .list(of: conditions))) }
        if let maxTime { entries.append(ManifestEntry("maxTime", .duration(Double(maxTime) / 1000))) }
        return entries.isEmpty ? [] : [ManifestEntry("expect", .map(entries))]
    }

    /// The header fields of saved responses that an example keeps.
    private static let keptHeaders: Set<String> = ["content-type", "location", "link"]

    /// Returns the value of `mock`: the saved response that the request expects, then the others, which a server uses in turn.
    func mockNode(_ request: ImportedRequest) -> ManifestNode? {
        guard let used = Self.usedExample(request) else { return nil }
        guard request.examples.count > 1 else { return mockNode(request.examples[used], request) }
        let sorted = [request.examples[used]] + request.examples[..<used] + request.examples[(used + 1)...]
        return .list(
            sorted.map { ManifestEntry(nil, mockNode($0, request), comments: $0.name.map { [plain($0)] } ?? []) }
        )
    }

    /// Returns comments with the saved responses, if none of them is one that the request expects.
    func exampleComments(_ request: ImportedRequest) -> [String] {
        guard Self.usedExample(request) == nil else { return [] }
        return request.examples.map { example in
            let body = example.body.map { " \(ScriptTranslator.oneLine($0))" } ?? ""
            return plain("example \(example.name ?? ""): status \(example.status ?? 200)\(body)")
        }
    }

    private func mockNode(_ example: ImportedExample, _ request: ImportedRequest) -> ManifestNode {
        var entries: [ManifestEntry] = []
        if let status = example.status, status != 200 { entries.append(ManifestEntry("status", .literal("\(status)"))) }
        let checked = request.checks.compactMap { if case .header(let name, _) = $0 { name.lowercased() } else { nil } }
        let type = example.headers["content-type"]?.literal
        let json = example.body.flatMap { try? JSONParser().parse($0.utf8) }
        let isJSON = json != nil && (type.map(Self.isJSON) ?? true)
        var headers: [ManifestEntry] = []
        for header in example.headers where header.name.isToken {
            let name = header.name.lowercased()
            guard Self.keptHeaders.contains(name) || checked.contains(name),
                !headers.contains(where: { $0.name?.lowercased() == name })
            else { continue }
            if name == "content-type", isJSON, !checked.contains(name) { continue }
            if let value = header.value.literal, value.isFieldValue {
                headers.append(ManifestEntry(header.name, .plain(plain(value))))
            }
        }
        if !headers.isEmpty { entries.append(ManifestEntry("headers", .map(headers))) }
        if let json, isJSON {
            entries.append(ManifestEntry("body", ManifestNode(json) { plain($0) }))
        } else if let body = example.body, !body.isEmpty {
            entries.append(ManifestEntry("body", .plain(plain(body))))
        }
        return .map(entries)
    }

    /// The index of the saved response that satisfies the expected status.
    static func usedExample(_ request: ImportedRequest) -> Int? {
        let wanted =
            request.checks.lazy.compactMap { if case .status(let codes) = $0 { codes } else { nil } }.first ?? ["2xx"]
        return request.examples.firstIndex { example in
            let code = "\(example.status ?? 200)"
            return wanted.contains(code) || wanted.contains("\(code.prefix(1))xx")
        }
    }
}
