import OrderedCollections
package import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// What a name of a manifest refers to.
package enum NameKind: String, Sendable {
    case service, endpoint, operation, graph, filter, step, input, secret, data, environment, output, variable, state
    /// The variable of a `forEach`.
    case element

    /// The kind in messages.
    package var words: String { self == .element ? "variable of 'forEach'" : rawValue }
}

/// Something that a manifest, or an OpenAPI document of it, defines by a name.
package struct NameSymbol: Sendable {
    package let kind: NameKind
    package let name: String
    /// Where the name is defined.
    package let definition: SourceSpan
    /// The endpoint or graph whose name is the name of a step without `id`.
    package fileprivate(set) var namesake: Int?
    /// The key of a step without `id` that determines its form, before which an `id` can be inserted.
    package fileprivate(set) var formKey: SourceSpan?
    /// The symbol that it has the name of, because calls that omit an input take that of the manifest.
    fileprivate var representative: Int?
}

/// A name in the text of a manifest.
package struct NameOccurrence: Sendable {
    /// The location, which includes quotes.
    package let span: SourceSpan
    /// The index of the symbol; `nil` if nothing has the name.
    package let symbol: Int?
    package let kind: NameKind
    package let isDefinition: Bool
}

/// Every name of a manifest and of the files that it includes, with what it refers to.
///
/// The names are those that the rules resolve. Those in the settings of environments are included.
package struct ManifestNames: Sendable {
    /// What the names refer to.
    package private(set) var symbols: [NameSymbol]
    /// The names, in no particular order. The name of an endpoint in a step without `id` is also the definition of that step.
    package let occurrences: [NameOccurrence]

    /// Collects the names of a manifest, which may have errors.
    package init(_ checked: ResolvedManifest) {
        let collector = NameCollector(checked.written)
        collector.collect(checked.manifest, checked.graphs)
        for environment in checked.written.environments.values {
            let manifest = checked.manifest.applying(environment.value).manifest
            collector.collect(manifest, manifest.graphSites)
        }
        (symbols, occurrences) = (collector.symbols, collector.occurrences)
    }

    /// Returns the symbols that have one name: that of a symbol, because a call that omits an input takes that of the manifest.
    package func sharingName(with symbol: Int) -> Set<Int> {
        let representative = symbols[symbol].representative ?? symbol
        return Set(symbols.indices.filter { ($0 == representative) || symbols[$0].representative == representative })
    }
}

/// Traverses a manifest and collects its names.
private final class NameCollector {
    private(set) var symbols: [NameSymbol] = []
    private(set) var occurrences: [NameOccurrence] = []
    private var known: [SourceSpan: Int] = [:]
    private var seen: Set<Occurrence> = []
    /// The manifest without the endpoints that are made of operations.
    private let written: Manifest

    private struct Occurrence: Hashable {
        var span: SourceSpan
        var kind: NameKind
    }

    init(_ manifest: Manifest) { written = manifest }

    /// Adds the names of a manifest.
    func collect(_ manifest: Manifest, _ graphs: [GraphSite]) {
        define(manifest)
        for graph in graphs { define(graph) }
        refer(manifest)
        for graph in graphs { refer(graph, in: manifest) }
        let references = ReferenceList(of: manifest, graphs)
        for name in references.appliedFilters { refer(name, .filter, in: manifest.filters) }
        for site in references.sites { refer(site, in: manifest) }
    }

    // MARK: Definitions

    private func define(_ kind: NameKind, _ name: Spanned<String>) {
        guard known[name.span] == nil || kind == .step else { return }
        let symbol = symbols.count
        symbols.append(NameSymbol(kind: kind, name: name.value, definition: name.span))
        if kind != .step { known[name.span] = symbol }
        add(name.span, kind, symbol, isDefinition: true)
    }

    private func define<Value: Sendable>(_ kind: NameKind, _ definitions: Definitions<Value>) {
        for definition in definitions.values { define(kind, definition.name) }
    }

    private func define(_ manifest: Manifest) {
        define(.input, manifest.inputs)
        define(.secret, manifest.secrets)
        define(.data, manifest.data)
        define(.environment, manifest.environments)
        define(.service, manifest.services)
        define(.filter, manifest.filters)
        define(.graph, manifest.graphs)
        for definition in manifest.endpoints.values {
            let endpoint = definition.value
            if let operation = endpoint.request.operation, let span = operation.span {
                define(.operation, Spanned(operationName(of: definition)?.value ?? definition.name.value, at: span))
            }
            if !isOperation(definition) { define(.endpoint, definition.name) }
            define(.input, endpoint.inputs)
            for output in endpoint.request.outputs { define(.output, output.name) }
            for variable in endpoint.request.vars { define(.variable, variable.name) }
        }
    }

    private func define(_ graph: GraphSite) {
        let definition = graph.definition.value
        define(.input, definition.inputs)
        for output in definition.outputs { define(.output, output.name) }
        for value in definition.state { define(.state, value.next.name) }
        for site in graph.all {
            let step = site.step
            if let id = step.effectiveID, stepSymbols[step.identifierSpan] == nil {
                stepSymbols[step.identifierSpan] = symbols.count
                define(.step, Spanned(id, at: step.identifierSpan))
            }
            if let variable = step.flow?.forEach?.variable { define(.element, variable) }
            for output in step.ownOutputs { define(.output, output.name) }
            for variable in step.vars { define(.variable, variable.name) }
            if case .request(let request) = step.action {
                for variable in request.vars { define(.variable, variable.name) }
            }
        }
    }

    /// The symbols of steps by the locations of their ids; that of an id is also the location of another name.
    private var stepSymbols: [SourceSpan: Int] = [:]

    // MARK: References

    private func add(_ span: SourceSpan, _ kind: NameKind, _ symbol: Int?, isDefinition: Bool = false) {
        guard seen.insert(Occurrence(span: span, kind: kind)).inserted else { return }
        occurrences.append(NameOccurrence(span: span, symbol: symbol, kind: kind, isDefinition: isDefinition))
    }

    private func refer(_ name: Spanned<String>, _ kind: NameKind, to definition: SourceSpan?) {
        add(name.span, kind, definition.flatMap { known[$0] })
    }

    private func refer<Value: Sendable>(_ name: Spanned<String>, _ kind: NameKind, in definitions: Definitions<Value>) {
        refer(name, kind, to: definitions[name.value]?.name.span)
    }

    private func refer(_ manifest: Manifest) {
        for environment in manifest.environments.values.map(\.value) {
            for (name, _) in environment.services { refer(name, .service, in: manifest.services) }
            for (name, _) in environment.inputs { refer(name, .input, in: manifest.inputs) }
            for (name, _) in environment.secrets { refer(name, .secret, in: manifest.secrets) }
            for (name, _) in environment.data { refer(name, .data, in: manifest.data) }
        }
        refer(manifest.defaults.filters, in: manifest)
        for filter in manifest.filters.values { refer(filter.value, in: manifest) }
        for service in manifest.services.values.map(\.value) {
            refer(service.settings.filters, in: manifest)
            guard let call = service.session?.call else { continue }
            refer(call, in: manifest, filled: nil)
        }
        for definition in manifest.endpoints.values {
            let request = definition.value.request
            refer(request, in: manifest)
            if let filled = request.paginate?.filledInput { refer(filled, .input, in: definition.value.inputs) }
            if let name = operationName(of: definition) { refer(name, .operation, to: request.operation?.span) }
        }
    }

    private func refer(_ graph: GraphSite, in manifest: Manifest) {
        refer(graph.definition.value.settings.filters, in: manifest)
        for site in graph.all {
            let step = site.step
            refer(step.settings.filters, in: manifest)
            if let service = step.service { refer(service, .service, in: manifest.services) }
            for name in step.flow?.needs ?? [] {
                add(name.span, .step, graph[name.value].flatMap { stepSymbols[$0.step.identifierSpan] })
            }
            switch step.action {
            case .call(let call):
                let filled = site.paginate?.target.flatMap { target in
                    if case .input(let name) = target { name } else { nil }
                }
                refer(call, in: manifest, filled: filled)
                if let filled { refer(filled, .input, in: site.calledInputs ?? [:]) }
                nameStep(site, after: manifest.endpoints[call.name.value].map(symbolSpan))
            case .graph(let call):
                let callee = manifest.graphs[call.name.value]
                refer(call.name, .graph, to: callee?.name.span)
                refer(call.arguments, callee?.value.inputs ?? [:], filled: nil, in: manifest)
                nameStep(site, after: callee?.name.span)
            case .request(let request): refer(request, in: manifest)
            case .group, .values, .end: break
            }
        }
    }

    /// Notes that a step without an id has the name of what it calls.
    private func nameStep(_ site: StepSite, after callee: SourceSpan?) {
        guard site.step.id == nil, let step = stepSymbols[site.step.identifierSpan] else { return }
        symbols[step].namesake = callee.flatMap { known[$0] }
        symbols[step].formKey = site.step.span
    }

    private func refer(_ request: RequestDefinition, in manifest: Manifest) {
        refer(request.settings.filters, in: manifest)
        // The service of an operation is a part of its name.
        if request.operation == nil, let service = request.service { refer(service, .service, in: manifest.services) }
    }

    private func refer(_ filters: [Setting<FilterEntry>], in manifest: Manifest) {
        for case .named(let name, _) in filters.map(\.value) { refer(name, .filter, in: manifest.filters) }
    }

    private func refer(_ call: Step.Call, in manifest: Manifest, filled: Spanned<String>?) {
        let endpoint = manifest.endpoints[call.name.value]
        refer(call.name, endpoint.map(isOperation) == true ? .operation : .endpoint, to: endpoint.map(symbolSpan))
        refer(call.arguments, endpoint?.value.inputs ?? [:], filled: filled?.value, in: manifest)
    }

    private func refer(
        _ arguments: [ValueTemplate.Member],
        _ inputs: Definitions<InputDeclaration>,
        filled: String?,
        in manifest: Manifest
    ) {
        for argument in arguments { refer(argument.name, .input, in: inputs) }
        for input in inputs.values where input.name.value != filled {
            guard !arguments.contains(where: { $0.name.value == input.name.value }),
                let outer = manifest.inputs[input.name.value].flatMap({ known[$0.name.span] }),
                let inner = known[input.name.span]
            else { continue }
            symbols[inner].representative = outer
        }
    }

    // MARK: Expressions

    private func refer(_ site: ReferenceSite, in manifest: Manifest) {
        let reference = site.reference
        let segments = reference.segments
        func name(_ index: Int) -> Spanned<String>? {
            guard segments.indices.contains(index), let name = segments[index].name else { return nil }
            return Spanned(name, at: site.span(of: segments[index].range))
        }
        guard let root = reference.root else {
            let root = Spanned(reference.name, at: site.span(of: reference.nameRange))
            let variable = site.location.loopVariables.last { $0.value == reference.name }
            return refer(root, .element, to: variable?.span)
        }
        guard let first = name(0) else { return }
        switch root {
        case .inputs: refer(first, .input, to: site.input?.span ?? manifest.inputs[first.value]?.name.span)
        case .manifest: if first.value == "inputs", let input = name(1) { refer(input, .input, in: manifest.inputs) }
        case .secrets: refer(first, .secret, in: manifest.secrets)
        case .data: refer(first, .data, in: manifest.data)
        case .vars: refer(first, .variable, to: site.location.vars.first { $0.name.value == first.value }?.name.span)
        case .state:
            let state = site.location.graph?.definition.value.state.first { $0.name == first.value }
            refer(first, .state, to: state?.next.name.span)
        case .session:
            let outputs = site.location.sessions.flatMap {
                manifest.endpoints[$0.call.name.value]?.value.request.outputs ?? []
            }
            refer(first, .output, to: outputs.first { $0.name.value == first.value }?.name.span)
        case .steps:
            add(first.span, .step, site.step.flatMap { stepSymbols[$0.step.identifierSpan] })
            guard let step = site.step, let field = name(1)?.value else { return }
            var output = field == "outputs" ? name(2) : nil
            if field == "items", segments.count == 2, let child = reference.childSegments,
                child.first?.name == "outputs",
                let last = child.dropFirst().first, let name = last.name
            {
                output = Spanned(name, at: site.span(of: last.range))
            }
            guard let output else { return }
            refer(output, .output, to: step.outputs?.first { $0.name.value == output.value }?.name.span)
        case .run, .request, .response, .document, .item: break
        }
    }

    // MARK: Operations

    /// Whether an endpoint is an operation that no endpoint of the manifest refines.
    private func isOperation(_ endpoint: Definition<Endpoint>) -> Bool { written.endpoints[endpoint.name.value] == nil }

    /// The name of the operation that an endpoint of the manifest refines.
    private func operationName(of endpoint: Definition<Endpoint>) -> Spanned<String>? {
        written.endpoints[endpoint.name.value]?.value.operationName
    }

    /// The location that identifies an endpoint, or an operation in its document.
    private func symbolSpan(of endpoint: Definition<Endpoint>) -> SourceSpan {
        isOperation(endpoint) ? endpoint.value.request.operation?.span ?? endpoint.name.span : endpoint.name.span
    }
}
