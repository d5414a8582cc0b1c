import WaybillDiagnostics

/// The secrets of a source, which the manifest reads from environment variables.
struct SecretPool {
    /// A secret: its name in the manifest, and its value if the source has it.
    struct Secret {
        var name: String
        var value: String?
    }

    private(set) var secrets: [Secret] = []
    private var names = UniqueNames()
    private var nameOfVariable: [String: String] = [:]

    /// The minimum length of a value that is replaced wherever it appears, in bytes.
    private static let shortest = 4

    /// Returns the name of the secret with this value.
    mutating func name(ofValue value: String, suggestion: String) -> String {
        if let known = secrets.first(where: { $0.value.map { $0.utf8.elementsEqual(value.utf8) } ?? false }) {
            return known.name
        }
        return add(suggestion, value)
    }

    /// Returns the name of the secret of a variable.
    mutating func name(ofVariable variable: String, value: String?) -> String {
        if let known = nameOfVariable[variable] { return known }
        let isName = variable.utf8.allSatisfy { $0 != UInt8(ascii: "-") } && NameForms.kept(variable) == variable
        let suggestion = isName ? variable : SecretNames.secret(for: variable)
        let name: String
        if let value, !value.isEmpty {
            name = self.name(ofValue: value, suggestion: suggestion)
        } else {
            name = add(suggestion, nil)
        }
        nameOfVariable[variable] = name
        return name
    }

    /// Whether a variable is a secret of the manifest.
    func hasVariable(_ variable: String) -> Bool { nameOfVariable[variable] != nil }

    private mutating func add(_ suggestion: String, _ value: String?) -> String {
        let name = names.add(suggestion)
        secrets.append(Secret(name: name, value: value))
        return name
    }

    /// The values that must not appear anywhere, the longest first, with the names of their secrets.
    private var replaced: [(value: String, name: String)] {
        secrets.compactMap { secret in
            guard let value = secret.value, value.utf8.count >= Self.shortest, !SecretNames.isWord(value) else {
                return nil
            }
            return (value, secret.name)
        }.sorted { $0.value.utf8.count > $1.value.utf8.count }
    }

    /// Returns a text with a reference to the secret wherever its value appears.
    func referring(_ text: String) -> ImportedText {
        var parts: [ImportedText.Part] = [.literal(text)]
        for (value, name) in replaced {
            parts = parts.flatMap { part -> [ImportedText.Part] in
                guard case .literal(let literal) = part else { return [part] }
                let pieces = literal.split(separator: value, omittingEmptySubsequences: false)
                return Array(
                    pieces.map { [ImportedText.Part.literal(String($0))] }.joined(separator: [
                        .expression("secrets.\(name)")
                    ])
                )
            }
        }
        return ImportedText(parts)
    }

    /// Returns a text for readers, without the values of secrets.
    func masked(_ text: String) -> String {
        replaced.reduce(text) { $0.replacing($1.value, with: "***") }
    }
}

/// Names of fields and variables whose values are secret.
enum SecretNames {
    private static let last: Set<String> = [
        "password", "passwd", "pwd", "passphrase", "passcode", "secret", "token", "apikey", "accesskey", "secretkey",
        "privatekey", "jwt", "authorization", "credential", "credentials", "accesstoken", "authtoken", "refreshtoken",
        "clientsecret", "cookie", "sessionid",
    ]
    private static let beforeKey: Set<String> = [
        "access", "account", "api", "auth", "client", "private", "secret", "subscription", "encryption", "signing",
    ]

    /// Whether a field or variable with this name has a secret value, judging by its last words: `client_secret`.
    static func contains(_ name: String) -> Bool {
        let parts = NameForms.parts(name).map { $0.lowercased() }
        guard let word = parts.last else { return false }
        return last.contains(word) || word == "key" && parts.count > 1 && beforeKey.contains(parts[parts.count - 2])
    }

    /// Whether a value is itself a word like `password`, which texts and keys may contain.
    static func isWord(_ value: String) -> Bool { last.contains(value.lowercased()) }

    /// Whether a header field with this name has a secret value.
    static func containsHeader(_ name: String) -> Bool {
        contains(name)
            || CredentialNames.contains(name) && !name.lowercased().hasPrefix("access-control-")
                && !name.lowercased().hasSuffix("-type")
    }

    /// The name of the secret in a field: `apiKey` for `X-Api-Key`.
    static func secret(for field: String) -> String {
        let words = NameForms.words(field)
        let rest = words.first?.lowercased() == "x" ? Array(words.dropFirst()) : words
        return NameForms.identifier(rest.joined(separator: " ")) ?? "secret"
    }
}
