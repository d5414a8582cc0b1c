import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillSchema

extension RequestScope {
    /// Evaluates the arguments of a call for the inputs of an endpoint or graph, and checks them against the schemas of
    /// the inputs.
    ///
    /// - Parameters:
    ///   - page: The page that is requested, which may set one of the inputs.
    ///   - service: The service whose session they may use; if it has none, that of the only one that has one.
    mutating func evaluate(
        _ arguments: [ArgumentPlan],
        at level: Level,
        page: PageRequest = .plain,
        service: String? = nil
    ) async throws(EvaluationFailure) {
        for argument in arguments {
            if let (name, value) = page.input, name.hasSameCodePoints(as: argument.name) {
                self.arguments[name] = try ScopeValue(argument.accepted(value))
                continue
            }
            let value: ScopeValue
            switch argument.source {
            case .constant(let constant): value = ScopeValue(constant)
            case .template(let template):
                try await provideSession(for: template, of: service)
                value = try template.checkedValue(in: scope(level))
            case .omitted: continue
            }
            try argument.check(value.json)
            self.arguments[argument.name] = value
        }
    }

    /// Provides the session of the only service that has one, if an expression outside of requests uses it.
    mutating func provideSession(for expression: ManifestExpression) async throws(EvaluationFailure) {
        guard self.session == nil, expression.references.contains(where: { $0.name == "session" }) else { return }
        try await provideSession(of: context.run.sessions.onlyService)
    }

    /// Provides the session of a service, or else of the only one that has one, if a value uses it.
    mutating func provideSession(for value: ValueTemplate, of service: String? = nil) async throws(EvaluationFailure) {
        guard self.session == nil, usesSession({ $0.value(value, .request, .argument) }) else { return }
        try await provideSession(of: service)
        try await provideSession(of: context.run.sessions.onlyService)
    }

    /// Provides the session of the only service that has one, if an expression in settings outside of requests uses it.
    mutating func provideSession(for settings: Settings) async throws(EvaluationFailure) {
        guard self.session == nil, usesSession(settings.visitUses) else { return }
        try await provideSession(of: context.run.sessions.onlyService)
    }

    /// The value of an output of the graph, or of a `values` step; a secret is registered.
    mutating func value(of output: OutputDefinition) async throws(EvaluationFailure) -> ScopeValue {
        try await provideSession(for: output.value)
        var value = try output.value.outputValue(in: scope(.graph(context.graph)))
        value.isSecret = value.isSecret || output.isSecret
        if value.isSecret { try context.run.redactor.register(secretsIn: value.json, at: output.value.span) }
        return value
    }

    /// Adds the session of a service to the scope, and fetches it first if necessary.
    mutating func provideSession(of service: String?) async throws(EvaluationFailure) {
        // If there is none, the expression that uses it fails at its own location.
        guard self.session == nil, let service, context.run.sessions.hasSession(of: service) else { return }
        self.session = try await context.run.sessions.session(of: service, for: context)
    }
}

extension ArgumentPlan {
    /// Throws if a value does not match the input's schema.
    fileprivate func check(_ value: JSON) throws(EvaluationFailure) {
        guard let violation = schema.validate(value, limit: 1).first else { return }
        throw EvaluationFailure(message: "the value of input '\(name)' \(violation.message)", span: span)
    }

    /// Returns a page's number, offset or cursor as the input accepts it: a number becomes a string if the input
    /// requires one.
    fileprivate func accepted(_ value: JSON) throws(EvaluationFailure) -> JSON {
        if case .number(let number) = value, !schema.validate(value, limit: 1).isEmpty {
            let text = JSON.string(number.text)
            if schema.validate(text, limit: 1).isEmpty { return text }
        }
        try check(value)
        return value
    }
}

/// Whether one of the visited expressions uses `session`.
private func usesSession(_ visit: (UseVisitor) -> Void) -> Bool {
    var found = false
    visit(UseVisitor { use in found = found || use.text.references.contains { $0.name == "session" } })
    return found
}
