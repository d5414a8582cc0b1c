import WaybillExpressions
import WaybillJSON

/// An address as far as it is known: of a template, with one character in the place of each `${…}`.
package struct WrittenAddress: Sendable {
    /// What the short form of a request, such as `get`, names.
    package enum Target: Sendable {
        /// A path.
        case path
        /// An absolute http or https URL.
        case url
        /// A path or a URL, which is known when the address has been evaluated.
        case unknown
        /// Nothing that a request can be sent to.
        case invalid(Problem)
    }

    /// Why a request cannot be sent to an address, and what to write instead.
    package struct Problem: Sendable {
        /// What is wrong.
        package var message: String
        /// What to do.
        package var help: String
    }

    /// In the place of a computed part: a character that the syntax of URLs does not use.
    private static let placeholder: Character = "\u{FFFC}"

    private let text: String

    /// An address that is completely known.
    package init(_ text: String) {
        self.text = text
    }

    /// An address of the manifest.
    package init(_ scalar: ScalarTemplate) {
        guard let template = scalar.template?.template else {
            text = scalar.constantText ?? ""
            return
        }
        text = template.parts.reduce(into: "") { text, part in
            switch part {
            case .literal(let literal): text += literal
            case .expression: text.append(Self.placeholder)
            }
        }
    }

    /// What the address names as the value of a short form.
    package var target: Target {
        if hasHTTPScheme { return userInformationProblem.map(Target.invalid) ?? .url }
        if text.hasPrefix("//") {
            return .invalid(
                Problem(
                    message: "the address '\(shown)' has a host and no scheme",
                    help: "Write https:\(shown) for another server, or begin a path with one slash."
                )
            )
        }
        let start = text.prefix { $0 != Self.placeholder }.lowercased()
        if start.count < text.count, "http://".hasPrefix(start) || "https://".hasPrefix(start) { return .unknown }
        guard let scheme, text.dropFirst(scheme.count).hasPrefix("://") else { return .path }
        return .invalid(
            Problem(
                message: "the address has the scheme '\(scheme)'; requests are sent to http and https only",
                help: "Write an http or https URL, or a path."
            )
        )
    }

    /// Why the address cannot be a base URL, to which paths are added.
    package var baseURLProblem: Problem? {
        if let problem = userInformationProblem { return problem }
        guard let end = text.first(where: { $0 == "?" || $0 == "#" }) else { return nil }
        return end == "?"
            ? Problem(
                message: "a base URL has no query: paths are added to its end",
                help: "Write parameters that every request sends under 'query'."
            )
            : Problem(
                message: "a base URL has no fragment: paths are added to its end",
                help: "Remove the part from '#': fragments are never sent."
            )
    }

    /// Why a URL with a user name or password cannot be requested.
    package var userInformationProblem: Problem? {
        guard hasHTTPScheme else { return nil }
        let rest = text.drop { $0 != "/" }.dropFirst(2)
        guard rest.prefix(while: { !"/?#".contains($0) }).contains("@") else { return nil }
        return Problem(
            message: "a URL with a user name or password cannot be requested",
            help: "Write them under 'auth', such as auth: {basic: {username: …, password: …}}."
        )
    }

    private var hasHTTPScheme: Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// The scheme (RFC 3986, section 3.1), if the address begins with something like one.
    private var scheme: Substring? {
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
        return scheme.first?.isLetter == true ? scheme : nil
    }

    private var shown: String { String(text.map { $0 == Self.placeholder ? "…" : $0 }) }
}
