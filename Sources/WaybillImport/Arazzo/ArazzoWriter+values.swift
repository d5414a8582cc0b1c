import WaybillFormats
import WaybillJSON
import WaybillManifest

/// Where a runtime expression is evaluated.
enum ArazzoView {
    /// Before the request is sent.
    case request
    /// When its response is received.
    case response
    /// After a step, whose id the manifest has.
    case after(ArazzoStep)
    /// After a step that runs a workflow, with the outputs of that workflow.
    case outputs([String: ArazzoValue])
}

extension ArazzoWriter {
    /// Returns the value of a runtime expression.
    mutating func value(_ text: String, _ view: ArazzoView) throws(Untranslatable) -> ArazzoValue {
        guard let root = ArazzoExpression.root(text) else {
            throw Untranslatable("'\(text)' is not a runtime expression")
        }
        let parts = text.dropFirst(root.count + 1).split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let dotted = String(parts[0].hasPrefix(".") ? parts[0].dropFirst() : parts[0])
        let end = parts.count > 1 ? try ArazzoExpression.path(pointer: parts[1]) : ""
        switch root {
        case "statusCode": return try response("status", view)
        case "response": return try responseValue(dotted, view).appending(end)
        case "request": return try requestValue(dotted, view).appending(end)
        case "method":
            if let method { return ArazzoValue(constant: method) }
            guard case .response = view else { throw Untranslatable("the document of the operation has the method") }
            return ArazzoValue(code: "request.method")
        case "url":
            guard case .response = view else { throw Untranslatable("the URL is not known before the request is sent") }
            return ArazzoValue(code: "request.url")
        case "inputs": return try input(dotted).appending(end)
        case "outputs":
            guard case .outputs(let outputs) = view else { throw Untranslatable("the step runs no workflow") }
            return try member(dotted, of: outputs, named: "the workflow").appending(end)
        case "steps", "workflows", "dependencies":
            let names = dotted.split(separator: ".", maxSplits: 2).map(String.init)
            let isWorkflow = root != "steps"
            guard names.count > 1, let step = steps[isWorkflow ? "$" + names[0] : names[0]] else {
                let reason = isWorkflow ? "it is not in 'dependsOn'" : "no earlier step with this id was imported"
                throw Untranslatable("'\(names.first ?? "")': \(reason)")
            }
            // The word 'outputs' is missing in some sources.
            let path = names[1] == "outputs" ? names.dropFirst(2) : names.dropFirst()
            var value = try member(path.joined(separator: "."), of: step.outputs, named: "'\(names[0])'").appending(end)
            value.isUncertain = value.isUncertain || step.isUncertain
            return value
        case "sourceDescriptions":
            let names = dotted.split(separator: ".", maxSplits: 1).map(String.init)
            let source = documents[document].sources.first { $0.name == names.first }
            guard let source, names.count == 2, let text = source.node[names[1]]?.text else {
                throw Untranslatable("the source has no such field")
            }
            return ArazzoValue(constant: text)
        case "components":
            guard let node = documents[document].component(text)?["value"] else {
                throw Untranslatable("the component is not defined")
            }
            return try output(node, view)
        case "self":
            guard let text = documents[document].root["$self"]?.text else { throw Untranslatable("'$self' is missing") }
            return ArazzoValue(constant: text)
        case "faker": throw Untranslatable("random data has no counterpart")
        default: throw Untranslatable("'$\(root)' has no counterpart")
        }
    }

    private func response(_ name: String, _ view: ArazzoView) throws(Untranslatable) -> ArazzoValue {
        switch view {
        case .response: return ArazzoValue(code: name == "data" ? "$" : "response.\(name)")
        case .after(let step): return ArazzoValue(code: "steps.\(step.id).\(name)", isUncertain: step.isUncertain)
        case .request, .outputs: throw Untranslatable("the response is not known here")
        }
    }

    private func responseValue(_ text: String, _ view: ArazzoView) throws(Untranslatable) -> ArazzoValue {
        if text.hasPrefix("body") {
            return try response("data", view).appending(try ArazzoExpression.path(dotted: text.dropFirst(4)))
        }
        guard let name = ["header.", "headers."].first(where: text.hasPrefix).map({ text.dropFirst($0.count) }),
            String(name).isToken
        else { throw Untranslatable("'$response.\(text)' has no counterpart") }
        var value = try response("headers", view).appending(ArazzoExpression.member(String(name)))
        value.isHeader = true
        return value
    }

    private mutating func requestValue(_ text: String, _ view: ArazzoView) throws(Untranslatable) -> ArazzoValue {
        if text.hasPrefix("body") {
            guard case .response = view else { throw Untranslatable("the request is not known here") }
            return ArazzoValue(code: "parse(request.body)").appending(
                try ArazzoExpression.path(dotted: text.dropFirst(4))
            )
        }
        let names = text.split(separator: ".", maxSplits: 1).map(String.init)
        // The header fields are those that are sent, whatever the step says.
        guard names.count == 2, names[0] == "path" || names[0] == "query",
            let parameter = parameters.first(where: { $0.part == names[0] && $0.name == names[1] })
        else { throw Untranslatable("'$request.\(text)' has no counterpart") }
        return try output(parameter.value, .request)
    }

    /// Returns an output by its name, perhaps with a path after it.
    private func member(
        _ text: String,
        of outputs: [String: ArazzoValue],
        named owner: String
    ) throws(Untranslatable) -> ArazzoValue {
        let names = outputs.keys.filter { text == $0 || text.hasPrefix($0 + ".") || text.hasPrefix($0 + "[") }
        guard let name = names.max(by: { $0.count < $1.count }), let value = outputs[name] else {
            throw Untranslatable("\(owner) has no output '\(text)'")
        }
        return value.appending(try ArazzoExpression.path(dotted: text.dropFirst(name.count)))
    }

    private mutating func input(_ text: String) throws(Untranslatable) -> ArazzoValue {
        let found = current.inputs.filter { input in
            let name = input.path.joined(separator: ".")
            return text == name || text.hasPrefix(name + ".") || text.hasPrefix(name + "[")
        }
        if let input = found.max(by: { $0.path.joined().count < $1.path.joined().count }) {
            let rest = try ArazzoExpression.path(dotted: text.dropFirst(input.path.joined(separator: ".").count))
            if !rest.isEmpty, input.code.hasPrefix("secrets.") { throw Untranslatable("the secret has no members") }
            return ArazzoValue(code: input.code + rest, isSecret: input.isSecret)
        }
        let name = text.prefix { $0 != "." && $0 != "[" }
        return addInput(String(name)).appending(try ArazzoExpression.path(dotted: text.dropFirst(name.count)))
    }

    /// Adds an input that the source does not define.
    mutating func addInput(_ wanted: String) -> ArazzoValue {
        let id = NameForms.kept(wanted) ?? "value"
        if SecretNames.contains(wanted), !current.passed.contains(wanted) {
            return ArazzoValue(code: "secrets.\(writer.secrets.name(ofVariable: wanted, value: nil))", isSecret: true)
        }
        let isPassed = current.passed.contains(wanted) && !current.omitted.contains(wanted)
        let definition = ManifestEntry(id, .map([]))
        if current.isCalled, !isPassed {
            if !inputs.contains(where: { $0.name == id }) { inputs.append(definition) }
        } else if !(current.added + current.inputs.compactMap(\.definition)).contains(where: { $0.name == id }) {
            current.added.append(definition)
        }
        return ArazzoValue(code: "inputs.\(id)")
    }

    /// Returns the value of an output: an expression or a constant.
    mutating func output(_ node: YAMLNode, _ view: ArazzoView) throws(Untranslatable) -> ArazzoValue {
        guard node.scalar != nil else { throw Untranslatable("it is a selector, a list or an object") }
        guard let text = node.json.string else { return ArazzoValue(code: JSONWriter().string(node.json)) }
        var values: [ArazzoValue] = []
        for part in ArazzoExpression.parts(text) {
            switch part {
            case .literal(let text): values.append(ArazzoValue(constant: text))
            case .expression(let expression): values.append(try value(expression, view))
            }
        }
        let result =
            values.count == 1
            ? values[0]
            : ArazzoValue(
                code: values.isEmpty ? "''" : "concat(\(values.map(\.expression).joined(separator: ", ")))",
                isSecret: values.contains(where: \.isSecret)
            )
        try check(result.code)
        return result
    }

    /// Returns a JSONPath whose root is a value, with the values of the expressions in it.
    mutating func path(_ text: String, in base: ArazzoValue, _ view: ArazzoView) throws(Untranslatable) -> String {
        var result = ""
        var quote: Character?
        for part in ArazzoExpression.parts(text) {
            switch part {
            case .literal(let text): result += text.first == quote ? String(text.dropFirst()) : text
            case .expression(let expression):
                // It is written in quotes for a string, and without them for a number.
                quote = result.last.flatMap { $0 == "'" || $0 == "\"" ? $0 : nil }
                if quote != nil { result.removeLast() }
                result += try value(expression, view).expression
            }
        }
        guard result.hasPrefix("$") else { throw Untranslatable("the path does not start with '$'") }
        let rest = result.dropFirst()
        guard base.code == "$" || !rest.contains("$") else { throw Untranslatable("it also uses the root in a filter") }
        return base.code + rest
    }

    // MARK: Values in requests

    /// Returns a string with its expressions. One that cannot be evaluated becomes an input.
    mutating func text(_ node: YAMLNode, named name: String, _ view: ArazzoView = .request) -> ImportedText {
        var result = ImportedText()
        for part in ArazzoExpression.parts(node.text ?? "") {
            switch part {
            case .literal(let text): result.append(.literal(text))
            case .expression(let expression):
                result.append(partOrInput(expression, node, named: name, view))
            }
        }
        return result
    }

    private mutating func partOrInput(
        _ text: String,
        _ node: YAMLNode,
        named name: String,
        _ view: ArazzoView
    ) -> ImportedText.Part {
        do throws(Untranslatable) {
            let value = try value(text, view)
            try check(value.expression)
            return value.constant.map { .literal($0) } ?? .expression(value.expression)
        } catch {
            let input = addInput(name)
            lose("the expression '\(text)'", "\(error.reason); give the value as \(input.code)", node)
            return .expression(input.code)
        }
    }

    /// Returns a value with its expressions.
    mutating func node(_ node: YAMLNode, named name: String, depth: Int = 0) -> ManifestNode {
        guard depth < 60 else {
            lose("the value of '\(name)'", "it is nested too deeply", node)
            return .literal("null")
        }
        if node["context"] != nil, node["selector"] != nil {
            let input = addInput(name)
            lose("the selector of '\(name)'", "give the value as \(input.code)", node)
            return .string(Template(expression: input.code))
        }
        switch node.content {
        case .mapping(let mapping):
            let entries = mapping.entries.map { entry in
                let name = entry.key.text ?? ""
                return ManifestEntry(name, self.node(entry.value, named: name, depth: depth + 1))
            }
            return .map(entries)
        case .sequence(let elements):
            return .list(of: elements.map { self.node($0, named: name, depth: depth + 1) })
        case .scalar:
            let isSecret = SecretNames.contains(name) || SecretNames.containsHeader(name) && name.contains("-")
            guard let string = node.json.string else {
                guard isSecret, node.json.number != nil else { return ManifestNode(node.json) { $0 } }
                let number = ImportedText(node.text ?? "")
                return .string(writer.secretTemplate(number, named: SecretNames.secret(for: name)))
            }
            let text = string.isEmpty ? "" : text(node, named: name)
            guard isSecret, text.literal != nil else { return .string(writer.template(text)) }
            return .string(writer.secretTemplate(text, named: SecretNames.secret(for: name)))
        }
    }
}
