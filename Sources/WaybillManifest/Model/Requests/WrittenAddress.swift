import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillSchema

/// The known part of an address: in a template, one placeholder character replaces each `${…}`.
package struct WrittenAddress: Sendable {
    /// The kind of address in the short form of a request, such as `get`.
    package enum Target: Sendable {
        case path
        /// An absolute http or https URL.
        case url
        /// A path or a URL, which is known only after evaluation.
        case unknown
        /// An address that requests cannot be sent to.
        case invalid(SyntaxError)
    }

    /// Why a request cannot be sent to an address, and what to write instead.
    package struct SyntaxError: Sendable {
        package var message: String
        /// What to do about the error.
        package var help: String
    }

    /// The replacement for a computed part: a character that the syntax of URLs does not use.
    private static let placeholder: Character = "\u{FFFC}"

    private let text: String
    private let reference: URIReference

    /// Creates an address that is completely known.
    package init(_ text: String) {
        self.text = text
        reference = URIReference(text)
    }

    /// Creates an address from a scalar of the manifest.
    package init(_ scalar: ScalarTemplate) {
        let literals = scalar.template?.template.parts.map { part in
            switch part {
            case .literal(let literal): literal
            case .expression: String(Self.placeholder)
            }
        }
        self.init(literals?.joined() ?? scalar.constantText ?? "")
    }

    /// The kind of address, if it is the value of a short form.
    package var target: Target {
        if hasHTTPScheme { return urlError.map(Target.invalid) ?? .url }
        if text.hasPrefix("//") {
            return .invalid(
                SyntaxError(
                    message: "the address '\(shown)' has a host but no scheme",
                    help: "Write https:\(shown) for another server, or start a path with one slash."
                )
            )
        }
        if text.utf8.first == UInt8(ascii: "/") { return .path }
        let start = text.prefix { $0 != Self.placeholder }.lowercased()
        if start.count < text.count, "http://".hasPrefix(start) || "https://".hasPrefix(start) { return .unknown }
        guard let scheme = reference.scheme, reference.authority != nil else { return .path }
        return .invalid(
            SyntaxError(
                message: "the scheme '\(scheme)' is not supported: requests can only use http and https",
                help: "Write an http or https URL, or a path."
            )
        )
    }

    /// Why the address cannot be a base URL, which paths are appended to.
    package var baseURLError: SyntaxError? {
        if let error = urlError { return error }
        guard reference.query != nil || reference.fragment != nil else { return nil }
        return reference.query != nil
            ? SyntaxError(
                message: "a base URL cannot have a query: paths are appended to it",
                help: "Write parameters that every request sends under 'query'."
            )
            : SyntaxError(
                message: "a base URL cannot have a fragment: paths are appended to it",
                help: "Remove '#' and the part after it: fragments are never sent."
            )
    }

    /// Why a URL cannot be requested, as far as it is known: because of a user name or password, the host, the port or
    /// trailing white space.
    package var urlError: SyntaxError? {
        guard hasHTTPScheme, let authority else { return nil }
        if authority.userInformation != nil {
            return SyntaxError(
                message: "a URL with a user name or password cannot be requested",
                help: "Write them under 'auth', such as auth: {basic: {username: …, password: …}}."
            )
        }
        if let error = Self.error(of: authority) { return error }
        guard let last = text.unicodeScalars.last, last.value <= 0x20 else { return nil }
        return SyntaxError(
            message: "the URL ends with white space",
            help: "Remove the white space, or write it as %20."
        )
    }

    /// Why the URL cannot be that of a proxy, as far as it is known. It can have a user name and password.
    package var proxyError: SyntaxError? { authority.flatMap(Self.error(of:)) }

    /// The user information, host and port, if they follow a scheme.
    private var authority: URIReference.Authority? {
        reference.scheme == nil ? nil : reference.authority.map(URIReference.Authority.init)
    }

    /// Returns why a host and port are invalid; computed parts are not checked.
    private static func error(of authority: URIReference.Authority) -> SyntaxError? {
        let (host, port) = (authority.host, authority.port ?? "")
        if host.first == "[" {
            guard let close = host.firstIndex(of: "]") else {
                return host.contains(placeholder)
                    ? nil : SyntaxError(message: "the URL's IPv6 address has no closing bracket", help: exampleOfIPv6)
            }
            let address = host[..<close].dropFirst()
            // The part after '%' is a zone (RFC 6874).
            if !address.contains(placeholder), !AddressFormat.isIPv6(address.prefix { $0 != "%" }) {
                return SyntaxError(message: "'\(address)' is not an IPv6 address", help: exampleOfIPv6)
            }
            let rest = host[close...].dropFirst()
            guard rest.isEmpty || rest.first == placeholder else {
                return SyntaxError(message: "the URL has '\(rest)' after its IPv6 address", help: exampleOfIPv6)
            }
        } else {
            guard !host.isEmpty else {
                return SyntaxError(
                    message: "the URL has no host",
                    help: "Write for example https://api.example.com/base."
                )
            }
            if let scalar = host.unicodeScalars.first(where: isNotOfHosts) {
                let name = scalar == " " ? "a space" : scalar.value < 0x21 ? "a control character" : "'\(scalar)'"
                return SyntaxError(
                    message: "the URL's host '\(shown(host[...]))' contains \(name)",
                    help: "A host name consists of letters, digits, '-' and '.', as in https://api.example.com."
                )
            }
        }
        // 'Int' would accept a sign.
        let isNumber = port.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard port.contains(placeholder) || port.isEmpty || isNumber && (1...65535).contains(Int(port) ?? 0) else {
            return SyntaxError(
                message: "the URL's port '\(port)' is invalid",
                help: "A port is a number from 1 to 65535, as in https://api.example.com:8443."
            )
        }
        return nil
    }

    private static let exampleOfIPv6 = "Write an IPv6 address in brackets, as in http://[::1]:8080."

    /// Whether a character is invalid in all hosts. Characters beyond ASCII can be part of an internationalized name.
    private static func isNotOfHosts(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x21 || scalar.value == 0x7F || "\"'`$&()*+,:;<=>[]\\^{|}!".unicodeScalars.contains(scalar)
    }

    private var hasHTTPScheme: Bool {
        guard reference.authority != nil, let scheme = reference.scheme?.lowercased() else { return false }
        return scheme == "http" || scheme == "https"
    }

    private var shown: String { Self.shown(text[...]) }

    private static func shown(_ text: Substring) -> String { String(text.map { $0 == placeholder ? "…" : $0 }) }
}
