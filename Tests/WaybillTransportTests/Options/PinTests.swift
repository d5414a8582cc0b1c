import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.enabled(if: NginxServer.isWanted, "nginx is not installed"), .timeLimit(.minutes(5)))
struct PinTests {
    typealias TLS = TransferOptions.TLS

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var server = TestCertificates.Kind.valid
        var verifies = true
        let pins: @Sendable (TestCertificates) -> [TLS.Pin]
        let isGood: Bool
    }

    @Test(arguments: [
        Case(testDescription: "the key's digest", pins: { [.publicKey(sha256: $0.pin("valid"))] }, isGood: true),
        Case(testDescription: "the authority's", pins: { [.publicKey(sha256: $0.pin("ca"))] }, isGood: true),
        Case(
            testDescription: "another key's digest",
            pins: { _ in [.publicKey(sha256: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")] },
            isGood: false
        ),
        Case(
            testDescription: "one of two",
            pins: { [.certificate(file: $0.file("wrongHost.pem")), .publicKey(sha256: $0.pin("valid"))] },
            isGood: true
        ),
        Case(
            testDescription: "the key of an expired certificate",
            pins: { [.publicKeyOf(file: $0.file("expired.pem"))] },
            isGood: true
        ),
        Case(
            testDescription: "an expired certificate with the same key",
            pins: { [.certificate(file: $0.file("expired.pem"))] },
            isGood: false
        ),
        Case(
            testDescription: "the certificate's digest",
            pins: { [.certificateDigest(sha256: $0.digest("valid"))] },
            isGood: true
        ),
        Case(
            testDescription: "the key's digest as a certificate's",
            pins: { [.certificateDigest(sha256: $0.pin("valid"))] },
            isGood: false
        ),
        Case(
            testDescription: "the certificate's digest as a key's",
            pins: { [.publicKey(sha256: $0.digest("valid"))] },
            isGood: false
        ),
        Case(testDescription: "a .pem", pins: { [.certificate(file: $0.file("valid.pem"))] }, isGood: true),
        Case(testDescription: "a .cer", pins: { [.certificate(file: $0.file("valid.cer"))] }, isGood: true),
        Case(testDescription: "the authority", pins: { [.certificate(file: $0.file("ca.cer"))] }, isGood: true),
        Case(testDescription: "another", pins: { [.certificate(file: $0.file("wrongHost.cer"))] }, isGood: false),
        Case(
            testDescription: "one that was not verified",
            server: .selfSigned,
            verifies: false,
            pins: { [.certificate(file: $0.file("selfSigned.cer"))] },
            isGood: true
        ),
        Case(
            testDescription: "one that was not verified, another",
            server: .selfSigned,
            verifies: false,
            pins: { [.certificate(file: $0.file("valid.cer"))] },
            isGood: false
        ),
    ])
    func `a server must present a pinned key or certificate, even on a kept connection`(_ example: Case) async throws {
        let certificates = try await TLSTests.certificates.value
        let directives = certificates.directives(example.server) + "location / { return 200 ok; }"
        try await NginxServer.run(directives, listen: "ssl http2") { server in
            try await CurlTransport.run { transport in
                let url = "https://127.0.0.1:\(server.port)"
                let plain = HTTPRequest(url: url + "/plain").with {
                    $0.tls.certificateAuthorities = certificates.file("ca.pem")
                    $0.tls.verifiesPeer = example.verifies
                }
                var pinned = plain.with { $0.tls.pins = example.pins(certificates) }
                pinned.url = url + "/pinned"
                for request in [plain, pinned, plain, pinned, pinned] {
                    let result = await transport.send(request)
                    guard request == pinned && !example.isGood else {
                        #expect(result.response?.status == 200, "\(result)")
                        continue
                    }
                    #expect(result.failure?.kind == .tls)
                    #expect(result.failure?.code == 90)
                    #expect(result.failure?.message.contains("public key of the server is pinned") == true)
                    #expect(result.failure?.wasSent == false)
                }
            }
            server.stop()
            let pinned = server.log.filter { $0.request.contains("/pinned") }
            #expect(pinned.count == (example.isGood ? 3 : 0))
        }
    }

    @Test func `a pinned certificate that is merely sent along with the server's own does not count`() async throws {
        let certificates = try await TLSTests.certificates.value
        let folder = TemporaryFolder()
        // The server presents its own certificate and also the pinned one.
        let own = TemporaryFolder.contents(of: certificates.file("selfSigned.pem")) ?? []
        let other = TemporaryFolder.contents(of: certificates.file("valid.pem")) ?? []
        let chain = folder.write(own + other, to: "chain.pem")
        let directives = "ssl_certificate \(chain); ssl_certificate_key \(certificates.file("selfSigned.key"));"
        try await NginxServer.run(directives + "location / { return 200 ok; }", listen: "ssl") { server in
            try await CurlTransport.run { transport in
                for (verifies, authority) in [(true, "selfSigned.pem"), (false, "ca.pem")] {
                    let request = HTTPRequest(url: "https://127.0.0.1:\(server.port)/").with {
                        $0.tls.certificateAuthorities = certificates.file(authority)
                        $0.tls.verifiesPeer = verifies
                        $0.tls.pins = [.certificate(file: certificates.file("valid.pem"))]
                    }
                    #expect(await transport.send(request).failure?.code == 90)
                    let unpinned = request.with { $0.tls.pins = [] }
                    #expect(await transport.send(unpinned).response?.status == 200)
                }
            }
        }
    }

    @Test(arguments: [
        (TLS.Pin.certificate(file: "/no/a.cer"), "the certificate /no/a.cer cannot be read: there is no such file"),
        (.publicKeyOf(file: "/etc/passwd"), "/etc/passwd contains no certificate in PEM or DER format"),
        (.certificate(file: "/dev/zero"), "the certificate /dev/zero cannot be read: it is not a regular file"),
        (.publicKey(sha256: "abc="), "the pin abc= is not a SHA-256 digest in Base64"),
    ])
    func `a pin that cannot be used is refused`(pin: TLS.Pin, words: String) async throws {
        try await CurlTransport.run { transport in
            let request = HTTPRequest(url: "https://127.0.0.1:1/").with { $0.tls.pins = [pin] }
            let failure = try #require(await transport.send(request).failure)
            #expect(failure.kind == .tls)
            #expect(failure.message.hasPrefix(words), "\(failure.message)")
        }
    }
}
