/// The names of header fields with credentials or cookies: `Authorization`, `Set-Cookie`, `X-Api-Key`, `X_CSRF_TOKEN`.
package enum CredentialNames {
    /// The words that mean credentials, and those that mean it before `key`.
    private static let words = Set(
        [
            "accesskey", "accesstoken", "apikey", "auth", "authkey", "authorization", "authtoken", "cookie", "cookie2",
            "credential", "credentials", "jwt", "passphrase", "passwd", "password", "secret", "session", "sessionid",
            "signature", "token",
        ].map { Array($0.utf8)[...] }
    )
    private static let wordsBeforeKey = Set(
        ["access", "account", "api", "auth", "client", "functions", "private", "secret", "subscription"]
            .map { Array($0.utf8)[...] }
    )
    private static let key = Array("key".utf8)[...]

    /// Whether a field with this name contains credentials or cookies, whatever its value.
    package static func contains(_ name: String) -> Bool {
        // The name of each field of a response is checked, so nothing is kept of its words.
        var rest = Array(name.lowercased().utf8)[...]
        var earlier: ArraySlice<UInt8> = []
        while !rest.isEmpty {
            let word = rest.prefix { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
            if words.contains(word) || word == key && wordsBeforeKey.contains(earlier) { return true }
            if !word.isEmpty { earlier = word }
            rest = rest[word.endIndex...].dropFirst()
        }
        return false
    }
}
