import Testing
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct RequestBodyTests {
    static let large = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }

    enum Piece: Sendable, CustomStringConvertible {
        case bytes([UInt8])
        case file([UInt8])

        var content: [UInt8] {
            switch self {
            case .bytes(let bytes), .file(let bytes): bytes
            }
        }

        var description: String {
            switch self {
            case .bytes(let bytes): "\(bytes.count) bytes"
            case .file(let bytes): "a file of \(bytes.count) bytes"
            }
        }
    }

    @Test(arguments: [
        [Piece.file(large)], [.file([])], [.file([1])], [],
        [.bytes([1, 2]), .file(large), .bytes([3]), .file([4, 5]), .bytes([]), .file([]), .bytes(large)],
    ])
    func `a body of parts is sent as one body, with its length`(pieces: [Piece]) async throws {
        let folder = TemporaryFolder()
        let parts: [BodyPart] = pieces.enumerated().map { index, piece in
            switch piece {
            case .bytes(let bytes): .bytes(bytes)
            case .file(let bytes): .file(LocalFile(folder.write(bytes, to: "part\(index)")))
            }
        }
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                for method in ["POST", "PUT"] {
                    let request = HTTPRequest(method: method, url: server.url(), body: .parts(parts))
                    #expect(await transport.send(request).response?.status == 200)
                }
                let content = pieces.flatMap(\.content)
                #expect(isSame(server.requests.map(\.body), [content, content]))
                #expect(
                    server.requests.map { $0.values(named: "Content-Length") } == [
                        ["\(content.count)"], ["\(content.count)"],
                    ]
                )
                #expect(server.requests.allSatisfy { $0.values(named: "Expect").isEmpty })
            }
        }
    }

    @Test func `a file is sent again completely when a kept connection ends`() async throws {
        let folder = TemporaryFolder()
        let file = folder.write(Self.large, to: "body")
        try await LoopbackServer.run(script: KeptConnectionTests.closesOnSecond) { server in
            try await CurlTransport.run { transport in
                _ = try await transport.send(HTTPRequest(url: server.url("/first"))).get()
                let request = HTTPRequest(method: "PUT", url: server.url("/second"), body: .file(LocalFile(file)))
                #expect(await transport.send(request).response?.status == 200)
                #expect(isSame(server.requests.map(\.body), [[], Self.large, Self.large]))
                #expect(server.requests.map(\.connection) == [0, 0, 1])
            }
        }
    }

    @Test(arguments: [
        ("/nowhere/body", "the file /nowhere/body cannot be read: there is no such file"),
        ("/etc", "the file /etc cannot be read: it is a folder"),
        ("/dev/zero", "the file /dev/zero cannot be read: it is not a regular file"),
        ("a\0b", "the file a\0b cannot be read: "),
    ])
    func `a path that is not a readable file is refused, and nothing is sent`(path: String, words: String) async throws
    {
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                for body in [HTTPRequest.Body.file(LocalFile(path)), .parts([.bytes([1]), .file(LocalFile(path))])] {
                    let request = HTTPRequest(method: "POST", url: server.url(), body: body)
                    let failure = try #require(await transport.send(request).failure)
                    #expect(failure.kind == .transfer)
                    #expect(failure.message.hasPrefix(words), "\(failure.message)")
                }
                #expect(server.connectionCount == 0)
            }
        }
    }

    @Test func `a file that becomes shorter while it is sent ends the transfer`() async throws {
        let folder = TemporaryFolder()
        let file = folder.write([UInt8](repeating: 7, count: 24 << 20), to: "body")
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            _ = connection.peekHead()
            folder.write([1, 2, 3], to: "body")
            connection.readRequest()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: "POST", url: server.url(), body: .file(LocalFile(file)))
                let failure = try #require(await transport.send(request).failure)
                #expect(failure.message == "the file \(file) became shorter while it was sent")
                #expect(failure.kind == .transfer)
                #expect(failure.wasSent)
            }
        }
    }

    @Test func `a file that grows while it is sent ends the transfer before its last byte`() async throws {
        let folder = TemporaryFolder()
        let bytes = [UInt8](repeating: 7, count: 24 << 20)
        let file = folder.write(bytes, to: "body")
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            _ = connection.peekHead()
            folder.write(bytes + [8], to: "body")
            connection.readRequest()
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(method: "POST", url: server.url(), body: .file(LocalFile(file)))
                let failure = try #require(await transport.send(request).failure)
                // The test rewrites the file, so the file is shorter for a short time.
                #expect(failure.message.hasSuffix("while it was sent"))
                #expect(failure.kind == .transfer)
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func `with Expect, the server decides whether it receives the body`() async throws {
        let script: @Sendable (LoopbackConnection) -> Void = { connection in
            while let head = connection.peekHead() {
                if head.contains("/no ") {
                    connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
                    return
                }
                if head.contains("Expect") && head.contains("/later ") {
                    connection.write("HTTP/1.1 417 Not so\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    return
                }
                if head.contains("Expect") { connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
                guard let request = connection.readRequest() else { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
                connection.write(request.body)
            }
        }
        try await LoopbackServer.run(script: script) { server in
            try await CurlTransport.run { transport in
                let field = HTTPField(name: "Expect", value: "100-continue")
                for (path, status) in [("/yes", 200), ("/no", 413), ("/later", 417)] {
                    let request = HTTPRequest(
                        method: "POST",
                        url: server.url(path),
                        headers: [field],
                        body: .bytes(Self.large)
                    )
                    let response = try await transport.send(request).get()
                    #expect(response.status == status)
                    #expect(isSame(response.body, [200: Self.large, 413: Array("no".utf8)][status] ?? []))
                }
                #expect(server.requests.map(\.target) == ["/yes"])
            }
        }
    }
}

/// Whether two large values are equal. `#expect` itself would search for the differences for minutes.
func isSame<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
    left == right
}
