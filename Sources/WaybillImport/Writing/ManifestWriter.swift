import WaybillDiagnostics

/// Writes a collection as the entries of a manifest that a person would write.
struct ManifestWriter {
    let collection: ImportedCollection
    let uses: VariableUses
    /// What an earlier writer of the same collection has found: which requests call endpoints, and whether there is one
    /// service only.
    private let plan: EndpointPlan
    private let shared: SharedSettings
    let hasOneService: Bool
    /// Whether a request has its whole URL from a variable.
    var hasRequestsWithoutService = false

    var secrets = SecretPool()
    /// The variables whose values are secret, because a request uses them so.
    var secretVariables: Set<String> = []
    var services = ServiceTable()
    /// The scopes of the graphs that are being written, the innermost last.
    var scopes: [GraphScope] = []
    /// Names that mean something else in the request that is being written: `vars.time`.
    var locals: [String: String] = [:]
    /// The expressions of steps and inputs of graphs that the request being written has used.
    var scopedExpressions: Set<String> = []
    /// The ids of the manifest's inputs, by variable, and the variables in the order of their first use.
    var inputs: [String: String] = [:]
    var inputOrder: [String] = []
    var inputNames = UniqueNames()
    var losses: [ImportLoss] = []
    /// What is found while a request is written.
    var requestLosses: [ImportLoss] = []
    /// Whether the credentials of the request replace a header field.
    var replacesAuthorization = false
    /// Whether a secret in what the request sends or checks was masked.
    var hasMasked = false

    /// The number of requests that have been written.
    private var position = 0
    private var forms: [RequestForm] = []
    /// The comments of the last graph that has no steps.
    private var emptyComments: [String] = []
    /// The description of the folder that is being written.
    private var folderDescription: String?
    private var graphs: [ManifestEntry] = []
    private var graphNames = UniqueNames()

    init(_ collection: ImportedCollection) {
        self.collection = collection
        uses = VariableUses(collection)
        plan = EndpointPlan([])
        shared = SharedSettings([], hasAuth: true, hasOneService: false)
        hasOneService = false
        hide(collection.secrets)
        hideVariables()
    }

    /// Creates a writer that knows what an earlier one has found.
    init(after earlier: ManifestWriter) {
        collection = earlier.collection
        uses = earlier.uses
        hasOneService = earlier.services.count == 1 && !earlier.hasRequestsWithoutService
        let shared = SharedSettings(
            earlier.forms,
            hasAuth: earlier.collection.auth != nil,
            hasOneService: earlier.services.count == 1 && !earlier.hasRequestsWithoutService
        )
        self.shared = shared
        plan = EndpointPlan(
            earlier.forms.map { form in
                var form = form
                shared.remove(from: &form)
                return form
            }
        )
        secrets = earlier.secrets
        secretVariables = earlier.secretVariables
        hideVariables()
    }

    /// Returns the entries of the manifest.
    mutating func manifestEntries() -> [ManifestEntry] {
        let auth = collection.auth.map { authNode($0) }
        _ = writeGraph(named: "main", ImportedFolder(name: "main", items: collection.items))
        var settings = collection.settings
        var defaults: [ManifestEntry] = []
        if let auth, collection.auth != ImportedAuth.none {
            // The credentials of a service are sent to its own server only.
            let entry = ManifestEntry("auth", auth)
            if hasOneService { settings.append(entry) } else { defaults.append(entry) }
        }
        if !hasOneService {
            defaults += settings
            settings = []
        }
        losses = collection.losses + losses
        let environments = environmentEntries()
        let inputs = inputEntries()
        let comments = collection.losses.map(comment) + collection.comments.map(note) + emptyComments
        let parts: [(String, [ManifestEntry])] = [
            ("inputs", inputs), ("secrets", secretEntries()), ("environments", environments),
            ("defaults", defaults),
            ("services", services.entries(settings: settings, shared: shared, hasOneService: hasOneService)),
            ("endpoints", plan.definitions), ("graphs", graphs),
        ]
        let start = documentStart(collection.name, collection.description, comments: comments)
        return start + unusedVariables() + Self.sections(parts)
    }

    /// Returns what is before the sections of a manifest.
    func documentStart(_ name: String?, _ description: String?, comments: [String]) -> [ManifestEntry] {
        var result = [ManifestEntry("waybill", .literal("1"), comments: comments)]
        if let name, !name.isEmpty { result.append(ManifestEntry("name", .plain(plain(name).withoutReferences))) }
        return result + descriptionEntries(description)
    }

    /// Returns the sections that have entries.
    static func sections(_ parts: [(String, [ManifestEntry])]) -> [ManifestEntry] {
        parts.filter { !$0.1.isEmpty }.map { ManifestEntry($0.0, .map($0.1, isOpen: true)) }
    }

    /// Writes a folder as a graph, and returns its name and scope; nil if it has no steps.
    private mutating func writeGraph(named wanted: String, _ folder: ImportedFolder) -> (
        name: String, scope: GraphScope
    )? {
        let name = graphNames.add(wanted)
        let index = graphs.count
        graphs.append(ManifestEntry(name, .map([])))
        scopes.append(GraphScope(hasAuth: folder.auth != nil || scopes.last?.hasAuth ?? false))
        var steps: [ManifestEntry] = []
        for item in folder.items {
            folderDescription = folder.description
            switch item {
            case .request(let request): steps += writeRequest(request)
            case .folder(let folder):
                if let request = folder.onlyRequest {
                    steps += writeRequest(request)
                } else {
                    steps += writeFolder(folder)
                }
            }
        }
        // At the end there is nothing to skip.
        if steps.last?.value == Self.end { steps.removeLast() }
        let auth = folder.auth.map { ManifestEntry("auth", authNode($0)) }
        let scope = scopes.removeLast()
        losses += folder.losses
        guard steps.contains(where: { $0.value != nil }) else {
            graphs.remove(at: index)
            emptyComments = steps.flatMap(\.comments)
            return nil
        }
        var entries = scopes.isEmpty ? [] : descriptionEntries(described(folder, as: name))
        if !scope.needs.isEmpty {
            entries.append(ManifestEntry("inputs", .map(scope.needs.map { ManifestEntry(Self.id($0), .map([])) })))
        }
        if let auth { entries.append(auth) }
        entries.append(ManifestEntry("chain", .list(steps, isOpen: true)))
        let outputs = provided(by: scope).map { variable, expression in
            ManifestEntry(Self.id(variable), outputNode(expression, isSecret: isSecret(variable)))
        }
        if !outputs.isEmpty { entries.append(ManifestEntry("outputs", .map(outputs))) }
        let comments = folder.losses.map(comment) + folder.comments.map(note)
        graphs[index] = ManifestEntry(name, .map(entries, isOpen: true), comments: comments)
        return (name, scope)
    }

    /// The variables that a graph sets and that later requests use, which are outputs of the graph; none for the
    /// outermost graph.
    private func provided(by scope: GraphScope) -> [(variable: String, expression: String)] {
        scopes.isEmpty ? [] : scope.set.filter { uses.isUsed($0.variable, after: position) }
    }

    /// Writes a folder as a graph, and returns the step that runs it.
    private mutating func writeFolder(_ folder: ImportedFolder) -> [ManifestEntry] {
        guard
            let (name, scope) = writeGraph(named: NameForms.identifier(secrets.masked(folder.name)) ?? "folder", folder)
        else {
            defer { emptyComments = [] }
            let name = "\(plain(folder.name)): a folder without requests"
            return [ManifestEntry(comments: folder.losses.map(comment) + [name] + emptyComments)]
        }
        let id = scopes[scopes.count - 1].names.add(name)
        var entries = id == name ? [] : [ManifestEntry("id", .plain(id))]
        entries.append(ManifestEntry("graph", .plain(name)))
        if !scope.needs.isEmpty {
            let values = scope.needs.map {
                ManifestEntry(Self.id($0), .string(Template(expression: expression(for: $0))))
            }
            entries.append(ManifestEntry("with", .map(values)))
        }
        for (variable, _) in provided(by: scope) {
            scopes[scopes.count - 1].set(variable, "steps.\(id).outputs.\(Self.id(variable))")
        }
        return [ManifestEntry(nil, .map(entries, isOpen: true))]
    }

    /// Writes a request, and returns its step, perhaps after one that computes values.
    private mutating func writeRequest(_ source: ImportedRequest) -> [ManifestEntry] {
        defer { position += 1 }
        var request = source
        (locals, scopedExpressions, requestLosses) = ([:], [], request.losses)
        (replacesAuthorization, hasMasked) = (false, false)
        request.checks.removeAll { check in
            guard case .condition(let text, let message) = check,
                let name = text.variables.first(where: uses.lost.contains)
            else { return false }
            let reason = "what sets the variable '\(name)' is not imported"
            requestLosses.add("the test '\(message ?? Self.source(text))'", reason, at: request.span)
            return true
        }
        if request.endsRun, scopes.count > 1 {
            let reason = "'end' ends a graph, not the one that calls it"
            requestLosses.add("the end of the run after this request", reason, at: request.span)
        }
        var (steps, vars) = assignments(of: request, at: position)
        let written = request.url.isEmpty ? nil : requestForm(request)
        losses += requestLosses
        var comments = requestLosses.map(comment) + request.comments.map(note) + exampleComments(request)
        if replacesAuthorization {
            comments.append("The header field Authorization of the source follows from 'auth'.")
        }
        guard var form = written else { return steps + [ManifestEntry(comments: comments)] }
        if !vars.isEmpty { form.settings.append(ManifestEntry("vars", .map(vars))) }
        let wanted = request.name.flatMap { NameForms.identifier(secrets.masked($0)) } ?? form.name
        form.name = wanted
        form.scopedExpressions = scopedExpressions
        form.mock = mockNode(request)
        form.position = position
        forms.append(form)
        shared.remove(from: &form)
        let id = scopes[scopes.count - 1].names.add(wanted)
        var entries = plan.callEntries(at: position, id: id) ?? form.stepEntries(id: id, hasOneService: hasOneService)
        var labels: [ManifestEntry] = []
        if let name = request.name, !Self.repeats(name, id) {
            labels.append(ManifestEntry("name", .string(literal(plain(name)))))
        }
        // In collections made from OpenAPI documents, the folder of a path has the same description.
        if request.description != folderDescription { labels += descriptionEntries(request.description) }
        entries.insert(contentsOf: labels, at: 1)
        locals = [:]
        let expect = expectEntries(request.checks)
        let mock = entries.firstIndex { $0.name == "mock" } ?? entries.count
        entries.insert(contentsOf: stepEntries(request) + outputEntries(request, step: id) + expect, at: mock)
        if hasMasked {
            let loss = ImportLoss("a secret in another form", "it was replaced by '***'", at: request.span)
            losses.append(loss)
            comments.insert(comment(loss), at: 0)
        }
        steps.append(ManifestEntry(nil, .map(entries, isOpen: true), comments: comments))
        if request.endsRun, scopes.count == 1 { steps.append(ManifestEntry(nil, Self.end)) }
        return steps
    }

    /// The step that ends a run.
    private static let end = ManifestNode.map(("end", .literal("true")))

    mutating func secretEntries() -> [ManifestEntry] {
        secrets.secrets.map {
            ManifestEntry($0.name, .map(("env", .plain(NameForms.environmentVariable($0.name)))))
        }
    }

    /// What a folder is, if its name as a graph does not say so.
    private func described(_ folder: ImportedFolder, as name: String) -> String? {
        guard !Self.repeats(folder.name, name) else { return folder.description }
        guard let description = folder.description, !description.isEmpty else { return folder.name }
        return "\(folder.name): \(description)"
    }

    func descriptionEntries(_ text: String?) -> [ManifestEntry] {
        guard let text, !text.isEmpty else { return [] }
        return [ManifestEntry("description", .plain(plain(text)))]
    }

    /// Whether a name says the same as an id.
    static func repeats(_ name: String, _ id: String) -> Bool {
        let letters = { (text: String) in NameForms.words(text).joined().lowercased() }
        return letters(name) == letters(id)
            && name.unicodeScalars.allSatisfy {
                NameForms.isLetter($0) || NameForms.isDigit($0) || " _-./'".unicodeScalars.contains($0)
            }
    }
}
