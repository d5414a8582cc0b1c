import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillResults

/// The secrets of a source, which the manifest reads from environment variables.
struct SecretPool {
    /// A secret: its name in the manifest, and its value if the source has it.
    struct Secret {
        var name: String
        var value: String?
    }

    private(set) var secrets: [Secret] = []
    private var names = UniqueNames()
    private var variables: Set<String> = []
    private var nameOfVariable: [String: String] = [:]
    private var nameOfValue: [CodePoints: String] = [:]
    /// Values that become secrets where a request sends them, and the names that they get.
    private var hidden: [ArraySlice<UInt8>: String] = [:]
    /// Their lengths in bytes, the longest first, by their first `long` bytes.
    private var lengths: [ArraySlice<UInt8>: [Int]] = [:]
    /// Finds the secrets, also encoded; and those of them that are no words by chance.
    private let redactor = Redactor()
    private let distinctive = Redactor()
    private var known: Set<[UInt8]> = []
    /// Those that the redactor finds only as whole values.
    private var short: Set<ArraySlice<UInt8>> = []

    /// Returns the name of the secret with this value.
    mutating func name(ofValue value: String, suggestion: String) -> String {
        // The same placeholder in several fields does not mean the same secret.
        let key = CodePoints(SecretNames.isValue(value) ? value : "\(value)\u{0}\(suggestion)")
        if let same = nameOfValue[key] { return same }
        let name = add(suggestion, value)
        nameOfValue[key] = name
        return name
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

    /// Hides a value wherever it is. If a request sends it, it becomes a secret.
    ///
    /// - Parameter name: The name of that secret; nil for a value that is only masked.
    mutating func hide(_ value: String, named name: String?) {
        guard SecretNames.isValue(value), known.insert(Array(value.utf8)).inserted else { return }
        redactor.register(value)
        let bytes = Array(value.utf8)[...]
        if bytes.count < Self.long { short.insert(bytes) }
        if value.utf8.count >= 8, value.unicodeScalars.contains(where: NameForms.isDigit) {
            distinctive.register(value)
        }
        guard let name, Self.finds(value) else { return }
        // A short word is in other fields by chance.
        hidden[bytes] = name
        var known = lengths[bytes.prefix(Self.long), default: []]
        if !known.contains(bytes.count) {
            known.insert(bytes.count, at: known.firstIndex { $0 < bytes.count } ?? known.count)
        }
        lengths[bytes.prefix(Self.long)] = known
    }

    private mutating func add(_ suggestion: String, _ value: String?) -> String {
        var name = names.add(suggestion)
        // The environment variables of `token` and `TOKEN` would be the same.
        while !variables.insert(NameForms.environmentVariable(name)).inserted { name = names.add(suggestion) }
        secrets.append(Secret(name: name, value: value))
        if let value { hide(value, named: name) }
        return name
    }

    /// The length in bytes from which on a value is replaced inside words, too.
    private static let long = 6

    /// Whether a secret with this value is replaced wherever it appears.
    static func finds(_ value: String) -> Bool { SecretNames.isValue(value) && value.utf8.count >= long }

    /// Returns a text with a reference to the secret wherever its value appears.
    ///
    /// - Parameter isEncoded: Whether the text is a part of a URL, which is sent as it is.
    mutating func referring(_ text: String, isEncoded: Bool = false) -> ImportedText {
        guard masked(text) != text else { return ImportedText(text) }
        var result = ImportedText()
        var rest = Array(text.utf8)[...]
        var start = rest.startIndex
        let bytes = rest
        while !rest.isEmpty {
            let found = lengths[rest.prefix(Self.long)]?.first { $0 <= rest.count && hidden[rest.prefix($0)] != nil }
            guard let found, let suggestion = hidden[rest.prefix(found)] else {
                rest.removeFirst()
                continue
            }
            result.append(.literal(String(decoding: bytes[start..<rest.startIndex], as: UTF8.self)))
            let value = String(decoding: rest.prefix(found), as: UTF8.self)
            let code = "secrets.\(name(ofValue: value, suggestion: suggestion))"
            result.append(.expression(isEncoded && Self.isEncoded(value) ? "raw(\(code))" : code))
            rest.removeFirst(found)
            start = rest.startIndex
        }
        result.append(.literal(String(decoding: bytes[start...], as: UTF8.self)))
        return result
    }

    /// Whether a part of a URL would be sent as other bytes if it were encoded.
    private static func isEncoded(_ value: String) -> Bool {
        PercentEncoding.component(value) != value && value.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Returns a text for readers, without the values of secrets in any encoding.
    func masked(_ text: String) -> String {
        guard !short.isEmpty else { return redactor.redact(text) }
        var words: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.first {
            var value: ArraySlice<UInt8>?
            if !(words.last.map(Self.isOfWord) ?? false) {
                value = [5, 4].lazy.map { rest.prefix($0) }.first { value in
                    short.contains(value) && !(rest.dropFirst(value.count).first.map(Self.isOfWord) ?? false)
                }
            }
            words += value == nil ? [first] : Array(Redactor.mask.utf8)
            rest.removeFirst(value?.count ?? 1)
        }
        return redactor.redact(String(decoding: words, as: UTF8.self))
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        NameForms.isLetter(Unicode.Scalar(byte)) || NameForms.isDigit(Unicode.Scalar(byte))
    }

    /// Returns a constant that is sent or checked without encoded secrets, which references cannot replace.
    func maskedConstant(_ text: String) -> String { redactor.redact(text) }

    /// Returns the whole manifest without secrets that no other function has found.
    func maskedManifest(_ entries: [ManifestEntry]) -> [ManifestEntry] { entries.map { $0.map(distinctive.redact) } }
}

/// Names of fields and variables whose values are secret.
enum SecretNames {
    private static let last: Set<String> = [
        "password", "passwd", "pwd", "pw", "pass", "passphrase", "passcode", "pin", "secret", "token", "apikey",
        "accesskey", "secretkey", "privatekey", "jwt", "authorization", "credential", "credentials", "accesstoken",
        "authtoken", "refreshtoken", "clientsecret", "cookie", "sessionid", "sig", "signature", "passwords", "secrets",
        "jsessionid", "phpsessid", "dpop",
    ]
    /// The words of which every name of a secret contains one.
    static let marks = last.union(["key"])
    private static let beforeKey: Set<String> = [
        "access", "account", "api", "auth", "client", "private", "secret", "subscription", "encryption", "signing",
    ]

    /// Whether a field or variable with this name has a secret value, judging by its last words: `client_secret`.
    static func contains(_ name: String) -> Bool {
        let parts = NameForms.parts(name).map { $0.lowercased() }
        // Also `token2`.
        guard let numbered = parts.last else { return false }
        let word = String(numbered.reversed().drop { $0.isNumber }.reversed())
        return last.contains(word) || word.hasSuffix("password")
            || word == "key" && parts.count > 1 && beforeKey.contains(parts[parts.count - 2])
    }

    /// What stands for a value, or is in texts by chance.
    private static let words: Set<String> = [
        "string", "test", "demo", "true", "false", "null", "none", "admin", "user", "example", "guest", "root", "value",
        "default", "required", "optional", "undefined", "number", "integer", "boolean", "changeme", "bearer", "basic",
        "1234", "12345", "123456", "text", "uuid", "name", "email",
    ]

    /// Whether a secret is searched for in other places: it is no placeholder such as `<string>`, `{{x}}` or `YOUR_KEY`,
    /// no common word, and not very short.
    static func isValue(_ value: String) -> Bool {
        let lower = value.lowercased()
        let isMarked = [("<", ">"), ("{", "}"), ("[", "]"), ("$", ""), ("%", "%"), ("your", ""), ("my_", "")].contains {
            lower.hasPrefix($0.0) && lower.hasSuffix($0.1) && !($0.0 == "$" && lower.contains("."))
        }
        return value.utf8.count >= 4 && !isMarked && !lower.contains("{{") && !last.contains(lower)
            && !words.contains(lower) && Set(lower.utf8).count > 2
    }

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
