extension TransferOptions {
    /// The proxy to go through.
    package enum Proxy: Sendable, Hashable {
        /// None, whatever the environment says.
        case none
        /// A URL: http, https, socks4, socks4a, socks5 (names are looked up here) or socks5h (by the proxy), with a
        /// user's name and password where the proxy wants them.
        case url(String)
        /// The proxy of the usual environment variables.
        case environment(ProxyVariables)
    }
}

/// The environment variables that name proxies, as curl reads them: a variable in lower case goes before the one in
/// upper case, and `HTTP_PROXY` is not read, since a server can be made to set it (CVE-2016-5385).
package struct ProxyVariables: Sendable, Hashable {
    /// The proxy for http.
    package let http: String?
    /// The proxy for https.
    package let https: String?
    /// The hosts that are reached without, separated by commas; `*` is all.
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
