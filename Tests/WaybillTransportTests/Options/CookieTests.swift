import Testing
import WaybillJSON
import WaybillRuntime
import WaybillTestSupport
import WaybillTransport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct CookieTests {
    /// A server that sets the cookies in a request's query and responds with those that it received.
    static let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
        let set = request.target.split(separator: "?").dropFirst().map { ("Set-Cookie", String($0)) }
        return ServerResponse(headers: set, body: Array(request.values(named: "Cookie").joined(separator: "|").utf8))
    }

    func cookies(
        _ transport: CurlTransport,
        _ server: LoopbackServer,
        _ cookies: TransferOptions.Cookies,
        _ path: String = "/",
        headers: [HTTPField] = []
    ) async throws -> String {
        let request = HTTPRequest(url: server.url(path), headers: headers).with { $0.cookies = cookies }
        return String(decoding: try await transport.send(request).get().body, as: UTF8.self)
    }

    func expect(
        _ expected: String,
        from found: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    @Test func `a jar has a limited number of cookies, however many a server sets`() async throws {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
            let start = Int(request.target.dropFirst()) ?? 0
            let fields = (0..<50).map { ("Set-Cookie", "c\(start + $0)=1; Path=/elsewhere") }
            return ServerResponse(headers: fields, body: [])
        }
        try await LoopbackServer.run(answer: answer) { server in
            try await CurlTransport.run { transport in
                // The same cookies again and again are not more cookies.
                for _ in 0..<70 { _ = try await cookies(transport, server, .run, "/0") }
                var failures: [String] = []
                for number in 0..<70 {
                    let request = HTTPRequest(url: server.url("/\(50 * number)")).with { $0.cookies = .run }
                    if case .failure(let failure) = await transport.send(request) { failures.append(failure.message) }
                }
                #expect((1...10).contains(failures.count))
                #expect(failures.first?.hasSuffix("'cookies: false' ignores cookies") == true)
            }
        }
    }

    @Test(
        arguments: [
            (0..<3, 1, "/a", nil), (0..<4, 1, "/a", "has 200 cookies for"), (0..<4, 1, "/b", nil),
            (0..<4, 1, "/ab", nil),
            (0..<1, 140, "/a/b", nil), (0..<1, 170, "/a/b", "which take 8890 bytes"), (0..<1, 170, "/", nil),
        ] as [(Range<Int>, Int, String, String?)]
    )
    func `a request for which libcurl would leave out cookies is not sent`(
        responses: Range<Int>,
        size: Int,
        path: String,
        words: String?
    ) async throws {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
            guard let number = Int(request.target.dropFirst()) else {
                let sent = request.values(named: "Cookie").joined().split(separator: ";").count
                return ServerResponse(body: Array("\(sent)".utf8))
            }
            let value = String(repeating: "v", count: size)
            return ServerResponse(
                headers: (0..<50).map { ("Set-Cookie", "c\(number)-\($0)=\(value); Path=/a") },
                body: []
            )
        }
        try await LoopbackServer.run(answer: answer) { server in
            try await CurlTransport.run { transport in
                for number in responses { _ = try await cookies(transport, server, .run, "/\(number)") }
                let result = await transport.send(HTTPRequest(url: server.url(path)).with { $0.cookies = .run })
                if let words {
                    #expect(result.failure?.message.contains(words) == true, "\(result)")
                    let other = [HTTPField(name: "Host", value: "other.example:1")]
                    try await expect("0", from: cookies(transport, server, .run, path, headers: other))
                } else {
                    let sent = try String(decoding: result.get().body, as: UTF8.self)
                    #expect(sent == "\(path.hasPrefix("/a") && path != "/ab" ? 50 * responses.count : 0)")
                }
            }
        }
    }

    @Test(arguments: [
        ("c=" + String(repeating: "v", count: 4090), true), ("c=" + String(repeating: "v", count: 4100), false),
        ("c=1; a=" + String(repeating: "v", count: 5000), false),
    ])
    func `a response with a cookie that libcurl ignores because of its size is a failure`(
        field: String,
        passes: Bool
    ) async throws {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
            let set = request.target == "/set" ? [("Set-Cookie", field)] : []
            return ServerResponse(headers: set, body: Array(request.values(named: "Cookie").joined().utf8))
        }
        try await LoopbackServer.run(answer: answer) { server in
            try await CurlTransport.run { transport in
                let result = await transport.send(HTTPRequest(url: server.url("/set")).with { $0.cookies = .run })
                #expect((result.response != nil) == passes, "\(result)")
                if passes { try await expect(field, from: cookies(transport, server, .run)) }
                let withoutJar = await transport.send(HTTPRequest(url: server.url("/set")))
                #expect(withoutJar.response != nil)
            }
        }
    }

    @Test(arguments: [(50, true), (51, false)])
    func `a response with more cookies than libcurl keeps is a failure`(count: Int, passes: Bool) async throws {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { _ in
            ServerResponse(headers: (0..<count).map { ("Set-Cookie", "c\($0)=1") }, body: [])
        }
        try await LoopbackServer.run(answer: answer) { server in
            try await CurlTransport.run { transport in
                for _ in 0..<2 {
                    let result = await transport.send(HTTPRequest(url: server.url()).with { $0.cookies = .run })
                    #expect((result.response != nil) == passes)
                }
                let withoutJar = await transport.send(HTTPRequest(url: server.url()))
                #expect(withoutJar.response != nil)
            }
        }
    }

    @Test func `cookies are kept in the run's jar, and only there`() async throws {
        try await LoopbackServer.run(answer: Self.answer) { server in
            try await CurlTransport.run { transport in
                try await expect("", from: cookies(transport, server, .run, "/?a=1"))
                try await expect("a=1", from: cookies(transport, server, .run))
                try await expect("", from: cookies(transport, server, .off))
                try await expect("", from: cookies(transport, server, .off, "/?b=2"))
                try await expect("a=1", from: cookies(transport, server, .run))
                try await expect("", from: cookies(transport, server, .jar("/nowhere/at-all")))
                try await expect("a=1", from: cookies(transport, server, .run, "/?a=;max-age=0"))
                try await expect("", from: cookies(transport, server, .run))
            }
            let later = try await CurlTransport.run { try await cookies($0, server, .run) }
            #expect(later == "")
        }
    }

    @Test(arguments: ["=__Host-c=v;Path=/", ";path=/;a=2", "=v;Secure=1;b=2", "%09=;x=", "=__Host-c=v"])
    func `a cookie without a name is ignored, and so are its attributes`(field: String) async throws {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
            let fields = request.target == "/set" ? [("Set-Cookie", field.replacing("%09", with: "\t"))] : []
            return ServerResponse(headers: fields, body: Array(request.values(named: "Cookie").joined().utf8))
        }
        try await LoopbackServer.run(answer: Self.answer) { other in
            try await LoopbackServer.run(answer: answer) { server in
                try await CurlTransport.run { transport in
                    _ = try await cookies(transport, other, .run, "/?a=1")
                    _ = try await cookies(transport, server, .run, "/set")
                    try await expect("a=1", from: cookies(transport, server, .run))
                }
            }
        }
    }

    @Test(
        arguments: [
            ("Expires=Thu, 01-Jan-70 00:00:01 GMT", false), ("expires=Mon, 01 Jan 1900 00:00:00 GMT", false),
            ("Expires=Thu, 01 Jan 1960 00:00:00 GMT", false), ("Expires=Thu, 01-Jan-99 00:00:01 GMT", false),
            ("Expires=Thu, 01-Jan-70 00:00:01 GMT; Max-Age=60", true), ("Expires=Thu, 01 Jan 2099 00:00:01 GMT", true),
        ]
    )
    func `a date in the last century deletes a cookie, however it is written`(attributes: String, keeps: Bool)
        async throws
    {
        let answer: @Sendable (ReceivedRequest) -> ServerResponse = { request in
            let fields = request.target == "/set" ? [("Set-Cookie", "sid=1; \(attributes)")] : []
            return ServerResponse(headers: fields, body: Array(request.values(named: "Cookie").joined().utf8))
        }
        try await LoopbackServer.run(answer: answer) { server in
            try await CurlTransport.run { transport in
                _ = try await cookies(transport, server, .run, "/set")
                try await expect(keeps ? "sid=1" : "", from: cookies(transport, server, .run))
            }
        }
    }

    @Test func `cookies set by hand are sent with those of the jar, in one field`() async throws {
        try await LoopbackServer.run(answer: Self.answer) { server in
            try await CurlTransport.run { transport in
                let byHand = [HTTPField(name: "cookie", value: "x=1"), HTTPField(name: "Cookie", value: "y=2")]
                try await expect("x=1; y=2", from: cookies(transport, server, .off, headers: byHand))
                _ = try await cookies(transport, server, .run, "/?a=1")
                try await expect("a=1; x=1; y=2", from: cookies(transport, server, .run, headers: byHand))
                try await expect("a=1", from: cookies(transport, server, .run))
            }
        }
    }

    @Test func `runs that use a jar at once add their changes to it, and keep those of each other`() async throws {
        let folder = TemporaryFolder()
        let path = folder.write(
            """
            # Netscape HTTP Cookie File
            127.0.0.1\tFALSE\t/\tFALSE\t0\tkept\t1
            127.0.0.1\tFALSE\t/\tFALSE\t0\tchanged\t1
            127.0.0.1\tFALSE\t/\tFALSE\t0\tremoved\t1

            """,
            to: "jar.txt"
        )
        let jar = TransferOptions.Cookies.jar(CodePoints(path))
        try await LoopbackServer.run(answer: Self.answer) { server in
            let cookiesOfRuns = ["removed=;max-age=0", "changed=2"] + (1...6).map { "new\($0)=1" }
            let runs = try cookiesOfRuns.map { _ in try CurlTransport() }
            // All load the jar before one changes it.
            for run in runs { #expect(try await cookies(run, server, jar).contains("removed=1")) }
            for (run, cookie) in zip(runs, cookiesOfRuns) { _ = try await cookies(run, server, jar, "/?\(cookie)") }
            await withTaskGroup(of: Void.self) { group in
                for run in runs { group.addTask { await run.shutDown() } }
            }
            for run in runs { #expect(run.cookieJarFailures.isEmpty) }
            let later = try await CurlTransport.run { try await cookies($0, server, jar) }
            let expected = ["changed=2", "kept=1"] + (1...6).map { "new\($0)=1" }
            #expect(later.split(separator: "; ").sorted().map(String.init) == expected)
        }
    }

    @Test func `a jar that was replaced by another file during the run is left alone`() async throws {
        let folder = TemporaryFolder()
        try await LoopbackServer.run(answer: Self.answer) { server in
            let transport = try CurlTransport()
            let path = "\(folder.path)/jar.txt"
            _ = try await cookies(transport, server, .jar(CodePoints(path)), "/?a=1")
            folder.write("notes\n", to: "jar.txt")
            await transport.shutDown()
            #expect(transport.cookieJarFailures.map { $0.hasPrefix("\(path) is not a cookie jar") } == [true])
            #expect(folder.read("jar.txt") == "notes\n")
        }
    }

    @Test func `a jar that another process keeps locked is reported after a limited time`() async throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/jar.txt"
        try await LoopbackServer.run(answer: Self.answer) { server in
            let transport = try CurlTransport()
            _ = try await cookies(transport, server, .jar(CodePoints(path)), "/?a=1")
            let lock = try FileLock(waitingFor: path)
            await transport.shutDown()
            withExtendedLifetime(lock) {}
            let reason = "another process holds the lock \(path).lock; run again when that process has ended"
            #expect(transport.cookieJarFailures == ["the cookie jar \(path) cannot be written: \(reason)"])
        }
    }

    @Test func `a jar's file is read, and written at the end, also over a link`() async throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/link.txt"
        #expect(symlink("jar.txt", path) == 0)
        folder.write(
            """
            # Netscape HTTP Cookie File
            #HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\told\t1
            127.0.0.1\tFALSE\t/\tFALSE\t1\tgone\t1
            a.example\tFALSE\t/\tTRUE\t0\tother\t1
            127.0.0.1\tFALSE\t/\tFALSE\t0\t\t__Host-c=v
            Set-Cookie: no=cookie
            neither is this

            """,
            to: "jar.txt"
        )
        try await LoopbackServer.run(answer: Self.answer) { server in
            for (sent, next) in [("old=1", "/?new=2;max-age=3600"), ("new=2; old=1", "/?old=;max-age=0")] {
                let transport = try CurlTransport()
                let got = try await cookies(transport, server, .jar(CodePoints(path)), next)
                #expect(got.split(separator: "; ").sorted().joined(separator: "; ") == sent)
                await transport.shutDown()
                #expect(transport.cookieJarFailures.isEmpty)
            }
            let text = try #require(folder.read("jar.txt"))
            #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
            #expect(text.contains("\tnew\t2\n") && text.contains("\tother\t1\n"))
            for word in ["old\t", "gone", "Set-Cookie", "neither"] { #expect(!text.contains(word), "\(text)") }
            #expect(
                folder.names() == ["jar.txt", "jar.txt.lock", "link.txt"] && folder.link(at: "link.txt") == "jar.txt"
            )
        }
    }

    @Test func `a file that is not a cookie jar is not replaced by one`() async throws {
        let folder = TemporaryFolder()
        let path = folder.write("a\tb\n{\"type\": \"run.started\"}\n", to: "events.ndjson")
        try await LoopbackServer.run(answer: Self.answer) { server in
            let transport = try CurlTransport()
            let request = HTTPRequest(url: server.url()).with { $0.cookies = .jar(CodePoints(path)) }
            let failure = try #require(await transport.send(request).failure)
            #expect(failure.kind == .transfer)
            #expect(failure.message.hasPrefix("\(path) is not a cookie jar"))
            #expect(server.requests.isEmpty)
            await transport.shutDown()
            #expect(folder.read("events.ndjson") == "a\tb\n{\"type\": \"run.started\"}\n")
        }
    }

    @Test func `a jar that cannot be read is a failure, and one that cannot be written is reported`() async throws {
        let folder = TemporaryFolder()
        try await LoopbackServer.run(answer: Self.answer) { server in
            let transport = try CurlTransport()
            let request = HTTPRequest(url: server.url()).with { $0.cookies = .jar(CodePoints(folder.path)) }
            let failure = try #require(await transport.send(request).failure)
            #expect(failure.kind == .transfer)
            #expect(failure.message == "the cookie jar \(folder.path) cannot be read: it is a folder")
            #expect(server.requests.isEmpty)
            _ = try await cookies(transport, server, .jar("/nowhere/jar.txt"))
            await transport.shutDown()
            #expect(
                transport.cookieJarFailures == [
                    "the cookie jar /nowhere/jar.txt cannot be written: No such file or directory"
                ]
            )
        }
    }
}
