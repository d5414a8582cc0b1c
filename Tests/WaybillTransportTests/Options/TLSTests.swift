import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.enabled(if: NginxServer.isWanted, "nginx is not installed"), .timeLimit(.minutes(5)))
struct TLSTests {
    static let certificates = Task { try await TestCertificates() }

    typealias TLS = TransferOptions.TLS

    /// The results of requests to a server that presents a certificate. The body of a response contains the TLS
    /// version and the result of verifying the client's certificate.
    func send(
        to kind: TestCertificates.Kind = .valid,
        protocols: String = "TLSv1.3",
        directives: String = "",
        host: String = "127.0.0.1",
        _ rules: [(TestCertificates, inout TLS) -> Void]
    ) async throws -> (results: [Result<HTTPResponse, TransportFailure>], log: [NginxServer.LoggedRequest]) {
        let certificates = try await Self.certificates.value
        let text = certificates.directives(kind) + "ssl_protocols \(protocols);" + directives
        return try await NginxServer.run(
            text + "location / { return 200 \"$ssl_protocol $ssl_client_verify\"; }",
            listen: "ssl"
        ) { server in
            let results = try await CurlTransport.run { transport in
                var results: [Result<HTTPResponse, TransportFailure>] = []
                for rule in rules {
                    let request = HTTPRequest(url: "https://\(host):\(server.port)/").with { options in
                        options.tls.certificateAuthorities = certificates.file("ca.pem")
                        rule(certificates, &options.tls)
                    }
                    results.append(await transport.send(request))
                }
                return results
            }
            server.stop()
            return (results, server.log)
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a certificate of a trusted authority for the host is accepted`(host: String) async throws {
        let (results, _) = try await send(host: host, [{ _, _ in }])
        #expect(try results[0].get().body == Array("TLSv1.3 NONE".utf8))
        #expect(try results[0].get().timings.tls > .zero)
    }

    @Test(arguments: [
        (TestCertificates.Kind.expired, "certificate has expired"),
        (.wrongHost, "no alternative certificate subject name matches target"),
        (.selfSigned, "self-signed certificate"),
    ])
    func `a bad certificate is refused, and nothing is sent`(kind: TestCertificates.Kind, words: String) async throws {
        let (results, log) = try await send(to: kind, [{ _, _ in }])
        let failure = try #require(results[0].failure)
        #expect(failure.kind == .tls)
        #expect(failure.code == 60)
        #expect(failure.message.contains(words), "\(failure.message)")
        #expect(!failure.wasSent)
        #expect(log.isEmpty)
    }

    @Test func `a certificate of an authority that is not trusted is refused`() async throws {
        let (results, _) = try await send([{ $1.certificateAuthorities = nil }])
        #expect(results[0].failure?.kind == .tls)
        #expect(results[0].failure?.message.contains("unable to get local issuer certificate") == true)
    }

    @Test func `a missing file of authorities is reported`() async throws {
        let (results, _) = try await send([{ $1.certificateAuthorities = "/nowhere/ca.pem" }])
        #expect(results[0].failure?.kind == .tls)
        #expect(results[0].failure?.message.contains("/nowhere/ca.pem") == true)
    }

    @Test func `checks can be switched off one by one`() async throws {
        let notVerified: (TestCertificates, inout TLS) -> Void = { $1.verifiesPeer = false }
        let anyHost: (TestCertificates, inout TLS) -> Void = { $1.verifiesHost = false }
        let (host, _) = try await send(to: .wrongHost, [notVerified, anyHost, { _, _ in }])
        #expect(host.map { $0.failure?.kind } == [.tls, nil, .tls])
        let (expired, _) = try await send(to: .expired, [anyHost, notVerified, { _, _ in }])
        #expect(expired.map { $0.failure?.kind } == [.tls, nil, .tls])
    }

    @Test func `a server whose TLS version is too old is refused`() async throws {
        let (results, _) = try await send(
            protocols: "TLSv1.2",
            [{ $1.minimumVersion = .v1_3 }, { $1.minimumVersion = .v1_2 }]
        )
        #expect(results[0].failure?.kind == .tls)
        #expect(results[0].failure?.message.contains("version") == true)
        #expect(results[1].response?.body == Array("TLSv1.2 NONE".utf8))
    }

    @Test func `a server receives the client's certificate`() async throws {
        let certificates = try await Self.certificates.value
        let (results, _) = try await send(
            directives: "ssl_verify_client optional; ssl_client_certificate \(certificates.file("ca.pem"));",
            [
                { _, _ in },
                {
                    $1.clientCertificate = $0.file("client.pem")
                    $1.clientKey = $0.file("client.key")
                },
                { $1.clientCertificate = $0.file("client-both.pem") },
                { $1.clientCertificate = $0.file("client.p12") },
                { $1.clientCertificate = "/nowhere/client.pem" },
                { _, _ in },
            ]
        )
        let bodies = results.map { $0.response.map { String(decoding: $0.body, as: UTF8.self) } }
        let (with, without) = ("TLSv1.3 SUCCESS", "TLSv1.3 NONE")
        #expect(bodies == [without, with, with, with, nil, without])
        #expect(results[4].failure?.kind == .tls)
    }

    @Test func `a kept connection or session does not hide a wrong or missing client key`() async throws {
        let certificates = try await Self.certificates.value
        func rule(key: String?) -> (TestCertificates, inout TLS) -> Void {
            {
                $1.clientCertificate = $0.file("client.pem")
                $1.clientKey = key.map($0.file)
            }
        }
        for protocols in ["TLSv1.2", "TLSv1.3"] {
            let (results, _) = try await send(
                protocols: protocols,
                directives: "ssl_verify_client on; ssl_client_certificate \(certificates.file("ca.pem"));",
                [rule(key: "client.key"), rule(key: "valid.key"), rule(key: nil), rule(key: "client.key")]
            )
            #expect(results.map { $0.response?.status } == [200, nil, nil, 200])
            #expect(results.map { $0.failure?.kind } == [nil, .tls, .tls, nil])
            #expect(results.last?.response?.reusedConnection == true)
        }
    }

    @Test func `requests share a connection only when their TLS settings are equal`() async throws {
        let key: (TestCertificates, inout TLS) -> Void = { $1.pins = [.publicKey(sha256: $0.pin("valid"))] }
        let certificate: (TestCertificates, inout TLS) -> Void = {
            $1.pins = [.certificateDigest(sha256: $0.digest("valid"))]
        }
        let rules = [
            { _, _ in }, key, certificate, { $1.verifiesPeer = false }, { $1.verifiesHost = false },
            { $1.minimumVersion = .v1_3 }, { $1.certificateAuthorities = $0.file("valid.pem") },
        ]
        let (results, _) = try await send(rules + rules)
        #expect(results.map { $0.response?.reusedConnection } == rules.map { _ in false } + rules.map { _ in true })
    }
}
