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

/// A part of a manifest that has names as data: of a whole object, or of members that are not known before it is evaluated.
package struct NameExposure: Sendable {
    package let span: SourceSpan
    /// The indices of the symbols.
    package let symbols: [Int]
}

/// Every name of a manifest and of the files that it includes, with what it refers to.
///
/// The names are those that the rules resolve. Those in the settings of environments are included.
package struct ManifestNames: Sendable {
    /// What the names refer to.
    package private(set) var symbols: [NameSymbol]
    /// The names, in no particular order. The name of an endpoint in a step without `id` is also the definition of that step.
    package let occurrences: [NameOccurrence]
    /// Where names are data, which another name would change.
    package let exposures: [NameExposure]

    /// Collects the names of a manifest, which may have errors.
    package init(_ checked: ResolvedManifest) {
        let collector = NameCollector(checked.written)
        collector.collect(checked.manifest, checked.graphs)
        for environment in checked.written.environments.values {
            let manifest = checked.manifest.applying(environment.value).manifest
            collector.collect(manifest, manifest.graphSites)
        }
        (symbols, occurrences, exposures) = (collector.symbols, collector.occurrences, collector.exposures)
    }

    /// The pairs of an input and the manifest's input that it takes its value from, by their indices.
    package var inheritedInputs: [(input: Int, from: Int)] {
        symbols.indices.compactMap { index in symbols[index].representative.map { (index, $0) } }
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
    private(set) var exposures: [NameExposure] = []
    /// The locations of the names of endpoints and graphs that are called.
    private var called: Set<SourceSpan> = []
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
        // Without a call, the program that runs an endpoint or a graph gives it the inputs of the manifest.
        let callees =
            manifest.endpoints.values.map { ($0.name.span, $0.value.inputs) }
            + manifest.graphs.values.map { ($0.name.span, $0.value.inputs) }
        for (name, inputs) in callees where !called.contains(name) { inherit(inputs, given: [], in: manifest) }
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
                if let callee { called.insert(callee.name.span) }
                refer(call.arguments, callee?.value.inputs ?? [:], filled: nil, in: manifest)
                nameStep(site, after: callee?.name.span)
            case .request(let request): refer(request, in: manifest)
            case .values(let values): refer(step.settings.expectations.map(\.value), to: values)
            case .group, .end: break
            }
        }
    }

    /// Adds the names in the expectations of an object of values.
    private func refer(_ expectations: [ExpectationSetting], to values: [OutputDefinition]) {
        func expose(_ span: SourceSpan) { self.expose(span) { values.map(\.name.span) } }
        for expectation in expectations {
            switch expectation {
            case .json(.mapping(let members, _)), .equals(.mapping(let members, _)):
                for name in members.map(\.name) {
                    refer(name, .output, to: values.first { $0.name.value == name.value }?.name.span)
                }
            case .json(let value), .equals(let value): expose(value.span)
            case .schema(let schema): expose(schema.node.span)
            case .snapshot(let snapshot): expose(snapshot.file.span)
            case .status, .header, .body, .maxTime, .time, .certificate: break
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
        if let endpoint { called.insert(endpoint.name.span) }
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
        inherit(inputs, given: arguments.map(\.name.value) + [filled].compactMap { $0 }, in: manifest)
    }

    /// Notes which inputs take the values of the manifest's inputs, because a call does not give them.
    private func inherit(_ inputs: Definitions<InputDeclaration>, given: [String], in manifest: Manifest) {
        for input in inputs.values where !given.contains(input.name.value) {
            guard let outer = manifest.inputs[input.name.value].flatMap({ known[$0.name.span] }),
                let inner = known[input.name.span]
            else { continue }
            symbols[inner].representative = outer
        }
    }

    // MARK: Expressions

    private func refer(_ site: ReferenceSite, in manifest: Manifest) {
        let reference = site.reference
        // A segment that selects several children has no name.
        let path: [Reference.Segment?] = reference.segments + (reference.childSegments.map { [nil] + $0 } ?? [])
        func name(_ index: Int) -> Spanned<String>? {
            guard path.indices.contains(index), let segment = path[index], let name = segment.name else { return nil }
            return Spanned(name, at: site.span(of: segment.range))
        }
        /// Adds the name at an index of the path. If no single name is there, all of them are data.
        func refer(at index: Int, _ kind: NameKind, to span: (String) -> SourceSpan?, _ all: () -> [SourceSpan]) {
            if let name = name(index) {
                self.refer(name, kind, to: span(name.value))
            } else if !site.isCounted {
                expose(site.span(of: reference.range), all)
            }
        }
        func refer<Value: Sendable>(at index: Int, _ kind: NameKind, in definitions: Definitions<Value>) {
            refer(at: index, kind, to: { definitions[$0]?.name.span }) { definitions.values.map(\.name.span) }
        }
        func refer(at index: Int, _ kind: NameKind, among names: [Spanned<String>]) {
            refer(at: index, kind, to: { name in names.first { $0.value == name }?.span }) { names.map(\.span) }
        }
        switch reference.root {
        case nil:
            let root = Spanned(reference.name, at: site.span(of: reference.nameRange))
            self.refer(root, .element, to: site.location.loopVariables.last { $0.value == reference.name }?.span)
        case .inputs:
            refer(at: 0, .input, to: { site.input?.span ?? manifest.inputs[$0]?.name.span }) {
                [site.location.declarations?.inputs ?? [:], manifest.inputs].flatMap(\.values).map(\.name.span)
            }
        case .manifest where name(0)?.value ?? "inputs" == "inputs": refer(at: 1, .input, in: manifest.inputs)
        case .secrets: refer(at: 0, .secret, in: manifest.secrets)
        case .data: refer(at: 0, .data, in: manifest.data)
        case .vars: refer(at: 0, .variable, among: site.location.vars.map(\.name))
        case .state:
            let state = site.location.graph?.definition.value.state ?? []
            refer(at: 0, .state, among: state.map { Spanned($0.name, at: $0.next.name.span) })
        case .session:
            let endpoints = site.location.sessions.compactMap { manifest.endpoints[$0.call.name.value]?.value }
            refer(at: 0, .output, among: endpoints.flatMap(\.request.outputs).map(\.name))
        case .document where site.moment == .values:
            if case .values(let values)? = site.location.step?.step.action {
                refer(at: 0, .output, among: values.map(\.name))
            }
        case .run where name(0)?.value ?? "environment" == "environment":
            expose(site.span(of: reference.range)) { manifest.environments.values.map(\.name.span) }
        case .steps:
            guard let first = name(0) else { return }
            add(first.span, .step, site.step.flatMap { stepSymbols[$0.step.identifierSpan] })
            guard let outputs = site.step?.outputs?.map(\.name), !outputs.isEmpty else { return }
            switch (name(1)?.value, name(3)?.value) {
            case (nil, _): refer(at: 1, .output, among: outputs)
            case ("outputs", _): refer(at: 2, .output, among: outputs)
            case ("items", nil), ("items", "outputs"):
                refer(at: name(3) == nil ? 3 : 4, .output, among: outputs)
                fallthrough
            case ("items", _):
                // A filter reads the elements.
                let isFiltered = reference.filtersChildren && reference.segments.count == 2
                if isFiltered { refer(at: path.count, .output, among: outputs) }
            default: return
            }
        default: return
        }
    }

    private func expose(_ span: SourceSpan, _ definitions: () -> [SourceSpan]) {
        let symbols = definitions().compactMap { known[$0] }
        if !symbols.isEmpty { exposures.append(NameExposure(span: span, symbols: symbols)) }
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

extension ReferenceSite {
    /// Whether only the number of members or elements of the value, or whether there is one, is used of the path.
    fileprivate var isCounted: Bool {
        guard reference.isComplete else { return false }
        let (path, bytes) = (span(of: reference.range), text.span.file.bytes)
        return ["length(", "count(", "exists("].contains {
            bytes[..<path.range.lowerBound].suffix($0.utf8.count).elementsEqual($0.utf8)
        }
            && bytes[path.range.upperBound...].first == UInt8(ascii: ")")
    }
}
