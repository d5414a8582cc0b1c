import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A check of what a manifest means. One rule a file; its words stand with it.
///
/// A manifest may have mistakes in its text. What they leave unknown is marked in the model (`UnknownParts`, `Settings.unknown`,
/// `UnknownContent`): a rule says nothing of what something unknown could give, and what it finds at the place of such a
/// mistake is not told.
protocol ManifestRule: Sendable {
    /// What the rule finds, in any order.
    func check(_ subject: RuleSubject) -> [Diagnostic]
}

/// Every rule.
let allRules: [any ManifestRule] = [
    ServiceNames(),
    EndpointNames(),
    FilterNames(),
    GraphNames(),
    GraphState(),
    StepIdentifiers(),
    CallInputs(),
    ScopeNames(),
    DataFlow(),
    FieldNames(),
    LiteralPaths(),
    SecretTaint(),
    NamedFiles(),
    ResultPaths(),
    SameFile(),
    SnapshotSharing(),
    ParameterClash(),
    AddressParts(),
    EncodedSlashes(),
    BodyConflicts(),
    FieldValues(),
    PropertyListNulls(),
    StatusExpectations(),
    VerificationOff(),
    ReadableCredentials(),
    RetryEffect(),
    LowercaseMethod(),
    HTTP2WithoutTLS(),
    CertificateWithoutTLS(),
    StepPlaces(),
    SessionCycles(),
    SessionValues(),
    PaginationClash(),
    DownloadData(),
    ShadowedNames(),
    ShadowedInputs(),
]

/// The rules for manifests without errors: what they find may come of a mistake that another rule tells, as a misspelt name
/// leaves another one unused.
let rulesOfSoundManifests: [any ManifestRule] = [
    UnusedDefinitions(),
    NeverTaken(),
    CredentialOutputs(),
]

extension Diagnostic {
    /// A name that nothing has.
    static func unknown(
        _ sort: String,
        _ name: Spanned<String>,
        among known: some Collection<String>,
        help: [String] = []
    ) -> Diagnostic {
        let nearest = NearestName.of(name.value, among: known)
        var help = help
        if name.value.contains("${") {
            help.append("This name cannot be computed: write a step for each name, with its condition under 'when'.")
        } else if nearest == nil, !known.isEmpty, known.count <= 12 {
            help.append("There is \(known.map { "'\($0)'" }.joined(separator: ", ")).")
        }
        return Diagnostic(
            DiagnosticID(stringLiteral: "unknown-\(String(sort.map { $0 == " " ? "-" : $0 }))"),
            sort == "name" ? "there is no '\(name.value)' here" : "no \(sort) is named '\(name.value)'",
            at: name.span,
            label: nearest.map { "did you mean '\($0)'?" } ?? "",
            help: help
        )
    }
}

/// Runs the rules, each of which is independent of the others.
enum RuleRunner {
    /// Returns what the rules report, in their order, and separately what the rules for sound manifests report, which counts
    /// only if nothing else is wrong.
    static func findings(of subject: RuleSubject) -> (always: [Diagnostic], ifSound: [Diagnostic]) {
        (allRules.flatMap { $0.check(subject) }, rulesOfSoundManifests.flatMap { $0.check(subject) })
    }
}
