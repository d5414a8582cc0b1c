import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct InternationalHostTests {
    @Test(arguments: ["bücher.example", "BÜCHER.example", "b%C3%BCcher.example", "bu\u{308}cher.example"])
    func `a host is sent and compared in its ASCII form`(host: String) async throws {
        try await LoopbackServer.run(answer: { .text($0.values(named: "Host").joined()) }) { server in
            try await CurlTransport.run { transport in
                var request = HTTPRequest(url: "http://\(host):8080/a")
                request.connectTo = SocketEndpoint(host: "127.0.0.1", port: server.port)
                let response = try await transport.send(request).get()
                #expect(String(decoding: response.body, as: UTF8.self) == "xn--bcher-kva.example:8080")
                #expect(try Origin(ofURL: request.url) == Origin(ofURL: "http://xn--bcher-kva.example:8080/"))
            }
        }
    }

    @Test(arguments: [
        ("http://faß.example/%FC?ß", "http://xn--fa-hia.example/%FC?ß"),
        ("http://例え.テスト", "http://xn--r8jz45g.xn--zckzah"),
        ("http://[fe80::1%25eth0]:80/", "http://[fe80::1%25eth0]:80/"), ("http://a.example/ü", "http://a.example/ü"),
    ])
    func `only the host of a URL is converted`(url: String, converted: String) throws {
        #expect(try InternationalHost.asciiURL(url) == converted)
    }

    @Test(arguments: [
        ("http://\(String(repeating: "ü", count: 70)).example/", "too large"), ("http://a%FF/", "not UTF-8"),
        ("http://a%2Fb/", "a character that a host name cannot have"),
    ])
    func `a host that is not a valid name is refused, with the reason`(url: String, reason: String) throws {
        let failure = #expect(throws: TransportFailure.self) { try InternationalHost.asciiURL(url) }
        #expect(failure?.message.contains("is not a valid internationalised name: ") == true)
        #expect(failure?.message.contains(reason) == true, "\(failure?.message ?? "")")
    }
}
