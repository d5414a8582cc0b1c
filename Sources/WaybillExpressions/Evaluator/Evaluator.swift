import WaybillJSON
import WaybillSchema

/// Computes the value of a compiled expression. An evaluator is used for one evaluation, and limits its work.
struct Evaluator {
    let scope: EvaluationScope
    /// The steps that this evaluation may still take. Patterns subtract theirs.
    private(set) var stepsLeft: Int
    /// The value of `stepsLeft` when the environment was last asked whether to continue.
    private var accounted: Int
    /// The number of steps after which the environment is asked.
    private static let stepsBetweenChecks = 1 << 14
    /// Compiled patterns that are not constant; usually the same one for each element of a list.
    private var patterns: [CodePoints: RegularExpression?] = [:]

    init(_ scope: EvaluationScope, steps: Int = EvaluationLimits.steps) {
        self.scope = scope
        self.stepsLeft = steps
        accounted = steps
    }

    /// Returns the value of an expression.
    mutating func result(_ expression: CompiledExpression) throws(EvaluationError) -> ScopeValue {
        let found = try value(expression, at: nil)
        try account(at: expression.range)
        if let found { return found }
        throw EvaluationError(.missing, "the value does not exist", at: expression.range)
    }

    /// Returns the value of a part; `nil` is RFC 9535's Nothing, which occurs only where the part's context allows it.
    ///
    /// - Parameter element: The value of `@`.
    mutating func value(
        _ expression: CompiledExpression,
        at element: JSON?
    ) throws(EvaluationError) -> ScopeValue? {
        switch expression.kind {
        case .constant(let json): return ScopeValue(json)
        case .query(let query): return try value(query, expression, at: element)
        case .access(let base, let path):
            guard let base = try value(base, at: element) else { return nil }
            guard let found = try follow(path, from: 0, in: base, expression.range) else {
                if expression.context != .plain { return nil }
                throw missing(path, from: 0, in: base.json, isSecret: base.isSecret, at: expression.range)
            }
            return found
        case .arithmetic(let sign, let left, let right):
            return try arithmetic(sign, left, right, expression, at: element)
        case .call(let function, let arguments): return try call(function, arguments, expression, at: element)
        case .pattern(let function, let text, let pattern) where !function.isCondition:
            return try apply(function, text, pattern, expression, at: element)
        case .count(let query):
            return ScopeValue(.number(JSONNumber(try count(query, expression.context, at: element))))
        case .onlyValue(let query):
            guard let (nodes, isSecret) = try optionalNodes(query, expression.context, at: element) else { return nil }
            if nodes.count == 1 { return ScopeValue(nodes[0].value, isSecret: isSecret) }
            if expression.context != .plain { return nil }
            throw EvaluationError(
                .missing,
                "value() requires exactly one match, found \(nodes.count)",
                at: expression.range
            )
        case .firstPresent(let choices):
            for choice in choices.dropLast() {
                if let value = try value(choice, at: element), value.json.kind != .null { return value }
            }
            return try value(choices[choices.count - 1], at: element)
        case .conditional(let condition, let then, let otherwise):
            guard let holds = try truth(condition, at: element) ?? nothing(expression) else { return nil }
            return try value(holds ? then : otherwise, at: element)
        case .existence, .presence, .not, .logical, .comparison, .pattern:
            return try truth(expression, at: element).map { ScopeValue(.bool($0)) }
        }
    }

    /// Returns whether a condition holds; `nil` where the part's context allows Nothing.
    mutating func truth(
        _ expression: CompiledExpression,
        at element: JSON?
    ) throws(EvaluationError) -> Bool? {
        switch expression.kind {
        case .existence(let query):
            return try optionalNodes(query, expression.context, at: element)?.nodes.isEmpty == false
        case .presence(let inside): return try value(inside, at: element) != nil
        case .not(let inside):
            guard let holds = try negated(inside, at: element) ?? nothing(expression) else { return nil }
            return !holds
        case .logical(let sign, let parts):
            for part in parts {
                guard let holds = try truth(part, at: element) ?? nothing(expression) else { return nil }
                if holds == (sign == .or) { return holds }
            }
            return sign == .and
        case .comparison(let sign, let left, let right):
            let first = try value(left, at: element)
            let second = try value(right, at: element)
            if expression.context == .guarded, first == nil || second == nil { return nil }
            if let first, let second {
                try spend(Cost.ofComparing(first.json, second.json), at: expression.range)
            }
            return sign.holds(first?.json, second?.json)
        case .pattern(let function, let text, let pattern) where function.isCondition:
            return try apply(function, text, pattern, expression, at: element)?.json.bool ?? nothing(expression)
        default:
            guard let found = try value(expression, at: element) else { return nil }
            if case .bool(let holds) = found.json { return holds }
            throw EvaluationError(
                .type,
                "a condition must be true or false, found \(found.json.kind.phrase)",
                at: expression.range
            )
        }
    }

    /// Returns whether the operand of `!` holds. For a path without a boolean, the error suggests an existence test,
    /// which was probably meant.
    private mutating func negated(
        _ operand: CompiledExpression,
        at element: JSON?
    ) throws(EvaluationError) -> Bool? {
        do {
            return try truth(operand, at: element)
        } catch {
            guard case .query(let query) = operand.kind, error.kind == .missing || error.kind == .type else {
                throw error
            }
            var error = error
            error.message += "; to test that the value does not exist, write not(exists(\(query.path.text)))"
            throw error
        }
    }

    /// The result of a condition that is Nothing: false in a filter.
    private func nothing(_ expression: CompiledExpression) -> Bool? {
        expression.context == .filter ? false : nil
    }

    /// Subtracts steps from those that are left.
    mutating func spend(_ steps: Int, at range: Range<Int>) throws(EvaluationError) {
        stepsLeft -= steps
        if accounted - stepsLeft >= Self.stepsBetweenChecks { try account(at: range) }
    }

    /// Throws if the environment does not permit the steps taken since the last call. Few steps are not worth a call.
    mutating func account(at range: Range<Int>) throws(EvaluationError) {
        guard accounted - stepsLeft >= 64 else { return }
        if let reason = scope.environment.reasonToStop(after: accounted - stepsLeft) {
            throw EvaluationError(.limit, reason, at: range)
        }
        if stepsLeft < 0 { throw EvaluationError(.limit, "this takes too many steps", at: range) }
        accounted = stepsLeft
    }

    // MARK: Functions

    private mutating func arithmetic(
        _ sign: ArithmeticOperator,
        _ left: CompiledExpression,
        _ right: CompiledExpression,
        _ expression: CompiledExpression,
        at element: JSON?
    ) throws(EvaluationError) -> ScopeValue? {
        guard let first = try value(left, at: element), let second = try value(right, at: element) else { return nil }
        var numbers: [JSONNumber] = []
        for (found, side) in [(first, left), (second, right)] {
            guard case .number(let number) = found.json else {
                if expression.context == .filter { return nil }
                let hint = sign == .plus && found.json.string != nil ? "; to join strings, write concat(a, b)" : ""
                let message = "'\(sign.rawValue)' requires numbers, found \(found.json.kind.phrase)\(hint)"
                throw EvaluationError(.type, message, at: side.range)
            }
            numbers.append(number)
        }
        do {
            let result = try Arithmetic.compute(sign, numbers[0], numbers[1])
            return ScopeValue(.number(result), isSecret: first.isSecret || second.isSecret)
        } catch {
            return try absent(error, expression)
        }
    }

    private mutating func call(
        _ function: ExpressionFunction,
        _ arguments: [CompiledExpression],
        _ expression: CompiledExpression,
        at element: JSON?
    ) throws(EvaluationError) -> ScopeValue? {
        var values: [JSON] = []
        values.reserveCapacity(arguments.count)
        var isSecret = false
        for (index, argument) in arguments.enumerated() {
            guard let found = try value(argument, at: element) else { return nil }
            let parameter = function.parameter(index)
            guard parameter.type.contains(ExpressionType(found.json.kind)) else {
                if expression.context == .filter { return nil }
                let message = "\(function.name)() expects \(parameter.type) here, found \(found.json.kind.phrase)"
                throw EvaluationError(.type, message, at: argument.range)
            }
            try spend(Cost.ofReading(found.json, function.work), at: argument.range)
            values.append(found.json)
            isSecret = isSecret || found.isSecret
        }
        switch function.body {
        case .markRaw: return ScopeValue(values[0], isSecret: isSecret, isRaw: true)
        case .compute(let compute):
            let result: JSON
            do {
                result = try compute(FunctionArguments(values: values, environment: scope.environment))
            } catch {
                // The message of a function may quote its argument.
                let hidesValue = isSecret && error.kind == .value
                let message = hidesValue ? "\(function.name)() cannot use this value, which is secret" : error.message
                return try absent(EvaluationError(error.kind, message), expression)
            }
            try spend(Cost.ofReading(result, .elements), at: expression.range)
            return try computed(result, isSecret: isSecret && !function.concealsSecrets, expression)
        case .form: return nil
        }
    }

    /// Returns the result of a function, which the environment registers if it was computed from a secret.
    private func computed(
        _ result: JSON,
        isSecret: Bool,
        _ expression: CompiledExpression
    ) throws(EvaluationError) -> ScopeValue {
        if isSecret, let problem = scope.environment.register(secret: result) {
            throw EvaluationError(.limit, problem, at: expression.range)
        }
        return ScopeValue(result, isSecret: isSecret)
    }

    /// Returns Nothing if the context treats a failure as that; otherwise throws the error.
    private func absent(
        _ failure: EvaluationError,
        _ expression: CompiledExpression
    ) throws(EvaluationError) -> ScopeValue? {
        switch (expression.context, failure.kind) {
        case (.filter, .missing), (.filter, .type), (.filter, .value), (.guarded, .missing): return nil
        default: throw EvaluationError(failure.kind, failure.message, at: expression.range)
        }
    }

    // MARK: Patterns

    private mutating func apply(
        _ function: PatternFunction,
        _ text: CompiledExpression,
        _ pattern: CompiledPattern,
        _ expression: CompiledExpression,
        at element: JSON?
    ) throws(EvaluationError) -> ScopeValue? {
        guard let (subject, program) = try operands(function, text, pattern, expression, at: element) else {
            return nil
        }
        let result: JSON? =
            switch function {
            case .match: .bool(program.matches(subject.string, steps: &stepsLeft))
            case .search: .bool(program.occurs(in: subject.string, steps: &stepsLeft))
            case .capture: program.firstCapture(in: subject.string, steps: &stepsLeft).map { .string($0) }
            case .captures: .array(program.captures(in: subject.string, steps: &stepsLeft).map { .string($0) })
            }
        try spend(0, at: expression.range)
        if let result { return try computed(result, isSecret: subject.isSecret, expression) }
        if expression.context != .plain { return nil }
        throw EvaluationError(.missing, "the pattern of capture() does not match the string", at: expression.range)
    }

    private mutating func operands(
        _ function: PatternFunction,
        _ text: CompiledExpression,
        _ pattern: CompiledPattern,
        _ expression: CompiledExpression,
        at element: JSON?
    ) throws(EvaluationError) -> (subject: (string: String, isSecret: Bool), program: RegularExpression)? {
        guard let subject = try string(text, of: function, expression, at: element) else { return nil }
        switch pattern {
        case .constant(let program): return program.map { (subject, $0) }
        case .computed(let source):
            guard let (pattern, _) = try string(source, of: function, expression, at: element) else { return nil }
            if let known = patterns[CodePoints(pattern)] { return known.map { (subject, $0) } }
            if patterns.count >= 64 { patterns.removeAll() }
            try spend(pattern.utf8.count, at: source.range)
            do {
                let program = try RegularExpression(pattern, .iRegexp)
                patterns[CodePoints(pattern)] = program
                return (subject, program)
            } catch {
                if expression.context != .filter {
                    throw EvaluationError(
                        .value,
                        "the pattern is not a valid I-Regexp (RFC 9485): \(error.message)",
                        at: source.range
                    )
                }
                patterns[CodePoints(pattern)] = .some(nil)
                return nil
            }
        }
    }

    private mutating func string(
        _ argument: CompiledExpression,
        of function: PatternFunction,
        _ expression: CompiledExpression,
        at element: JSON?
    ) throws(EvaluationError) -> (string: String, isSecret: Bool)? {
        guard let found = try value(argument, at: element) else { return nil }
        if case .string(let string) = found.json { return (string, found.isSecret) }
        if expression.context == .filter { return nil }
        let message = "\(function.rawValue)() requires strings, found \(found.json.kind.phrase)"
        throw EvaluationError(.type, message, at: argument.range)
    }
}
