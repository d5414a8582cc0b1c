import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// Where an expression stands, which says what its names mean.
struct UsePlace {
    /// The level that it was written at.
    var level: Level
    /// The graph that it is part of.
    var graph: Definition<Graph>?
    /// The step that it belongs to.
    var step: StepSite?
    /// The variables of the `forEach` around it, outer to inner.
    var loopVariables: [Spanned<String>] = []
    /// The variables of the request that it belongs to.
    var vars: [VariableDefinition] = []
    /// The sessions that `session` can be.
    var sessions: [SessionDefinition] = []
    /// Whether the request names a service that does not exist, so that nothing is known of its session.
    var isServiceUnknown = false
    /// Whether it is evaluated for each request, which then decides between several sessions.
    var isOfRequest = true
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
                var place = UsePlace(level: .endpoint(name), vars: request.vars, sessions: sessions(of: request))
                place.isServiceUnknown = isServiceUnknown(of: request)
                request.visitUses(UseVisitor { body($0, place) })
            }
            for (name, graph) in manifest.graphs {
                var place = UsePlace(level: .graph(name), graph: graph, sessions: all)
                graph.value.settings.visitUses(UseVisitor { body($0, place) })
                place.isOfRequest = false
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

    private func places(of site: StepSite, sessions all: [SessionDefinition]) -> (outside: UsePlace, inside: UsePlace) {
        var outside = UsePlace(level: .graph(site.graph.name.value), graph: site.graph, step: site, sessions: all)
        outside.loopVariables = site.around.compactMap { $0.flow?.forEach?.variable }
        outside.isOfRequest = site.step.isRequest
        switch site.step.action {
        case .call(let call):
            if let request = manifest.endpoints[call.name.value]?.value.request {
                outside.sessions = sessions(of: request)
                outside.isServiceUnknown = isServiceUnknown(of: request)
            }
        case .request(let definition):
            outside.sessions = sessions(of: definition)
            outside.isServiceUnknown = isServiceUnknown(of: definition)
        case .group, .graph, .values, .end:
            break
        }
        var inside = outside
        inside.loopVariables += [site.step.flow?.forEach?.variable].compactMap { $0 }
        inside.vars = site.step.vars
        if case .request(let definition) = site.step.action { inside.vars = definition.vars + inside.vars }
        return (outside, inside)
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
