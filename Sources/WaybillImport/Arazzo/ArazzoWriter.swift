import WaybillContract
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest

/// Writes Arazzo descriptions as a manifest: workflows are graphs, steps are steps.
struct ArazzoWriter {
    var documents: [ArazzoDocument]
    /// Writes texts and keeps the secrets.
    var writer = ManifestWriter(ImportedCollection())
    /// What was not imported.
    var losses: [ImportLoss] = []
    /// What was not imported of the part that is being written.
    var partLosses: [ImportLoss] = []
    /// The inputs of the manifest.
    var inputs: [ManifestEntry] = []

    /// The workflow that is being written, and its description.
    var document = 0
    var workflow = 0
    /// Its steps that were written, by their ids in the source.
    var steps: [String: ArazzoStep] = [:]
    var stepNames = UniqueNames()
    /// The parameters and the method of the request that is being written.
    var parameters: [ArazzoParameter] = []
    var method: String?
    /// The graphs that each graph runs.
    var calls: [String: Set<String>] = [:]

    /// What an earlier writer of the same descriptions has found: the outputs of graphs, with those that are secret, and
    /// whether there is one service only.
    var graphOutputs: [String: [String: Bool]] = [:]
    private var earlierOutputs: [String: [String: Bool]]?
    var hasOneService = false

    init(_ documents: [ArazzoDocument], _ contracts: [(path: String, document: OpenAPIDocument)]) {
        self.documents = documents
        var services = UniqueNames()
        var graphs = UniqueNames()
        for index in documents.indices {
            self.documents[index].sources = documents[index].root["sourceDescriptions"].elements.map { node in
                let name = node["name"]?.text ?? ""
                var source = ArazzoSource(
                    name: name,
                    url: node["url"]?.text ?? "",
                    kind: node["type"]?.text ?? "openapi",
                    node: node
                )
                source.service = services.add(NameForms.kept(name) ?? "api")
                source.document = contracts.first { source.names($0.path) }?.document
                return source
            }
            self.documents[index].workflows = documents[index].root["workflows"].elements.map { node in
                let id = node["workflowId"]?.text ?? ""
                return ArazzoWorkflow(node: node, id: id, graph: graphs.add(NameForms.kept(id) ?? "workflow"))
            }
        }
        findAddresses()
    }

    /// Finds the sources whose URL is that of an API: steps name their methods and paths instead of operations.
    private mutating func findAddresses() {
        for index in documents.indices {
            var isAddress: [Int: Bool] = [:]
            for step in documents[index].workflows.flatMap(\.steps) {
                let path = step["operationPath"]?.text
                guard path != nil || step["operationId"] != nil else { continue }
                let request = path.flatMap(ArazzoRequestLine.init)
                for (position, source) in documents[index].sources.enumerated() {
                    let isNamed = request?.source.map { $0 == source.name }
                    let isOther = request == nil && step.json.mentions(source.name) == false
                    if isNamed == false || isOther && documents[index].services.count > 1 { continue }
                    isAddress[position] = (isAddress[position] ?? true) && request != nil
                }
            }
            for (position, value) in isAddress {
                let source = documents[index].sources[position]
                self.documents[index].sources[position].isAddress =
                    value && source.document == nil && !source.namesFile && ServiceAddress.isUsable(source.url)
            }
        }
    }

    /// Returns the manifest.
    func manifest() -> ImportedManifest {
        // The first time finds the secrets, whose values must not appear before their own fields either.
        var writer = self
        writer.hideSecrets()
        for _ in 0..<2 {
            var next = self
            next.writer.secrets = writer.writer.secrets
            _ = writer.entries()
            next.writer.secrets = writer.writer.secrets
            next.earlierOutputs = writer.graphOutputs
            next.hasOneService = writer.serviceEntries().count == 1 && !writer.writer.hasRequestsWithoutService
            writer = next
        }
        let entries = writer.entries()
        writer.writer.losses = writer.losses
        return ImportedManifest(entries, by: writer.writer)
    }

    private mutating func entries() -> [ManifestEntry] {
        partLosses = losses
        losses = []
        prepareInputs()
        reportUnknown(
            documents[0].root,
            ["arazzo", "$self", "info", "sourceDescriptions", "workflows", "components"],
            of: "the description"
        )
        let start = flush()
        var graphs: [ManifestEntry] = []
        for document in documents.indices {
            for workflow in documents[document].workflows.indices {
                graphs.append(writeWorkflow(document, workflow))
            }
        }
        let info = documents[0].root["info"]
        let services = serviceEntries()
        let description = joined(info?["summary"], info?["description"])
        let head = writer.documentStart(info?["title"]?.text, description, comments: start + unusedParts())
        return head
            + ManifestWriter.sections([
                ("inputs", inputs), ("secrets", writer.secretEntries()), ("services", services), ("graphs", graphs),
            ])
    }

    /// Returns the services that steps use, with what is not imported of them.
    private mutating func serviceEntries() -> [ManifestEntry] {
        var result: [ManifestEntry] = []
        for source in documents.flatMap(\.sources) where source.isUsed {
            var entries: [ManifestEntry] = []
            reportUnknown(source.node, ["name", "url", "type", "x-serverUrl"], of: "the source '\(source.name)'")
            if source.isAddress {
                entries.append(ManifestEntry("baseURL", .string(writer.literal(ManifestWriter.withScheme(source.url)))))
            } else {
                var (file, isMoved) = FileReference.inside(source.url)
                if source.url.contains("://") {
                    file = source.namesFile ? source.fileName.withoutReferences : "\(source.service).yaml"
                    lose("the document at \(source.url)", "save it next to the manifest, as \(file)", source.node)
                } else if isMoved {
                    let reason = "copy the file next to the manifest, as \(file)"
                    lose("the folder of the document '\(source.url)'", reason, source.node)
                }
                entries.append(ManifestEntry("openapi", .plain(writer.sent(file))))
            }
            var comments: [String] = []
            if let document = source.document, document.server == nil, source.node["x-serverUrl"] == nil {
                let address = "http://127.0.0.1:8080\(document.serverPath ?? "")"
                entries.append(ManifestEntry("baseURL", .string(writer.literal(address))))
                comments.append("The document has no absolute address: this is an assumption.")
            }
            if let url = source.node["x-serverUrl"], let text = url.text, text != "$servers.0.url" {
                if ServiceAddress.isUsable(text) {
                    entries.append(ManifestEntry("baseURL", .string(writer.literal(ManifestWriter.withScheme(text)))))
                } else {
                    lose("the server '\(text)'", "it is not an http or https URL", url)
                }
            }
            result.append(ManifestEntry(source.service, .map(entries), comments: flush() + comments))
        }
        return result
            + writer.services.entries(
                settings: [],
                shared: SharedSettings([], hasAuth: true, hasOneService: false),
                hasOneService: false
            )
    }

    /// Comments about the sources and components that no workflow uses.
    private func unusedParts() -> [String] {
        let sources = documents.flatMap(\.sources).filter { !$0.isUsed }
        let texts = documents.map { JSONWriter().string($0.root.json) }
        var names = sources.map { "the source \($0.name) (\($0.url))" }
        for (index, description) in documents.enumerated() {
            for (kind, part) in description.root["components"].members {
                for (name, _) in Optional(part).members {
                    let uses = ["$components.\(kind).\(name)", "#/components/\(kind)/\(name)"]
                    if !uses.contains(where: { texts[index].contains($0) }) {
                        names.append("components.\(kind).\(name)")
                    }
                }
            }
        }
        return names.map { writer.plain("No workflow uses \($0).") }
    }

    // MARK: Losses

    /// Notes something that is not imported.
    mutating func lose(_ what: String, _ reason: String, _ node: YAMLNode) {
        partLosses.add(what, reason, at: node.span)
    }

    /// Returns comments for what was not imported of a part, and forgets it.
    mutating func flush() -> [String] {
        defer { partLosses = [] }
        losses += partLosses
        return partLosses.map(writer.comment)
    }

    /// Reports members that have no meaning here.
    mutating func reportUnknown(_ node: YAMLNode, _ known: Set<String>, of owner: String) {
        for entry in node.entries {
            guard let name = entry.key.text, !known.contains(name) else { continue }
            let reasons = ["$ref": "other files are not read", "x-security": "write the credentials as 'auth'"]
            let value = name == "x-security" ? ": \(JSONWriter().string(entry.value.json))" : ""
            let reason = reasons[name] ?? "a manifest has no counterpart"
            lose("the member '\(name)\(value)' of \(owner)", reason, entry.key)
        }
    }

    // MARK: Workflows

    private mutating func writeWorkflow(_ document: Int, _ workflow: Int) -> ManifestEntry {
        (self.document, self.workflow) = (document, workflow)
        (steps, stepNames) = ([:], UniqueNames())
        let node = current.node
        let known: Set<String> = [
            "workflowId", "summary", "description", "inputs", "dependsOn", "steps", "successActions", "failureActions",
            "outputs", "parameters",
        ]
        reportUnknown(node, known, of: "the workflow '\(current.id)'")
        var entries = writer.descriptionEntries(joined(node["summary"], node["description"]))
        let dependencies = dependencySteps(node["dependsOn"])
        let chain = dependencies + stepEntries()
        var outputs: [ManifestEntry] = []
        for (name, source) in node["outputs"].members {
            do throws(Untranslatable) {
                let value = try output(source, .request)
                let id = NameForms.kept(name) ?? "output"
                let isSecret = value.isSecret || SecretNames.contains(name)
                graphOutputs[current.graph, default: [:]][name] = isSecret
                outputs.append(ManifestEntry(id, writer.outputNode(code(value.expression), isSecret: isSecret)))
            } catch {
                lose("the output '\(name)'", error.reason, source)
            }
        }
        graphOutputs[current.graph, default: [:]].merge([:]) { first, _ in first }
        let definitions = current.inputs.compactMap(\.definition) + current.added
        if !definitions.isEmpty { entries.append(ManifestEntry("inputs", .map(definitions))) }
        let isEmpty = !chain.contains { $0.value != nil }
        let end = ManifestEntry(nil, .map(("end", .literal("true"))))
        entries.append(ManifestEntry("chain", .list(isEmpty ? chain + [end] : chain, isOpen: true)))
        if !outputs.isEmpty { entries.append(ManifestEntry("outputs", .map(outputs))) }
        return ManifestEntry(current.graph, .map(entries, isOpen: true), comments: flush())
    }

    /// The workflow that is being written.
    var current: ArazzoWorkflow {
        get { documents[document].workflows[workflow] }
        set { documents[document].workflows[workflow] = newValue }
    }

    /// Returns steps that run the workflows that must run first.
    private mutating func dependencySteps(_ list: YAMLNode?) -> [ManifestEntry] {
        var result: [ManifestEntry] = []
        for element in list.elements {
            let name = element.text ?? ""
            guard let (document, index) = workflow(named: name) else {
                lose("the dependency on '\(name)'", "no source has this workflow", element)
                continue
            }
            let target = documents[document].workflows[index]
            guard addCall(to: target.graph) else {
                lose("the dependency on '\(name)'", "the workflows depend on each other", element)
                continue
            }
            let id = stepNames.add(target.graph)
            var arguments: [ManifestEntry] = []
            for definition in target.inputs.compactMap(\.definition) {
                guard let name = definition.name else { continue }
                if !(current.inputs.compactMap(\.definition) + current.added).contains(where: { $0.name == name }) {
                    current.added.append(definition)
                }
                arguments.append(ManifestEntry(name, .string(Template(expression: "inputs.\(name)"))))
            }
            var entries = id == target.graph ? [] : [ManifestEntry("id", .plain(id))]
            entries.append(ManifestEntry("graph", .plain(target.graph)))
            if !arguments.isEmpty { entries.append(ManifestEntry("with", .map(arguments))) }
            steps["$" + name] = ArazzoStep(id: id, position: -1, outputs: outputs(of: target, step: id))
            result.append(ManifestEntry(nil, .map(entries, isOpen: true)))
        }
        return result
    }

    /// The outputs of a workflow, as those of the step that runs it.
    func outputs(of target: ArazzoWorkflow, step: String) -> [String: ArazzoValue] {
        var result: [String: ArazzoValue] = [:]
        for (name, _) in target.node["outputs"].members {
            let known = earlierOutputs?[target.graph]
            if known != nil, known?[name] == nil { continue }
            let code = "steps.\(step).outputs.\(NameForms.kept(name) ?? "output")"
            result[name] = ArazzoValue(code: code, isSecret: known?[name] ?? SecretNames.contains(name))
        }
        return result
    }

    /// Notes that the graph runs another one; false if that one runs it, too.
    mutating func addCall(to graph: String) -> Bool {
        var open = [graph]
        var seen: Set<String> = []
        while let next = open.popLast() {
            if next == current.graph { return false }
            if seen.insert(next).inserted { open += calls[next] ?? [] }
        }
        calls[current.graph, default: []].insert(graph)
        return true
    }

    /// Finds a workflow: one of the same description, or `$sourceDescriptions.NAME.ID`.
    func workflow(named name: String) -> (document: Int, index: Int)? {
        let prefix = "$sourceDescriptions."
        var (index, id): (Int?, String) = (document, name)
        if name.hasPrefix(prefix) {
            let parts = name.dropFirst(prefix.count).split(separator: ".", maxSplits: 1).map(String.init)
            let source = documents[document].sources.first { $0.name == parts.first && $0.kind == "arazzo" }
            index = source.flatMap { source in documents.firstIndex { source.names($0.file.name) } }
            id = parts.last ?? ""
        }
        guard let index, let found = documents[index].workflows.firstIndex(where: { $0.id == id }) else { return nil }
        return (index, found)
    }

    /// Two texts as one.
    private func joined(_ first: YAMLNode?, _ second: YAMLNode?) -> String? {
        let texts = [first, second].compactMap { $0?.text?.trimmingSpaces }.filter { !$0.isEmpty }
        if texts.count == 2, texts[1].hasPrefix(texts[0]) { return texts[1] }
        return texts.isEmpty ? nil : texts.joined(separator: texts[0].hasSuffix(".") ? " " : ": ")
    }

    /// Returns an expression that the manifest language accepts, with references to secrets instead of their values.
    mutating func code(_ text: String) -> String { writer.code(ImportedText([.expression(text)])) }

    /// Throws if an expression is not one of the manifest language.
    func check(_ text: String) throws(Untranslatable) {
        do { _ = try Expression(parsing: text) } catch { throw Untranslatable("\(error.message)") }
    }
}

extension JSON {
    /// Whether a string in the value contains a word.
    fileprivate func mentions(_ word: String) -> Bool {
        switch self {
        case .string(let text): text.contains(word)
        case .array(let elements): elements.contains { $0.mentions(word) }
        case .object(let members): members.contains { $0.value.mentions(word) }
        default: false
        }
    }
}

/// A method and a path instead of an operation: `GET /orders`, `/orders` or `GET {shop}./orders`.
struct ArazzoRequestLine {
    var method: String
    var source: String?
    var path: String

    init?(_ text: String) {
        var rest = Substring(text.trimmingSpaces)
        method = "GET"
        let word = rest.prefix { $0.isASCII && $0.isUppercase }
        if !word.isEmpty, rest[word.endIndex...].hasPrefix(" ") {
            method = String(word)
            rest = rest[word.endIndex...].drop { $0 == " " }
        }
        if rest.hasPrefix("{"), let close = rest.firstRange(of: "}./") {
            source = String(rest[rest.index(after: rest.startIndex)..<close.lowerBound])
            rest = rest[rest.index(before: close.upperBound)...]
        }
        guard rest.hasPrefix("/"), !(source?.hasPrefix("$") ?? false) else { return nil }
        path = String(rest)
    }
}
