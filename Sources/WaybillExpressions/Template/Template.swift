import WaybillJSON

/// A string that contains `${EXPR}`. `$${` is a literal `${`.
package struct Template: Sendable {
    /// A piece of a template.
    package enum Part: Sendable {
        /// Literal text.
        case literal(String)
        /// The expression in a `${…}`, which is a part of the template.
        case expression(Expression)
    }

    /// The template as it was written.
    package let text: String
    /// The pieces in order; no two literals are adjacent.
    package let parts: [Part]
    /// Warnings about constructs that are valid but probably not intended, with ranges in UTF-8 bytes of the template.
    package let warnings: [ExpressionWarning]

    /// Parses the text of a template position.
    package init(parsing text: String) throws(ExpressionSyntaxError) {
        var scanner = TemplateScanner(Array(text.utf8)[...])
        parts = try scanner.parts()
        self.text = text
        warnings = scanner.warnings
    }

    /// Parses the expression of an expression position, where `EXPR` and `${EXPR}` mean the same.
    package static func expression(in text: String) throws(ExpressionSyntaxError) -> Expression {
        let bytes = Array(text.utf8)
        let start = bytes.firstIndex { !ExpressionParser.isSpace($0) } ?? 0
        guard bytes[start...].starts(with: "${".utf8) else { return try Expression(parsing: bytes[...]) }
        let end = (bytes.lastIndex { !ExpressionParser.isSpace($0) } ?? start) + 1
        var scanner = TemplateScanner(bytes[start..<end])
        let parts = try scanner.parts()
        guard parts.count == 1, case .expression(let expression) = parts[0] else {
            throw ExpressionSyntaxError(
                "'${…}' is not valid inside an expression",
                at: start..<start + 2,
                help: "The whole value is already an expression: remove '${' and '}'."
            )
        }
        return expression
    }

    /// The string that the template always evaluates to, if it contains no expression.
    package var literal: String? {
        if parts.isEmpty { return "" }
        guard parts.count == 1, case .literal(let text) = parts[0] else { return nil }
        return text
    }

    /// The expression, if the template is a single `${…}` and so keeps the type of its value.
    package var loneExpression: Expression? {
        guard parts.count == 1, case .expression(let expression) = parts[0] else { return nil }
        return expression
    }

    /// The kinds that the value may have.
    package var resultType: ExpressionType { loneExpression?.resultType ?? .string }

    /// Whether the value depends on the text alone.
    package var isConstant: Bool { expressions.allSatisfy(\.isConstant) }

    /// The expressions in order.
    package var expressions: [Expression] {
        parts.compactMap { part in
            if case .expression(let expression) = part { expression } else { nil }
        }
    }

    /// Every path in the expressions, with ranges in UTF-8 bytes of the template.
    package var references: [Reference] { expressions.flatMap(\.references) }

    /// The constant expressions of XPath in the expressions, with ranges in UTF-8 bytes of the template.
    package var xpaths: [XPathUse] { expressions.flatMap(\.xpaths) }

    /// The filters that the expressions apply to values.
    package var filters: [FilterUse] { expressions.flatMap(\.filters) }

    /// The constant paths of the files that the expressions read.
    package var files: [String] { expressions.flatMap(\.files) }

    /// Returns the value: that of a single `${…}` with its own type, otherwise a string.
    package func value(in scope: EvaluationScope) throws(EvaluationError) -> ScopeValue {
        if let lone = loneExpression { return try lone.evaluate(in: scope) }
        let text = try text(in: scope)
        return ScopeValue(.string(text.text), isSecret: text.isSecret)
    }

    /// Returns the string. Only strings, numbers (as they were written) and booleans can be inserted.
    package func text(in scope: EvaluationScope) throws(EvaluationError) -> ScopeText {
        try text(in: scope) { $0.text }
    }

    /// Returns the string, with each computed piece first transformed, for example percent-encoded for a path.
    ///
    /// A piece is raw if its value was marked with `raw()`.
    package func text(
        in scope: EvaluationScope,
        rewriting rewrite: (ScopeText) -> String
    ) throws(EvaluationError) -> ScopeText {
        var text = ""
        var result = try pieces(in: scope, rewriting: rewrite) { text += $0 }
        result.text = text
        return result
    }

    /// Returns the string in UTF-8. It may be large, so it is copied only once.
    package func utf8(in scope: EvaluationScope) throws(EvaluationError) -> (bytes: [UInt8], isSecret: Bool) {
        var pieces: [String] = []
        let isSecret = try self.pieces(in: scope, rewriting: \.text) { pieces.append($0) }.isSecret
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.utf8.count })
        for piece in pieces { bytes += piece.utf8 }
        return (bytes, isSecret)
    }

    /// Passes on the pieces of the string in order; returns what must be known about their origin, without a string.
    private func pieces(
        in scope: EvaluationScope,
        rewriting rewrite: (ScopeText) -> String,
        to append: (String) -> Void
    ) throws(EvaluationError) -> ScopeText {
        var (result, count) = (ScopeText(""), 0)
        for part in parts {
            let piece: String
            switch part {
            case .literal(let text): piece = text
            case .expression(let expression):
                let value = try expression.text(in: scope)
                piece = rewrite(value)
                result.isSecret = result.isSecret || value.isSecret
                result.isRaw = parts.count == 1 && value.isRaw
            }
            count += piece.utf8.count
            if count > EvaluationLimits.textBytes {
                throw EvaluationError(.limit, "the string would be larger than 256 MiB", at: 0..<text.utf8.count)
            }
            append(piece)
        }
        return result
    }
}

/// A string, and what must be known about its origin.
package struct ScopeText: Sendable, Equatable {
    /// The string itself.
    package var text: String
    /// Whether it was computed from a secret.
    package var isSecret: Bool
    /// Whether it is one value marked with `raw()`.
    package var isRaw: Bool

    /// Creates a string, which is neither secret nor raw by default.
    package init(_ text: String, isSecret: Bool = false, isRaw: Bool = false) {
        self.text = text
        self.isSecret = isSecret
        self.isRaw = isRaw
    }

    /// The string for messages: `***` if it was computed from a secret.
    package var shown: String { isSecret ? "***" : text }
}

extension Template: Equatable {
    /// Whether two templates have the same text.
    package static func == (left: Template, right: Template) -> Bool {
        left.text.hasSameCodePoints(as: right.text)
    }
}
