import OrderedCollections
import WaybillData
package import WaybillDiagnostics
import WaybillManifest

/// What can be planned and not run yet.
extension Plan {
    /// What the plan asks for that this version cannot do. Nothing of a manifest is ever passed over in silence, so a plan
    /// is run only when there is nothing here.
    package var unsupported: [Diagnostic] {
        var found = Unsupported()
        for graph in graphs { found.visit(graph) }
        for graph in subgraphs.values.sorted(by: { $0.name < $1.name }) { found.visit(graph) }
        return found.diagnostics.sortedByPlace()
    }
}

private struct Unsupported {
    private(set) var diagnostics: [Diagnostic] = []
    private var seen: Set<SourceSpan> = []

    mutating func visit(_ graph: GraphPlan) {
        if let deadline = graph.deadline { report("deadline", at: deadline.span) }
        for input in graph.inputs.values { report("inputs of a graph", at: input.name.span) }
        for step in graph.finally?.steps ?? [] { report("finally", at: step.span) }
        visit(graph.body)
        reportNames { visitor in graph.outputs.forEach { $0.visitUses(visitor, .end, .result) } }
    }

    private mutating func visit(_ group: GroupPlan) {
        for step in group.steps {
            if let flow = step.flow { visit(flow, of: step) }
            switch step.work {
            case .request(let request): visit(request)
            case .group(let group): visit(group)
            case .graph(let name, _): report("graph", at: name.span)
            case .values: report("values", at: step.span)
            case .end: report("end", at: step.span)
            }
        }
    }

    private mutating func visit(_ flow: Flow, of step: StepPlan) {
        if let when = flow.when { report("when", at: when.span) }
        if flow.delay != nil { report("delay", at: step.span) }
        if let deadline = flow.deadline { report("deadline", at: deadline.span) }
        if let forEach = flow.forEach { report("forEach", at: forEach.span) }
        if let until = flow.until { report("until", at: until.span) }
        if let paginate = flow.paginate { report("paginate", at: paginate.span) }
        if let write = flow.write { report("write", at: write.span) }
        for need in flow.needs { report("needs", at: need.span) }
    }

    private mutating func visit(_ request: RequestPlan) {
        for variable in request.vars { report("vars", at: variable.name.span) }
        if let returns = request.returns { report("returns", at: returns.span) }
        if let download = request.download { report("download", at: download.span) }
        for entry in request.settings.entries {
            if let what = entry.value.unsupported { report(what, at: entry.span) }
        }
        reportNames { request.visitUses($0) }
    }

    /// Reports names of the scope that have no value yet.
    private mutating func reportNames(_ visit: (UseVisitor) -> Void) {
        var names: [Spanned<String>] = []
        let visitor = UseVisitor { use in
            for reference in use.text.references where ["vars", "session"].contains(reference.name) {
                names.append(Spanned(reference.name, at: use.text.span(of: reference.nameRange)))
            }
        }
        visit(visitor)
        for name in names { report(name.value, at: name.span) }
    }

    private mutating func report(_ what: String, at span: SourceSpan) {
        guard seen.insert(span).inserted else { return }
        diagnostics.append(
            Diagnostic(
                "not-supported",
                "this version of Waybill checks '\(what)' and does not run it yet",
                at: span,
                help: ["Take it away, or use 'waybill validate' and 'waybill plan' only."]
            )
        )
    }
}

extension SettingValue {
    /// What the setting asks for, if this version cannot do it.
    fileprivate var unsupported: String? {
        switch self {
        case .auth(let auth):
            switch auth {
            case .none, .basic, .digest, .bearer, .apiKey, .netrc, .awsSigV4: nil
            case .oauth2: "oauth2"
            }
        case .network(let network) where !network.allowsMetered: "metered: false"
        case .deadline, .intercept, .message, .reachability, .cache, .retry, .duplicates, .rate, .debug,
            .tag:
            name.rawValue
        case .baseURL, .version, .header, .query, .parameter, .encoding, .arrays, .timeout, .connectTimeout, .userAgent,
            .body, .accept, .decoding, .compression, .http, .tls, .proxy, .resolve, .unixSocket, .network, .cookies,
            .traffic, .priority, .redirects, .maxBody, .filter, .expectStatus, .expectHeader, .expectJSON, .expectBody,
            .expectTime, .expectSchema, .concurrency, .maxConnections, .standalone:
            nil
        }
    }
}
