import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest
import WaybillResults

/// The elements of a `forEach`. A range is never expanded to a list, so that a million elements need no memory.
enum ElementSource: Sendable {
    /// Values that have been evaluated.
    case values([JSON], isSecret: Bool)
    /// The integers of a range.
    case range(NumberRange)
    /// Values that are evaluated one by one.
    case templates([ValueTemplate], StepContext)

    /// The number of elements.
    var count: Int {
        switch self {
        case .values(let values, _): values.count
        case .range(let range): range.count
        case .templates(let templates, _): templates.count
        }
    }

    /// Returns the element at an index.
    func element(_ index: Int) throws(EvaluationFailure) -> ScopeValue {
        switch self {
        case .values(let values, let isSecret):
            return ScopeValue(values[index], isSecret: isSecret)
        case .range(let range):
            return ScopeValue(range[index])
        case .templates(let templates, let context):
            return try templates[index].checkedValue(in: context.evaluationScope)
        }
    }

    /// Describes the list for a shard whose elements start at an index.
    func divided(from first: Int) -> RunEvent.ShardedList {
        RunEvent.ShardedList(count: count, first: first, digest: digest)
    }

    /// A checksum of all elements; `nil` if any of them is secret or cannot be evaluated.
    private var digest: String? {
        switch self {
        case .values(let values, let isSecret):
            return isSecret ? nil : ScopeValue(.array(values)).digest
        case .range(let range):
            let ends = range.count == 0 ? [] : [range[0], range[range.count - 1]]
            return ScopeValue(.array(ends)).digest
        case .templates(let templates, _):
            var values: [JSON] = []
            for index in templates.indices {
                guard let value = try? element(index), !value.isSecret else { return nil }
                values.append(value.json)
            }
            return ScopeValue(.array(values)).digest
        }
    }

    /// Creates the source of the elements of a step's `forEach`.
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
            let value = try expression.outputValue(in: evaluation)
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
