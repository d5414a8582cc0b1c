import WaybillFormats
package import WaybillJSON

/// The mock server's responses to the requests with one method and path.
package struct MockRoute: Sendable {
    /// The method; a route for GET also matches HEAD, unless there is one for HEAD. Nil for any method.
    package var method: String?
    /// The service that the path belongs to, as a `Host` header names it: `api.example.com`, `127.0.0.1:8080`; nil for
    /// any. The default ports 80 and 443 may be omitted.
    package var host: String?
    /// The paths that the route matches.
    package var path: PathPattern
    /// The parameters of the query that a request has if it is meant for this route rather than for another one with the
    /// same method and path.
    package var query: [MockField]
    /// The body that such a request has, as JSON, or as a string.
    package var body: JSON?
    /// The responses in order, each sent once; the last one is sent again for all later requests, as in “unavailable
    /// twice, then fine”.
    package var responses: [MockResponse]
    /// Returns why a request is refused with the status 400; nil if every request is accepted.
    package var refusals: (@Sendable (MockRequest) -> [String])?

    /// Creates a route. Without responses, it is the route of an endpoint without an example.
    package init(
        method: String?,
        host: String?,
        path: PathPattern,
        query: [MockField] = [],
        body: JSON? = nil,
        responses: [MockResponse]
    ) {
        self.method = method
        self.host = host
        self.path = path
        self.query = query
        self.body = body
        self.responses = responses
    }
}

extension MockRoute {
    /// How many of the route's parameters, and its body, a request has; -1 if it has others.
    func closeness(to request: RequestContent) -> Int {
        guard query.allSatisfy(request.query.contains), body.map(request.bodies.contains) ?? true else { return -1 }
        return query.count + (body == nil ? 0 : 1)
    }
}

/// A request that the mock server has received.
package struct MockRequest: Sendable {
    /// The path, percent-encoded.
    package var path: String
    /// The query as it was sent.
    package var query: String?
    /// The header fields.
    package var headers: [MockField]
    /// The body; nil if it is too large to be kept.
    package var body: [UInt8]?
}

/// A parameter of a query, or a header field.
package struct MockField: Sendable, Hashable {
    package var name: String
    package var value: String

    /// Creates a parameter or a field.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Returns the parameters of a query, decoded.
    package static func parameters(of query: String?) -> [MockField] {
        (query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { part in
                let spaced = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
                return String(decoding: PercentEncoding.decodedBytes(spaced), as: UTF8.self)
            }
            return MockField(texts[0], texts.count > 1 ? texts[1] : "")
        }
    }
}

/// The query and the body of a request.
struct RequestContent {
    /// The parameters of the query.
    let query: [MockField]
    /// The body as JSON, if it is JSON, and as a string.
    var bodies: [JSON] = []

    /// Creates the content of a request.
    init(_ target: RequestTarget, body: [UInt8]) {
        query = MockField.parameters(of: target.query)
        guard !body.isEmpty else { return }
        bodies = [.string(String(decoding: body, as: UTF8.self))]
        if let json = try? JSONParser().parse(body) { bodies.append(json) }
    }
}

/// A response of the mock server.
package struct MockResponse: Sendable, Equatable {
    /// The status, 200 to 599. If HTTP does not allow the status or a header, the server responds with 500 and the
    /// reason.
    package var status: Int
    /// The header fields in order. `Content-Length`, `Transfer-Encoding` and `Connection` are set by the server, and
    /// ignored here.
    package var headers: [MockField]
    /// The body; not sent with the statuses that have none.
    package var body: [UInt8]
    /// How long to wait before responding.
    package var delay: Duration

    /// Creates a response from its properties.
    package init(status: Int = 200, headers: [MockField] = [], body: [UInt8] = [], delay: Duration = .zero) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delay = delay
    }
}
