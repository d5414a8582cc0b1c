import WaybillDiagnostics
import WaybillManifest

/// Warns of a literal string where a template is allowed, if it would be a valid path as an expression.
struct LiteralPaths: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let shapes = ScopeShapes(subject)
        return subject.references.literals.filter { literal in
            NameScope(subject: subject, site: literal.site).diagnostic == nil && !shapes.isMissing(literal.site)
        }.map { .literalPath($0.text, path: $0.text, at: $0.span) }
    }
}
