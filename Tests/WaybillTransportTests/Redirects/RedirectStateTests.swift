import Testing
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct RedirectStateTests {
    static let first = "https://a.example/b/c?d#e"

    static func answer(_ status: Int, _ location: String?) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: HTTPFields(location.map { [HTTPField(name: "location", value: $0)] } ?? []),
            url: first
        )
    }

    static func follow(
        _ status: Int = 302,
        _ location: String?,
        from request: HTTPRequest = HTTPRequest(url: first)
    ) -> HTTPRequest? {
        var state = RedirectState(request, limit: 1)
        guard case .follow(let next, _) = state.next(after: answer(status, location)) else { return nil }
        return next
    }

    @Test(arguments: [
        (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "HEAD", "HEAD"),
        (302, "GET", "GET"), (302, "POST", "GET"), (302, "DELETE", "DELETE"), (302, "HEAD", "HEAD"),
        (303, "GET", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
        (307, "POST", "POST"), (307, "PUT", "PUT"), (308, "POST", "POST"), (308, "HEAD", "HEAD"),
    ])
    func `the next method depends on the status`(status: Int, method: String, expected: String) throws {
        let request = HTTPRequest(
            method: method,
            url: Self.first,
            headers: [
                HTTPField(name: "content-type", value: "a/b"), HTTPField(name: "Digest", value: "c"),
                HTTPField(name: "Accept", value: "*/*"),
            ],
            body: method == "HEAD" ? .none : .bytes([1])
        )
        let next = try #require(Self.follow(status, "/x", from: request))
        #expect(next.method == expected)
        let keeps = expected == method
        #expect(next.body == (keeps ? request.body : .none))
        #expect(next.headers == (keeps ? request.headers : [HTTPField(name: "Accept", value: "*/*")]))
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 400])
    func `other statuses are not redirects`(status: Int) {
        var state = RedirectState(HTTPRequest(url: Self.first), limit: 1)
        #expect(state.next(after: Self.answer(status, "/x")) == .finish)
    }

    @Test(arguments: ["pins", "minVersion", "ca", nil])
    func `what tls demands is not given up by a redirect to http`(key: String?) {
        var request = HTTPRequest(url: "https://a.example/")
        switch key {
        case "pins": request.options.tls.pins = [.publicKey(sha256: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
        case "minVersion": request.options.tls.minimumVersion = .v1_2
        case "ca": request.options.tls.certificateAuthorities = "ca.pem"
        default: request.options.tls.verifiesHost = false
        }
        for (location, isFollowed) in [("http://a.example/", key == nil), ("https://b.example/", true)] {
            #expect((Self.follow(302, location, from: request) != nil) == isFollowed, "\(location)")
        }
    }

    @Test func `two different locations are a failure, and the same one twice is not`() {
        for (second, isFollowed) in [("/x", true), ("/y", false), ("https://b.example/", false)] {
            let fields = ["/x", second].map { HTTPField(name: "Location", value: $0) }
            var state = RedirectState(HTTPRequest(url: Self.first), limit: 1)
            switch state.next(after: HTTPResponse(status: 302, headers: HTTPFields(fields), url: Self.first)) {
            case .follow: #expect(isFollowed)
            case .fail(let failure):
                #expect(failure.kind == .transfer)
                #expect(failure.message == "a.example:443 redirects to two different URLs, '/x' and '\(second)'")
                #expect(!isFollowed)
            case .finish: Issue.record("the redirect is not followed")
            }
        }
    }

    @Test(arguments: [nil, ""])
    func `without a location there is nothing to follow`(location: String?) {
        var state = RedirectState(HTTPRequest(url: Self.first), limit: 1)
        #expect(state.next(after: Self.answer(302, location)) == .finish)
    }

    @Test(arguments: [
        ("/x", "https://a.example/x#e"), ("x", "https://a.example/b/x#e"), ("../x", "https://a.example/x#e"),
        ("?y", "https://a.example/b/c?y#e"), ("#f", "https://a.example/b/c?d#f"), ("x#f", "https://a.example/b/x#f"),
        ("//b.example", "https://b.example#e"), ("//b.example:8443/x", "https://b.example:8443/x#e"),
        ("http://a.example/x", "http://a.example/x#e"), ("HTTPS://A.example/x", "HTTPS://A.example/x#e"),
        ("/ä x|<y>", "https://a.example/%C3%A4%20x%7C%3Cy%3E#e"), ("/%41%zz", "https://a.example/%41%zz#e"),
    ])
    func `the location is resolved`(location: String, expected: String) {
        #expect(Self.follow(302, location)?.url == expected)
    }

    @Test(arguments: [
        ("file:///etc/passwd", 1, "neither http nor https"), ("ftp://a.example/", 1, "neither http nor https"),
        ("javascript:alert(1)", 3, "not an absolute"), ("http:///x", 3, "not an absolute"),
        ("https://user:secret@a.example/", 3, "put credentials in 'auth'"),
        ("https://a.example:99999/", 3, "absolute"),
    ])
    func `a location that must not be requested is refused`(location: String, code: Int32, words: String) throws {
        var state = RedirectState(HTTPRequest(url: Self.first), limit: 1)
        guard case .fail(let failure) = state.next(after: Self.answer(302, location)) else {
            Issue.record("it is not refused")
            return
        }
        #expect(failure.kind == .transfer)
        #expect(failure.code == code)
        #expect(failure.message.hasPrefix("a.example:443 redirects to a URL that must not be requested: "))
        #expect(failure.message.contains(words) && !failure.message.contains("secret"))
        #expect(failure.wasSent)
    }

    @Test(arguments: [
        ("https://a.example:443/x", true), ("https://A.EXAMPLE/x", true), ("/x", true),
        ("http://a.example/x", false), ("https://a.example:444/x", false), ("https://b.example/x", false),
        ("https://sub.a.example/x", false),
    ])
    func `credentials are sent only to their origin`(location: String, stays: Bool) throws {
        let plain = [HTTPField(name: "Accept", value: "*/*"), HTTPField(name: "if-none-match", value: "x")]
        let private_ = ["authorization", "Cookie", "Proxy-Authorization", "host", "X-Api-Key", "Referer", "X-A"].map {
            HTTPField(name: $0, value: "s")
        }
        let secret = [HTTPField(name: "Accept-Language", value: "s", isSensitive: true)]
        var request = HTTPRequest(url: Self.first, headers: plain + private_ + secret)
        request.connectTo = SocketEndpoint(host: "127.0.0.1", port: 1)
        request.options.unixSocket = "/socket"
        request.options.credentials = .digest(username: "u", password: "p")
        request.options.tls.clientCertificate = "client.pem"
        request.options.tls.clientKey = "client.key"
        request.options.tls.verifiesHost = false
        request.options.cookies = .run
        var state = RedirectState(request, limit: 1)
        guard case .follow(let next, let redirect) = state.next(after: Self.answer(307, location)) else {
            Issue.record("it is not followed")
            return
        }
        #expect(redirect.leavesOrigin == !stays)
        var expected = request
        expected.url = next.url
        if !stays {
            expected.headers = plain
            if next.url.contains("//a.example") { expected.options.cookies = .separate(try Origin(ofURL: next.url)) }
            expected.connectTo = nil
            expected.options.unixSocket = nil
            expected.options.credentials = .none
            expected.options.tls.clientCertificate = nil
            expected.options.tls.clientKey = nil
        }
        #expect(next == expected)
    }

    @Test func `credentials that were dropped are not sent again`() {
        var state = RedirectState(
            HTTPRequest(url: Self.first, headers: [HTTPField(name: "Authorization", value: "s")]),
            limit: 5
        )
        _ = state.next(after: Self.answer(302, "https://b.example/"))
        guard case .follow(let next, let redirect) = state.next(after: Self.answer(302, Self.first)) else {
            Issue.record("it is not followed")
            return
        }
        #expect(next.headers.isEmpty)
        #expect(redirect.from == "https://b.example/#e")
    }

    @Test(arguments: [(0, "more than 0 times"), (1, "more than once"), (10, "more than 10 times")])
    func `the number of redirects is limited`(limit: Int, words: String) {
        var state = RedirectState(HTTPRequest(url: Self.first), limit: limit)
        for _ in 0..<limit {
            guard case .follow = state.next(after: Self.answer(302, "/x")) else {
                Issue.record("it is not followed")
                return
            }
        }
        guard case .fail(let failure) = state.next(after: Self.answer(302, "/x")) else {
            Issue.record("it has no limit")
            return
        }
        #expect(failure.code == 47)
        #expect(failure.message == "the request was redirected " + words)
    }
}
