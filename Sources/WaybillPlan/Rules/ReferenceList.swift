import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// The location of an expression, which determines the meaning of its names.
struct UseLocation: Sendable {
    /// The level that it is written at.
    let level: Level
    /// The inputs that are declared at that level, if it can declare any.
    var declarations: Declarations?
    /// The graph that it is part of.
    var graph: GraphSite?
    /// The step that it belongs to.
    var step: StepSite?
    /// The variables of the enclosing `forEach` steps, from the outermost in.
    var loopVariables: [Spanned<String>] = []
    /// The variables of the request that it belongs to.
    var vars: [VariableDefinition] = []
    /// The sessions that `session` may refer to.
    var sessions: [SessionDefinition] = []
    /// The names that are not known: variables of requests, those of `forEach`, sessions.
    var unknown: UnknownParts = []
    /// Whether it is evaluated for each request, which decides between several sessions.
    var isOfRequest = true

    /// The inputs that an endpoint or a graph declares.
    struct Declarations: Sendable {
        let inputs: Definitions<InputDeclaration>
        /// Whether all declared inputs are known; an error in the manifest may hide others.
        let areAllKnown: Bool

        fileprivate init(_ inputs: Definitions<InputDeclaration>, unknown: UnknownParts) {
            (self.inputs, areAllKnown) = (inputs, !unknown.contains(.inputs))
        }
    }
}

/// A path in an expression of the manifest, with its location and the definitions that its names refer to.
final class ReferenceSite: Sendable {
    /// The path.
    let reference: Reference
    /// The expression or template that contains it.
    let text: any EvaluatedText
    /// The location of the expression or template.
    let location: UseLocation
    /// The first step of the graph with the id after `steps`.
    let step: StepSite?
    /// The name of the declared input that `inputs` leads to; `nil` if it leads to an input of the manifest, to none or
    /// to all.
    let input: Spanned<String>?
    /// When the expression is evaluated.
    let moment: Moment
    /// What the value is used for.
    let purpose: Purpose
    /// Whether it is evaluated for each element of a list, with the element as `item`.
    let seesItem: Bool

    fileprivate init(_ reference: Reference, of use: ExpressionUse, _ location: UseLocation) {
        self.reference = reference
        text = use.text
        moment = use.moment
        purpose = use.purpose
        seesItem = use.seesItem
        self.location = location
        let name = reference.segments.first?.name
        step = reference.root == .steps ? name.flatMap { location.graph?[$0] } : nil
        input = reference.root == .inputs ? name.flatMap { location.declarations?.inputs[$0]?.name } : nil
    }

    /// Returns the span of a range of bytes of the path's expression or template.
    func span(of range: Range<Int>) -> SourceSpan { text.span(of: range) }
}

/// A literal string that is a path, or a call of a function with one.
struct LiteralPath: Sendable {
    /// The path, or the first path in the call, as if the string were an expression.
    let site: ReferenceSite
    /// The string.
    let text: String
    let span: SourceSpan

    /// Creates a literal path from a string that is a path starting with a known name, or a single function call; `nil`
    /// otherwise.
    fileprivate init?(_ use: ConstantUse, _ location: UseLocation) {
        let text = use.text.value
        let name = text.prefix { $0 != "." && $0 != "[" && $0 != "(" }
        guard name.utf8.count < text.utf8.count else { return nil }
        let isCall = text.utf8[name.endIndex] == UInt8(ascii: "(") && text.hasSuffix(")")
        guard
            isCall || Self.names.contains(String(name)) || location.loopVariables.contains(where: { $0.value == name }),
            let expression = try? ManifestExpression(parsing: text, named: "<literal>"),
            let reference = expression.references.first
        else { return nil }
        let isPath = !reference.segments.isEmpty && reference.range.count == text.utf8.count
        guard isCall || isPath else { return nil }
        let asUse = ExpressionUse(text: expression, moment: use.moment, purpose: use.purpose, seesItem: use.seesItem)
        site = ReferenceSite(reference, of: asUse, location)
        self.text = text
        span = use.text.span
    }

    /// The names of the scope whose visibility the decoder of the manifest does not know.
    private static let names: Set = ["item", "response", "request", "manifest", "run", "data"]
}

/// Every path of the expression language in a manifest, those of the outermost levels first.
struct ReferenceList: Sendable {
    /// The paths.
    let sites: [ReferenceSite]
    /// Literal strings that are paths or calls of the expression language, and may have been meant as templates.
    let literals: [LiteralPath]
    /// The prefixes of names in constant expressions of XPath.
    let prefixes: [Spanned<String>]
    /// The names of filters that expressions apply to values.
    let appliedFilters: [Spanned<String>]
    /// The constant paths of the files that expressions read.
    let files: [String]
    /// For each step, by number, the range of the paths that it contains.
    private let ofSteps: [Range<Int>]
    /// For each graph, the range of the paths that are not part of a step.
    private let ofGraphs: [Range<Int>]

    /// Collects the paths of a manifest. Its graphs must be resolved already.
    init(of manifest: Manifest, _ graphs: [GraphSite]) {
        let reader = ReferenceReader(manifest)
        reader.readLevels()
        for graph in graphs { reader.read(graph) }
        (sites, literals, prefixes) = (reader.sites, reader.literals, reader.prefixes)
        (appliedFilters, files) = (reader.appliedFilters, reader.files)
        (ofSteps, ofGraphs) = (reader.ofSteps, reader.ofGraphs)
    }

    /// The paths of the graph at an index that are not part of a step.
    func ofGraph(at index: Int) -> ArraySlice<ReferenceSite> { sites[ofGraphs[index]] }

    /// The paths in a step.
    func of(_ site: StepSite) -> ArraySlice<ReferenceSite> { sites[ofSteps[site.number]] }
}

/// Traverses a manifest and collects its paths.
private final class ReferenceReader {
    private(set) var sites: [ReferenceSite] = []
    private(set) var ofSteps: [Range<Int>] = []
    private(set) var ofGraphs: [Range<Int>] = []
    private(set) var literals: [LiteralPath] = []
    private(set) var prefixes: [Spanned<String>] = []
    private(set) var appliedFilters: [Spanned<String>] = []
    private(set) var files: [String] = []
    private let manifest: Manifest
    private let allSessions: [SessionDefinition]
    /// Whether other sessions may exist, because of errors in the manifest.
    private let unknownOfAllSessions: UnknownParts

    init(_ manifest: Manifest) {
        self.manifest = manifest
        allSessions = manifest.services.values.compactMap(\.value.session)
        let isUnknown =
            manifest.unknown.mayDefineSomething(in: .services)
            || manifest.services.values.contains { $0.value.unknown.contains(.session) }
        unknownOfAllSessions = isUnknown ? .session : []
    }

    /// Reads everything outside the graphs.
    func readLevels() {
        let far = visitor(UseLocation(level: .defaults, sessions: allSessions, unknown: unknownOfAllSessions))
        manifest.defaults.visitUses(far)
        for filter in manifest.filters.values {
            for entry in filter.value { entry.value.visitUses(far) }
        }
        for (name, service) in manifest.services {
            let unknown = service.value.unknown.intersection(.session)
            let location = UseLocation(level: .service(name), sessions: sessions(of: name), unknown: unknown)
            let own = visitor(location)
            service.value.settings.visitUses(own)
            for scheme in service.value.security { scheme.credentials.value.visitUses(own) }
            // The request for a session cannot use the session.
            let before = visitor(UseLocation(level: .service(name)))
            before.members(service.value.session?.call.arguments ?? [], .request, .argument)
        }
        for endpoint in manifest.endpoints.values {
            let request = endpoint.value.request
            let declarations = UseLocation.Declarations(endpoint.value.inputs, unknown: request.unknown)
            let location = UseLocation(
                level: .endpoint(endpoint.name.value),
                declarations: declarations,
                vars: request.vars,
                sessions: sessions(of: request),
                unknown: request.unknown.intersection(.vars).union(unknownSessions(of: request))
            )
            request.visitUses(visitor(location))
        }
    }

    /// Reads a graph and its steps.
    func read(_ graph: GraphSite) {
        let definition = graph.definition
        let declarations = UseLocation.Declarations(definition.value.inputs, unknown: definition.value.unknown)
        func location(isOfRequest: Bool) -> UseLocation {
            UseLocation(
                level: .graph(definition.name.value),
                declarations: declarations,
                graph: graph,
                sessions: allSessions,
                unknown: unknownOfAllSessions,
                isOfRequest: isOfRequest
            )
        }
        let first = sites.count
        definition.value.settings.visitUses(visitor(location(isOfRequest: true)))
        let own = visitor(location(isOfRequest: false))
        own.duration(definition.value.deadline?.value)
        for check in definition.value.checks { check.visitUses(own) }
        for output in definition.value.outputs { output.visitUses(own, .end, .result) }
        for value in definition.value.state { value.visitUses(own) }
        ofGraphs.append(first..<sites.count)
        for site in graph.all {
            let start = sites.count
            let (outside, inside) = locations(of: site, in: graph, declarations)
            site.step.visitUses(outside: visitor(outside), inside: visitor(inside))
            ofSteps.append(start..<sites.count)
        }
    }

    private func visitor(_ location: UseLocation) -> UseVisitor {
        UseVisitor { [unowned self] use in
            for reference in use.text.references { sites.append(ReferenceSite(reference, of: use, location)) }
            for xpath in use.text.xpaths {
                let span = use.text.span(of: xpath.range)
                prefixes += xpath.prefixes.map { Spanned($0, at: span) }
            }
            appliedFilters += use.text.filterNames
            files += use.text.files
        } constant: { [unowned self] use in
            // The name of a file may resemble a path.
            if use.purpose != .fileName, let literal = LiteralPath(use, location) { literals.append(literal) }
        }
    }

    // MARK: Locations

    /// Returns the locations for the expressions of a step: outside its `forEach`, where there is no element yet, and
    /// inside it.
    private func locations(
        of site: StepSite,
        in graph: GraphSite,
        _ declarations: UseLocation.Declarations
    ) -> (outside: UseLocation, inside: UseLocation) {
        var (sessions, unknown, vars) = (allSessions, unknownOfAllSessions, site.step.vars)
        if let request = site.endpoint?.request {
            sessions = self.sessions(of: request, calledBy: site.step)
            unknown = unknownSessions(of: request, calledBy: site.step)
        } else if case .request(let definition) = site.step.action {
            sessions = self.sessions(of: definition)
            unknown = unknownSessions(of: definition).union(definition.unknown.intersection(.vars))
            vars = definition.vars + vars
        } else if site.callsUnknown {
            unknown = .session
        }
        unknown.formUnion(site.step.unknown.intersection([.vars, .loop]))
        for step in site.around { unknown.formUnion(step.unknown.intersection(.loop)) }
        let outside = UseLocation(
            level: .graph(graph.definition.name.value),
            declarations: declarations,
            graph: graph,
            step: site,
            loopVariables: site.around.compactMap { $0.flow?.forEach?.variable },
            sessions: sessions,
            unknown: unknown,
            isOfRequest: site.step.isRequest
        )
        var inside = outside
        if let own = site.step.flow?.forEach?.variable { inside.loopVariables.append(own) }
        inside.vars = vars
        return (outside, inside)
    }

    private func sessions(of service: String) -> [SessionDefinition] {
        (manifest.services[service]?.value.session).map { [$0] } ?? []
    }

    private func sessions(of request: RequestDefinition, calledBy step: Step? = nil) -> [SessionDefinition] {
        if let name = step?.service ?? request.service { return sessions(of: name.value) }
        return manifest.services.count == 1 ? allSessions : []
    }

    /// Whether the sessions of a request are unknown.
    private func unknownSessions(of request: RequestDefinition, calledBy step: Step? = nil) -> UnknownParts {
        let isUnknown: Bool
        if step?.unknown.contains(.service) == true || step?.service == nil && request.unknown.contains(.service) {
            isUnknown = true
        } else if let name = (step?.service ?? request.service)?.value {
            // Nothing is known about a service that does not exist.
            let isSessionUnknown = manifest.services[name]?.value.unknown.contains(.session) ?? true
            isUnknown = isSessionUnknown || manifest.unknown.isDefined(name, in: .services)
        } else {
            isUnknown =
                manifest.unknown.mayDefineSomething(in: .services)
                || manifest.services.count == 1 && !unknownOfAllSessions.isEmpty
        }
        return isUnknown ? .session : []
    }
}
