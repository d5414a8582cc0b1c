import WaybillJSON
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
            return "the algorithm \(algorithm.excerpt(100))"
        }
        guard let qop = challenge["qop"] else { return nil }
        let values = HTTPField.elements(of: qop).map(\.name)
        return values.isEmpty || values.contains("auth") ? nil : "qop=\(qop.excerpt(100))"
    }

    /// The parameters of each digest challenge of a field's value (RFC 9110, section 11.6.1).
    private static func digestChallenges(in value: String) -> [[String: String]] {
        var challenges: [[String: String]] = []
        var isDigest = false
        for (name, value) in HTTPField.elements(of: value) {
            // A scheme precedes the name of its first parameter.
            let words = name.unicodeScalars.split(separator: " ").map { String($0) }
            if words.count > 1 {
                isDigest = words[0] == "digest"
                if isDigest { challenges.append([:]) }
            }
            // Other parameters decide nothing. Their names may be of any length.
            guard isDigest, let name = words.last, ["algorithm", "qop"].contains(name) else { continue }
            challenges[challenges.count - 1][name] = value
        }
        return challenges
    }
}
