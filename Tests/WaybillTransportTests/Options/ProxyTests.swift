import Testing
import WaybillTestSupport

@testable import WaybillTransport

@Suite(
    .enabled(if: ProxyProgram.isWanted && NginxServer.isWanted, "tinyproxy, microsocks and nginx are not installed"),
    .timeLimit(.minutes(5))
)
struct ProxyTests {
    typealias Proxy = TransferOptions.Proxy

    /// The result of a request through a proxy to a server whose response contains the request's Via field.
    func send(
        _ kind: ProxyProgram.Kind,
        secure: Bool = false,
        host: String = "localhost",
        username: String? = nil,
        _ make: (String) -> Proxy
    ) async throws -> Result<HTTPResponse, TransportFailure> {
        let certificates = try await TLSTests.certificates.value
        let directives = (secure ? certificates.directives(.valid) : "") + "location / { return 200 \"$http_via|\"; }"
        return try await ProxyProgram.run(kind, username: username, password: "p-w") { proxy in
            try await NginxServer.run(directives, listen: secure ? "ssl" : "") { server in
                try await CurlTransport.run { transport in
                    let url = "\(secure ? "https" : "http")://\(host):\(server.port)/"
                    let request = HTTPRequest(url: url).with {
                        $0.tls.certificateAuthorities = certificates.file("ca.pem")
                        $0.proxy = make("127.0.0.1:\(proxy.port)")
                    }
                    return await transport.send(request)
                }
            }
        }
    }

    @Test(arguments: [
        "http://$proxy", "http://u:p%2Dw@$proxy",
    ])
    func `an HTTP request is sent through a proxy`(url: String) async throws {
        let username = url.contains("@") ? "u" : nil
        let result = try await send(.http, username: username) { .url(url.replacing("$proxy", with: $0)) }
        #expect(String(decoding: try result.get().body, as: UTF8.self).contains("tinyproxy"))
    }

    @Test(arguments: [
        (ProxyProgram.Kind.http, "http://$proxy", true), (.http, "http://u:p%2Dw@$proxy", true),
        (.socks, "socks5://$proxy", false), (.socks, "socks5h://$proxy", false),
        (.socks, "socks5h://u:p%2Dw@$proxy", false), (.socks, "socks5h://u:p%2Dw@$proxy", true),
    ])
    func `a tunnel through the proxy connects to the server`(kind: ProxyProgram.Kind, url: String, secure: Bool)
        async throws
    {
        let username = url.contains("@") ? "u" : nil
        // As a client that looks up names itself, libcurl 8.14 passes only the IPv6 address of localhost to the proxy.
        let passesIPv6 = LibCurl.isAtLeast814 && url.hasPrefix("socks5:")
        let host = passesIPv6 ? "127.0.0.1" : "localhost"
        let result = try await send(kind, secure: secure, host: host, username: username) {
            .url(url.replacing("$proxy", with: $0))
        }
        let response = try result.get()
        #expect(response.body == Array("|".utf8))
        #expect(response.headers.values(named: "Server").count == 1)
    }

    @Test func `a wrong password for a proxy is a failure to connect, or a response`() async throws {
        let wrong: (String) -> Proxy = { .url("http://u:wrong@\($0)") }
        let tunnel = try #require(await send(.http, secure: true, username: "u", wrong).failure)
        #expect(tunnel.kind == .connect)
        #expect(tunnel.message.contains("through the proxy 127.0.0.1:"), "\(tunnel.message)")
        #expect(
            tunnel.message.hasSuffix("the proxy responded with 407")
                || tunnel.message.hasSuffix("the proxy responded with 401")
        )
        #expect(!tunnel.wasSent)
        #expect([401, 407].contains(try await send(.http, username: "u", wrong).get().status))
        let socks = try #require(await send(.socks, username: "u") { .url("socks5h://u:wrong@\($0)") }.failure)
        #expect(socks.kind == .connect)
        #expect(!socks.message.contains("wrong"))
    }

    @Test func `a proxy that cannot be reached is named in the message`() async throws {
        let port = try LoopbackSocket.refusingPort()
        try await CurlTransport.run { transport in
            let request = HTTPRequest(url: "http://server.example/").with {
                $0.proxy = .url("http://127.0.0.1:\(port)")
            }
            let failure = try #require(await transport.send(request).failure)
            #expect(failure.kind == .connect)
            #expect(
                failure.message
                    == "could not connect to server.example:80 through the proxy 127.0.0.1:\(port): connection refused"
            )
            let long = String(repeating: "a", count: 64) + ".test"
            let unknown = request.with { $0.proxy = .url("http://\(long):1") }
            #expect(await transport.send(unknown).failure?.kind == .dns)
            #expect(
                await transport.send(unknown).failure?.message == "could not resolve the name of the proxy \(long):1"
            )
        }
    }

    @Test(arguments: ["gopher://127.0.0.1:1", "127.0.0.1:1", "", "http://a b"])
    func `a URL that is not valid for a proxy is refused`(url: String) async throws {
        try await CurlTransport.run { transport in
            let failure = await transport.send(HTTPRequest(url: "http://a.example/").with { $0.proxy = .url(url) })
                .failure
            #expect(failure?.kind == .transfer)
            #expect(failure?.phase == .waiting)
        }
    }

    @Test(arguments: [
        (["http_proxy": "$proxy"], true), (["http_proxy": "http://$proxy"], true),
        (["all_proxy": "http://$proxy"], true),
        (["ALL_PROXY": "$proxy"], true), (["HTTP_PROXY": "$proxy"], false), (["https_proxy": "$proxy"], false),
        (["http_proxy": "", "all_proxy": "$proxy"], true), ([:], false),
        (["http_proxy": "$proxy", "no_proxy": "*"], false),
        (["http_proxy": "$proxy", "NO_PROXY": "a.example, localhost"], false),
        (["http_proxy": "$proxy", "no_proxy": "host"], true),
    ])
    func `the environment's variables determine the proxy if that is requested`(
        variables: [String: String],
        isUsed: Bool
    ) async throws {
        let result = try await send(.http) { address in
            .environment(ProxyVariables(variables.mapValues { $0.replacing("$proxy", with: address) }))
        }
        #expect(String(decoding: try result.get().body, as: UTF8.self).contains("tinyproxy") == isUsed)
    }
}
