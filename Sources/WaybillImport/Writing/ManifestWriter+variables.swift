extension ManifestWriter {
    /// The id of a variable in the manifest.
    static func id(_ variable: String) -> String { NameForms.kept(variable) ?? "value" }

    /// Returns the expression for a variable where the current request is written.
    mutating func expression(for variable: String) -> String {
        if let local = locals[variable] { return local }
        let top = scopes.count - 1
        if let level = scopes.lastIndex(where: { $0.expressions[variable] != nil }) {
            // Inner graphs receive what outer ones have.
            let input = "inputs.\(Self.id(variable))"
            if level < top {
                for inner in (level + 1)...top { scopes[inner].need(variable, input) }
            }
            let expression = level < top ? input : scopes[top].expressions[variable] ?? input
            scopedExpressions.insert(expression)
            return expression
        }
        if isSecret(variable) {
            // With one environment, the file of --env-file-out is for it.
            let only = collection.environments.count == 1 ? collection.environments[0].variables : []
            let value = only.last { $0.name == variable }?.value.flatMap { literalValue($0) }
            return "secrets.\(secrets.name(ofVariable: variable, value: value ?? literalValue(of: variable)))"
        }
        if let id = inputs[variable] { return "inputs.\(id)" }
        let id = inputNames.add(Self.id(variable))
        inputs[variable] = id
        inputOrder.append(variable)
        return "inputs.\(id)"
    }

    /// Whether the value of a variable is secret.
    func isSecret(_ variable: String) -> Bool {
        secretVariables.contains(variable) || SecretNames.contains(variable)
            || uses.markedSecret.contains(variable)
    }

    /// The value of a variable of the collection without references; nil if it has none, or if it refers to unknown ones
    /// or to itself.
    func literalValue(of variable: String) -> String? { literalValue(.ofVariable(variable)) }

    /// The text with the values of its variables; nil if one has none, or if there are thousands of references.
    func literalValue(_ text: ImportedText) -> String? {
        var remaining = 10_000
        return literalValue(text, depth: 0, &remaining)
    }

    private func literalValue(_ text: ImportedText, depth: Int, _ remaining: inout Int) -> String? {
        remaining -= text.parts.count
        guard depth <= 20, remaining > 0 else { return nil }
        var result = ""
        for part in text.parts {
            switch part {
            case .literal(let text): result += text
            case .expression: return nil
            case .variable(let name):
                guard let text = uses.values[name],
                    let value = literalValue(text, depth: depth + 1, &remaining),
                    result.utf8.count + value.utf8.count < 65_536
                else {
                    return nil
                }
                result += value
            }
        }
        return result
    }

    // MARK: Texts

    /// Returns a text as a template.
    ///
    /// - Parameter isEncoded: Whether it is a part of a URL, which is sent as it is.
    mutating func template(_ text: ImportedText, isEncoded: Bool = false) -> Template {
        var result: Template = ""
        for part in text.parts {
            switch part {
            case .literal(let text): result += constant(text, isEncoded: isEncoded)
            case .variable(let name): result += Template(expression: expression(for: name))
            case .expression(let code): result += Template(expression: code)
            }
        }
        return result
    }

    /// Returns the value of a field or member as a template.
    mutating func template(_ text: ImportedText, named name: String) -> Template {
        SecretNames.contains(name) ? secretTemplate(text, named: SecretNames.secret(for: name)) : template(text)
    }

    /// Hides what is secret in a text.
    mutating func hide(_ scan: SecretScan) {
        for (value, name) in scan.found { secrets.hide(value, named: name) }
    }

    /// Hides the values of the variables that are secret, and of those that they consist of.
    mutating func hideVariables() {
        let variables = collection.variables + collection.environments.flatMap(\.variables)
        let values = Dictionary(grouping: variables, by: \.name).mapValues { $0.flatMap { $0.value?.variables ?? [] } }
        var open = values.keys.filter(isSecret)
        while let name = open.popLast() {
            open += (values[name] ?? []).filter { secretVariables.insert($0).inserted }
        }
        for variable in variables where isSecret(variable.name) {
            if let value = variable.value.flatMap({ literalValue($0) }) {
                secrets.hide(value, named: SecretNames.secret(for: variable.name))
            }
        }
    }

    /// Returns a constant as a template; values of secrets are replaced by references.
    mutating func constant(_ text: String, isEncoded: Bool = false) -> Template {
        secrets.referring(text, isEncoded: isEncoded).parts.map { part in
            switch part {
            case .literal(let text): literal(text)
            case .variable(let name), .expression(let name): Template(expression: name)
            }
        }.joined()
    }

    /// Returns a text that means itself as a template, without secrets that are encoded.
    mutating func literal(_ text: String) -> Template { Template(constant: sent(text)) }

    /// Returns a text that is sent or checked, without secrets that are encoded.
    mutating func sent(_ text: String) -> String {
        let masked = secrets.maskedConstant(text)
        if masked != text { hasMasked = true }
        return masked
    }

    /// Returns a text for readers, without the values of secrets.
    func plain(_ text: String) -> String {
        secrets.masked(text.replacing("\r\n", with: "\n").replacing("\r", with: "\n"))
    }

    /// Returns a text whose value is secret, as a template.
    mutating func secretTemplate(_ text: ImportedText, named suggestion: String) -> Template {
        if let literal = text.literal {
            if literal.isEmpty { return "" }
            return Template(expression: "secrets.\(secrets.name(ofValue: literal, suggestion: suggestion))")
        }
        // A variable whose value comes from a step is secret through its capture.
        secretVariables.formUnion(text.variables.filter { locals[$0] == nil })
        return template(text)
    }

    /// The comment for something that was not imported.
    func comment(_ loss: ImportLoss) -> String { note("not imported: \(loss.what): \(loss.reason)") }

    /// Returns a comment without secrets, also of sentences such as `the password is x1y2z3`.
    func note(_ text: String) -> String { SecretScan.masked(plain(text)) }

    // MARK: Definitions

    /// Returns the inputs of the manifest, in the order of the source.
    mutating func inputEntries() -> [ManifestEntry] {
        let known = Dictionary(collection.variables.enumerated().map { ($1.name, ($0, $1)) }) { first, _ in first }
        let sorted = inputOrder.enumerated().sorted {
            (known[$0.element]?.0 ?? Int.max, $0.offset) < (known[$1.element]?.0 ?? Int.max, $1.offset)
        }
        return sorted.map { _, variable in
            let id = inputs[variable] ?? variable
            if let value = literalValue(of: variable) {
                return ManifestEntry(id, .map(("type", .string("string")), ("default", .plain(plain(value)))))
            }
            if let name = known[variable]?.1.environmentVariable {
                return ManifestEntry(id, .map(("type", .string("string")), ("env", .plain(name.withoutReferences))))
            }
            return ManifestEntry(id, .string("string"), comments: unresolved(variable, uses.values[variable]))
        }
    }

    /// Notes that a value depends on other variables, and returns comments about it.
    private mutating func unresolved(_ variable: String, _ value: ImportedText?) -> [String] {
        guard let value, !value.isEmpty else { return [] }
        let what = "the value '\(isSecret(variable) ? "***" : Self.source(value))' of the variable '\(variable)'"
        let loss = ImportLoss(what, "a variable in it has no value, or refers back to it", at: nil)
        losses.append(loss)
        return [comment(loss)]
    }

    /// Returns comments about the variables that no request uses.
    func unusedVariables() -> [ManifestEntry] {
        let parts = Set(collection.variables.flatMap { $0.value?.variables ?? [] })
        let unused = collection.variables.filter { variable in
            inputs[variable.name] == nil && !uses.isBase(variable.name) && !uses.set.contains(variable.name)
                && !parts.contains(variable.name) && !secrets.hasVariable(variable.name)
        }
        guard !unused.isEmpty else { return [] }
        let lines = unused.map { variable in
            let value = isSecret(variable.name) ? "***" : literalValue(of: variable.name).map(plain) ?? ""
            return "  \(plain(variable.name)): \(value)"
        }
        return [ManifestEntry(comments: ["No request uses these variables of the source:"] + lines)]
    }

    /// Returns the environments: the values that differ, as inputs and base URLs.
    mutating func environmentEntries() -> [ManifestEntry] {
        var names = UniqueNames()
        return collection.environments.map { environment -> ManifestEntry in
            var bases: [ManifestEntry] = []
            var values: [ManifestEntry] = []
            var comments: [String] = []
            for variable in environment.variables {
                guard let value = variable.value.flatMap({ literalValue($0) }) else {
                    if variable.isSecret, !secrets.hasVariable(variable.name), !uses.set.contains(variable.name) {
                        comments.append("No request uses \(plain(variable.name)).")
                    } else {
                        comments += unresolved(variable.name, variable.value)
                    }
                    continue
                }
                if let service = serviceOfVariable(variable.name), ServiceAddress.isUsable(Self.withScheme(value)) {
                    bases.append(ManifestEntry(service, .map(("baseURL", .string(literal(Self.withScheme(value)))))))
                } else if let id = inputs[variable.name] {
                    values.append(ManifestEntry(id, .plain(plain(value))))
                } else if isSecret(variable.name) {
                    let name = secrets.secrets.first { $0.name == Self.id(variable.name) }?.name
                    comments.append(
                        name.map { "The value of \($0) comes from \(NameForms.environmentVariable($0))." }
                            ?? "No request uses \(plain(variable.name))."
                    )
                } else {
                    comments.append("No request uses \(plain(variable.name)): \(plain(value))")
                }
            }
            let parts = [("services", bases), ("inputs", values)].filter { !$0.1.isEmpty }
            let name = names.add(NameForms.kept(environment.name) ?? "environment")
            return ManifestEntry(name, .map(parts.map { ManifestEntry($0.0, .map($0.1)) }), comments: comments)
        }
    }

    /// A URL with its scheme; without one, it is http.
    static func withScheme(_ url: String) -> String {
        let url = url.contains("://") ? url : "http://\(url)"
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }
}
