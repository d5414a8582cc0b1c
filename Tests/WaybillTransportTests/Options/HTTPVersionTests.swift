import Testing
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

@Suite(.enabled(if: NginxServer.isWanted, "nginx is not installed"), .timeLimit(.minutes(5)))
struct HTTPVersionTests {
    typealias Version = HTTPVersion

    @Test(arguments: [
        (Version.auto, "ssl http2", "2"), (.auto, "ssl", "1.1"), (.auto, "", "1.1"),
        (.http1, "ssl http2", "1.1"), (.http1, "", "1.1"),
        (.http2, "ssl http2", "2"), (.http2, "ssl", "1.1"),
        (.http2PriorKnowledge, "ssl http2", "2"), (.http2PriorKnowledge, "http2", "2"),
    ])
    func `client and server agree on a version`(wanted: Version, listen: String, expected: String) async throws {
        let certificates = try await TLSTests.certificates.value
        let isSecure = listen.contains("ssl")
        let directives =
            (isSecure ? certificates.directives(.valid) : "") + "location / { return 200 $server_protocol; }"
        try await NginxServer.run(directives, listen: listen) { server in
            try await CurlTransport.run { transport in
                let url = isSecure ? "https://127.0.0.1:\(server.port)/" : server.url()
                let request = HTTPRequest(url: url).with {
                    $0.version = wanted
                    $0.tls.certificateAuthorities = certificates.file("ca.pem")
                }
                for _ in 0..<2 {
                    let response = try await transport.send(request).get()
                    #expect(response.httpVersion == expected)
                    #expect(
                        String(decoding: response.body, as: UTF8.self) == (expected == "2" ? "HTTP/2.0" : "HTTP/1.1")
                    )
                }
            }
        }
    }

    @Test(arguments: [Version.auto, .http2PriorKnowledge])
    func `many simultaneous requests share one connection`(version: Version) async throws {
        let certificates = try await TLSTests.certificates.value
        let directives = certificates.directives(.valid) + "location / { return 200 $connection; }"
        try await NginxServer.run(directives, listen: "ssl http2") { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: "https://127.0.0.1:\(server.port)/").with {
                    $0.version = version
                    $0.tls.certificateAuthorities = certificates.file("ca.pem")
                }
                let connections = await withTaskGroup { group in
                    for _ in 0..<300 { group.addTask { await transport.send(request).response?.body } }
                    return await group.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
                }
                #expect(connections.count == 1)
                #expect(connections.first != nil)
            }
        }
    }

    /// An HTTP/1.1 server that claims HTTP/2 in one response, and responds to `/slow` after `/next`.
    private static let claimsHTTP2 = """
        finished, arrived = threading.Event(), threading.Event()
        def serve(raw):
            with context.wrap_socket(raw, server_side=True) as connection:
                while request := connection.recv(65536):
                    path = request.split(b" ")[1]
                    if path == b"/slow":
                        arrived.set()
                        finished.wait(60)
                    if path == b"/claim":
                        arrived.wait(60)
                        connection.sendall(b"HTTP/2 200 OK\\r\\nConnection: close\\r\\nContent-Length: 2\\r\\n\\r\\nok")
                        return
                    connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\n" + path)
                    if path == b"/next":
                        finished.set()
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """

    @Test func `after a response that claims to be HTTP 2 on HTTP 1 with TLS, no connection is shared`() async throws {
        try await PythonTLSServer.run(Self.claimsHTTP2) { url, authorities in
            try await CurlTransport.run { transport in
                @Sendable func send(_ path: String) async -> Result<HTTPResponse, TransportFailure> {
                    let request = HTTPRequest(url: url + path, timeout: .seconds(60))
                    return await transport.send(request.with { $0.tls.certificateAuthorities = authorities })
                }
                async let slow = send("/slow")
                let failure = await send("/claim").failure
                #expect(failure?.message.hasSuffix("claims to be HTTP/2 on an HTTP/1.1 connection") == true)
                #expect(await send("/next").response?.body == Array("/next".utf8))
                #expect(await slow.response?.body == Array("/slow".utf8))
            }
        }
    }

    /// An HTTP/1.1 server that responds to three requests at once.
    private static let respondsToThree = """
        arrived = threading.Barrier(3)
        def serve(raw):
            with context.wrap_socket(raw, server_side=True) as connection:
                connection.recv(65536)
                arrived.wait(60)
                connection.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: 2\\r\\n\\r\\nok")
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """

    @Test func `requests to a TLS server without HTTP 2 do not wait for each other`() async throws {
        try await PythonTLSServer.run(Self.respondsToThree) { url, authorities in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: url).with { $0.tls.certificateAuthorities = authorities }
                let statuses = await withTaskGroup { group in
                    for _ in 0..<3 { group.addTask { await transport.send(request).response?.status } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses == [200, 200, 200])
            }
        }
    }

    @Test func `negotiated HTTP 2 is refused without TLS`() async throws {
        try await CurlTransport.run { transport in
            let request = HTTPRequest(url: "http://127.0.0.1:1/").with { $0.version = .http2 }
            let failure = try #require(await transport.send(request).failure)
            #expect(failure.message.contains("use 'http: 2-prior-knowledge'"), "\(failure.message)")
            #expect(!failure.wasSent)
        }
    }
}
