import WaybillTransport

/// Determines why digest credentials could not respond to a server's challenges (RFC 7616, section 3.3).
enum DigestSupport {
    private static let algorithms: Set = ["md5", "md5-sess", "sha-256", "sha-256-sess"]

    /// What the digest challenges of a 401 response require that is not supported; `nil` if one of them is supported,
    /// or there is none.
    static func unsupportedRequirement(of response: HTTPResponse) -> String? {
        let challenges = response.headers.values(named: "WWW-Authenticate").flatMap(digestChallenges)
        let reasons = challenges.map(unsupportedRequirement)
        return reasons.contains(nil) ? nil : reasons.first ?? nil
    }

    private static func unsupportedRequirement(of challenge: [String: String]) -> String? {
        if let algorithm = challenge["algorithm"], !algorithms.contains(algorithm.lowercased()) {
            return "the algorithm \(algorithm)"
        }
        guard let qop = challenge["qop"] else { return nil }
        let values = qop.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
        return values.isEmpty || values.contains("auth") ? nil : "qop=\(qop)"
    }

    /// The parameters of each digest challenge of a field's value (RFC 9110, section 11.6.1).
    private static func digestChallenges(in value: String) -> [[String: String]] {
        var challenges: [[String: String]] = []
        var isDigest = false
        for part in parts(of: value) {
            var parameter = part
            // A scheme, and after a space its first parameter.
            if let space = part.firstIndex(of: " "), !part[..<space].contains("=") {
                isDigest = part[..<space].lowercased() == "digest"
                if isDigest { challenges.append([:]) }
                parameter = part[space...].drop { $0 == " " }
            }
            guard isDigest, let equals = parameter.firstIndex(of: "=") else { continue }
            let name = parameter[..<equals].filter { $0 != " " }.lowercased()
            challenges[challenges.count - 1][name] = parameter[equals...].dropFirst().filter { $0 != "\"" }
        }
        return challenges
    }

    /// The parts between commas that are not in quotes, without leading spaces.
    private static func parts(of value: String) -> [Substring] {
        var isQuoted = false
        return value.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }.map { $0.drop { $0 == " " } }
    }
}
