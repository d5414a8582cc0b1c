extension TransferOptions {
    /// The proxy to use.
    package enum Proxy: Sendable, Hashable {
        /// No proxy, whatever the environment variables are.
        case none
        /// A URL: http, https, socks4, socks4a, socks5 (names are resolved here) or socks5h (by the proxy), with a user
        /// name and password if the proxy requires them.
        case url(String)
        /// The proxy of the usual environment variables.
        case environment(ProxyVariables)

        /// The URLs of the proxies that may be used. Those of environment variables may have no scheme.
        package var urls: [String] {
            switch self {
            case .none: []
            case .url(let url): [url]
            case .environment(let variables): [variables.http, variables.https].compactMap(\.self)
            }
        }
    }
}

/// The environment variables that name proxies, as curl reads them: a variable in lower case takes precedence over the
/// one in upper case, and `HTTP_PROXY` is not read, because a server can be made to set it (CVE-2016-5385).
package struct ProxyVariables: Sendable, Hashable {
    /// The proxy for http.
    package let http: String?
    /// The proxy for https.
    package let https: String?
    /// The hosts that are contacted without a proxy, separated by commas; `*` means all.
    package let exceptions: String

    /// Reads the variables of an environment.
    package init(_ environment: [String: String]) {
        let value = { (names: String...) in
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let all = value("all_proxy", "ALL_PROXY")
        http = value("http_proxy") ?? all
        https = value("https_proxy", "HTTPS_PROXY") ?? all
        exceptions = value("no_proxy", "NO_PROXY") ?? ""
    }
}
