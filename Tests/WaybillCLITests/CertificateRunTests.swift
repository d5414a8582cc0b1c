import Testing
import WaybillTestSupport

/// Expectations about the server's certificate.
@Suite(.enabled(if: NginxServer.isWanted, "nginx is not installed"), .timeLimit(.minutes(5)))
struct CertificateRunTests {
    private let folder = TemporaryFolder()

    @Test func `the certificate is checked on new and on reused connections`() async throws {
        let certificates = try await TestCertificates()
        let directives = certificates.directives(.valid) + "location / { return 200 ok; }"
        try await NginxServer.run(directives, listen: "ssl http2") { server in
            folder.write(
                """
                waybill: 1
                services: {s: {baseURL: "https://127.0.0.1:\(server.port)", tls: {ca: \(certificates.file("ca.pem"))}}}
                graphs:
                  main:
                    onFailure: collect
                    chain:
                      - {get: /a, expect: {certificate: {expiresIn: ">28d", subject: CN=localhost, issuer: "*Waybill tests*"}}}
                      - {get: /b}
                      - {get: /c, cache: force-cache, expect: {certificate: {expiresIn: ">1000h", issuer: CN=other}}}
                """,
                to: "manifest.yaml"
            )
            let arguments = ["run", "manifest.yaml", "--no-color"]
            let run = try await Command.run(CommandCase.program, arguments, in: folder.path)
            #expect(run.status == 1)
            let text = run.outputText
            #expect(text.contains("2 passed, 1 failed"), "\(text)")
            #expect(text.contains("the certificate expires in 29 days, at 20"), "\(text)")
            #expect(text.contains("the issuer of the certificate is 'CN=Waybill tests', not 'CN=other'"), "\(text)")
        }
    }

    @Test func `an expectation about the certificate fails on a connection without TLS`() async throws {
        try await NginxServer.run("location / { return 200 ok; }") { server in
            folder.write(
                """
                waybill: 1
                inputs: {server: string}
                graphs:
                  main:
                    chain: [{get: "${raw(inputs.server)}/", expect: {certificate: {subject: "*"}}}]
                """,
                to: "manifest.yaml"
            )
            let arguments = ["run", "manifest.yaml", "--input", "server=http://127.0.0.1:\(server.port)"]
            let run = try await Command.run(CommandCase.program, arguments, in: folder.path)
            #expect(run.status == 1, "\(run.errorText)")
            #expect(run.outputText.contains("the connection has no certificate, because it does not use TLS"))
        }
    }
}
