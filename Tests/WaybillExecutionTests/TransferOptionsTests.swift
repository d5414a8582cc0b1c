import Testing
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillRuntime
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct TransferOptionsTests {
    /// The request of a step with these settings.
    private func request(_ settings: String, variables: [String: String] = [:]) async throws -> HTTPRequest {
        let fixture = try ExecutionFixture(
            "graphs:\n  main:\n    chain:\n      - {get: /a, \(settings)}\n",
            at: "https://s"
        )
        let outcome = await fixture.run(variables: variables)
        let failure = outcome.result.steps.first?.failure
        return try #require(fixture.transport.sent.first, "\(failure?.message.string ?? "nothing was sent")")
    }

    @Test func `a run shares one cookie jar, and all other options have their defaults`() async throws {
        var usual = TransferOptions()
        usual.cookies = .run
        #expect(try await request("name: plain").options == usual)
    }

    @Test func `settings become the transfer options of the request`() async throws {
        let options = try await request(
            """
            http: 2, proxy: "http://me:pw@127.0.0.1:3128", unixSocket: /run/s.sock, traffic: video, priority: high,
            network: {interface: lo}, cookies: false,
            resolve: {"API.example.com:443": 127.0.0.1, "bücher.example:80": 127.0.0.1, "[::1]:80": "::1", "gone:80": null}
            """.replacing("\n", with: " ")
        ).options
        #expect(options.version == .http2)
        #expect(options.proxy == .url("http://me:pw@127.0.0.1:3128"))
        #expect(options.unixSocket == "/run/s.sock")
        #expect(options.traffic == .video)
        #expect(options.priority == .high)
        #expect(options.interface == "lo")
        #expect(options.cookies == .off)
        #expect(
            options.resolve == [
                SocketEndpoint(host: "api.example.com", port: 443): SocketEndpoint(host: "127.0.0.1", port: 443),
                SocketEndpoint(host: "xn--bcher-kva.example", port: 80): SocketEndpoint(host: "127.0.0.1", port: 80),
                SocketEndpoint(host: "::1", port: 80): SocketEndpoint(host: "::1", port: 80),
            ]
        )
    }

    @Test(arguments: [
        ("auto", HTTPVersion.auto), ("1.1", .http1), ("2", .http2),
        ("2-prior-knowledge", .http2PriorKnowledge),
    ])
    func `the requested HTTP version is used`(written: String, version: HTTPVersion)
        async throws
    {
        #expect(try await request("http: \(written)").options.version == version)
    }

    @Test(arguments: [
        ("'u@v:1/w'", "http://me:u%40v%3A1%2Fw@p:3128"), ("raw('a%40b')", "http://me:a%40b@p:3128"),
    ])
    func `a value in the URL of a proxy cannot be its host`(value: String, url: String) async throws {
        let options = try await request("proxy: \"http://me:${\(value)}@p:3128\"").options
        #expect(options.proxy == .url(url))
    }

    @Test func `the proxy of the environment is used only if requested`() async throws {
        let variables = ["https_proxy": "http://p:1", "no_proxy": "localhost"]
        #expect(try await request("name: x", variables: variables).options.proxy == .none)
        let options = try await request("proxy: environment", variables: variables).options
        #expect(options.proxy == .environment(ProxyVariables(variables)))
    }

    @Test(arguments: [
        ("proxy: environment", "http://me:s3cr3t%21@p:3128"), ("proxy: environment", "me:s3cr3t%21@p:3128"),
        ("proxy: \"http://me:s3cr3t%21@p:3128\"", ""), ("proxy: \"http://me:${secrets.k}@p:3128\"", ""),
    ])
    func `the password of a proxy is redacted where a server repeats it`(setting: String, url: String) async throws {
        let echo = "s3cr3t! \(Base64.encode(Array("me:s3cr3t!".utf8)))"
        let fixture = try ExecutionFixture(
            """
            secrets: {k: {env: K}}
            graphs:
              main:
                chain:
                  - {id: a, get: /a, \(setting), outputs: {x: $}}
                outputs: {x: steps.a.outputs.x}
            """,
            ["/a": .json("\"\(echo)\"")],
            at: "https://s"
        )
        let outcome = await fixture.run(secrets: ["k": "s3cr3t!"], variables: ["https_proxy": url])
        #expect(outcome.outputs.first?.values.value == ["x": "*** ***"])
    }

    @Test func `TLS settings are passed on, and a digest pins a public key by default`() async throws {
        let key = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let tls = try await request("tls: {pins: [\"sha256//\(key)\"], verifyHost: false, minVersion: \"1.3\"}").options
            .tls
        #expect(tls.pins == [.publicKey(sha256: key)])
        #expect(tls.verifiesPeer)
        #expect(!tls.verifiesHost)
        #expect(tls.minimumVersion == .v1_3)
    }

    @Test(arguments: [
        ("publicKey", TransferOptions.TLS.Pin.publicKey(sha256: digest)),
        ("certificate", .certificateDigest(sha256: digest)),
    ])
    func `pinMode applies to digests too`(mode: String, pin: TransferOptions.TLS.Pin) async throws {
        let settings = "tls: {pinMode: \(mode), pins: [\"sha256//\(Self.digest)\"]}"
        #expect(try await request(settings).options.tls.pins == [pin])
    }

    private static let digest = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test(arguments: [("low", "u=5"), ("high", "u=1"), ("default", "")])
    func `a priority is sent to the server`(written: String, field: String) async throws {
        let fields = try await request("priority: \(written)").headers.filter { $0.name == "Priority" }.map(\.value)
        #expect(fields == (field.isEmpty ? [] : [field]))
    }

    @Test func `digest credentials are passed to the transport, not sent in a header field`() async throws {
        let request = try await request("auth: {digest: {username: u, password: p}}")
        #expect(request.options.credentials == .digest(username: "u", password: "p"))
        #expect(!request.headers.contains { $0.name == "Authorization" })
    }
}
