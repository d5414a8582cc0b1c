/// What the mock server answers to the requests of one method and path.
package struct MockRoute: Sendable, Equatable {
    /// The method; a route for GET answers HEAD too, unless there is one for HEAD. `nil` for any method.
    package var method: String?
    /// The service that the path belongs to, as a `Host` header names it: `api.example.com`, `127.0.0.1:8080`; `nil` for
    /// any. The default ports 80 and 443 may be left out.
    package var host: String?
    /// The paths that it answers.
    package var path: PathPattern
    /// The responses in order, each sent once; the last one is sent again for all later requests, as in “unavailable
    /// twice, then fine”.
    package var answers: [MockResponse]

    /// A route; without responses, the route of an endpoint that has no example.
    package init(method: String?, host: String?, path: PathPattern, answers: [MockResponse]) {
        self.method = method
        self.host = host
        self.path = path
        self.answers = answers
    }
}

/// A response of the mock server.
package struct MockResponse: Sendable, Equatable {
    /// The status, 200 to 599. What HTTP does not allow, here or in the headers, is answered with 500 and the reason.
    package var status: Int
    /// The header fields in order. `Content-Length`, `Transfer-Encoding` and `Connection` are the server's business and
    /// left out.
    package var headers: [Header]
    /// The body; not sent with the statuses that have none.
    package var body: [UInt8]
    /// How long to wait before answering.
    package var delay: Duration

    /// A header field.
    package struct Header: Sendable, Equatable {
        /// The name.
        package var name: String
        /// The value.
        package var value: String

        /// A header field by name and value.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A response; see the properties.
    package init(status: Int = 200, headers: [Header] = [], body: [UInt8] = [], delay: Duration = .zero) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delay = delay
    }
}
