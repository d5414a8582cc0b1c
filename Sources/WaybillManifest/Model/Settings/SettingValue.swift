package import WaybillDiagnostics
package import WaybillSchema

/// One thing that a level of the cascade says. Maps and lists that merge are taken apart: each name and each element is a
/// value of its own, with its own place.
///
/// A part with `nil` takes its name away.
package enum SettingValue: Sendable {
    /// The address that paths are added to.
    case baseURL(ScalarTemplate)
    /// An API version, put between base URL and path.
    case version(ScalarTemplate)

    /// A header field, with one text for each time that it is sent.
    case header(Spanned<String>, [ScalarTemplate]?)
    /// A query parameter, with one text for each time that it is sent.
    case query(Spanned<String>, [ScalarTemplate]?)
    /// A parameter: in the query or in the body, as the method says.
    case parameter(Spanned<String>, ValueTemplate?)
    /// How parameters are written into a body.
    case encoding(ParameterEncoding)
    /// How lists are written in a form or query.
    case arrays(ArrayStyle)
    /// An explicit body.
    indirect case body(any RequestBody)

    /// The longest time of one attempt.
    case timeout(DurationTemplate)
    /// The longest time until a connection stands.
    case connectTimeout(DurationTemplate)
    /// The longest time of a step, all its attempts included.
    case deadline(DurationTemplate)

    /// Credentials.
    indirect case auth(Authentication)
    /// The User-Agent field.
    case userAgent(ScalarTemplate)

    /// The media ranges that an answer may have; `nil`: any.
    case accept([MediaRange]?)
    /// How an answer is decoded.
    case decoding(Decoding)
    /// Whether compressed answers are asked for.
    case compression(Bool)
    /// The largest answer that is read, in bytes after decompression.
    case maxBody(Int)
    /// An entry of the list of filters.
    indirect case filter(FilterEntry)
    /// The statuses that are expected.
    case expectStatus([StatusTemplate])
    /// A header field and the glob that it must match.
    case expectHeader(Spanned<String>, ScalarTemplate?)
    /// A value that the data must contain.
    case expectJSON(ValueTemplate)
    /// A condition on the data.
    case expectBody(Check)
    /// The longest time that an answer may take.
    case expectTime(DurationTemplate)
    /// A schema that the data must satisfy.
    case expectSchema(JSONSchema)
    /// What is done before and after success and failure.
    indirect case intercept(Interception)
    /// A text of one's own for a sort of failure, or whether codes are shown.
    case message(MessageOption.Name, MessageOption?)

    /// The version of HTTP.
    case http(HTTPVersion)
    /// One rule of TLS.
    case tls(TLSOption.Name, TLSOption?)
    /// The proxy.
    case proxy(ProxySetting)
    /// The address that connections to a `host:port` go to.
    case resolve(Spanned<String>, String?)
    /// The path of a Unix domain socket.
    case unixSocket(String)
    /// What the network must be.
    case network(NetworkRequirement)
    /// Whether it is tried beforehand that the server can be reached.
    case reachability(Bool)
    /// What happens to cookies.
    case cookies(CookiePolicy)
    /// The greatest number of redirects that are followed.
    case redirects(Int)
    /// The sort of traffic that packets are marked as.
    case traffic(TrafficClass)

    /// How the cache is used.
    case cache(CacheMode)
    /// When and how often an attempt is made again.
    case retry(RetryPolicy)
    /// What happens to a request while the same one is under way.
    case duplicates(DuplicatePolicy)
    /// The greatest number of requests, steps or elements at once.
    case concurrency(Int)
    /// The greatest number of connections to one origin.
    case maxConnections(Int)
    /// How many requests may begin in a time.
    case rate(RequestRate)
    /// Which of the waiting requests goes first.
    case priority(Priority)

    /// Whether everything about the request is told.
    case debug(Bool)
    /// A word by which requests are found.
    case tag(String)
    /// Whether no setting of defaults or service applies.
    case standalone(Bool)
}

extension SettingValue {
    /// The key that it is written under.
    package var name: SettingName {
        switch self {
        case .baseURL: .baseURL
        case .version: .version
        case .header: .headers
        case .query: .query
        case .parameter: .params
        case .encoding: .encoding
        case .arrays: .arrays
        case .body: .body
        case .timeout: .timeout
        case .connectTimeout: .connectTimeout
        case .deadline: .deadline
        case .auth: .auth
        case .userAgent: .userAgent
        case .accept: .accept
        case .decoding: .decoding
        case .compression: .compression
        case .maxBody: .maxBody
        case .filter: .filters
        case .expectStatus, .expectHeader, .expectJSON, .expectBody, .expectTime, .expectSchema: .expect
        case .intercept: .intercept
        case .message: .messages
        case .http: .http
        case .tls: .tls
        case .proxy: .proxy
        case .resolve: .resolve
        case .unixSocket: .unixSocket
        case .network: .network
        case .reachability: .reachability
        case .cookies: .cookies
        case .redirects: .redirects
        case .traffic: .traffic
        case .cache: .cache
        case .retry: .retry
        case .duplicates: .duplicates
        case .concurrency: .concurrency
        case .maxConnections: .maxConnections
        case .rate: .rate
        case .priority: .priority
        case .debug: .debug
        case .tag: .tag
        case .standalone: .standalone
        }
    }

    /// Which part of the key it is, where a key has parts that merge: the name of a header field, `status` of `expect`.
    package var part: String? {
        switch self {
        case .header(let name, _), .query(let name, _), .parameter(let name, _), .resolve(let name, _): name.value
        case .expectStatus: "status"
        case .expectHeader(let name, _): "headers.\(name.value)"
        case .expectJSON: "json"
        case .expectBody: "body"
        case .expectTime: "maxTime"
        case .expectSchema: "schema"
        case .message(let name, _): name.rawValue
        case .tls(let name, _): name.rawValue
        default: nil
        }
    }

    /// Whether it is added to what farther levels say, instead of taking its place.
    package var isAdded: Bool {
        switch self {
        case .filter, .expectBody: true
        default: false
        }
    }

    /// Whether it takes its name away.
    package var isRemoval: Bool {
        switch self {
        case .header(_, nil), .query(_, nil), .parameter(_, nil), .resolve(_, nil), .expectHeader(_, nil),
            .message(_, nil), .tls(_, nil):
            true
        default: false
        }
    }
}
