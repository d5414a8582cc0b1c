/// A response of a server, with `Content-Length` unless the headers contradict it.
package struct ServerResponse: Sendable {
    /// The status code.
    package var status: Int
    /// The reason phrase.
    package var reason: String
    /// The header fields.
    package var headers: [(name: String, value: String)]
    /// The body.
    package var body: [UInt8]

    /// Creates a response with these bytes as its body.
    package init(
        status: Int = 200,
        reason: String = "OK",
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }

    /// Returns a response with this string as its body.
    package static func text(_ text: String) -> ServerResponse {
        ServerResponse(headers: [("Content-Type", "text/plain")], body: Array(text.utf8))
    }

    /// The bytes that are sent: for HEAD, only the header.
    package func bytes(to method: String) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(reason)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        let isFramed = headers.contains { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        let hasBody = status >= 200 && status != 204 && status != 304
        if !isFramed && hasBody { head += "Content-Length: \(body.count)\r\n" }
        return Array((head + "\r\n").utf8) + (method == "HEAD" || !hasBody ? [] : body)
    }
}
