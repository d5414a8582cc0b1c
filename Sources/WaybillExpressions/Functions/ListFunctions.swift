import WaybillJSON

extension ExpressionFunction {
    /// Functions on lists and objects.
    static let lists: [ExpressionFunction] = [
        ExpressionFunction(
            "list",
            [Parameter("element", .any, isOptional: true, repeats: true)],
            .array,
            work: .constant
        ) { .array($0.values) },
        ExpressionFunction("keys", [Parameter("object", .object)], .array) {
            .array(($0[0].object?.names ?? []).map { .string($0) })
        },
        ExpressionFunction("values", [Parameter("object", .object)], .array) {
            .array(($0[0].object ?? JSONObject()).map(\.value))
        },
        ExpressionFunction("first", [Parameter("list", .array)], .any, work: .constant) {
            arguments throws(EvaluationError) in
            guard let first = arguments.list(0).first else { throw emptyList("first") }
            return first
        },
        ExpressionFunction("last", [Parameter("list", .array)], .any, work: .constant) {
            arguments throws(EvaluationError) in
            guard let last = arguments.list(0).last else { throw emptyList("last") }
            return last
        },
        ExpressionFunction("sum", [Parameter("list", .array)], .number) { arguments throws(EvaluationError) in
            var sum = JSONNumber(0)
            for element in arguments.list(0) {
                guard case .number(let number) = element else {
                    throw EvaluationError(.type, "sum() requires a list of numbers, found \(element.kind.phrase) in it")
                }
                sum = try Arithmetic.compute(.plus, sum, number)
            }
            return .number(sum)
        },
        ExpressionFunction("min", [Parameter("list", .array)], [.number, .string]) {
            arguments throws(EvaluationError) in
            let list = arguments.list(0)
            try checkOrdered(list, "min")
            guard let least = list.min(by: JSON.precedes) else { throw emptyList("min") }
            return least
        },
        ExpressionFunction("max", [Parameter("list", .array)], [.number, .string]) {
            arguments throws(EvaluationError) in
            let list = arguments.list(0)
            try checkOrdered(list, "max")
            guard let greatest = list.max(by: JSON.precedes) else { throw emptyList("max") }
            return greatest
        },
        ExpressionFunction("sort", [Parameter("list", .array)], .array) { arguments throws(EvaluationError) in
            let list = arguments.list(0)
            try checkOrdered(list, "sort")
            return .array(list.sorted(by: JSON.precedes))
        },
        ExpressionFunction("unique", [Parameter("list", .array)], .array, work: .everything) { arguments in
            var seen: Set<JSON> = []
            return .array(arguments.list(0).filter { seen.insert($0).inserted })
        },
        ExpressionFunction(
            "range",
            [
                Parameter("start", .number), Parameter("end", .number, isOptional: true),
                Parameter("step", .number, isOptional: true),
            ],
            .array
        ) { arguments throws(EvaluationError) in
            try NumberRange(arguments.values).list
        },
    ]

    private static func emptyList(_ name: String) -> EvaluationError {
        EvaluationError(.missing, "\(name)() has no result: the list is empty")
    }

    private static func checkOrdered(_ list: [JSON], _ name: String) throws(EvaluationError) {
        guard let kind = list.first?.kind else { return }
        let other = list.first { $0.kind != kind }
        guard kind == .number || kind == .string, other == nil else {
            let found = other.map { "\(kind.phrase) and \($0.kind.phrase)" } ?? kind.phrase
            throw EvaluationError(.type, "\(name)() requires a list of numbers or of strings, found \(found) in it")
        }
    }
}
