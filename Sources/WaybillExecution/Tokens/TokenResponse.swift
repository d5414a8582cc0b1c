import WaybillDiagnostics
import WaybillJSON
import WaybillResults
import WaybillTransport

/// What a token endpoint says (RFC 6749, sections 5.1 and 5.2).
struct TokenResponse: Sendable {
    /// The token.
    let token: String
    /// What another one can be had with.
    let refreshToken: String?
    /// How long the token is good, from when it was made.
    let lifetime: Duration?

    /// Reads a response.
    init(_ response: HTTPResponse) throws(TokenError) {
        let body = try? JSONParser().parse(response.body)
        // Some endpoints refuse with status 200.
        let refusal = body?["access_token"] == nil ? body?["error"]?.string : nil
        guard response.status / 100 == 2, refusal == nil else { throw Self.refused(response.status, body) }
        guard let body, body.kind == .object else {
            throw TokenError(kind: .decode, message: "the token endpoint's response is not a JSON object")
        }
        guard let type = body["token_type"]?.string else { throw Self.missing("token_type") }
        guard type.lowercased() == "bearer" else {
            throw TokenError(
                kind: .expect,
                message: "the token is of type '\(type.shortened)', and only bearer tokens can be used"
            )
        }
        guard let token = body["access_token"]?.string, !token.isEmpty else { throw Self.missing("access_token") }
        // What may stand in a header field (RFC 6750, section 2.1, allows even less).
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw TokenError(kind: .expect, message: "the token contains characters that cannot be sent")
        }
        self.token = token
        refreshToken = (body["refresh_token"]?.string).flatMap { $0.isEmpty ? nil : $0 }
        lifetime = try Self.lifetime(body["expires_in"])
    }

    private static func lifetime(_ value: JSON?) throws(TokenError) -> Duration? {
        let seconds: Double?
        switch value {
        case nil, .null: return nil
        case .number(let number): seconds = Double(number.text)
        case .string(let text): seconds = Double(text)
        default: seconds = nil
        }
        guard let seconds, !seconds.isNaN else {
            throw TokenError(
                kind: .expect,
                message: "'expires_in' in the token endpoint's response is not a number of seconds"
            )
        }
        // Far more than any run takes, and little enough to count with.
        return .seconds(min(max(seconds, 0), 1e9))
    }

    private static func missing(_ name: String) -> TokenError {
        TokenError(kind: .expect, message: "the token endpoint's response has no '\(name)'")
    }

    private static func refused(_ status: Int, _ body: JSON?) -> TokenError {
        var message = "the token endpoint answers with status \(status)"
        let code = (body?["error"]?.string)?.shortened
        if let code, !code.isEmpty {
            message += ": \(code)"
            if let words = body?["error_description"]?.string, !words.isEmpty { message += " (\(words.shortened))" }
        } else if let words = body.flatMap(ServerMessage.find) {
            message += ": \(words)"
        }
        let isRefusal = status / 100 == 2 || (400...403).contains(status)
        return TokenError(kind: .status, code: code, message: message, isRefusal: isRefusal)
    }
}

extension String {
    /// As much of a server's words as a message has room for.
    fileprivate var shortened: String {
        unicodeScalars.count <= 300 ? self : String(unicodeScalars.prefix(300)) + "…"
    }
}

/// A bearer token (RFC 6750), as a token endpoint gave it.
struct AccessToken: Sendable {
    /// The token.
    var text: String
    /// What another one can be had with.
    var refreshToken: String?
    /// The time of the run from which on another one is to be had, a little before this one ends; `nil`: it does not.
    var renewalTime: Duration?
}

/// A token that a request is sent with.
struct HeldToken: Sendable {
    /// What it was asked for with.
    let grant: TokenGrant
    /// The token, and which of its grant's it is.
    let held: SharedValues<TokenGrant.Key, AccessToken>.Held

    /// The field that shows it to a server (RFC 6750, section 2.1).
    var field: HTTPField {
        HTTPField(name: "Authorization", value: "Bearer \(held.value.text)", isSensitive: true)
    }
}

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
