import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// A secret, or a value made from one, must not be used where it would be written or shown.
///
/// This rule ignores logs and messages, in which secrets are redacted when they are written.
struct SecretTaint: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        guard !subject.manifest.secrets.isEmpty || subject.marksOutputs else { return [] }
        let flow = SecretFlow(subject)
        var seen: Set<ObjectIdentifier> = []
        let outputs = flow.ends.filter { $0.site.purpose == .secretOutput }
        let byOutput = Dictionary(grouping: outputs) { ObjectIdentifier($0.site.text) }
        var diagnostics = outputs.compactMap { lateSecret($0, byOutput[ObjectIdentifier($0.site.text)] ?? [], flow) }
        for leak in flow.leaks where seen.insert(ObjectIdentifier(leak.text)).inserted {
            if let diagnostic = leak.diagnostic { diagnostics.append(diagnostic) }
        }
        return diagnostics
    }
}

/// Returns the diagnostic for a use in a secret output whose value may be a part of the results of an earlier step: when the output
/// is evaluated, they have been written and shown. Together with something unknown, such as a secret, they may be secret.
///
/// - Parameter all: All uses in the output.
private func lateSecret(_ use: SecretFlow.End, _ all: [SecretFlow.End], _ flow: SecretFlow) -> Diagnostic? {
    guard let trace = flow.trace(use.origin, of: .results), flow.trace(use.origin) == nil else { return nil }
    let isJoined = all.contains { other in
        let isOwn = [.document, .response].contains(other.site.reference.root)
        return (isOwn || flow.trace(other.origin) != nil)
            && use.site.reference.joins.contains { $0.isWith(other.site.reference) }
    }
    if isJoined { return nil }
    return Diagnostic(
        "secret-exposed",
        "the results of the run have this value before it is known to be secret",
        at: use.site.span(of: use.site.reference.range),
        secondary: trace.labels,
        help: [
            "Mark an output of the step as secret, 'outputs: {NAME: {value: …, secret: true}}', and use it here:"
                + " steps.ID.outputs.NAME."
        ]
    )
}

/// A use of a secret in an expression or template.
struct SecretLeak {
    /// The expression or template.
    let text: any EvaluatedText
    /// The path in it that yields the secret.
    let reference: Reference
    /// What the value is used for.
    let purpose: Purpose
    /// The path of the secret to here.
    let trace: SecretTrace

    /// The diagnostic for the leak; `nil` if the use is allowed.
    fileprivate var diagnostic: Diagnostic? {
        switch purpose {
        case .record:
            return refusal("a secret would be written to a file", ["Its digest, sha256(…), is not secret."])
        case .state:
            return refusal("a secret would be stored in the state", ["Its digest, sha256(…), is not secret."])
        case .output, .result:
            return refusal(
                "this output would reveal a secret",
                ["Mark it as secret: 'NAME: {value: …, secret: true}'. Its digest, sha256(…), is not secret."]
            )
        case .key:
            return refusal("a secret would be the key that identifies requests", ["Use its digest, sha256(…)."])
        case .fileName:
            return refusal("a secret would be part of a file name", ["Use its digest, sha256(…), or something else."])
        case .data:
            return refusal(
                "a secret would become part of the data of a response",
                ["Data is stored and used by other steps. Use a secret only in 'with', 'vars' and requests."]
            )
        case .address, .query:
            return Diagnostic(
                "secret-in-url",
                "a secret is part of a URL, which servers and proxies write to their logs",
                severity: .warning,
                at: text.span(of: reference.range),
                secondary: trace.labels,
                help: [
                    "Send it in a header field or, if the server requires it in the query, with"
                        + " 'auth: {apiKey: {in: query, name: …, value: …}}'."
                ]
            )
        case .header, .credential, .body, .control, .expectation, .secretOutput, .message, .argument, .variable:
            return nil
        }
    }

    private func refusal(_ headline: String, _ help: [String]) -> Diagnostic {
        Diagnostic(
            "secret-exposed",
            headline,
            at: text.span(of: reference.range),
            secondary: trace.labels,
            help: help
        )
    }
}

/// The locations that a secret has passed through, the last one first.
struct SecretTrace {
    /// The maximum number of locations that are reported.
    private static let maximumLocations = 4

    /// The locations, the last one first.
    private(set) var labels: [Diagnostic.Label]

    /// The origin of a secret, if it has a location.
    init(_ span: SourceSpan?, _ words: String) {
        labels = span.map { [.init($0, words)] } ?? []
    }

    /// Returns the path of the same secret extended by a location.
    func passing(_ span: SourceSpan, _ words: String) -> SecretTrace {
        var further = self
        // The origin is the most informative location, and the last ones show where the secret leaked.
        if labels.count == Self.maximumLocations { further.labels.remove(at: labels.count - 2) }
        further.labels.insert(.init(span, words), at: 0)
        return further
    }
}

extension RuleSubject {
    /// Whether an output is marked as a secret.
    fileprivate var marksOutputs: Bool {
        func marks(_ outputs: [OutputDefinition]) -> Bool { outputs.indices.contains { outputs[$0].isSecret } }
        return manifest.endpoints.values.contains { marks($0.value.request.outputs) }
            || graphs.contains { marks($0.definition.value.outputs) || $0.all.contains { marks($0.step.ownOutputs) } }
    }
}
