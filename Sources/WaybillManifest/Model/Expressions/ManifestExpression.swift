package import WaybillDiagnostics
package import WaybillExpressions

/// A part of the manifest that is evaluated: an expression, or a string with expressions in it.
package protocol EvaluatedText: AnyObject, Sendable {
    /// The paths in it that start at a name of the scope, at `$` or at `item`.
    var references: [Reference] { get }
    /// The constant expressions of XPath in it.
    var xpaths: [XPathUse] { get }
    /// The filters that it applies to values.
    var filters: [FilterUse] { get }
    /// The constant paths of the files that it reads.
    var files: [String] { get }
    /// Whether its value depends on more than the paths in it, such as on the clock.
    var isAmbient: Bool { get }
    /// The scalar that contains it.
    var scalar: YAMLScalar { get }
}

extension EvaluatedText {
    package var span: SourceSpan { scalar.span }

    /// The names of the filters that it applies to values, with their locations.
    package var filterNames: [Spanned<String>] { filters.map { Spanned($0.name, at: span(of: $0.range)) } }

    /// Returns the span of a range of bytes of the scalar, such as that of a reference.
    package func span(of range: Range<Int>) -> SourceSpan { scalar.span(ofUTF8: range) }
}

/// An expression of the manifest and the scalar that it was read from, so that diagnostics can point to each part.
package final class ManifestExpression: EvaluatedText {
    package let expression: Expression

    /// The scalar that it is, or that contains it.
    package let scalar: YAMLScalar

    /// Creates an expression that is the whole scalar or a part of it.
    init(_ expression: Expression, in scalar: YAMLScalar) {
        self.expression = expression
        self.scalar = scalar
    }

    package var references: [Reference] { expression.references }
    package var xpaths: [XPathUse] { expression.xpaths }
    package var filters: [FilterUse] { expression.filters }
    package var files: [String] { expression.files }
    package var isAmbient: Bool { expression.isAmbient }
}

/// A string of the manifest with `${…}` in it, and the scalar that it was read from.
package final class ManifestTemplate: EvaluatedText {
    package let template: Template

    package let scalar: YAMLScalar

    /// Creates the template of a scalar.
    init(_ template: Template, in scalar: YAMLScalar) {
        self.template = template
        self.scalar = scalar
    }

    package var references: [Reference] { template.references }
    package var xpaths: [XPathUse] { template.xpaths }
    package var filters: [FilterUse] { template.filters }
    package var files: [String] { template.files }
    package var isAmbient: Bool { template.expressions.contains(where: \.isAmbient) }
}

/// Expressions that are not part of a manifest, such as those of a command: each one is its own source file.
extension ManifestExpression {
    /// Parses an expression.
    ///
    /// - Parameter source: The name of the source file in diagnostics.
    package convenience init(parsing text: String, named source: String) throws(ExpressionSyntaxError) {
        self.init(try Template.expression(in: text), in: .whole(SourceFile(name: source, text: text)))
    }
}

extension ValueTemplate {
    /// Parses a value in a template position.
    ///
    /// - Parameter source: The name of the source file in diagnostics.
    package init(parsing text: String, named source: String) throws(ExpressionSyntaxError) {
        let scalar = YAMLScalar.whole(SourceFile(name: source, text: text))
        let template = ManifestTemplate(try Template(parsing: text), in: scalar)
        self = .scalar(ScalarTemplate(content: .template(template), span: scalar.span))
    }
}

extension OutputDefinition {
    /// Creates an output that a command asks for, which is shown to the user.
    package init(name: Spanned<String>, value: ManifestExpression, level: Level) {
        self.init(name: name, value: value, secretMark: nil, level: level)
    }
}

extension YAMLScalar {
    /// Returns a scalar that consists of a whole file.
    fileprivate static func whole(_ file: SourceFile) -> YAMLScalar {
        YAMLScalar(
            text: String(decoding: file.bytes, as: UTF8.self),
            style: .plain,
            tag: nil,
            span: file.span(0..<file.bytes.count)
        )
    }
}
