import WaybillJSON

/// The keys of settings: what defaults, a service, an endpoint, a graph or a step may say of requests.
package enum SettingName: String, Sendable, Hashable, CaseIterable {
    case baseURL, version
    case headers, query, params, encoding, arrays, body
    case timeout, connectTimeout, deadline
    case auth, userAgent
    case accept, decoding, compression, maxBody, filters, expect, intercept, messages
    case http, tls, proxy, resolve, unixSocket, network, reachability, cookies, redirects, traffic
    case cache, retry, duplicates, concurrency, maxConnections, rate, priority
    case debug, tag, standalone

    /// The keys by the positions of their cases, and `inherit` behind them.
    static let table = NameTable(allCases.map(\.rawValue) + ["inherit"])
}
