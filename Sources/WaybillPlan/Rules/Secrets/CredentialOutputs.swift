import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// Outputs with names like those of credentials should be marked as secrets, or as not secret with `secret: false`.
///
/// An unmarked output that contains a known secret is already an error (`SecretTaint`).
struct CredentialOutputs: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        func check(_ outputs: [OutputDefinition]) {
            for output in outputs
            // A comparison or a length is not a credential.
            where output.secretMark == nil && CredentialName.matches(output.name.value)
                && !output.value.expression.resultType.isDisjoint(with: [.string, .object, .array])
            {
                let name = output.name.value
                diagnostics.report(
                    "unmarked-credential",
                    "output '\(name)' is named like a credential but is not marked as secret: it is written to the journal",
                    severity: .warning,
                    at: output.name.span,
                    help: [
                        "Write '\(name): {value: \(output.value.expression.text), secret: true}', or 'secret: false' if it"
                            + " is not a credential."
                    ]
                )
            }
        }
        for endpoint in subject.manifest.endpoints.values { check(endpoint.value.request.outputs) }
        for graph in subject.graphs {
            check(graph.definition.value.outputs)
            for site in graph.all { check(site.step.ownOutputs) }
        }
        return diagnostics
    }
}

/// The names that credentials usually have.
enum CredentialName {
    /// The last words of such names. Compound words are written as one.
    private static let endings: Set<String> = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "pwd", "jwt", "bearer", "credential",
        "credentials", "apikey", "accesskey", "secretkey", "privatekey", "signingkey", "clientsecret",
    ]
    /// The words before `token` that make it a position in a list of pages.
    private static let positions: Set<String> = [
        "next", "previous", "prev", "page", "continuation", "continue", "sync", "start", "delta",
    ]

    /// Whether a name is that of a credential, in any of the usual spellings (`accessToken`, `access_token`,
    /// `ACCESS-TOKEN`).
    static func matches(_ name: String) -> Bool {
        let words = words(of: name)
        guard let last = words.last else { return false }
        if last == "token", words.contains(where: positions.contains) { return false }
        return endings.contains(last) || words.count > 1 && endings.contains(words.suffix(2).joined())
    }

    /// The words of a name in lower case. A separator, or a capital after a lower-case letter, starts a new word. Letters
    /// outside ASCII count as lower-case ones: no word of a credential has one.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        var wasSmall = false
        for scalar in name.unicodeScalars {
            let isCapital = ("A"..."Z").contains(scalar)
            let isSmall =
                ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
                || !scalar.isASCII && scalar.properties.isAlphabetic
            if wasSmall && isCapital || !isCapital && !isSmall {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if isCapital || isSmall { word.unicodeScalars.append(scalar) }
            wasSmall = isSmall
        }
        return (word.isEmpty ? words : words + [word]).map { $0.lowercased() }
    }
}
