import WaybillDiagnostics
import WaybillManifest

/// A text that is written where a template may stand, and that would be a path that leads somewhere if it were one.
struct LiteralPaths: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        let shapes = ScopeShapes(subject)
        return subject.references.literals.filter { literal in
            NameScope(subject: subject, site: literal.site).finding == nil && !shapes.isMissing(literal.site)
        }.map { .literalPath($0.text, path: $0.text, at: $0.span) }
    }
}
