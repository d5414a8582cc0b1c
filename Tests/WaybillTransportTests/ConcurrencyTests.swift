import Testing
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct ConcurrencyTests {
    /// Sends requests at once and returns the bodies in the order of the requests.
    func send(_ requests: [HTTPRequest], over transport: CurlTransport) async throws -> [String] {
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask {
                    let response = try await transport.send(request).get()
                    return (index, String(decoding: response.body, as: UTF8.self))
                }
            }
            var bodies = [String](repeating: "", count: requests.count)
            for try await (index, body) in group { bodies[index] = body }
            return bodies
        }
    }

    @Test func `1,000 requests at once receive their own responses, over no more connections than allowed`()
        async throws
    {
        try await LoopbackServer.run(answer: { .text($0.target) }) { server in
            try await CurlTransport.run(maximumConnections: 64) { transport in
                let requests = (0..<1000).map {
                    HTTPRequest(url: server.url("/\($0)"), maximumConnectionsPerOrigin: 1000)
                }
                let bodies = try await send(requests, over: transport)
                #expect(bodies == (0..<1000).map { "/\($0)" })
            }
            #expect(server.connectionCount <= 64)
        }
    }

    @Test(.enabled(if: NginxServer.isWanted, "nginx is not installed"))
    func `1,000 requests at once to nginx receive their own responses`() async throws {
        try await NginxServer.run("location / { return 200 $request_uri; }") { server in
            try await CurlTransport.run { transport in
                let requests = (0..<1000).map {
                    HTTPRequest(url: server.url("/\($0)"), maximumConnectionsPerOrigin: 200)
                }
                let bodies = try await send(requests, over: transport)
                #expect(bodies == (0..<1000).map { "/\($0)" })
            }
        }
    }

    @Test func `each origin has its own limit`() async throws {
        try await LoopbackServer.run(answer: { .text($0.target) }) { narrow in
            try await LoopbackServer.run(answer: { .text($0.target) }) { wide in
                try await CurlTransport.run { transport in
                    let requests = (0..<100).map { number in
                        number.isMultiple(of: 2)
                            ? HTTPRequest(url: narrow.url("/\(number)"), maximumConnectionsPerOrigin: 1)
                            : HTTPRequest(url: wide.url("/\(number)"), maximumConnectionsPerOrigin: 5)
                    }
                    let bodies = try await send(requests, over: transport)
                    #expect(bodies == (0..<100).map { "/\($0)" })
                }
                #expect(narrow.connectionCount == 1)
                #expect((1...5).contains(wide.connectionCount))
            }
        }
    }

    @Test func `kept connections make room for other origins`() async throws {
        try await LoopbackServer.run(answer: { .text($0.target) }) { first in
            try await LoopbackServer.run(answer: { .text($0.target) }) { second in
                try await LoopbackServer.run(answer: { .text($0.target) }) { third in
                    try await CurlTransport.run(maximumConnections: 2) { transport in
                        let servers = [first, second, third]
                        let requests = (0..<60).map { HTTPRequest(url: servers[$0 % 3].url("/\($0)")) }
                        let bodies = try await send(requests, over: transport)
                        #expect(bodies == (0..<60).map { "/\($0)" })
                        for request in requests.prefix(6) {
                            #expect(await transport.send(request).response?.status == 200)
                        }
                    }
                }
            }
        }
    }
}
