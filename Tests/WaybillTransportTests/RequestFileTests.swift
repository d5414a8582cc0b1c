import Testing
import WaybillJSON
import WaybillPlatform
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

/// Pipes without a writer in place of files: opening one would block forever.
@Suite(.timeLimit(.minutes(5))) struct RequestFileTests {
    static let uses:
        [(name: String, kind: TransportFailure.Kind, change: @Sendable (inout HTTPRequest, String) -> Void)] = [
            ("body", .transfer, { $0.body = .file(LocalFile($1)) }),
            ("part of a body", .transfer, { $0.body = .parts([.bytes([1]), .file(LocalFile($1))]) }),
            ("cookie jar", .transfer, { $0.options.cookies = .jar(CodePoints($1)) }),
            ("pin of a certificate", .tls, { $0.options.tls.pins = [.certificate(file: $1)] }),
            ("pin of a public key", .tls, { $0.options.tls.pins = [.publicKeyOf(file: $1)] }),
            ("authorities", .tls, { $0.options.tls.certificateAuthorities = $1 }),
            ("client's certificate", .tls, { $0.options.tls.clientCertificate = $1 }),
            ("client's key", .tls, { $0.options.tls.clientKey = $1 }),
        ]

    @Test(arguments: uses.indices)
    func `a pipe in place of a file is refused without blocking`(index: Int) async throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                var request = HTTPRequest(method: "PUT", url: "https://127.0.0.1:\(server.port)/")
                Self.uses[index].change(&request, path)
                for _ in 0..<2 {
                    let failure = try #require(await transport.send(request).failure)
                    #expect(failure.kind == Self.uses[index].kind, "\(Self.uses[index].name)")
                    #expect(failure.message.contains(path), "\(failure.message)")
                    #expect(!failure.wasSent)
                }
                #expect(await transport.send(HTTPRequest(url: server.url())).response?.status == 200)
            }
            #expect(server.requests.count == 1)
        }
    }
}
