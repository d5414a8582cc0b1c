import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// The uses that reveal secrets.
extension SecretFlow {
    /// Every use that receives a secret, whether that is allowed or not.
    var leaks: [SecretLeak] {
        var leaks: [SecretLeak] = []
        var sent: [Part: SecretTrace] = [:]
        var inBodies: Set<ObjectIdentifier> = []
        for (use, origin) in ends {
            guard let trace = trace(origin) else { continue }
            leaks.append(SecretLeak(use, trace))
            switch use.purpose {
            case .address, .query: sent[Part(.url, use.location), default: trace] = trace
            case .body:
                sent[Part(.body, use.location), default: trace] = trace
                inBodies.insert(ObjectIdentifier(use.text))
            default: break
            }
        }
        if !sent.isEmpty { leaks += leaksOfRequests(sent) }
        let inQuery = inBodies.isEmpty ? [] : parametersInQuery(among: inBodies)
        return leaks.map { leak in
            guard inQuery.contains(ObjectIdentifier(leak.text)) else { return leak }
            return SecretLeak(text: leak.text, reference: leak.reference, purpose: .query, trace: leak.trace)
        }
    }

    /// The uses of `request.url`, `request.query`, `request.params` and `request.body` in requests that send a secret there.
    private func leaksOfRequests(_ sent: [Part: SecretTrace]) -> [SecretLeak] {
        ends.compactMap { use, _ in
            guard use.reference.root == .request else { return nil }
            let field = use.reference.segments.first?.name
            let definition = subject.request(at: use.location)
            var parts: [Part.Kind] = []
            if field == nil || field == "url" || field == "query" { parts.append(.url) }
            if field == nil || field == "body" || field == "params" || definition?.sendsParametersInQuery == true {
                parts.append(.body)
            }
            if field == "method" { parts = [] }
            let trace = parts.lazy.flatMap { kind in Part.all(kind, use.location, definition, self.subject) }
                .compactMap { sent[$0] }.first
            return trace.map { SecretLeak(use, $0) }
        }
    }

    /// Returns those of some texts that are in the `params` of a request that sends them in its query.
    private func parametersInQuery(among texts: Set<ObjectIdentifier>) -> Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = []
        for request in subject.requests.all where request.definition.sendsParametersInQuery == true {
            for parameter in request.merged.params {
                for template in parameter.value.value?.templates ?? [] where texts.contains(ObjectIdentifier(template))
                {
                    found.insert(ObjectIdentifier(template))
                }
            }
        }
        return found
    }
}

/// A part of what is sent, as one level of the manifest defines it.
private struct Part: Hashable {
    enum Kind {
        /// The URL, its query included.
        case url
        /// The body, or the parameters that are sent in the query instead.
        case body
    }

    let kind: Kind
    let level: Level
    /// The step that the level is part of.
    let step: SourceSpan?

    init(_ kind: Kind, _ level: Level, _ step: SourceSpan?) {
        (self.kind, self.level, self.step) = (kind, level, step)
    }

    init(_ kind: Kind, _ location: UseLocation) { self.init(kind, location.level, location.step?.step.span) }

    /// Returns the parts at all levels that make up a request at a location.
    static func all(
        _ kind: Kind,
        _ location: UseLocation,
        _ definition: RequestDefinition?,
        _ subject: RuleSubject
    ) -> [Part] {
        var parts = [Part(kind, location), Part(kind, .defaults, nil)]
        if let site = location.step {
            for request in subject.requests.of(site) {
                for site in request.callers + [site] {
                    let level = Level.graph(site.graph.name.value)
                    parts += (site.around + [site.step]).map { Part(kind, level, $0.span) } + [Part(kind, level, nil)]
                }
            }
            if case .call(let call) = site.step.action { parts.append(Part(kind, .endpoint(call.name.value), nil)) }
        }
        if let service = definition?.service?.value { parts.append(Part(kind, .service(service), nil)) }
        if definition?.service == nil, subject.manifest.services.count == 1 {
            parts += subject.manifest.services.keys.map { Part(kind, .service($0), nil) }
        }
        return parts
    }
}

extension SecretLeak {
    fileprivate init(_ use: ReferenceSite, _ trace: SecretTrace) {
        self.init(text: use.text, reference: use.reference, purpose: use.purpose, trace: trace)
    }
}

extension RuleSubject {
    /// The request that an expression certainly belongs to, if there is one.
    fileprivate func request(at location: UseLocation) -> RequestDefinition? {
        if let site = location.step {
            if case .request(let definition) = site.step.action { return definition }
            return site.endpoint?.request
        }
        if case .endpoint(let name) = location.level { return manifest.endpoints[name]?.value.request }
        return nil
    }
}
