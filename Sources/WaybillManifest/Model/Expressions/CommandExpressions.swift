package import WaybillDiagnostics
package import WaybillExpressions

/// Expressions that stand in no manifest, as those of a command do: their text is a file of its own.
extension ManifestExpression {
    /// An expression from its text.
    ///
    /// - Parameter source: What the text is called where something is said about it.
    package convenience init(parsing text: String, named source: String) throws(ExpressionSyntaxError) {
        self.init(try Template.expression(in: text), in: .whole(SourceFile(name: source, text: text)))
    }
}

extension ValueTemplate {
    /// A value in a template position from its text.
    ///
    /// - Parameter source: What the text is called where something is said about it.
    package init(parsing text: String, named source: String) throws(ExpressionSyntaxError) {
        let scalar = YAMLScalar.whole(SourceFile(name: source, text: text))
        let template = ManifestTemplate(try Template(parsing: text), in: scalar)
        self = .scalar(ScalarTemplate(content: .template(template), span: scalar.span))
    }
}

extension OutputDefinition {
    /// An output that a command asks for, shown to whoever gave the command.
    package init(name: Spanned<String>, value: ManifestExpression, level: Level) {
        self.init(name: name, value: value, secretMark: nil, level: level)
    }
}

extension YAMLScalar {
    /// A scalar that is the whole of a file.
    fileprivate static func whole(_ file: SourceFile) -> YAMLScalar {
        YAMLScalar(
            text: String(decoding: file.bytes, as: UTF8.self),
            style: .plain,
            tag: nil,
            span: file.span(0..<file.bytes.count)
        )
    }
}
