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
    private var nameOfValue: [[UInt8]: String] = [:]
    /// The values that must not appear anywhere, by their first bytes, the longest first.
    private var valuesByStart: [[UInt8]: [String]] = [:]

    /// The minimum length of a value that is replaced wherever it appears, in bytes.
    private static let shortest = 4

    /// Returns the name of the secret with this value.
    mutating func name(ofValue value: String, suggestion: String) -> String {
        if let known = nameOfValue[Array(value.utf8)] { return known }
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
        if let value {
            nameOfValue[Array(value.utf8)] = name
            if value.utf8.count >= Self.shortest, !SecretNames.isWord(value) {
                valuesByStart[Array(value.utf8.prefix(Self.shortest)), default: []].append(value)
            }
        }
        return name
    }

    /// The values that appear in a text, the longest first, with the names of their secrets.
    private func found(in text: String) -> [(value: String, name: String)] {
        guard !valuesByStart.isEmpty else { return [] }
        let bytes = Array(text.utf8)
        var candidates: Set<[UInt8]> = []
        for start in bytes.indices.dropLast(Self.shortest - 1) {
            let window = Array(bytes[start..<(start + Self.shortest)])
            for value in valuesByStart[window] ?? [] where bytes[start...].starts(with: value.utf8) {
                candidates.insert(Array(value.utf8))
            }
        }
        return candidates.sorted { $0.count > $1.count }.compactMap { value in
            nameOfValue[value].map { (String(decoding: value, as: UTF8.self), $0) }
        }
    }

    /// Returns a text with a reference to the secret wherever its value appears.
    func referring(_ text: String) -> ImportedText {
        var parts: [ImportedText.Part] = [.literal(text)]
        for (value, name) in found(in: text) {
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
        found(in: text).reduce(text) { $0.replacing($1.value, with: "***") }
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
