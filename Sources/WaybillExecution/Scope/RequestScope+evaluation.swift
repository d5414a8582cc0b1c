import WaybillData
import WaybillManifest
import WaybillPlan

extension RequestScope {
    /// Evaluates what a call gives for the inputs of an endpoint or graph, and checks it against their schemas.
    mutating func evaluate(_ arguments: [ArgumentPlan], at level: Level) async throws(EvaluationProblem) {
        for argument in arguments {
            let value: ScopeValue
            switch argument.source {
            case .constant(let constant): value = ScopeValue(constant)
            case .template(let template):
                try await provideSession(for: template)
                value = try template.value(in: scope(level))
            }
            if let violation = argument.schema.validate(value.json, limit: 1).first {
                throw EvaluationProblem(
                    message: "the value of input '\(argument.name)' \(violation.message)",
                    span: argument.span
                )
            }
            self.arguments[argument.name] = value
        }
    }

    /// Gets the session if an expression outside of requests uses it: that of the only service that has one.
    mutating func provideSession(for expression: ManifestExpression) async throws(EvaluationProblem) {
        guard session == nil, expression.references.contains(where: { $0.name == "session" }) else { return }
        try await provideSession(of: frame.run.sessions.onlyService)
    }

    /// Gets the session if a value outside of requests uses it.
    mutating func provideSession(for value: ValueTemplate) async throws(EvaluationProblem) {
        guard session == nil, value.usesSession else { return }
        try await provideSession(of: frame.run.sessions.onlyService)
    }

    /// Gets the session of a service, which may have to be fetched first.
    mutating func provideSession(of service: String?) async throws(EvaluationProblem) {
        guard session == nil, let service else { return }
        session = try await frame.run.sessions.session(of: service, for: frame)
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
