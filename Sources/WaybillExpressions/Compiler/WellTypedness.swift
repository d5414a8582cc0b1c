/// Rejects filters that Waybill's dialect allows but RFC 9535 does not (sections 2.3.5.1 and 2.4.3).
enum WellTypedness {
    private enum Result { case value, logical }
    private enum Parameter { case value, nodes }

    private static let functions: [String: (parameters: [Parameter], result: Result)] = [
        "length": ([.value], .value),
        "count": ([.nodes], .value),
        "match": ([.value, .value], .logical),
        "search": ([.value, .value], .logical),
        "value": ([.nodes], .value),
    ]

    /// Checks all filters of a path.
    static func check(_ query: QuerySyntax) throws(ExpressionSyntaxError) {
        for segment in query.segments {
            for selector in segment.selectors {
                if case .filter(let condition) = selector.kind { try checkTest(condition) }
            }
        }
    }

    private static func checkTest(_ syntax: ExpressionSyntax) throws(ExpressionSyntaxError) {
        switch syntax.kind {
        case .group(let inside): try checkTest(inside)
        case .not(let inside):
            if case .not = inside.kind { throw ExpressionSyntaxError("'!' cannot be repeated", at: syntax.range) }
            try checkTest(inside)
        case .logical(_, let parts):
            for part in parts { try checkTest(part) }
        case .comparison(_, let left, let right):
            try checkValue(left)
            try checkValue(right)
        case .query(let query): try check(query)
        case .call:
            if try checkCall(syntax) == .value {
                throw ExpressionSyntaxError("this function's result must be compared with something", at: syntax.range)
            }
        case .literal, .access, .arithmetic:
            throw ExpressionSyntaxError("a condition is required: compare this with something", at: syntax.range)
        }
    }

    /// Checks a part that must be at most one value.
    private static func checkValue(_ syntax: ExpressionSyntax) throws(ExpressionSyntaxError) {
        switch syntax.kind {
        case .literal: break
        case .query(let query):
            if !query.isSingular {
                throw ExpressionSyntaxError("a path that may match several values is not a value", at: syntax.range)
            }
        case .call:
            if try checkCall(syntax) == .logical {
                throw ExpressionSyntaxError("the result of this function is a condition, not a value", at: syntax.range)
            }
        default: throw ExpressionSyntaxError("this is not a value", at: syntax.range)
        }
    }

    private static func checkCall(_ syntax: ExpressionSyntax) throws(ExpressionSyntaxError) -> Result? {
        guard case .call(let name, let nameRange, let arguments) = syntax.kind else { return nil }
        guard let function = functions[name] else {
            throw ExpressionSyntaxError("RFC 9535 does not define a function '\(name)'", at: nameRange)
        }
        if arguments.count != function.parameters.count {
            throw ExpressionSyntaxError("\(name)() requires \(function.parameters.count) arguments", at: syntax.range)
        }
        for (argument, parameter) in zip(arguments, function.parameters) {
            switch (parameter, argument.kind) {
            case (.value, _): try checkValue(argument)
            case (.nodes, .query(let query)): try check(query)
            case (.nodes, _): throw ExpressionSyntaxError("\(name)() requires a path", at: argument.range)
            }
        }
        return function.result
    }
}
