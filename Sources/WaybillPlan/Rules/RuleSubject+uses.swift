import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// Where an expression stands, which says what its names mean.
final class UsePlace: Sendable {
    /// The level that it was written at.
    let level: Level
    /// The graph that it is part of.
    let graph: Definition<Graph>?
    /// The step that it belongs to.
    let step: StepSite?
    /// The variables of the `forEach` around it, outer to inner.
    let loopVariables: [Spanned<String>]
    /// The variables of the request that it belongs to.
    let vars: [VariableDefinition]
    /// The sessions that `session` can be.
    let sessions: [SessionDefinition]
    /// Whether the request names a service that does not exist, so that nothing is known of its session.
    let isServiceUnknown: Bool
    /// Whether it is evaluated for each request, which then decides between several sessions.
    let isOfRequest: Bool

    init(
        level: Level,
        graph: Definition<Graph>? = nil,
        step: StepSite? = nil,
        loopVariables: [Spanned<String>] = [],
        vars: [VariableDefinition] = [],
        sessions: [SessionDefinition] = [],
        isServiceUnknown: Bool = false,
        isOfRequest: Bool = true
    ) {
        self.level = level
        self.graph = graph
        self.step = step
        self.loopVariables = loopVariables
        self.vars = vars
        self.sessions = sessions
        self.isServiceUnknown = isServiceUnknown
        self.isOfRequest = isOfRequest
    }
}

extension RuleSubject {
    /// Calls a closure with every use of the expression language in the manifest, and where it stands.
    func forEachUse(_ body: (ExpressionUse, UsePlace) -> Void) {
        withoutActuallyEscaping(body) { body in
            let all = manifest.services.values.compactMap(\.value.session)
            let far = UsePlace(level: .defaults, sessions: all)
            manifest.defaults.visitUses(UseVisitor { body($0, far) })
            for filter in manifest.filters.values {
                for entry in filter.value { entry.value.visitUses(UseVisitor { body($0, far) }) }
            }
            for (name, service) in manifest.services {
                let place = UsePlace(level: .service(name), sessions: sessions(of: name))
                service.value.settings.visitUses(UseVisitor { body($0, place) })
                // What a session is made with cannot come from the session.
                let before = UsePlace(level: .service(name))
                let visitor = UseVisitor { body($0, before) }
                visitor.members(service.value.session?.call.arguments ?? [], .request, .argument)
            }
            for (name, endpoint) in manifest.endpoints {
                let request = endpoint.value.request
                let place = UsePlace(
                    level: .endpoint(name),
                    vars: request.vars,
                    sessions: sessions(of: request),
                    isServiceUnknown: isServiceUnknown(of: request)
                )
                request.visitUses(UseVisitor { body($0, place) })
            }
            for (name, graph) in manifest.graphs {
                let ofRequests = UsePlace(level: .graph(name), graph: graph, sessions: all)
                graph.value.settings.visitUses(UseVisitor { body($0, ofRequests) })
                let place = UsePlace(level: .graph(name), graph: graph, sessions: all, isOfRequest: false)
                let visitor = UseVisitor { body($0, place) }
                visitor.duration(graph.value.deadline?.value)
                for output in graph.value.outputs { output.visitUses(visitor, .end, .result) }
            }
            manifest.forEachStep { site in
                let (outside, inside) = places(of: site, sessions: all)
                site.step.visitUses(outside: UseVisitor { body($0, outside) }, inside: UseVisitor { body($0, inside) })
            }
        }
    }

    /// Where the uses of a step stand: those evaluated before the elements of its `forEach` are there, and the others.
    private func places(of site: StepSite, sessions all: [SessionDefinition]) -> (outside: UsePlace, inside: UsePlace) {
        var (sessions, isServiceUnknown, vars) = (all, false, site.step.vars)
        switch site.step.action {
        case .call(let call):
            if let request = manifest.endpoints[call.name.value]?.value.request {
                sessions = self.sessions(of: request)
                isServiceUnknown = self.isServiceUnknown(of: request)
            }
        case .request(let definition):
            sessions = self.sessions(of: definition)
            isServiceUnknown = self.isServiceUnknown(of: definition)
            vars = definition.vars + vars
        case .group, .graph, .values, .end:
            break
        }
        func place(_ loopVariables: [Spanned<String>], _ vars: [VariableDefinition]) -> UsePlace {
            UsePlace(
                level: .graph(site.graph.name.value),
                graph: site.graph,
                step: site,
                loopVariables: loopVariables,
                vars: vars,
                sessions: sessions,
                isServiceUnknown: isServiceUnknown,
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

    private func sessions(of request: RequestDefinition) -> [SessionDefinition] {
        if let name = request.service { return sessions(of: name.value) }
        return manifest.services.count == 1 ? manifest.services.values.compactMap(\.value.session) : []
    }

    private func sessions(of service: String) -> [SessionDefinition] {
        (manifest.services[service]?.value.session).map { [$0] } ?? []
    }

    private func isServiceUnknown(of request: RequestDefinition) -> Bool {
        request.service.map { manifest.services[$0.value] == nil } ?? false
    }

    /// The named values of what a session calls; `nil` where it calls what does not exist.
    func outputs(of session: SessionDefinition) -> [OutputDefinition]? {
        manifest.endpoints[session.call.name.value]?.value.request.outputs
    }
}
