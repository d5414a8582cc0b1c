import WaybillDiagnostics
import WaybillManifest

/// The name of a `forEach` element must not hide another one.
struct ShadowedNames: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.steps.compactMap { site in
            guard let variable = site.step.flow?.forEach?.variable else { return nil }
            let outer = site.around.compactMap { $0.flow?.forEach?.variable }
            guard let hidden = outer.last(where: { $0.value == variable.value }) else { return nil }
            return Diagnostic(
                "shadowed-name",
                "this name hides the element of the 'forEach' around it",
                severity: .warning,
                at: variable.span,
                secondary: [.init(hidden.span, "the outer element")],
                help: ["Give one of them another name."]
            )
        }
    }
}
