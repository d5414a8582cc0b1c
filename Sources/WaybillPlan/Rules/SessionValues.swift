import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// The service that a request is sent to must have a session with the outputs that the request uses.
///
/// `ScopeNames` checks a use of the session against the service of the endpoint or request that contains it. This rule
/// checks the settings that a request gets from elsewhere: from the defaults and graphs, and from an endpoint that a
/// call sends to another service.
struct SessionValues: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        guard subject.references.sites.contains(where: { $0.reference.root == .session }) else { return [] }
        return subject.diagnosticsOfRequests { request in
            guard !request.service.isUnknown, !request.service.isAmbiguous,
                !subject.manifest.unknown.mayDefineSomething(in: .services),
                // An endpoint by itself may get another service from the steps that call it.
                !(request.steps.isEmpty && request.endpoint.map(subject.requests.isCalledWithSettingsOnly) == true),
                let sessions = subject.sessions(of: request)
            else { return [] }
            let uses = request.usesOfSession(in: subject.manifest).filter { !$0.reference.isGuarded }
            return uses.lazy.compactMap { diagnostic(for: $0, in: request, sessions, subject) }.first.map { [$0] } ?? []
        }
    }

    private func diagnostic(
        for use: SessionUse,
        in request: RequestSite,
        _ sessions: [SessionDefinition],
        _ subject: RuleSubject
    ) -> Diagnostic? {
        let service = request.service.name.map { "service '\($0)'" } ?? "the request"
        let span = request.service.namedByCall?.span ?? request.span
        let label = Diagnostic.Label(use.text.span(of: use.reference.range), "used here")
        guard let session = sessions.first else {
            let others = subject.manifest.services.filter { $0.value.value.session != nil }.keys
            return Diagnostic(
                "unknown-name",
                "\(service) has no 'session', which the request uses",
                at: span,
                secondary: [label],
                help: others.isEmpty
                    ? [] : ["These services have a session: \(others.map { "'\($0)'" }.joined(separator: ", "))."]
            )
        }
        guard let name = use.reference.segments.first?.name, let outputs = subject.outputs(of: session),
            !outputs.contains(where: { $0.name.value.hasSameCodePoints(as: name) })
        else { return nil }
        return Diagnostic(
            "unknown-session-value",
            "the session of \(service) has no value '\(name)', which the request uses",
            at: span,
            secondary: [label, .init(session.call.name.span, "the session")],
            help: ["Declare it under 'outputs' of the endpoint '\(session.call.name.value)'."]
        )
    }
}

/// A path that starts at `session`, with the expression or template that contains it.
private struct SessionUse {
    let reference: Reference
    let text: any EvaluatedText
}

extension RuleSubject {
    /// Returns the sessions that a request can use, possibly none; `nil` if they are unknown.
    fileprivate func sessions(of request: RequestSite) -> [SessionDefinition]? {
        guard let name = request.service.name else {
            let all = manifest.services.values.map(\.value)
            return all.contains { $0.unknown.contains(.session) } ? nil : all.compactMap(\.session)
        }
        guard let service = manifest.services[name]?.value, !service.unknown.contains(.session) else { return nil }
        return service.session.map { [$0] } ?? []
    }
}

extension RequestSite {
    /// Returns the uses of the session that `ScopeNames` does not check against the service that the request is sent
    /// to.
    fileprivate func usesOfSession(in manifest: Manifest) -> [SessionUse] {
        var uses: [SessionUse] = []
        let visitor = UseVisitor { use in
            for reference in use.text.references where reference.root == .session {
                uses.append(SessionUse(reference: reference, text: use.text))
            }
        }
        func visit(_ setting: Setting<any SettingDefinition>) {
            // A setting for the service's origin is not sent if the URL leads to another server.
            if unknown.contains(setting.value.key) || setting.isForServiceOrigin && !isPath { return }
            setting.value.visitUses(visitor)
            if case .named(let name, _)? = setting.value as? FilterEntry {
                for stage in manifest.stages(ofFilter: name.value) { stage.visitUses(visitor) }
            }
        }
        var spans: Set<SourceSpan> = []
        for setting in settingsFromElsewhere {
            visit(setting)
            if !uses.isEmpty { spans.insert(setting.span) }
            uses.removeAll()
        }
        // An inner level may replace or remove them.
        if !spans.isEmpty {
            for setting in merged.entries where spans.contains(setting.span) { visit(setting) }
        }
        if isOfEndpointElsewhere { definition.visitOwnUses(visitor) }
        return uses
    }

    /// The settings that may use another session than that of the service they are written for: those of the defaults,
    /// of the graph and the enclosing steps, of an endpoint that is sent to a service other than its own, and filters
    /// by name.
    private var settingsFromElsewhere: [Setting<any SettingDefinition>] {
        let ofDefaults = (levels.first?.entries ?? []).filter { $0.level == .defaults }
        let namedFilters = levels.flatMap(\.entries).filter {
            if case .named? = $0.value as? FilterEntry { true } else { false }
        }
        return ofDefaults + namedFilters + (isOfEndpointElsewhere ? definition.settings.entries : [])
            + steps.dropLast().flatMap(\.entries)
    }

    private var isOfEndpointElsewhere: Bool { endpoint != nil && service.namedByCall != nil }

    private var isPath: Bool {
        if case .path = definition.address { true } else { false }
    }
}

extension Manifest {
    /// Returns the stages of a filter, including those of the filters in it.
    func stages(ofFilter name: String) -> [FilterEntry] {
        var stages: [FilterEntry] = []
        var seen: Set<String> = [name]
        var open = [name]
        while let next = open.popLast() {
            for entry in filters[next]?.value ?? [] {
                switch entry.value {
                case .stage: stages.append(entry.value)
                case .named(let name, _): if seen.insert(name.value).inserted { open.append(name.value) }
                }
            }
        }
        return stages
    }
}
