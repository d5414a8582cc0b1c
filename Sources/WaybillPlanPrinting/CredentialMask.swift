import WaybillDiagnostics
import WaybillExpressions
import WaybillResults

/// Masks strings that may be credentials written in a manifest instead of the name of a secret.
enum CredentialMask {
    /// The words that may start a value of the Authorization field and are not secret (RFC 9110, section 11.4).
    private static let schemes: Set<String> = [
        "apikey", "aws4-hmac-sha256", "basic", "bearer", "digest", "dpop", "hawk", "key", "negotiate", "oauth", "token",
    ]

    /// The keys of credentials that are shown: names and addresses. All other keys of `auth` are masked, including
    /// those added later.
    private static let shownKeys: Set<String> = [
        "username", "in", "name", "region", "service", "accessKey", "tokenURL", "grant", "clientId", "scope",
        "audience",
        "clientAuth", "netrc",
    ]

    /// Whether a value is a credential, judging by the keys that contain it, the outermost first.
    static func isCredential(_ keys: [String]) -> Bool {
        guard keys.count > 1, let last = keys.last else { return false }
        if keys[0] == "auth" { return !shownKeys.contains(last) }
        return keys[keys.count - 2] == "headers" && CredentialNames.contains(last)
    }

    /// Returns the text of a credential with every literal part masked; references are kept.
    static func credential(_ text: String) -> String {
        guard text.contains("$"), let template = try? Template(parsing: text), template.literal == nil else {
            return literal(text, isFirst: true)
        }
        return template.parts.enumerated().reduce(into: "") { text, part in
            switch part.element {
            case .literal(let piece): text += literal(piece, isFirst: part.offset == 0)
            case .expression(let inserted): text += "${\(expression(inserted))}"
            }
        }
    }

    /// Returns the text of an expression for a credential, without its string literals.
    static func expression(_ expression: Expression) -> String {
        withoutStrings(expression.text)
    }

    /// Returns a string in which the user name and password of every URL are masked, except for references.
    static func userInformation(in text: String) -> String {
        guard text.contains("://"), text.contains("@") else { return text }
        var result = ""
        var rest = Substring(text)
        while let colon = rest.firstRange(of: "://") {
            result += rest[..<colon.upperBound]
            rest = rest[colon.upperBound...]
            let authority = authority(of: rest)
            guard let end = positions(in: authority).last(where: { authority[$0] == "@" }) else { continue }
            result += maskedUserInformation(authority[..<end])
            rest = rest[end...]
        }
        return result + rest
    }

    private static func literal(_ text: String, isFirst: Bool) -> String {
        if text.isEmpty { return "" }
        if isFirst, let space = text.firstIndex(of: " "), schemes.contains(text[..<space].lowercased()) {
            let rest = text[space...].drop { $0 == " " }
            return text[..<rest.startIndex] + (rest.isEmpty ? "" : Redactor.mask)
        }
        return Redactor.mask
    }

    /// Returns the text of an expression with `'***'` for each string that is not the name of a member.
    private static func withoutStrings(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var lastSolid: Unicode.Scalar?
        var index = 0
        while index < scalars.count {
            let quote = scalars[index]
            guard quote == "'" || quote == "\"" else {
                result.append(quote)
                if quote != " " { lastSolid = quote }
                index += 1
                continue
            }
            var end = index + 1
            while end < scalars.count, scalars[end] != quote { end += scalars[end] == "\\" ? 2 : 1 }
            end = min(end + 1, scalars.count)
            let next = scalars[end...].first { $0 != " " }
            if lastSolid == "[", next == "]" {
                result.append(contentsOf: scalars[index..<end])
            } else {
                result.append(contentsOf: "'\(Redactor.mask)'".unicodeScalars)
            }
            lastSolid = quote
            index = end
        }
        return String(result)
    }

    // MARK: URLs

    /// Returns the part before the path, the query and the fragment; `${…}` counts as a unit.
    private static func authority(of text: Substring) -> Substring {
        let end = positions(in: text).first { "/?# ".contains(text[$0]) }
        return text[..<(end ?? text.endIndex)]
    }

    private static func maskedUserInformation(_ text: Substring) -> String {
        guard let colon = positions(in: text).first(where: { text[$0] == ":" }) else { return masked(text) }
        return "\(masked(text[..<colon])):\(masked(text[text.index(after: colon)...]))"
    }

    /// Returns a part of a URL with its literal pieces masked.
    private static func masked(_ text: Substring) -> String {
        guard !text.isEmpty else { return "" }
        guard let template = try? Template(parsing: String(text)), template.literal == nil else { return Redactor.mask }
        return template.parts.reduce(into: "") { result, part in
            switch part {
            case .literal: result += Redactor.mask
            case .expression(let inserted): result += "${\(expression(inserted))}"
            }
        }
    }

    /// Returns the positions of the characters outside `${…}`.
    private static func positions(in text: Substring) -> [Substring.Index] {
        var positions: [Substring.Index] = []
        var depth = 0
        for index in text.indices {
            let character = text[index]
            if depth == 0, character == "$", text[index...].hasPrefix("${") {
                depth = 1
            } else if depth > 0 {
                // The brace that opened it counts too.
                if character == "{" { depth += 1 } else if character == "}" { depth -= depth == 2 ? 2 : 1 }
            } else {
                positions.append(index)
            }
        }
        return positions
    }
}
