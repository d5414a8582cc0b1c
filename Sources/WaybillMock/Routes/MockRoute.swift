/// The mock server's responses to the requests with one method and path.
package struct MockRoute: Sendable, Equatable {
    /// The method; a route for GET also matches HEAD, unless there is one for HEAD. Nil for any method.
    package var method: String?
    /// The service that the path belongs to, as a `Host` header names it: `api.example.com`, `127.0.0.1:8080`; nil for
    /// any. The default ports 80 and 443 may be omitted.
    package var host: String?
    /// The paths that the route matches.
    package var path: PathPattern
    /// The responses in order, each sent once; the last one is sent again for all later requests, as in “unavailable
    /// twice, then fine”.
    package var answers: [MockResponse]

    /// Creates a route. Without responses, it is the route of an endpoint without an example.
    package init(method: String?, host: String?, path: PathPattern, answers: [MockResponse]) {
        self.method = method
        self.host = host
        self.path = path
        self.answers = answers
    }
}

/// A response of the mock server.
package struct MockResponse: Sendable, Equatable {
    /// The status, 200 to 599. If HTTP does not allow the status or a header, the server responds with 500 and the
    /// reason.
    package var status: Int
    /// The header fields in order. `Content-Length`, `Transfer-Encoding` and `Connection` are set by the server, and
    /// ignored here.
    package var headers: [Header]
    /// The body; not sent with the statuses that have none.
    package var body: [UInt8]
    /// How long to wait before responding.
    package var delay: Duration

    /// A header field.
    package struct Header: Sendable, Equatable {
        /// The name.
        package var name: String
        /// The value.
        package var value: String

        /// Creates a header field.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a response from its properties.
    package init(status: Int = 200, headers: [Header] = [], body: [UInt8] = [], delay: Duration = .zero) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delay = delay
    }
}
