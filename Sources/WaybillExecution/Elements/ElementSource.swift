import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// The elements of a `forEach`. A range is counted, never made, so that a million elements need no memory.
enum ElementSource: Sendable {
    /// Values that are there.
    case values([JSON], isSecret: Bool)
    /// The whole numbers of a range.
    case range(NumberRange)
    /// Values that are evaluated one by one.
    case templates([ValueTemplate], StepContext)

    /// How many there are.
    var count: Int {
        switch self {
        case .values(let values, _): values.count
        case .range(let range): range.count
        case .templates(let templates, _): templates.count
        }
    }

    /// One of them.
    func element(_ index: Int) throws(EvaluationFailure) -> ScopeValue {
        switch self {
        case .values(let values, let isSecret):
            return ScopeValue(values[index], isSecret: isSecret)
        case .range(let range):
            return ScopeValue(range[index])
        case .templates(let templates, let context):
            return try templates[index].value(in: context.evaluationScope)
        }
    }

    /// The elements that a step's `forEach` asks for.
    init(_ elements: ForEach.Elements, in context: StepContext) async throws(EvaluationFailure) {
        switch elements {
        case .list(let templates):
            self = .templates(templates, context)
        case .expression(let expression):
            var scope = context.scope
            try await scope.provideSession(for: expression)
            let evaluation = scope.scope(.graph(context.graph))
            if let range = expression.expression.numberRange(in: evaluation) {
                self = .range(range)
                return
            }
            let value = try expression.value(in: evaluation)
            guard case .array(let values) = value.json else {
                throw EvaluationFailure(
                    message: "'\(expression.expression.text)' is \(value.json.kind.phrase), not a list",
                    span: expression.span
                )
            }
            self = .values(values, isSecret: value.isSecret)
        }
    }
}
