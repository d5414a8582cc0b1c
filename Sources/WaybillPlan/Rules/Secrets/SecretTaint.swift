import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// No secret, and nothing made of one, goes where it would be written or shown.
///
/// What is told to people, in logs and messages, has secrets taken out when it is written, and is none of this rule's
/// business.
struct SecretTaint: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        guard subject.handsOnSecrets else { return [] }
        let flow = SecretFlow(subject)
        var seen: Set<ObjectIdentifier> = []
        var diagnostics: [Diagnostic] = []
        for leak in flow.leaks where seen.insert(ObjectIdentifier(leak.text)).inserted {
            if let diagnostic = leak.diagnostic { diagnostics.append(diagnostic) }
        }
        return diagnostics
    }
}

/// A secret in a text whose value goes somewhere.
struct SecretLeak {
    /// The text.
    let text: any EvaluatedText
    /// The path in it that gives the secret.
    let reference: Reference
    /// Where the value of the text goes.
    let purpose: Purpose
    /// Where the secret comes from.
    let trace: SecretTrace
}

/// The places that a secret has come by, the last one first.
struct SecretTrace {
    /// How many places are told.
    private static let maximumPlaces = 4

    /// The places, the last one first.
    private(set) var labels: [Diagnostic.Label]

    /// The beginning of a secret, where there is a place to point at.
    init(_ span: SourceSpan?, _ words: String) {
        labels = span.map { [.init($0, words)] } ?? []
    }

    /// The same secret one place further.
    func passing(_ span: SourceSpan, _ words: String) -> SecretTrace {
        var further = self
        // The beginning says most, and the last places are where it went wrong.
        if labels.count == Self.maximumPlaces { further.labels.remove(at: labels.count - 2) }
        further.labels.insert(.init(span, words), at: 0)
        return further
    }
}

extension SecretLeak {
    /// What is wrong with it, if anything is.
    fileprivate var diagnostic: Diagnostic? {
        switch purpose {
        case .record:
            return refusal("a secret would be written to a file", ["Its digest, sha256(…), is none."])
        case .state:
            return refusal("a secret would be stored in the state", ["Its digest, sha256(…), is none."])
        case .output, .result:
            return refusal(
                "this output would show a secret",
                ["Mark it as one: 'NAME: {value: …, secret: true}'. Its digest, sha256(…), is none."]
            )
        case .key:
            return refusal("a secret would be what tells requests apart", ["Use its digest, sha256(…)."])
        case .fileName:
            return refusal("a secret would be part of a file's name", ["Use its digest, sha256(…), or something else."])
        case .data:
            return refusal(
                "a secret would become part of the data of a response",
                ["Data is written and handed on; a secret can be given to 'with', 'vars' and what is sent."]
            )
        case .address, .query:
            return Diagnostic(
                "secret-in-url",
                "a secret goes into a URL, which servers and proxies write to their logs",
                severity: .warning,
                at: text.span(of: reference.range),
                secondary: trace.labels,
                help: [
                    "Send it in a header field, or where the server wants it in the query with"
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

extension RuleSubject {
    /// Whether a secret may get anywhere else than where secrets belong. In most manifests all go right into credentials
    /// and header fields, and there is nothing to follow.
    fileprivate var handsOnSecrets: Bool {
        let marksOutputs = marksOutputs
        return references.roots.indices.contains { index in
            switch references.roots[index] {
            case .secrets: break
            case .steps, .session: guard marksOutputs else { return false }
            default: return false
            }
            return references.sites[index].purpose.takesSecretsFurther && !references.sites[index].reference.isConcealed
        }
    }

    /// Whether an output is marked as a secret.
    private var marksOutputs: Bool {
        func marks(_ outputs: [OutputDefinition]) -> Bool { outputs.indices.contains { outputs[$0].isSecret } }
        return manifest.endpoints.values.contains { marks($0.value.request.outputs) }
            || graphs.contains { marks($0.definition.value.outputs) || $0.all.contains { marks($0.step.ownOutputs) } }
    }
}

extension Purpose {
    /// Whether a value with this purpose may end where a secret does not belong, or be used again by its name.
    fileprivate var takesSecretsFurther: Bool { endsSomewhere || self == .argument || self == .variable }
}
