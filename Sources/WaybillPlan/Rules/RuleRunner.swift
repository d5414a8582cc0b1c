import Dispatch
import Synchronization
import WaybillDiagnostics

/// Runs rules, which do not know of one another: side by side, as many at once as there are cores, where there is much to
/// look at.
enum RuleRunner {
    /// What the rules find, in the order of the rules, and apart from that what the rules for sound manifests find, which
    /// counts only where nothing is wrong.
    static func findings(of subject: RuleSubject) -> (always: [Diagnostic], ifSound: [Diagnostic]) {
        let found = findings(of: subject, by: allRules + rulesOfSoundManifests)
        return (found[..<allRules.count].flatMap(\.self), found[allRules.count...].flatMap(\.self))
    }

    /// What each of some rules finds.
    private static func findings(of subject: RuleSubject, by rules: [any ManifestRule]) -> [[Diagnostic]] {
        guard subject.isLarge else { return rules.map { $0.check(subject) } }
        let found = Mutex<[[Diagnostic]]>(Array(repeating: [], count: rules.count))
        DispatchQueue.concurrentPerform(iterations: rules.count) { index in
            let diagnostics = rules[index].check(subject)
            if !diagnostics.isEmpty { found.withLock { $0[index] = diagnostics } }
        }
        return found.withLock(\.self)
    }
}
