import WaybillDiagnostics
import WaybillExpressions
package import WaybillJSON

/// An expression on the value of a data file. `$` is that value, and no other names are defined.
package struct DataExpression: Sendable {
    private enum Form {
        case value(Expression)
        case jsonPath(JSONPath)
    }

    private let source: SourceFile
    private let form: Form

    /// The name of the expression's source in diagnostics.
    private static let sourceName = "<expression>"

    /// Parses and checks an expression.
    package static func compile(_ text: String) -> Pipeline.Stage<DataExpression> {
        let source = SourceFile(name: sourceName, text: text)
        let expression: Expression
        do {
            expression = try Expression(parsing: text)
        } catch {
            return .init(value: nil, diagnostics: [diagnostic(for: error, in: source)])
        }
        let warnings = expression.warnings.map { diagnostic(for: $0, severity: .warning, in: source) }
        var unknown = expression.references.filter { $0.name != "$" }.map { diagnostic(for: $0, in: source) }
        unknown += expression.filters.map { filter in
            Diagnostic(
                "unknown-filter",
                "there are no filters here",
                at: source.span(filter.range),
                help: ["Filters are defined in manifests, and apply() finds only those."]
            )
        }
        let all = (warnings + unknown).sortedByLocation()
        let value = all.hasErrors ? nil : DataExpression(source: source, form: .value(expression))
        return .init(value: value, diagnostics: all)
    }

    /// Parses and checks a JSONPath query (RFC 9535) whose result is a list of `{path, value}`, one for each location.
    package static func compileQuery(_ text: String) -> Pipeline.Stage<DataExpression> {
        let source = SourceFile(name: sourceName, text: text)
        do {
            let query = try JSONPath(parsing: text)
            return .init(value: DataExpression(source: source, form: .jsonPath(query)), diagnostics: [])
        } catch {
            var diagnostic = diagnostic(for: error, in: source)
            diagnostic.help.append("Only a JSONPath (RFC 9535), such as $.items[*].id, has locations.")
            return .init(value: nil, diagnostics: [diagnostic])
        }
    }

    /// Whether the expression uses the value of a file.
    package var needsValue: Bool {
        switch form {
        case .value(let expression): !expression.references.isEmpty
        case .jsonPath: true
        }
    }

    /// Evaluates the expression on the value of a file. If it has no value, the diagnostic contains the reason.
    package func evaluate(on value: JSON?) -> Pipeline.Stage<JSON> {
        do {
            return .init(value: try result(on: value), diagnostics: [])
        } catch {
            let diagnostic = Diagnostic("no-value", error.message, at: source.span(error.range))
            return .init(value: nil, diagnostics: [diagnostic])
        }
    }

    private func result(on value: JSON?) throws(EvaluationError) -> JSON {
        switch form {
        case .value(let expression):
            let scope = EvaluationScope(
                root: DictionaryNamespace(),
                current: value.map { ScopeValue($0) },
                environment: ProcessEnvironment()
            )
            return try expression.evaluate(in: scope).json
        case .jsonPath(let query):
            return .array(
                try query.nodes(in: value ?? .null).map {
                    ["path": .string($0.location.normalizedPath), "value": $0.value]
                }
            )
        }
    }

    private static func diagnostic(
        for error: ExpressionSyntaxError,
        severity: Diagnostic.Severity = .error,
        in source: SourceFile
    ) -> Diagnostic {
        Diagnostic(
            severity == .error ? "expression-syntax" : "expression-warning",
            error.message,
            severity: severity,
            at: source.span(error.range),
            help: error.help.map { [$0] } ?? []
        )
    }

    private static func diagnostic(for reference: Reference, in source: SourceFile) -> Diagnostic {
        let ofManifests = [
            "inputs", "item", "manifest", "secrets", "data", "vars", "session", "request", "response", "state", "steps",
            "run",
        ]
        let name = reference.name
        return Diagnostic(
            "unknown-name",
            "there is no '\(name)' here",
            at: source.span(reference.nameRange),
            label: ofManifests.contains(name) ? "available only in a manifest" : "did you mean '$.\(name)'?",
            help: ["The value of the file is '$'; a string is written 'like this'."]
        )
    }
}
