import WaybillDiagnostics
import WaybillJSON
import WaybillSchema

/// Compiles calls: finds the function, checks its arguments, and handles the functions that need unevaluated arguments.
extension ExpressionCompiler {
    mutating func call(
        _ name: String,
        _ nameRange: Range<Int>,
        _ arguments: [ExpressionSyntax],
        _ syntax: ExpressionSyntax
    ) throws(ExpressionSyntaxError) -> CompiledExpression {
        guard let function = ExpressionFunction.named(name) else {
            let nearest = NearestName.of(name, among: ExpressionFunction.all.map(\.name))
            throw ExpressionSyntaxError(
                "unknown function '\(name)'",
                at: nameRange,
                help: nearest.map { "Did you mean '\($0)'?" }
            )
        }
        try checkCount(of: arguments, function, at: syntax.range)
        if function.isAmbient { noteAmbience() }
        let wasConcealed = conceal(function.concealsSecrets)
        defer { reveal(wasConcealed) }
        if case .form(let form) = function.body { return try self.form(form, function, arguments, syntax) }
        let outer = joins
        defer { joins = outer }
        var compiled: [CompiledExpression] = []
        for (index, argument) in arguments.enumerated() {
            if function.name == "concat" { joins = outer + [.init(call: syntax.range, argument: argument.range)] }
            compiled.append(try self.argument(argument, index, function))
        }
        if function === ExpressionFunction.apply { try noteFilter(compiled[0]) }
        if function.isAmbient, ["file", "bytes"].contains(function.name) { noteFile(compiled[0]) }
        let result = function === ExpressionFunction.xpath ? try checkedXPath(compiled[1]) : function.result
        return node(.call(function, compiled), result, syntax)
    }

    private func checkCount(
        of arguments: [ExpressionSyntax],
        _ function: ExpressionFunction,
        at range: Range<Int>
    ) throws(ExpressionSyntaxError) {
        let least = function.parameters.count { !$0.isOptional }
        let most = function.parameters.last?.repeats == true ? Int.max : function.parameters.count
        if arguments.count < least || arguments.count > most {
            let count = arguments.count == 1 ? "1 argument" : "\(arguments.count) arguments"
            throw ExpressionSyntaxError(
                "wrong number of arguments: found \(count)",
                at: range,
                help: "Write \(function.signature)."
            )
        }
    }

    private mutating func argument(
        _ syntax: ExpressionSyntax,
        _ index: Int,
        _ function: ExpressionFunction
    ) throws(ExpressionSyntaxError) -> CompiledExpression {
        let compiled = try value(syntax)
        let parameter = function.parameter(index)
        if !isStrict, compiled.type.isDisjoint(with: parameter.type) {
            let message = "\(function.name)() expects \(parameter.type) here, found \(compiled.type)"
            let help = "Write \(function.signature)."
            guard isInFilter, function.isStandard else {
                throw ExpressionSyntaxError(message, at: syntax.range, help: help)
            }
            warn("\(message), so this part of the filter has no result", at: syntax.range, help: help)
        }
        return compiled
    }

    private mutating func form(
        _ form: ExpressionFunction.Form,
        _ function: ExpressionFunction,
        _ arguments: [ExpressionSyntax],
        _ syntax: ExpressionSyntax
    ) throws(ExpressionSyntaxError) -> CompiledExpression {
        switch form {
        case .count, .value:
            guard case .query(let query) = arguments[0].ungrouped.kind else {
                throw ExpressionSyntaxError(
                    "\(function.name)() requires a path",
                    at: arguments[0].range,
                    help: form == .count ? "For the number of elements in a list, write length(x)." : nil
                )
            }
            if form == .count, query.isSingular, !isStrict {
                warn(
                    "this is always 0 or 1: count() counts the values that a path matches",
                    at: syntax.range,
                    help: "For the number of elements in a list, write length(x)."
                )
            }
            let compiled = try compiled(query)
            return node(form == .count ? .count(compiled) : .onlyValue(compiled), function.result, syntax)
        case .not: return node(.not(try condition(arguments[0], isNegated: true)), .boolean, syntax)
        case .exists:
            switch arguments[0].ungrouped.kind {
            case .literal, .not, .logical, .comparison:
                throw ExpressionSyntaxError(
                    "this is always true: exists() says whether a path selects anything",
                    at: syntax.range,
                    help: "Leave exists() out to use the condition itself."
                )
            case .query, .call, .access, .arithmetic, .group: break
            }
            let compiled = try guarded(arguments[0])
            var kind = CompiledExpression.Kind.presence(compiled)
            if case .query(let query) = compiled.kind { kind = .existence(query) }
            return CompiledExpression(kind: kind, type: .boolean, context: .guarded, range: syntax.range)
        case .firstPresent:
            var compiled: [CompiledExpression] = []
            for argument in arguments.dropLast() { compiled.append(try guarded(argument)) }
            compiled.append(try value(arguments[arguments.count - 1]))
            let type = compiled.dropLast().reduce(compiled[compiled.count - 1].type) {
                $0.union($1.type.subtracting(.null))
            }
            return node(.firstPresent(compiled), type, syntax)
        case .conditional: return try conditional(arguments, syntax)
        case .pattern(let kind):
            let text = try argument(arguments[0], 0, function)
            let pattern = try argument(arguments[1], 1, function)
            let program = try compiledPattern(pattern, of: function)
            return node(.pattern(kind, text, program), function.result, syntax)
        }
    }

    private mutating func compiledPattern(
        _ pattern: CompiledExpression,
        of function: ExpressionFunction
    ) throws(ExpressionSyntaxError) -> CompiledPattern {
        guard case .constant(.string(let text)) = pattern.kind else { return .computed(pattern) }
        do {
            let program = try RegularExpression(text, .iRegexp)
            return .constant(isStrict && program.hasLazyQuantifiers ? nil : program)
        } catch {
            if isStrict { return .constant(nil) }
            let message = "the pattern is not a valid I-Regexp (RFC 9485): \(error.message)"
            guard isInFilter, function.isStandard else { throw ExpressionSyntaxError(message, at: pattern.range) }
            warn(message, at: pattern.range, help: "An invalid pattern matches nothing.")
            return .constant(nil)
        }
    }
}
