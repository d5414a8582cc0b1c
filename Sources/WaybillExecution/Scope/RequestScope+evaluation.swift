import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillSchema

extension RequestScope {
    /// Evaluates what a call gives for the inputs of an endpoint or graph, and checks it against their schemas.
    ///
    /// - Parameter page: The page that is asked for, which may have a value for one of them.
    mutating func evaluate(
        _ arguments: [ArgumentPlan],
        at level: Level,
        page: PageRequest = .plain
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
                try await provideSession(for: template)
                value = try template.value(in: scope(level))
            }
            try argument.check(value.json)
            self.arguments[argument.name] = value
        }
    }

    /// Gets the session if an expression outside of requests uses it: that of the only service that has one.
    mutating func provideSession(for expression: ManifestExpression) async throws(EvaluationFailure) {
        guard session == nil, expression.references.contains(where: { $0.name == "session" }) else { return }
        try await provideSession(of: context.run.sessions.onlyService)
    }

    /// Gets the session if a value outside of requests uses it.
    mutating func provideSession(for value: ValueTemplate) async throws(EvaluationFailure) {
        guard session == nil, value.usesSession else { return }
        try await provideSession(of: context.run.sessions.onlyService)
    }

    /// The value of an output of the graph, or of a `values` step; a secret is registered.
    mutating func value(of output: OutputDefinition) async throws(EvaluationFailure) -> ScopeValue {
        try await provideSession(for: output.value)
        var value = try output.value.value(in: scope(.graph(context.graph)))
        value.isSecret = value.isSecret || output.isSecret
        if value.isSecret { try context.run.redactor.register(secretsIn: value.json, at: output.value.span) }
        return value
    }

    /// Gets the session of a service, which may have to be fetched first.
    mutating func provideSession(of service: String?) async throws(EvaluationFailure) {
        // Where there is none, the expression that uses it fails at its own place.
        guard session == nil, let service, context.run.sessions.hasSession(of: service) else { return }
        session = try await context.run.sessions.session(of: service, for: context)
    }
}

extension ArgumentPlan {
    /// Refuses what the input's schema does not take.
    fileprivate func check(_ value: JSON) throws(EvaluationFailure) {
        guard let violation = schema.validate(value, limit: 1).first else { return }
        throw EvaluationFailure(message: "the value of input '\(name)' \(violation.message)", span: span)
    }

    /// A page's number, offset or cursor: a number is given as text where the input wants one.
    fileprivate func accepted(_ value: JSON) throws(EvaluationFailure) -> JSON {
        if case .number(let number) = value, !schema.validate(value, limit: 1).isEmpty {
            let text = JSON.string(number.text)
            if schema.validate(text, limit: 1).isEmpty { return text }
        }
        try check(value)
        return value
    }
}

extension ValueTemplate {
    /// Whether an expression in it begins at `session`.
    fileprivate var usesSession: Bool {
        var found = false
        let visitor = UseVisitor { use in
            found = found || use.text.references.contains { $0.name == "session" }
        }
        visitor.value(self, .request, .argument)
        return found
    }
}
