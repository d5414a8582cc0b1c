import WaybillJSON

extension ExpressionFunction {
    /// Functions on lists and objects.
    static let lists: [ExpressionFunction] = [
        ExpressionFunction(
            "list",
            [Parameter("element", .any, isOptional: true, repeats: true)],
            .array,
            "A list of the arguments.",
            example: ("list($.id, $.state)", [7, "paid"]),
            work: .constant,
            .compute(ListFunctions.list)
        ),
        ExpressionFunction(
            "keys",
            [Parameter("object", .object)],
            .array,
            "The names of an object's members, in order.",
            example: ("keys($.lines[0])", ["sku", "price"]),
            .compute(ListFunctions.keys)
        ),
        ExpressionFunction(
            "values",
            [Parameter("object", .object)],
            .array,
            "The values of an object's members, in order.",
            example: ("values($.lines[0])", ["a", 2.5]),
            .compute(ListFunctions.values)
        ),
        ExpressionFunction(
            "first",
            [Parameter("list", .array)],
            .any,
            "The first element of a list; an error if the list is empty.",
            example: ("first($.tags)", "new"),
            work: .constant,
            .compute(ListFunctions.first)
        ),
        ExpressionFunction(
            "last",
            [Parameter("list", .array)],
            .any,
            "The last element of a list; an error if the list is empty.",
            example: ("last($.tags)", "gift"),
            work: .constant,
            .compute(ListFunctions.last)
        ),
        ExpressionFunction(
            "sum",
            [Parameter("list", .array)],
            .number,
            "The sum of a list of numbers.",
            example: ("sum($.lines[*].price)", 6.5),
            .compute(ListFunctions.sum)
        ),
        ExpressionFunction(
            "min",
            [Parameter("list", .array)],
            [.number, .string],
            "The minimum of a list of numbers or of strings; an error if the list is empty.",
            example: ("min($.lines[*].price)", 2.5),
            .compute(ListFunctions.min)
        ),
        ExpressionFunction(
            "max",
            [Parameter("list", .array)],
            [.number, .string],
            "The maximum of a list of numbers or of strings; an error if the list is empty.",
            example: ("max($.lines[*].price)", 4),
            .compute(ListFunctions.max)
        ),
        ExpressionFunction(
            "sort",
            [Parameter("list", .array)],
            .array,
            "A list of numbers or of strings, sorted in ascending order.",
            example: ("sort($.tags)", ["gift", "new"]),
            .compute(ListFunctions.sort)
        ),
        ExpressionFunction(
            "unique",
            [Parameter("list", .array)],
            .array,
            "A list without duplicates: only the first of equal elements is kept.",
            example: ("unique(list(1, 2, 1))", [1, 2]),
            work: .everything,
            .compute(ListFunctions.unique)
        ),
        ExpressionFunction(
            "range",
            [
                Parameter("start", .number), Parameter("end", .number, isOptional: true),
                Parameter("step", .number, isOptional: true),
            ],
            .array,
            "The integers from start up to, but not including, end, by a step (1 by default). range(n) starts at 0.",
            example: ("range(1, 4)", [1, 2, 3]),
            .compute(ListFunctions.range)
        ),
    ]
}

/// Functions on lists and objects.
enum ListFunctions {
    static func length(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        switch arguments[0] {
        case .array(let elements): .number(JSONNumber(elements.count))
        case .object(let object): .number(JSONNumber(object.count))
        case .bytes(let bytes): .number(JSONNumber(bytes.count))
        default: .number(JSONNumber(arguments.string(0).unicodeScalars.count))
        }
    }

    static func list(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        .array(arguments.values)
    }

    static func keys(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        .array((arguments[0].object?.names ?? []).map { .string($0) })
    }

    static func values(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        .array((arguments[0].object ?? JSONObject()).map(\.value))
    }

    static func first(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        guard let first = arguments.list(0).first else { throw emptyList("first") }
        return first
    }

    static func last(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        guard let last = arguments.list(0).last else { throw emptyList("last") }
        return last
    }

    static func sum(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        var sum = JSONNumber(0)
        for element in arguments.list(0) {
            guard case .number(let number) = element else {
                throw FunctionFailure(.type, "sum() requires a list of numbers, found \(element.kind.phrase) in it")
            }
            sum = try Arithmetic.compute(.plus, sum, number)
        }
        return .number(sum)
    }

    static func min(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        let list = arguments.list(0)
        try checkOrdered(list, "min")
        guard let least = list.min(by: Ordering.isLess) else { throw emptyList("min") }
        return least
    }

    static func max(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        let list = arguments.list(0)
        try checkOrdered(list, "max")
        guard let greatest = list.max(by: Ordering.isLess) else { throw emptyList("max") }
        return greatest
    }

    static func sort(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        let list = arguments.list(0)
        try checkOrdered(list, "sort")
        return .array(list.sorted(by: Ordering.isLess))
    }

    static func unique(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        var seen: Set<JSON> = []
        return .array(arguments.list(0).filter { seen.insert($0).inserted })
    }

    static func range(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        try NumberRange(arguments.values).list
    }

    private static func emptyList(_ name: String) -> FunctionFailure {
        FunctionFailure(.missing, "\(name)() has no result: the list is empty")
    }

    private static func checkOrdered(_ list: [JSON], _ name: String) throws(FunctionFailure) {
        guard let kind = list.first?.kind else { return }
        let other = list.first { $0.kind != kind }
        guard kind == .number || kind == .string, other == nil else {
            let found = other.map { "\(kind.phrase) and \($0.kind.phrase)" } ?? kind.phrase
            throw FunctionFailure(.type, "\(name)() requires a list of numbers or of strings, found \(found) in it")
        }
    }
}
