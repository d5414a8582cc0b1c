import Testing
import WaybillTestSupport
import WaybillTransport

/// TLS connections that end with and without `close_notify` (RFC 8446, section 6.1).
@Suite(.enabled(if: NginxServer.isWanted, "openssl and python3 are not installed"), .timeLimit(.minutes(5)))
struct TLSEndTests {
    /// A server that sends the response named by the path and ends the connection, with `close_notify` after `/notify`.
    private static let program = """
        version = ssl.TLSVersion.TLSv1_2 if sys.argv[4] == "1.2" else ssl.TLSVersion.TLSv1_3
        context.minimum_version = context.maximum_version = version
        fields = {
            b"none": b"\\r\\nhello", b"length": b"Content-Length: 5\\r\\n\\r\\nhello",
            b"chunks": b"Transfer-Encoding: chunked\\r\\n\\r\\n5\\r\\nhello\\r\\n0\\r\\n\\r\\n"
        }
        while True:
            try:
                raw, _ = listener.accept()
                connection = context.wrap_socket(raw, server_side=True)
                kind, end = connection.recv(65536).split(b" ")[1][1:].split(b"/")
                connection.sendall(b"HTTP/1.1 200 OK\\r\\n" + fields[kind])
                connection.settimeout(5)
                if end == b"notify": connection.unwrap().close()
                else: socket.socket(fileno=connection.detach()).close()
            except (OSError, ValueError):
                pass
        """

    private func send(_ path: String, version: String) async throws -> Result<HTTPResponse, TransportFailure> {
        try await PythonTLSServer.run(Self.program, [version]) { url, authorities in
            try await CurlTransport.run { transport in
                await transport.send(
                    HTTPRequest(url: "\(url)/\(path)").with { $0.tls.certificateAuthorities = authorities }
                )
            }
        }
    }

    @Test(arguments: ["1.2", "1.3"])
    func `a response that ends with its connection needs close_notify`(version: String) async throws {
        let failure = try #require(try await send("none/cut", version: version).failure)
        #expect(failure.kind == .transfer)
        #expect(failure.code == 18)
        #expect(failure.phase == .receiving)
        #expect(
            failure.message.hasSuffix("the TLS connection without close_notify, so the response may be truncated")
        )
    }

    @Test(arguments: ["none/notify", "length/notify", "length/cut", "chunks/notify", "chunks/cut"], ["1.2", "1.3"])
    func `a response with a known end, or whose connection ends with close_notify, is complete`(
        path: String,
        version: String
    ) async throws {
        let response = try await send(path, version: version).get()
        #expect(response.body == Array("hello".utf8))
    }
}
