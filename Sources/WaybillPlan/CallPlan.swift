import OrderedCollections
import WaybillContract
package import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillSchema

extension PlanBuilder {
    /// Returns the plan of one call of an endpoint: a graph named `call` with one step, whose output `data` is the data
    /// of the response.
    ///
    /// An input of the endpoint takes the value given for it, read by its own schema; otherwise the value of the
    /// manifest's input of the same name, from any source; otherwise the secret of the same name; otherwise its
    /// default. Of the manifest's other inputs, only those that the request uses must have a value.
    ///
    /// - Parameter checked: A manifest without errors.
    /// - Returns: A plan if and only if none of the diagnostics is an error.
    package static func plan(
        calling name: String,
        of checked: ResolvedManifest,
        options: PlanOptions
    ) -> (plan: Plan?, diagnostics: [Diagnostic]) {
        let found = endpoint(named: name, in: checked)
        var diagnostics = found.diagnostics
        guard let cascade = found.endpoint, let site = checked.requests.ofEndpoint(name) else {
            return (nil, diagnostics)
        }
        if let diagnostic = cascade.request.missingBaseURL { diagnostics.append(diagnostic) }
        let inputs = CallInputValues(of: cascade, in: checked.manifest, options: options)
        diagnostics += inputs.diagnostics
        guard !diagnostics.hasErrors else { return (nil, diagnostics) }

        let assembly = PlanAssembly(checked: checked, inputs: inputs.values)
        let paginate = cascade.endpoint.value.request.paginate
        let request = assembly.request(site, with: inputs.arguments, graph: "call", paginate: paginate)
        let graph = GraphPlan(calling: cascade.endpoint, by: request)
        let sessions = assembly.sessions.filter { $0.key == request.service }
        return (assembly.plan(of: [graph], sessions: sessions, concurrency: options.concurrency), diagnostics)
    }
}

/// The values that one call of an endpoint needs.
private struct CallInputValues {
    /// The inputs of the endpoint.
    private(set) var arguments: [ArgumentPlan] = []
    /// The inputs of the manifest.
    private(set) var values = JSONObject()
    /// Errors in the given values, and missing values.
    private(set) var diagnostics: [Diagnostic] = []

    init(of cascade: EndpointCascade, in manifest: Manifest, options: PlanOptions) {
        let taken = cascade.endpoint.value.inputs
        // The endpoint's inputs replace those of the manifest with the same names, and have the same sources.
        var both = manifest
        for (name, definition) in taken {
            var definition = definition
            if let input = manifest.inputs[name]?.value {
                definition.value.environmentVariable = input.environmentVariable
                definition.value.defaultValue = input.defaultValue ?? definition.value.defaultValue
            }
            both.inputs[name] = definition
        }
        let paginate = cascade.endpoint.value.request.paginate
        let filled = paginate?.filledInput?.value
        let used = UsedInputs(cascade.request, paginate, in: manifest)
        let required = cascade.request.operation?.operation.requiredInputs
        let resolution = InputResolution(manifest: both, options: options) { name in
            guard taken[name] != nil else { return used.contains(name) }
            // Each page fills it.
            if name == filled { return false }
            return manifest.secrets[name] == nil && required?.contains(name) ?? true
        }
        diagnostics = resolution.diagnostics
        for name in manifest.inputs.keys { values[name] = resolution.values[name] }
        for (name, definition) in taken {
            add(
                definition,
                resolution.values[name],
                from: manifest.inputs[name],
                isSecret: manifest.secrets[name] != nil,
                isFilled: name == filled
            )
        }
    }

    private mutating func add(
        _ definition: Definition<InputDeclaration>,
        _ value: JSON?,
        from input: Definition<InputDeclaration>?,
        isSecret: Bool,
        isFilled: Bool
    ) {
        let name = definition.name.value
        let source: ArgumentPlan.Source
        if let value {
            source = .constant(value)
            if let input, value == input.value.defaultValue,
                let violation = definition.value.schema.validate(value, limit: 1).first
            {
                diagnostics.report(
                    "invalid-input",
                    "the value of input '\(name)' \(violation.message)",
                    at: input.name.span,
                    secondary: [.init(definition.name.span, "the endpoint's input")]
                )
            }
        } else if isFilled {
            source = .omitted
        } else if isSecret, let secret = try? ValueTemplate(parsing: Self.reference(toSecret: name), named: "<call>") {
            source = .template(secret)
        } else {
            // If it is required, a diagnostic reports that it is missing.
            return
        }
        arguments.append(
            ArgumentPlan(name: name, source: source, schema: definition.value.schema, span: definition.name.span)
        )
    }

    private static func reference(toSecret name: String) -> String {
        "${secrets[\(JSONWriter().string(.string(name)))]}"
    }
}

/// The inputs of the manifest that a request uses.
private struct UsedInputs {
    private var names: Set<CodePoints> = []
    private var usesAll = false

    init(_ request: RequestPlan, _ paginate: Pagination?, in manifest: Manifest) {
        var references: [Reference] = []
        var filters: [String] = []
        let visitor = UseVisitor {
            references += $0.text.references
            filters += $0.text.filters.map(\.name)
        }
        request.visitUses(visitor)
        paginate?.visitUses(visitor)
        let session = request.service.flatMap { manifest.services[$0]?.value.session }
        if let session {
            visitor.members(session.call.arguments, .request, .argument)
            manifest.endpoints[session.call.name.value]?.value.request.visitUses(visitor)
        }
        var applied: Set<String> = []
        while let filter = filters.popLast() {
            guard applied.insert(filter).inserted else { continue }
            for stage in manifest.stages(ofFilter: filter) { stage.visitUses(visitor) }
        }
        for reference in references {
            switch (reference.name, reference.segments.first?.name) {
            case ("inputs", let name?): names.insert(CodePoints(name))
            case ("manifest", "inputs"?):
                if let name = reference.segments.dropFirst().first?.name {
                    names.insert(CodePoints(name))
                } else {
                    usesAll = true
                }
            case ("inputs", nil), ("manifest", _): usesAll = true
            default: break
            }
        }
    }

    func contains(_ name: String) -> Bool { usesAll || names.contains(CodePoints(name)) }
}

extension RequestPlan {
    /// The error for a path without a base URL. The steps that call an endpoint may give it one, but there are none
    /// here.
    fileprivate var missingBaseURL: Diagnostic? {
        guard case .path(let path) = address, settings.baseURL == nil else { return nil }
        return Diagnostic(
            "no-base-url",
            "this path requires a base URL",
            at: path.span,
            help: ["Give its service a 'baseURL'. That of a step that calls the endpoint does not apply here."]
        )
    }
}

extension GraphPlan {
    /// A graph that calls an endpoint and whose output is the data of the response.
    fileprivate init(calling endpoint: Definition<Endpoint>, by request: RequestPlan) {
        let name = endpoint.name.value
        let id = name.split(separator: ".").last.map(String.init) ?? name
        let step = StepPlan(
            id: id,
            name: id,
            path: "call.\(id)",
            work: .request(request),
            keeps: .data,
            span: endpoint.name.span
        )
        let text = "default(steps[\(JSONWriter().string(.string(id)))].data, null)"
        guard let data = try? ManifestExpression(parsing: text, named: "<call>") else {
            preconditionFailure("the expression for the data of a call is valid")
        }
        self.init(
            name: "call",
            path: "call",
            inputs: [:],
            body: GroupPlan(order: .chain, steps: [step], onFailure: .stop, concurrency: nil),
            outputs: [
                OutputDefinition(name: endpoint.name.map { _ in "data" }, value: data, level: .graph("call"))
            ],
            tags: []
        )
    }
}
