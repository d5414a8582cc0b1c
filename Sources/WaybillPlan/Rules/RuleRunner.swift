import WaybillDiagnostics

/// Runs the rules, each of which is independent of the others.
enum RuleRunner {
    /// Returns what the rules report, in their order, and separately what the rules for sound manifests report, which counts
    /// only if nothing else is wrong.
    static func findings(of subject: RuleSubject) -> (always: [Diagnostic], ifSound: [Diagnostic]) {
        (allRules.flatMap { $0.check(subject) }, rulesOfSoundManifests.flatMap { $0.check(subject) })
    }
}
