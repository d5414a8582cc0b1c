import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

/// Compiles the syntax of an expression for evaluation, checks functions and types, and collects references.
struct ExpressionCompiler {
    private(set) var references: [Reference] = []
    private(set) var warnings: [ExpressionWarning] = []
    /// The constant expressions of XPath.
    private(set) var xpaths: [XPathUse] = []
    /// The filters that it applies to values.
    private(set) var filters: [FilterUse] = []
    /// The constant paths of the files that it reads.
    private(set) var files: [String] = []
    /// Whether the value depends on more than values: on the clock, on randomness, on a file, or on a filter.
    private(set) var isAmbient = false
    /// Whether the value depends on more than the text of the expression.
    private(set) var usesScope = false

    private let source: ArraySlice<UInt8>
    private let dialect: ExpressionParser.Dialect
    private var isGuarded = false
    private(set) var isInFilter = false
    private var isConcealed = false
    /// The calls of `concat()` around this part.
    var joins: [Reference.Join] = []
    /// The requirements of the operands of `&&` before this part, or of the condition of the enclosing `if()`.
    private var assumptions: [PathRequirement] = []

    init(_ source: ArraySlice<UInt8>, dialect: ExpressionParser.Dialect) {
        self.source = source
        self.dialect = dialect
    }

    private var context: CompiledExpression.Context {
        isInFilter ? .filter : isGuarded ? .guarded : .plain
    }

    func node(
        _ kind: CompiledExpression.Kind,
        _ type: ExpressionType,
        _ syntax: ExpressionSyntax
    ) -> CompiledExpression {
        CompiledExpression(kind: kind, type: type, context: context, range: syntax.range)
    }

    mutating func warn(_ message: String, at range: Range<Int>, help: String) {
        warnings.append(ExpressionWarning(message, at: range, help: help))
    }

    /// Checks the second argument of `xpath()`, if it is constant, and returns the kinds of the result.
    mutating func checkedXPath(_ argument: CompiledExpression) throws(ExpressionSyntaxError) -> ExpressionType {
        guard case .constant(.string(let text)) = argument.kind else { return ExpressionFunction.xpath.result }
        do {
            let (kind, prefixes) = try XPathExpression(text).check()
            xpaths.append(XPathUse(prefixes: prefixes.map(\.name), range: argument.range))
            return ExpressionType(kind)
        } catch {
            var range = argument.range
            // Without escapes, the literal is the expression between two quotes.
            if let offset = error.offset, range.count == text.utf8.count + 2 {
                range = min(range.lowerBound + 1 + offset, range.upperBound - 1)..<range.upperBound
            }
            throw ExpressionSyntaxError("this is not XPath 1.0: \(error.message)", at: range)
        }
    }

    /// Notes the filter that the first argument of `apply()` names.
    mutating func noteFilter(_ argument: CompiledExpression) throws(ExpressionSyntaxError) {
        guard case .constant(.string(let name)) = argument.kind else {
            throw ExpressionSyntaxError(
                "apply() requires the name of a filter",
                at: argument.range,
                help: "Write the name in quotes, such as apply('users', $)."
            )
        }
        // Without escapes, the literal is the name between two quotes.
        let isPlain = argument.range.count == name.utf8.count + 2
        let range = isPlain ? argument.range.dropFirst().dropLast() : argument.range
        filters.append(FilterUse(name: name, range: range))
        noteAmbience()
    }

    mutating func noteFile(_ argument: CompiledExpression) {
        if case .constant(.string(let path)) = argument.kind { files.append(path) }
    }

    mutating func noteAmbience() {
        isAmbient = true
        noteUseOfScope()
    }

    mutating func noteUseOfScope() {
        usesScope = true
    }

    // MARK: Values and conditions

    /// Compiles a part whose value is used.
    mutating func value(_ syntax: ExpressionSyntax) throws(ExpressionSyntaxError) -> CompiledExpression {
        switch syntax.kind {
        case .literal(let json): return node(.constant(json), ExpressionType(json.kind), syntax)
        case .group(let inside): return try value(inside)
        case .query(let query):
            return node(.query(try compiled(query)), query.isSingular ? .any : .array, syntax)
        case .access(let base, let segments):
            let compiledBase = try value(base)
            if compiledBase.type.isDisjoint(with: [.array, .object]) {
                throw ExpressionSyntaxError("\(compiledBase.type) has no members", at: base.range)
            }
            let path = try path(segments, from: syntax.range.lowerBound, rootEnd: base.range.upperBound)
            return node(.access(compiledBase, path), path.isSingular ? .any : .array, syntax)
        case .not(let inside):
            let wasConcealed = conceal()
            defer { reveal(wasConcealed) }
            return node(.not(try condition(inside, isNegated: true)), .boolean, syntax)
        case .logical(let sign, let parts):
            let wasConcealed = conceal()
            defer { reveal(wasConcealed) }
            var conditions: [CompiledExpression] = []
            let outer = assumptions
            for part in parts {
                conditions.append(try condition(part))
                // The next operand is evaluated only if this one holds.
                if sign == .and { assume(part) }
            }
            assumptions = outer
            return node(.logical(sign, conditions), .boolean, syntax)
        case .comparison(let sign, let left, let right): return try comparison(sign, left, right, syntax)
        case .arithmetic(let sign, let left, let right): return try arithmetic(sign, left, right, syntax)
        case .call(let name, let nameRange, let arguments): return try call(name, nameRange, arguments, syntax)
        }
    }

    /// Compiles a part that must be true or false.
    mutating func condition(
        _ syntax: ExpressionSyntax,
        isNegated: Bool = false
    ) throws(ExpressionSyntaxError) -> CompiledExpression {
        let bare = syntax.ungrouped
        if isInFilter, case .query(let query) = bare.kind {
            if dialect == .waybill, !isNegated { warnOfExistenceTest(query) }
            return node(.existence(try compiled(query)), .boolean, bare)
        }
        let compiled = try value(bare)
        if let error = Self.refusalAsCondition(compiled) { throw error }
        return compiled
    }

    /// Compiles the arguments of `if()`.
    mutating func conditional(
        _ arguments: [ExpressionSyntax],
        _ syntax: ExpressionSyntax
    ) throws(ExpressionSyntaxError) -> CompiledExpression {
        // As in a comparison, the value reveals only whether the condition holds.
        let wasConcealed = conceal()
        let condition = try condition(arguments[0])
        reveal(wasConcealed)
        let outer = assumptions
        assume(arguments[0])
        let then = try value(arguments[1])
        assumptions = outer
        let otherwise = try value(arguments[2])
        let kind = CompiledExpression.Kind.conditional(condition, then: then, otherwise: otherwise)
        return node(kind, then.type.union(otherwise.type), syntax)
    }

    /// Records the requirements of a condition that holds where the next part is evaluated.
    private mutating func assume(_ condition: ExpressionSyntax) {
        if !isInFilter { assumptions += PathRequirement.of(condition) }
    }

    /// Returns the reason why an expression can never be a condition, if there is one.
    static func refusalAsCondition(_ expression: CompiledExpression) -> ExpressionSyntaxError? {
        guard expression.type.isDisjoint(with: .boolean) else { return nil }
        return ExpressionSyntaxError(
            "a condition must be true or false, found \(expression.type)",
            at: expression.range,
            help: "Compare it with a value, as in 'x == 1'."
        )
    }

    private mutating func warnOfExistenceTest(_ query: QuerySyntax) {
        guard query.isSingular, !query.segments.isEmpty else { return }
        let text = String(decoding: source[query.range], as: UTF8.self)
        warn(
            "this tests only whether the value exists, so it also holds if the value is false or null",
            at: query.range,
            help: "Write '\(text) == true', or 'exists(\(text))' to test for existence."
        )
    }

    private mutating func comparison(
        _ sign: ComparisonOperator,
        _ left: ExpressionSyntax,
        _ right: ExpressionSyntax,
        _ syntax: ExpressionSyntax
    ) throws(ExpressionSyntaxError) -> CompiledExpression {
        let wasConcealed = conceal()
        defer { reveal(wasConcealed) }
        var sides: [CompiledExpression] = []
        for side in [left, right] {
            let compiled = try value(side)
            if isInFilter, case .query(let query) = compiled.kind, !query.path.isSingular {
                throw ExpressionSyntaxError(
                    "a path that may match several values cannot be compared",
                    at: side.range,
                    help: "Inside a filter, use count(…), contains(…) or value(…)."
                )
            }
            sides.append(compiled)
        }
        if sides[0].type.isDisjoint(with: sides[1].type) {
            warn(
                "this is always \(sign == .notEqual): it compares \(sides[0].type) with \(sides[1].type)",
                at: syntax.range,
                help: "Convert one side with number(x) or string(x)."
            )
        }
        return node(.comparison(sign, sides[0], sides[1]), .boolean, syntax)
    }

    private mutating func arithmetic(
        _ sign: ArithmeticOperator,
        _ left: ExpressionSyntax,
        _ right: ExpressionSyntax,
        _ syntax: ExpressionSyntax
    ) throws(ExpressionSyntaxError) -> CompiledExpression {
        let sides = [try value(left), try value(right)]
        for (side, written) in zip(sides, [left, right]) where side.type.isDisjoint(with: .number) {
            let isText = sign == .plus && side.type == .string
            throw ExpressionSyntaxError(
                "'\(sign.rawValue)' requires numbers, found \(side.type)",
                at: written.range,
                help: isText ? "To join strings, write concat(a, b)." : nil
            )
        }
        return node(.arithmetic(sign, sides[0], sides[1]), .number, syntax)
    }

    // MARK: Paths

    mutating func compiled(_ query: QuerySyntax) throws(ExpressionSyntaxError) -> CompiledQuery {
        switch query.root {
        case .current: break
        case .document: note(query, name: "$")
        case .name(let name): note(query, name: name)
        }
        let path = try path(query.segments, from: query.range.lowerBound, rootEnd: query.rootRange.upperBound)
        return CompiledQuery(root: query.root, path: path, range: query.range)
    }

    private mutating func note(_ query: QuerySyntax, name: String) {
        usesScope = true
        references.append(
            Reference(
                query,
                name: name,
                isGuarded: isGuarded,
                isConcealed: isConcealed,
                joins: joins,
                assumptions: assumptions
            )
        )
    }

    /// Marks the following references as concealed: the value does not reveal what they refer to.
    ///
    /// - Returns: The previous state, for `reveal(_:)`.
    mutating func conceal(_ conceals: Bool = true) -> Bool {
        defer { isConcealed = isConcealed || conceals }
        return isConcealed
    }

    /// Restores the state before `conceal(_:)`.
    mutating func reveal(_ wasConcealed: Bool) {
        isConcealed = wasConcealed
    }

    private mutating func path(
        _ segments: [SegmentSyntax],
        from start: Int,
        rootEnd: Int
    ) throws(ExpressionSyntaxError) -> CompiledPath {
        var compiled: [CompiledSegment] = []
        compiled.reserveCapacity(segments.count)
        var ends = [rootEnd - start]
        ends.reserveCapacity(segments.count + 1)
        for segment in segments {
            ends.append(segment.range.upperBound - start)
            switch segment.selectors[0].kind {
            case .name(let name) where segment.isSingular: compiled.append(.name(name))
            case .index(let index) where segment.isSingular: compiled.append(.index(index))
            default:
                var selectors: [Selector<CompiledExpression>] = []
                for selector in segment.selectors { selectors.append(try self.selector(selector)) }
                compiled.append(segment.isDescendant ? .descendants(selectors) : .children(selectors))
            }
        }
        let end = segments.last?.range.upperBound ?? rootEnd
        return CompiledPath(
            segments: compiled,
            isSingular: segments.allSatisfy(\.isSingular),
            text: String(decoding: source[start..<end], as: UTF8.self),
            ends: ends
        )
    }

    private mutating func selector(_ selector: SelectorSyntax) throws(ExpressionSyntaxError) -> Selector<
        CompiledExpression
    > {
        switch selector.kind {
        case .name(let name): return .name(name)
        case .wildcard: return .wildcard
        case .index(let index): return .index(index)
        case .slice(let start, let end, let step): return .slice(start: start, end: end, step: step)
        case .filter(let syntax):
            let wasInFilter = isInFilter
            isInFilter = true
            let wasConcealed = conceal()
            let filter = try condition(syntax)
            reveal(wasConcealed)
            isInFilter = wasInFilter
            return .filter(filter)
        }
    }

    /// Compiles a part for which `default()` or `exists()` handles a missing value.
    mutating func guarded(_ syntax: ExpressionSyntax) throws(ExpressionSyntaxError) -> CompiledExpression {
        let wasGuarded = isGuarded
        isGuarded = true
        let compiled = try value(syntax)
        isGuarded = wasGuarded
        return compiled
    }

    var isStrict: Bool { dialect == .strict }
}
