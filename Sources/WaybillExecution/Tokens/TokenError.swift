import WaybillDiagnostics
import WaybillResults

/// Why a token endpoint gave no token.
struct TokenError: Error, Sendable {
    /// The stage that failed.
    var kind: FailureKind
    /// The endpoint's own code, such as `invalid_grant` (RFC 6749, section 5.2).
    var code: String?
    /// In a sentence.
    var message: String
    /// Whether the endpoint did not accept what it was shown, such as a refresh token that has ended.
    var isRefusal = false
}
