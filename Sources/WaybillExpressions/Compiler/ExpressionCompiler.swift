import WaybillDiagnostics
import WaybillJSON

/// Turns the syntax of an expression into what is evaluated, checks functions and types, and notes what is referred to.
struct ExpressionCompiler {
    private(set) var references: [Reference] = []
    private(set) var warnings: [ExpressionWarning] = []
    /// Whether anything but the text of the expression goes into its value.
    private(set) var usesScope = false

    private let source: [UInt8]
    private let dialect: ExpressionParser.Dialect
    private var isGuarded = false
    private(set) var isInFilter = false
    private var isConcealed = false
    /// What the operands of `&&` before this part, or the condition of the `if()` around it, require.
    private var assumptions: [PathRequirement] = []

    init(_ text: String, dialect: ExpressionParser.Dialect) {
        source = Array(text.utf8)
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

    mutating func noteUseOfScope() {
        usesScope = true
    }

    // MARK: Values and conditions

    /// Compiles something whose value is wanted.
    mutating func value(_ syntax: ExpressionSyntax) throws(ExpressionSyntaxError) -> CompiledExpression {
        switch syntax.kind {
        case .literal(let json): return node(.constant(json), ExpressionType(json.kind), syntax)
        case .group(let inside): return try value(inside)
        case .query(let query):
            return node(.query(try compiled(query)), query.isSingular ? .any : .array, syntax)
        case .access(let base, let segments):
            let compiledBase = try value(base)
            if compiledBase.type.isDisjoint(with: [.array, .object]) {
                throw ExpressionSyntaxError("this is \(compiledBase.type) and has no members", at: base.range)
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

    /// Compiles something that must be true or false.
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
        // As of a comparison, only whether the condition holds can be learned from the value.
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

    /// Notes what holds where the next part is evaluated, because a condition holds there.
    private mutating func assume(_ condition: ExpressionSyntax) {
        if !isInFilter { assumptions += PathRequirement.of(condition) }
    }

    /// Why something can never be a condition, if that is so.
    static func refusalAsCondition(_ expression: CompiledExpression) -> ExpressionSyntaxError? {
        guard expression.type.isDisjoint(with: .boolean) else { return nil }
        return ExpressionSyntaxError(
            "a condition must be true or false, and this is \(expression.type)",
            at: expression.range,
            help: "Compare it with something."
        )
    }

    private mutating func warnOfExistenceTest(_ query: QuerySyntax) {
        guard query.isSingular, !query.segments.isEmpty else { return }
        let text = String(decoding: source[query.range], as: UTF8.self)
        warn(
            "this also holds where the value is false or null: it asks only whether there is one",
            at: query.range,
            help: "Write '\(text) == true', or 'exists(\(text))' if that is meant."
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
                    help: "Inside a filter use count(…), contains(…) or value(…)."
                )
            }
            sides.append(compiled)
        }
        if sides[0].type.isDisjoint(with: sides[1].type) {
            warn(
                "this is always \(sign == .notEqual): \(sides[0].type) against \(sides[1].type)",
                at: syntax.range,
                help: "number(x) and string(x) turn one into the other."
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
                "'\(sign.rawValue)' takes numbers, and this is \(side.type)",
                at: written.range,
                help: isText ? "Texts are joined with concat(a, b)." : nil
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
                assumptions: assumptions
            )
        )
    }

    /// Notes of what is referred to from here on that it cannot be learned from the value.
    ///
    /// - Returns: Whether that was so before, for `reveal(_:)`.
    mutating func conceal(_ conceals: Bool = true) -> Bool {
        defer { isConcealed = isConcealed || conceals }
        return isConcealed
    }

    /// Ends what `conceal(_:)` began.
    mutating func reveal(_ wasConcealed: Bool) {
        isConcealed = wasConcealed
    }

    private mutating func path(
        _ segments: [SegmentSyntax],
        from start: Int,
        rootEnd: Int
    ) throws(ExpressionSyntaxError) -> CompiledPath {
        var compiled: [CompiledSegment] = []
        for segment in segments {
            var selectors: [CompiledSelector] = []
            for selector in segment.selectors { selectors.append(try self.selector(selector)) }
            switch selectors[0] {
            case .name(let name) where segment.isSingular: compiled.append(.name(name))
            case .index(let index) where segment.isSingular: compiled.append(.index(index))
            default: compiled.append(segment.isDescendant ? .descendants(selectors) : .children(selectors))
            }
        }
        let end = segments.last?.range.upperBound ?? rootEnd
        return CompiledPath(
            segments: compiled,
            isSingular: segments.allSatisfy(\.isSingular),
            text: String(decoding: source[start..<end], as: UTF8.self),
            ends: [rootEnd - start] + segments.map { $0.range.upperBound - start }
        )
    }

    private mutating func selector(_ selector: SelectorSyntax) throws(ExpressionSyntaxError) -> CompiledSelector {
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

    /// Compiles something for which `default()` or `exists()` stands in when it is not there.
    mutating func guarded(_ syntax: ExpressionSyntax) throws(ExpressionSyntaxError) -> CompiledExpression {
        let wasGuarded = isGuarded
        isGuarded = true
        let compiled = try value(syntax)
        isGuarded = wasGuarded
        return compiled
    }

    var isStrict: Bool { dialect == .strict }
}
