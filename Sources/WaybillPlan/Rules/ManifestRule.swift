import OrderedCollections
import WaybillDiagnostics
import WaybillJSON
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
    NamespacePrefixes(),
    GraphNames(),
    GraphState(),
    StepIdentifiers(),
    CallInputs(),
    InputChecks(),
    OperationCalls(),
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
    ParameterOrder(),
    AddressParts(),
    EncodedSlashes(),
    BodyConflicts(),
    FieldValues(),
    PropertyListNulls(),
    StatusExpectations(),
    VerificationOff(),
    ReadableCredentials(),
    StoredTokens(),
    RetryEffect(),
    LowercaseMethod(),
    HTTP2WithoutTLS(),
    CertificateWithoutTLS(),
    StepLocations(),
    ShardedSteps(),
    SessionCycles(),
    SessionValues(),
    PaginationClash(),
    StreamClash(),
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
        _ kind: String,
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
        var diagnostic = Diagnostic(
            DiagnosticID(stringLiteral: "unknown-\(String(kind.map { $0 == " " ? "-" : $0 }))"),
            kind == "name" ? "'\(name.value)' is not defined here" : "no \(kind) is named '\(name.value)'",
            at: name.span,
            label: nearest.map { "did you mean '\($0)'?" } ?? "",
            help: help
        )
        // The keys of a dictionary share their array: each of thousands of errors has it.
        diagnostic.validNames = (known as? OrderedSet<String>)?.elements ?? Array(known)
        return diagnostic
    }
}

/// A manifest with the facts that several rules need, computed once.
final class RuleSubject: Sendable {
    /// The manifest, with the environment applied.
    let manifest: Manifest
    /// The values of its data files, by name; files that could not be read are missing.
    let data: JSONObject
    /// Whether files may be outside their folders.
    let allowsOutside: Bool
    /// The graphs with their steps.
    let graphs: [GraphSite]
    /// Every step of every graph.
    let steps: [StepSite]
    /// Every request that the manifest can send.
    let requests: RequestList
    /// Every path of the expression language.
    let references: ReferenceList
    /// The settings of every level that has any, as they were written.
    let settings: [Settings]

    init(_ manifest: Manifest, data: JSONObject = JSONObject(), allowsOutside: Bool = false) {
        self.manifest = manifest
        self.data = data
        self.allowsOutside = allowsOutside
        let graphs = manifest.graphSites
        self.graphs = graphs
        steps = graphs.flatMap(\.all)
        requests = RequestList(of: manifest, graphs)
        references = ReferenceList(of: manifest, graphs)
        let ofLevels =
            [manifest.defaults] + manifest.services.values.map(\.value.settings)
            + manifest.endpoints.values.map(\.value.request.settings) + graphs.map(\.definition.value.settings)
        let ofSteps = steps.flatMap { site in
            var all = [site.step.settings]
            if case .request(let definition) = site.step.action { all.append(definition.settings) }
            return all
        }
        settings = (ofLevels + ofSteps).filter { !$0.isEmpty }
    }

    /// Returns the diagnostics of a check for all requests. Calls of one endpoint share its diagnostics, which are
    /// reported once.
    func diagnosticsOfRequests(_ check: (RequestSite) -> [Diagnostic]) -> [Diagnostic] {
        var seen: Set<SourceSpan> = []
        var diagnostics: [Diagnostic] = []
        for request in requests.all {
            for diagnostic in check(request) {
                if let location = diagnostic.primary?.span, seen.insert(location).inserted {
                    diagnostics.append(diagnostic)
                }
            }
        }
        return diagnostics
    }
}
