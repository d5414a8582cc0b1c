import WaybillDiagnostics
import WaybillJSON
import WaybillManifest
import WaybillSchema

extension ArazzoWriter {
    /// Hides the values of secrets before anything is written.
    mutating func hideSecrets() {
        func visit(_ node: YAMLNode, _ found: inout [(String, String)]) {
            if let name = node["name"]?.text, let value = node["value"]?.text, SecretNames.containsHeader(name) {
                found.append((value, SecretNames.secret(for: name)))
            }
            for entry in node.entries { visit(entry.value, &found) }
            for element in node.sequence ?? [] { visit(element, &found) }
        }
        for description in documents {
            var found: [(String, String)] = []
            visit(description.root, &found)
            var scan = SecretScan()
            scan.add(SourceFile(name: "", text: JSONWriter().string(description.root.json)))
            for (value, name) in found + scan.found where !value.contains("$") {
                writer.secrets.hide(value, named: name)
            }
        }
    }

    /// Reads the inputs of all workflows.
    mutating func prepareInputs() {
        for (index, description) in documents.enumerated() {
            document = index
            for (position, caller) in description.workflows.enumerated() {
                workflow = position
                let actions = caller.steps.flatMap { step in ["onSuccess", "onFailure"].compactMap { step[$0] } }
                for user in caller.steps + actions.flatMap({ $0.sequence ?? [] }) {
                    guard let name = user["workflowId"]?.text, let target = self.workflow(named: name) else { continue }
                    let lists = [caller.node["parameters"], user["parameters"]].compactMap { $0?.sequence }
                    let names = lists.joined().compactMap { $0["name"]?.text }
                    let schema = documents[target.document].workflows[target.index].node["inputs"]
                    let properties = resolve(schema, in: target.document)?["properties"]?.mapping?.names ?? []
                    documents[target.document].workflows[target.index].passed.formUnion(names)
                    documents[target.document].workflows[target.index].omitted.formUnion(
                        Set(properties).subtracting(names)
                    )
                    documents[target.document].workflows[target.index].isCalled = true
                }
            }
        }
        for index in documents.indices {
            for position in documents[index].workflows.indices {
                (document, workflow) = (index, position)
                current.inputs = readInputs()
            }
        }
    }

    /// Returns the schema that a reference to `components.inputs` means.
    private func resolve(_ node: YAMLNode?, in document: Int) -> YAMLNode? {
        var node = node
        for _ in 0..<20 {
            guard let reference = node?["$ref"]?.text, reference.hasPrefix("#"),
                let pointer = JSONPointer(parsing: String(reference.dropFirst()))
            else { return node }
            node = documents[document].root.node(at: pointer)
        }
        return node
    }

    private mutating func readInputs() -> [ArazzoInput] {
        guard let schema = resolve(current.node["inputs"], in: document) else { return [] }
        let known: Set<String> = ["type", "properties", "required", "description", "title", "additionalProperties"]
        reportUnknown(schema, known, of: "the inputs of the workflow '\(current.id)'")
        let required = schema["required"]?.sequence.map { Set($0.compactMap(\.text)) }
        var result: [ArazzoInput] = []
        var names = UniqueNames()
        for property in schema["properties"]?.entries ?? [] {
            guard let name = property.key.text else { continue }
            let value = resolve(property.value, in: document) ?? property.value
            let members = value["properties"]?.entries ?? []
            let isEnvironment = name == "env" && !members.isEmpty
            let isPassed = current.passed.contains(name)
            if members.isEmpty, !isPassed, Self.isSecret(name, value) {
                result.append(secretInput([name], value))
                continue
            }
            for member in members {
                guard let inner = member.key.text else { continue }
                if Self.isSecret(inner, member.value), !isPassed {
                    result.append(secretInput([name, inner], member.value))
                } else if isEnvironment {
                    // The environment variables of the runner.
                    let id = NameForms.kept(inner) ?? "value"
                    let definition =
                        entries(of: member.value, 0) + [ManifestEntry("env", .plain(inner.withoutReferences))]
                    if !inputs.contains(where: { $0.name == id }) { inputs.append(ManifestEntry(id, .map(definition))) }
                    result.append(ArazzoInput(path: [name, inner], code: "inputs.\(id)"))
                }
            }
            let secrets = Set(result.filter { $0.path.first == name }.compactMap(\.path.last))
            if isEnvironment || !members.isEmpty && members.allSatisfy({ secrets.contains($0.key.text ?? "") }) {
                continue
            }
            let id = names.add(NameForms.kept(name) ?? "value")
            var definition = entries(of: value, 0, without: secrets)
            let isOptional = required.map { !$0.contains(name) } ?? false || current.omitted.contains(name)
            if isOptional, value["default"] == nil { definition = Self.optional(definition) }
            let isShort = definition.count == 1 && definition[0].name == "type"
            let node = isShort ? definition[0].value ?? .map([]) : .map(definition)
            let (entry, isSecret) = (ManifestEntry(id, node), Self.isSecret(name, value))
            result.append(ArazzoInput(path: [name], code: "inputs.\(id)", definition: entry, isSecret: isSecret))
        }
        losses += partLosses
        partLosses = []
        return result
    }

    private static func isSecret(_ name: String, _ schema: YAMLNode) -> Bool {
        schema["format"]?.text == "password"
            || SecretNames.contains(name)
                && ["string", nil].contains(schema["type"]?.text)
    }

    private mutating func secretInput(_ path: [String], _ schema: YAMLNode) -> ArazzoInput {
        let name = writer.secrets.name(ofVariable: path.last ?? "", value: schema["default"]?.text)
        if let description = schema["description"] {
            lose("the description '\(description.text ?? "")'", "a secret has none", description)
        }
        return ArazzoInput(path: path, code: "secrets.\(name)", isSecret: true)
    }

    /// The definition of an input that need not be given.
    private static func optional(_ entries: [ManifestEntry]) -> [ManifestEntry] {
        let null = ManifestEntry("default", .literal("null"))
        let simple: Set<String> = [
            "type", "description", "title", "format", "pattern", "items", "properties", "required",
        ]
        guard entries.allSatisfy({ simple.contains($0.name ?? "") || $0.name?.hasPrefix("m") == true }) else {
            let choice = ManifestNode.list(of: [.map(entries), .map(("type", .string("null")))])
            return [ManifestEntry("anyOf", choice), null]
        }
        return entries.map { entry in
            guard entry.name == "type", case .plain? = entry.value, let type = entry.value else { return entry }
            return ManifestEntry("type", .list(of: [type, .string("null")]))
        } + [null]
    }

    /// The formats that have no effect in JSON Schema 2020-12.
    private static let annotations: Set<String> = [
        "int32", "int64", "float", "double", "password", "byte", "binary",
    ]
    private static let maximumDepth = 30

    /// Returns a JSON Schema as the definition of an input.
    private mutating func entries(of schema: YAMLNode, _ depth: Int, without removed: Set<String> = [])
        -> [ManifestEntry]
    {
        guard let schema = resolve(schema, in: document), depth < Self.maximumDepth else {
            lose("a part of the inputs of '\(current.id)'", "it refers to itself, or to nothing", schema)
            return []
        }
        var result: [ManifestEntry] = []
        for entry in schema.entries {
            guard let name = entry.key.text else { continue }
            if name == "format", let format = entry.value.text, StringFormat(rawValue: format) == nil {
                if !Self.annotations.contains(format) { lose("the format '\(format)'", "it is unknown", entry.value) }
            } else if SchemaKeywords.maps.contains(name) {
                let members = entry.value.entries.compactMap { member -> (String, YAMLNode)? in
                    guard let name = member.key.text, !removed.contains(name) else { return nil }
                    return (name, member.value)
                }
                result.append(ManifestEntry(name, .map(members.map { ManifestEntry($0.0, node($0.1, depth + 1)) })))
            } else if SchemaKeywords.single.contains(name) {
                result.append(ManifestEntry(name, node(entry.value, depth + 1)))
            } else if SchemaKeywords.lists.contains(name), let list = entry.value.sequence {
                result.append(ManifestEntry(name, .list(of: list.map { node($0, depth + 1) })))
            } else if Self.keywords.contains(name) {
                result.append(ManifestEntry(name, ManifestNode(entry.value.json) { writer.plain($0) }))
            } else {
                lose("the keyword '\(name)' of an input", "a manifest has no counterpart", entry.key)
            }
        }
        return result
    }

    /// Returns a schema inside another one, which may also be a boolean.
    private mutating func node(_ schema: YAMLNode, _ depth: Int) -> ManifestNode {
        schema.scalar == nil ? .map(entries(of: schema, depth)) : ManifestNode(schema.json) { writer.plain($0) }
    }

    /// The keywords whose values are no schemas.
    private static let keywords: Set<String> = [
        "type", "enum", "const", "minLength", "maxLength", "pattern", "format", "minimum", "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum", "multipleOf", "required", "minProperties", "maxProperties", "dependentRequired",
        "minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "title", "description", "default",
        "examples", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "$comment",
    ]
}
