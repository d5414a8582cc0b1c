package import WaybillData
package import WaybillDiagnostics

/// An expression of the manifest and the scalar that it was read from, so that each part of it can be pointed at.
package struct ManifestExpression: Sendable {
    /// The expression.
    package let expression: Expression

    private let scalar: YAMLScalar
    private let offset: Int

    /// An expression that is the text of a scalar, or stands in it.
    init(_ embedded: EmbeddedExpression, in scalar: YAMLScalar) {
        self.expression = embedded.expression
        self.scalar = scalar
        self.offset = embedded.offset
    }

    /// Where the whole scalar stands.
    package var span: SourceSpan { scalar.span }

    /// Where a range of bytes of the expression's text stands.
    package func span(of range: Range<Int>) -> SourceSpan {
        scalar.span(ofUTF8: range.lowerBound + offset..<range.upperBound + offset)
    }
}

/// A text of the manifest with `${…}` in it, and the scalar that it was read from.
package struct ManifestTemplate: Sendable {
    /// The template.
    package let template: Template

    private let scalar: YAMLScalar

    /// The template of a scalar.
    init(_ template: Template, in scalar: YAMLScalar) {
        self.template = template
        self.scalar = scalar
    }

    /// Where the whole scalar stands.
    package var span: SourceSpan { scalar.span }

    /// Where a range of bytes of the template's text stands.
    package func span(of range: Range<Int>) -> SourceSpan { scalar.span(ofUTF8: range) }
}
