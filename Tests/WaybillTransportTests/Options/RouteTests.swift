import Testing
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct RouteTests {
    @Test(arguments: [("$server", true), ("x:1, $server", true), ("127.0.0.1:1", false), ("7.0.0.1:$port", false)])
    func `no_proxy may name a port`(exceptions: String, isDirect: Bool) async throws {
        try await LoopbackServer.run(answer: { _ in ServerResponse(body: Array("server".utf8)) }) { server in
            try await LoopbackServer.run(answer: { _ in ServerResponse(body: Array("proxy".utf8)) }) { proxy in
                let variables = ProxyVariables([
                    "http_proxy": proxy.url(""),
                    "no_proxy": exceptions.replacing("$server", with: "127.0.0.1:$port")
                        .replacing("$port", with: "\(server.port)"),
                ])
                try await CurlTransport.run { transport in
                    // The second request could reuse the options of the first one.
                    for (url, isDirect) in [("http://a.example/", false), (server.url(), isDirect)] {
                        let request = HTTPRequest(url: url).with { $0.proxy = .environment(variables) }
                        let body = try await transport.send(request).get().body
                        #expect(String(decoding: body, as: UTF8.self) == (isDirect ? "server" : "proxy"))
                    }
                }
            }
        }
    }

    @Test func `hosts and ports are resolved by the request's own table`() async throws {
        try await LoopbackServer.run(answer: { .text($0.values(named: "Host")[0]) }) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: "http://A.example:81/").with {
                    $0.resolve[SocketEndpoint(host: "a.example", port: 81)] = server.endpoint
                }
                #expect(await transport.send(request).response?.body == Array("A.example:81".utf8))
                var other = request
                other.url = "http://a.example:1/"
                other.options.resolve[SocketEndpoint(host: "a.example", port: 1)] = SocketEndpoint(host: "::1", port: 1)
                #expect(await transport.send(other).failure?.message.contains("[::1]:1") == true)
            }
        }
    }

    @Test(.enabled(if: NginxServer.isWanted, "nginx is not installed"))
    func `a request can be sent to a Unix domain socket`() async throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/socket"
        try await NginxServer.run("listen unix:\(path); location / { return 200 $http_host$uri; }") { server in
            try await CurlTransport.run { transport in
                // nginx has opened both by the time that it responds on the port.
                _ = try await transport.send(HTTPRequest(url: server.url())).get()
                let request = HTTPRequest(url: "http://service/a").with { $0.unixSocket = path }
                #expect(await transport.send(request).response?.body == Array("service/a".utf8))
                let missing = try #require(await transport.send(request.with { $0.unixSocket = "/nowhere" }).failure)
                #expect(missing.kind == .connect)
                #expect(missing.message == "could not connect to /nowhere: no such file or directory")
                let long = request.with { $0.unixSocket = "/" + String(repeating: "a", count: 200) }
                #expect(await transport.send(long).failure?.message.contains("too long") == true)
            }
        }
    }

    @Test func `a connection uses the requested interface`() async throws {
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                let request = HTTPRequest(url: server.url()).with { $0.interface = "127.0.0.1" }
                #expect(await transport.send(request).response?.status == 200)
                let missing = try #require(await transport.send(request.with { $0.interface = "nosuch7" }).failure)
                #expect(missing.kind == .connect)
                #expect(missing.message.contains("nosuch7"), "\(missing.message)")
                #expect(await transport.send(request.with { $0.interface = "" }).failure?.code == 43)
            }
        }
    }

    @Test func `packets are marked, even on a kept connection`() async throws {
        try await LoopbackServer.run(answer: { _ in .text("ok") }) { server in
            try await CurlTransport.run { transport in
                for (traffic, mark) in [
                    (TrafficClass.default, 0), (.voice, 0xB8), (.background, 0x20), (.responsive, 0x48),
                    (.video, 0x88), (.default, 0),
                ] {
                    let request = HTTPRequest(url: server.url()).with { $0.traffic = traffic }
                    #expect(await transport.send(request).response?.status == 200)
                    #expect(LoopbackSocket.marks(ofConnectionsTo: server.port) == [Int32(mark)])
                }
                #expect(server.connectionCount == 1)
            }
        }
    }
}

extension LoopbackServer {
    /// The address that the server listens on.
    var endpoint: SocketEndpoint { SocketEndpoint(host: "127.0.0.1", port: port) }
}
