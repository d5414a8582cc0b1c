package import WaybillDiagnostics
package import WaybillExpressions

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
