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
        ExpressionFunction("get", [Parameter("object", .object), Parameter("name", .string)], .any, work: .constant) {
            arguments throws(EvaluationError) in
            if let member = arguments[0][arguments.string(1)] { return member }
            throw EvaluationError(.missing, "get() has no result: the object has no member with this name")
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
            var check = arguments.check
            for element in arguments.list(0) {
                guard case .number(let number) = element else {
                    throw EvaluationError(
                        .type,
                        "sum() requires a list of numbers, found \(element.kind.phrase) in it"
                    )
                }
                try check.spend(number.lengthLimit)
                sum = try Arithmetic.compute(.plus, sum, number)
            }
            return .number(sum)
        },
        ExpressionFunction("min", [Parameter("list", .array)], [.number, .string]) {
            arguments throws(EvaluationError) in
            try extreme(of: arguments, "min") { JSON.precedes($0, $1) }
        },
        ExpressionFunction("max", [Parameter("list", .array)], [.number, .string]) {
            arguments throws(EvaluationError) in
            try extreme(of: arguments, "max") { JSON.precedes($1, $0) }
        },
        ExpressionFunction("sort", [Parameter("list", .array)], .array) { arguments throws(EvaluationError) in
            let list = arguments.list(0)
            try checkOrdered(list, "sort")
            var reason: String?
            let order = list.sortedIndices {
                reason = arguments.environment.reasonToStop(after: 0)
                return reason != nil
            }
            if let reason { throw EvaluationError(.limit, reason) }
            return .array((order ?? []).map { list[$0] })
        },
        ExpressionFunction("unique", [Parameter("list", .array)], .array, work: .everything) {
            arguments throws(EvaluationError) in
            var check = arguments.check
            var seen: Set<JSON> = []
            var kept: [JSON] = []
            for element in arguments.list(0) {
                try check.spend(1)
                if seen.insert(element).inserted { kept.append(element) }
            }
            return .array(kept)
        },
        ExpressionFunction(
            "range",
            [
                Parameter("start", .number), Parameter("end", .number, isOptional: true),
                Parameter("step", .number, isOptional: true),
            ],
            .array
        ) { arguments throws(EvaluationError) in
            var check = arguments.check
            let range = try NumberRange(arguments.values)
            var numbers: [JSON] = []
            for index in 0..<range.count {
                try check.spend(1)
                numbers.append(range[index])
            }
            return .array(numbers)
        },
    ]

    private static func emptyList(_ name: String) -> EvaluationError {
        EvaluationError(.missing, "\(name)() has no result: the list is empty")
    }

    /// Returns the first element of a list that no other one is before, in an order.
    private static func extreme(
        of arguments: FunctionArguments,
        _ name: String,
        isBefore: (JSON, JSON) -> Bool
    ) throws(EvaluationError) -> JSON {
        let list = arguments.list(0)
        try checkOrdered(list, name)
        guard var found = list.first else { throw emptyList(name) }
        var check = arguments.check
        for element in list.dropFirst() {
            try check.spend(1 + Cost.ofComparing(element, found))
            if isBefore(element, found) { found = element }
        }
        return found
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
