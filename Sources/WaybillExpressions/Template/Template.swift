import WaybillJSON

/// A text with `${EXPR}` in it. `$${` stands for `${` itself.
package struct Template: Sendable {
    /// A piece of a template.
    package enum Part: Sendable {
        /// Text that stands for itself.
        case literal(String)
        /// What `${…}` holds.
        case expression(EmbeddedExpression)
    }

    /// The template as it was written.
    package let text: String
    /// The pieces in order; no two literals are neighbours.
    package let parts: [Part]
    /// Things that work but are probably not meant, in UTF-8 bytes of the template.
    package let warnings: [ExpressionWarning]
    /// Every path that the expressions refer to, in UTF-8 bytes of the template.
    package let references: [Reference]

    /// Parses the text of a template position.
    package init(parsing text: String) throws(ExpressionSyntaxError) {
        var scanner = TemplateScanner(text)
        self.parts = try scanner.parts()
        self.text = text
        self.warnings = scanner.warnings
        self.references = scanner.references
    }

    /// The text that the template always is, if nothing in it is computed.
    package var literal: String? {
        if parts.isEmpty { return "" }
        guard parts.count == 1, case .literal(let text) = parts[0] else { return nil }
        return text
    }

    /// The expression, if the template is one `${…}` alone and so keeps the type of its value.
    package var loneExpression: EmbeddedExpression? {
        guard parts.count == 1, case .expression(let expression) = parts[0] else { return nil }
        return expression
    }

    /// What is known of the type of the value.
    package var resultType: ExpressionType { loneExpression?.expression.resultType ?? .string }

    /// Whether the value depends on the text alone.
    package var isConstant: Bool { expressions.allSatisfy(\.expression.isConstant) }

    /// The expressions in order.
    package var expressions: [EmbeddedExpression] {
        parts.compactMap { part in
            if case .expression(let expression) = part { expression } else { nil }
        }
    }

    /// The value: of a lone `${…}` with its own type, else a text.
    package func value(in scope: EvaluationScope) throws(EvaluationError) -> ScopeValue {
        if let lone = loneExpression { return try lone.evaluate(in: scope) }
        let text = try text(in: scope)
        return ScopeValue(.string(text.text), isSecret: text.isSecret)
    }

    /// The text, in which only strings, numbers (as they were written) and booleans may stand.
    package func text(in scope: EvaluationScope) throws(EvaluationError) -> ScopeText {
        try text(in: scope) { $0.text }
    }

    /// The text, each computed piece of it first rewritten, as percent-encoding in a path does.
    ///
    /// A piece is raw when its value was marked with `raw()`.
    package func text(
        in scope: EvaluationScope,
        rewriting rewrite: (ScopeText) -> String
    ) throws(EvaluationError) -> ScopeText {
        var result = ScopeText(text: "", isSecret: false, isRaw: false)
        for part in parts {
            switch part {
            case .literal(let text): result.text += text
            case .expression(let embedded):
                let piece = try embedded.text(in: scope)
                result.text += rewrite(piece)
                result.isSecret = result.isSecret || piece.isSecret
                result.isRaw = parts.count == 1 && piece.isRaw
            }
            if result.text.utf8.count > EvaluationLimits.textBytes {
                throw EvaluationError(.limit, "the text would be larger than 256 MiB", at: 0..<text.utf8.count)
            }
        }
        return result
    }
}

/// A text and what has to be known of where it came from.
package struct ScopeText: Sendable, Equatable {
    /// The text itself.
    package var text: String
    /// Whether a secret went into it.
    package var isSecret: Bool
    /// Whether it is one value marked with `raw()`.
    package var isRaw: Bool
}

extension Template: Equatable {
    /// Whether two templates have the same text.
    package static func == (left: Template, right: Template) -> Bool {
        left.text.hasSameCodePoints(as: right.text)
    }
}
