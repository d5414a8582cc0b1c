import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// A path in an expression of the manifest: where it stands, and what its names stand for.
final class ReferenceSite: Sendable {
    /// The path.
    let reference: Reference
    /// The text that it is in.
    let text: any EvaluatedText
    /// Where the text stands.
    let place: UseLocation
    /// The first step of the graph that has the id behind `steps`.
    let step: StepSite?
    /// Which of all inputs that endpoints and graphs declare it is that `inputs` leads to; `nil` where it leads to one of
    /// the manifest's, to none or to all.
    let input: Int?
    /// When the text is evaluated.
    let moment: Moment
    /// What for.
    let purpose: Purpose
    /// Whether it is evaluated for each element of a list, which is `item`.
    let seesItem: Bool

    fileprivate init(_ reference: Reference, of use: ExpressionUse, _ place: UseLocation) {
        self.reference = reference
        text = use.text
        moment = use.moment
        purpose = use.purpose
        seesItem = use.seesItem
        self.place = place
        let name = reference.segments.first?.name
        step = reference.root == .steps ? name.flatMap { place.graph?[$0] } : nil
        input = reference.root == .inputs ? name.flatMap { place.declarations?.number(of: $0) } : nil
    }

    /// Where a range of bytes of the path's text stands.
    func span(of range: Range<Int>) -> SourceSpan { text.span(of: range) }
}

extension UseLocation.Declarations {
    /// Which of all declared inputs a name stands for.
    fileprivate func number(of name: String) -> Int? {
        guard let index = inputs.index(forKey: name), inputs.keys[index].hasSameCodePoints(as: name) else { return nil }
        return start + index
    }
}

/// A constant text that is a path, or a call of a function with one.
struct LiteralPath: Sendable {
    /// The path, or the first one of the call, as if the text were an expression.
    let site: ReferenceSite
    /// The text.
    let text: String
    /// Where it is written.
    let span: SourceSpan

    /// Takes a text that begins with one of some names and has nothing beside a path, or is nothing but a call.
    fileprivate init?(_ use: ConstantUse, _ place: UseLocation) {
        let name = use.text.prefix { $0 != "." && $0 != "[" && $0 != "(" }
        guard name.utf8.count < use.text.utf8.count else { return nil }
        let isCall = use.text.utf8[name.endIndex] == UInt8(ascii: "(") && use.text.hasSuffix(")")
        guard isCall || Self.names.contains(String(name)) || place.loopVariables.contains(where: { $0.value == name }),
            let expression = try? ManifestExpression(parsing: use.text, named: "<literal>"),
            let reference = expression.references.first
        else { return nil }
        let isPath = !reference.segments.isEmpty && reference.range.count == use.text.utf8.count
        guard isCall || isPath else { return nil }
        let asUse = ExpressionUse(text: expression, moment: use.moment, purpose: use.purpose, seesItem: use.seesItem)
        site = ReferenceSite(reference, of: asUse, place)
        text = use.text
        span = use.span
    }

    /// The names of the scope of which the manifest's decoder does not know where they can be used.
    private static let names: Set = ["item", "response", "request", "manifest", "run", "data"]
}

/// Every path of the expression language in a manifest, those of the farthest levels first.
struct ReferenceList: Sendable {
    /// The paths.
    let sites: [ReferenceSite]
    /// What they begin at. Most rules are about few of these, and find them without looking at the paths.
    let roots: [Reference.Root?]
    /// Constant texts that are paths or calls of the expression language, and might have been meant to be templates.
    let literals: [LiteralPath]
    /// By the numbers of the steps, which paths are written with each.
    private let ofSteps: [Range<Int>]

    /// Collects the paths of a manifest, whose graphs were gone through already.
    init(of manifest: Manifest, _ graphs: [GraphSite]) {
        let reader = ReferenceReader(manifest)
        reader.readLevels()
        for graph in graphs { reader.read(graph) }
        (sites, roots, ofSteps) = (reader.sites, reader.roots, reader.ofSteps)
        literals = reader.literals
    }

    /// The indices of the paths that are written with a step.
    func indices(of site: StepSite) -> Range<Int> { ofSteps[site.number] }
}

/// Goes through a manifest and collects its paths.
private final class ReferenceReader {
    private(set) var sites: [ReferenceSite] = []
    private(set) var roots: [Reference.Root?] = []
    private(set) var ofSteps: [Range<Int>] = []
    private(set) var literals: [LiteralPath] = []
    private let manifest: Manifest
    private let places: LocationReader
    /// How many inputs are declared by the endpoints and graphs that were read.
    private var inputs = 0

    init(_ manifest: Manifest) {
        self.manifest = manifest
        places = LocationReader(manifest)
    }

    /// Reads all that is outside graphs.
    func readLevels() {
        let far = visitor(
            UseLocation(level: .defaults, sessions: places.allSessions, unknown: places.unknownOfAllSessions)
        )
        manifest.defaults.visitUses(far)
        for filter in manifest.filters.values {
            for entry in filter.value { entry.value.visitUses(far) }
        }
        for (name, service) in manifest.services {
            let unknown = service.value.unknown.among(.session)
            let place = UseLocation(level: .service(name), sessions: places.sessions(of: name), unknown: unknown)
            service.value.settings.visitUses(visitor(place))
            // What a session is made with cannot come from the session.
            let before = visitor(UseLocation(level: .service(name)))
            before.members(service.value.session?.call.arguments ?? [], .request, .argument)
        }
        for endpoint in manifest.endpoints.values {
            let request = endpoint.value.request
            let declarations = declare(endpoint.value.inputs, unknown: request.unknown)
            request.visitUses(visitor(places.place(of: endpoint, declarations)))
        }
    }

    /// Reads a graph and its steps.
    func read(_ graph: GraphSite) {
        let definition = graph.definition
        let declarations = declare(definition.value.inputs, unknown: definition.value.unknown)
        func place(isOfRequest: Bool) -> UseLocation {
            UseLocation(
                level: .graph(definition.name.value),
                declarations: declarations,
                graph: graph,
                sessions: places.allSessions,
                unknown: places.unknownOfAllSessions,
                isOfRequest: isOfRequest
            )
        }
        definition.value.settings.visitUses(visitor(place(isOfRequest: true)))
        let own = visitor(place(isOfRequest: false))
        own.duration(definition.value.deadline?.value)
        for output in definition.value.outputs { output.visitUses(own, .end, .result) }
        for value in definition.value.state { value.visitUses(own) }
        for site in graph.all {
            let start = sites.count
            let (outside, inside) = places.places(of: site, in: graph, declarations)
            let first = visitor(outside)
            site.step.visitUses(outside: first, inside: inside === outside ? first : visitor(inside))
            ofSteps.append(start..<sites.count)
        }
    }

    private func declare(
        _ inputs: Definitions<InputDeclaration>,
        unknown: UnknownParts
    ) -> UseLocation.Declarations {
        defer { self.inputs += inputs.count }
        return UseLocation.Declarations(inputs: inputs, start: self.inputs, areAllKnown: !unknown.contains(.inputs))
    }

    private func visitor(_ place: UseLocation) -> UseVisitor {
        UseVisitor { [unowned self] use in
            for reference in use.text.references {
                sites.append(ReferenceSite(reference, of: use, place))
                roots.append(reference.root)
            }
        } constant: { [unowned self] use in
            // The name of a file may well begin like a path.
            if use.purpose != .fileName, let literal = LiteralPath(use, place) { literals.append(literal) }
        }
    }
}

/// Says where the expressions of endpoints and steps stand.
private final class LocationReader {
    let allSessions: [SessionDefinition]
    /// Whether there may be other sessions than those.
    let unknownOfAllSessions: UnknownParts
    private let manifest: Manifest

    init(_ manifest: Manifest) {
        self.manifest = manifest
        allSessions = manifest.services.values.compactMap(\.value.session)
        let isUnknown =
            manifest.unknown.mayDefineSomething(in: .services)
            || manifest.services.values.contains { $0.value.unknown.contains(.session) }
        unknownOfAllSessions = isUnknown ? .session : .nothing
    }

    func place(of endpoint: Definition<Endpoint>, _ declarations: UseLocation.Declarations) -> UseLocation {
        let request = endpoint.value.request
        return UseLocation(
            level: .endpoint(endpoint.name.value),
            declarations: declarations,
            vars: request.vars,
            sessions: sessions(of: request),
            unknown: request.unknown.among(.vars) | unknownSessions(of: request)
        )
    }

    /// Where the uses of a step stand: those evaluated before the elements of its `forEach` are there, and the others.
    func places(
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
            unknown = unknownSessions(of: definition) | definition.unknown.among(.vars)
            vars = definition.vars + vars
        } else if site.callsUnknown {
            unknown = .session
        }
        unknown = unknown | site.step.unknown.among(.vars | .loop)
        for step in site.around { unknown = unknown | step.unknown.among(.loop) }
        func place(_ loopVariables: [Spanned<String>], _ vars: [VariableDefinition]) -> UseLocation {
            UseLocation(
                level: .graph(graph.definition.name.value),
                declarations: declarations,
                graph: graph,
                step: site,
                loopVariables: loopVariables,
                vars: vars,
                sessions: sessions,
                unknown: unknown,
                isOfRequest: site.step.isRequest
            )
        }
        let around = site.around.compactMap { $0.flow?.forEach?.variable }
        let own = site.step.flow?.forEach?.variable
        if own == nil, vars.isEmpty {
            let both = place(around, [])
            return (both, both)
        }
        return (place(around, []), place(around + [own].compactMap { $0 }, vars))
    }

    func sessions(of service: String) -> [SessionDefinition] {
        (manifest.services[service]?.value.session).map { [$0] } ?? []
    }

    private func sessions(of request: RequestDefinition, calledBy step: Step? = nil) -> [SessionDefinition] {
        if let name = step?.service ?? request.service { return sessions(of: name.value) }
        return manifest.services.count == 1 ? allSessions : []
    }

    /// Whether the sessions of a request are not known.
    private func unknownSessions(of request: RequestDefinition, calledBy step: Step? = nil) -> UnknownParts {
        let isUnknown: Bool
        if step?.unknown.contains(.service) == true || step?.service == nil && request.unknown.contains(.service) {
            isUnknown = true
        } else if let name = (step?.service ?? request.service)?.value {
            // Of a service that does not exist nothing is known.
            let isSessionUnknown = manifest.services[name]?.value.unknown.contains(.session) ?? true
            isUnknown = isSessionUnknown || manifest.unknown.isDefined(name, in: .services)
        } else {
            isUnknown =
                manifest.unknown.mayDefineSomething(in: .services)
                || manifest.services.count == 1 && !unknownOfAllSessions.isEmpty
        }
        return isUnknown ? .session : .nothing
    }
}
