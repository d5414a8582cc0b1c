import OrderedCollections
import WaybillDiagnostics
import WaybillManifest

/// A check of the meaning of a manifest. Each rule is in a file of its own, together with its messages.
///
/// A manifest may have errors in its text. The model marks what they leave unknown (`UnknownParts`, `Settings.unknown`,
/// `UnknownContent`): a rule does not report what something unknown could resolve, and its diagnostics at the location
/// of such an error are dropped.
protocol ManifestRule: Sendable {
    /// Returns the diagnostics of the rule, in any order.
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
    ShardedSteps(),
    SessionCycles(),
    SessionValues(),
    PaginationClash(),
    DownloadData(),
    ShadowedNames(),
    ShadowedInputs(),
]

/// The rules for manifests without errors. Their diagnostics may be consequences of an error that another rule reports:
/// a misspelt name leaves another one unused, for example.
let rulesOfSoundManifests: [any ManifestRule] = [
    UnusedDefinitions(),
    NeverTaken(),
    CredentialOutputs(),
]

extension Diagnostic {
    /// The error for a name that is not defined.
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
            help.append("Available: \(known.map { "'\($0)'" }.joined(separator: ", ")).")
        }
        return Diagnostic(
            DiagnosticID(stringLiteral: "unknown-\(String(sort.map { $0 == " " ? "-" : $0 }))"),
            sort == "name" ? "'\(name.value)' is not defined here" : "no \(sort) is named '\(name.value)'",
            at: name.span,
            label: nearest.map { "did you mean '\($0)'?" } ?? "",
            help: help
        )
    }
}
