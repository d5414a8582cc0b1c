import WaybillTestSupport

/// A server that a command-line case talks to, chosen by the name in its `server` file.
final class CaseServer: Sendable {
    /// The address of the server, or an address at which nothing listens.
    let port: Int

    private let server: LoopbackServer?

    /// A name that no server has.
    struct UnknownName: Error {
        let name: String
    }

    private init(_ server: LoopbackServer?, port: Int) {
        self.server = server
        self.port = port
    }

    /// Starts the server with the given name.
    static func start(_ name: String) throws -> CaseServer {
        if name == "refuse" {
            return CaseServer(nil, port: try LoopbackSocket.refusingPort())
        }
        if let fault = ServerFault(rawValue: name) {
            let server = try LoopbackServer(script: fault.script)
            return CaseServer(server, port: server.port)
        }
        guard let answer = answers[name] else { throw UnknownName(name: name) }
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                // A request for this is held until the client times out.
                if request.target == "/slow" { return connection.waitForEnd() }
                guard connection.write(answer(request).bytes(to: request.method)) else { return }
            }
        }
        return CaseServer(server, port: server.port)
    }

    /// The number of requests received.
    var requestCount: Int { server?.requests.count ?? 0 }

    /// Stops the server.
    func stop() {
        server?.stop()
    }

    private static let answers: [String: @Sendable (ReceivedRequest) -> ServerResponse] = [
        "not-json": { _ in json("this is not JSON") },
        "html": { _ in .init(headers: [("Content-Type", "text/html")], body: Array("<p>hello</p>".utf8)) },
        "envelope-refused": { _ in json(#"{"code": 4003, "message": "the account is locked", "data": null}"#) },
        "not-found": { _ in json(#"{"message": "no such thing"}"#, status: 404) },
        "user": { _ in user },
        // What was received, without the parts that differ from run to run.
        "echo": { request in
            let fields = ["Content-Type", "Cookie", "Authorization", "X-Api-Key", "X-Tags", "Accept"].flatMap { name in
                request.values(named: name).map { "\(name): \($0)" }
            }
            let body = String(decoding: request.body, as: UTF8.self)
            let lines = ["\(request.method) \(request.target)"] + fields + (body.isEmpty ? [] : [body])
            return .init(
                headers: [("Content-Type", "text/plain")],
                body: Array(lines.joined(separator: "\n").utf8)
            )
        },
        "paths": { request in
            switch request.target.prefix(while: { $0 != "?" }) {
            case "/moved": .init(status: 308, headers: [("Location", "/user"), ("Content-Length", "0")], body: [])
            case "/missing": json(#"{"message": "no such thing"}"#, status: 404)
            default: user
            }
        },
    ]

    private static let user = json(#"{"user": {"id": 7, "name": "demo"}, "items": [{"id": 1}, {"id": 2}]}"#)

    private static func json(_ text: String, status: Int = 200) -> ServerResponse {
        .init(status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }
}
