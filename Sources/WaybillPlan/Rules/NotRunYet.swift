import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// Warns about what this version of Waybill checks and cannot run, at each place where the manifest has it.
struct NotRunYet: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        for settings in subject.settings {
            for entry in settings.entries where !entry.value.isSupported {
                diagnostics.append(.notSupported(entry.value.name.rawValue, severity: .warning, at: entry.span))
            }
        }
        return diagnostics
    }
}

extension Diagnostic {
    /// A part of the manifest that is checked, and that this version cannot run.
    static func notSupported(_ what: String, severity: Severity, at span: SourceSpan) -> Diagnostic {
        Diagnostic(
            "not-supported",
            "this version of Waybill checks '\(what)' but cannot run it",
            severity: severity,
            at: span,
            help: ["Remove it to run the request; 'waybill validate' and 'waybill plan' accept it."]
        )
    }
}
