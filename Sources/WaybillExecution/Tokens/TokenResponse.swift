import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillResults
import WaybillTransport

/// The response of a token endpoint (RFC 6749, sections 5.1 and 5.2).
struct TokenResponse: Sendable {
    let token: String
    /// The refresh token for the next request.
    let refreshToken: String?
    /// How long the token is valid, from when it was issued.
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
                message: "the token has the type '\(type.excerpt(300))', but only bearer tokens are supported"
            )
        }
        guard let token = body["access_token"]?.string, !token.isEmpty else { throw Self.missing("access_token") }
        // What a header field may contain (RFC 6750, section 2.1, allows even less).
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw TokenError(kind: .expect, message: "the token contains characters that cannot be sent")
        }
        self.token = token
        refreshToken = Self.refreshToken(in: response)
        let expiry = body["expires_in"] ?? .null
        lifetime = Self.seconds(expiry)
        guard lifetime != nil || expiry == .null else {
            throw TokenError(
                kind: .expect,
                message: "'expires_in' in the token endpoint's response is not a number of seconds"
            )
        }
    }

    /// The refresh token in a response of success, which may otherwise be invalid: the server has replaced the earlier one.
    static func refreshToken(in response: HTTPResponse) -> String? {
        guard response.status / 100 == 2, let body = try? JSONParser().parse(response.body) else { return nil }
        return (body["refresh_token"]?.string).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a number of seconds, which some servers write as a string.
    static func seconds(_ value: JSON?) -> Duration? {
        let seconds: Double?
        switch value {
        case .number(let number): seconds = Double(number.text)
        case .string(let text): seconds = Double(text)
        default: seconds = nil
        }
        guard let seconds, !seconds.isNaN else { return nil }
        // Far longer than any run, and small enough for calculations.
        return .seconds(min(max(seconds, 0), 1e9))
    }

    private static func missing(_ name: String) -> TokenError {
        TokenError(kind: .expect, message: "the token endpoint's response has no '\(name)'")
    }

    /// The error of a response that refuses a request.
    static func refused(_ status: Int, _ body: JSON?, _ endpoint: String = "token endpoint") -> TokenError {
        var message = "the \(endpoint) responded with status \(status)"
        let code = (body?["error"]?.string)?.excerpt(300)
        if let code, !code.isEmpty {
            message += ": \(code)"
            if let words = body?["error_description"]?.string, !words.isEmpty { message += " (\(words.excerpt(300)))" }
        } else if let words = body.flatMap(ServerMessage.find) {
            message += ": \(words)"
        }
        let isRefusal = status / 100 == 2 || (400...403).contains(status)
        return TokenError(kind: .status, code: code, message: message, isRefusal: isRefusal)
    }
}

/// A bearer token (RFC 6750), as a token endpoint returned it.
struct AccessToken: Sendable {
    /// The token.
    var text: String
    /// The refresh token for the next request.
    var refreshToken: String?
    /// When a new token is needed, shortly before this one expires; `nil` if it does not.
    var renewsAt: Timestamp?
    /// The same time of the run's clock.
    var renewalTime: Duration?

    /// What is stored of it.
    var stored: TokenFile.Tokens { .init(access: text, renewsAt: renewsAt, refresh: refreshToken) }
}

/// A token that a request is sent with.
struct HeldToken: Sendable {
    /// The grant with which it was requested.
    let grant: TokenGrant
    /// The token, with its generation.
    let held: SharedValues<TokenGrant.Key, AccessToken>.Held

    /// The header field with the token (RFC 6750, section 2.1).
    var field: HTTPField {
        HTTPField(name: "Authorization", value: "Bearer \(held.value.text)", isSensitive: true)
    }
}

/// Why no token could be fetched.
struct TokenError: Error, Sendable {
    /// The stage that failed.
    var kind: FailureKind
    /// The endpoint's own code, such as `invalid_grant` (RFC 6749, section 5.2).
    var code: String?
    var message: String
    /// Whether the endpoint refused the credentials, such as an expired refresh token.
    var isRefusal = false
    /// The refresh token of an answer that cannot be used otherwise.
    var refreshToken: String?
}
