import Testing
import WaybillFormats
import WaybillRuntime

@testable import WaybillTransport

/// The cases of RFC 9111, ordered by its sections, and of RFC 5861 and the Fetch standard.
struct CacheRuleTests {
    private typealias Fixture = CacheFixture

    // MARK: - Section 3: storing

    @Test(arguments: [
        (200, "", true), (203, "", true), (204, "", true), (301, "", true), (404, "", true), (410, "", true),
        (302, "", false), (302, "Cache-Control: max-age=1", true), (302, "Expires: 0", true),
        (403, "", false), (403, "Cache-Control: public", true), (403, "Cache-Control: private", true),
        (500, "", false), (500, "Cache-Control: max-age=60", true),
        (206, "Cache-Control: max-age=60", false), (304, "Cache-Control: max-age=60", false),
        (200, "Cache-Control: no-store", false), (200, "cache-control: max-age=60, NO-STORE", false),
        (200, "Cache-Control: no-cache", true), (200, "Cache-Control: private", true),
        (200, "Cache-Control: max-age=60\nVary: *", false), (200, "Vary: Accept, *", false),
        (200, "Cache-Control: max-age=60\nSet-Cookie: a=1", false),
        // 5.2.2.3
        (200, "Cache-Control: no-store, must-understand", true),
        (206, "Cache-Control: no-store, must-understand", false),
        (418, "Cache-Control: max-age=60, must-understand", false),
    ]) func `a response is stored if section 3 allows it`(status: Int, lines: String, isStored: Bool) {
        #expect((Fixture.stored(Fixture.response(status, lines)) != nil) == isStored)
    }

    @Test(arguments: [
        "Authorization: Basic QTpC", "Cookie: a=1", "Range: bytes=0-1", "If-None-Match: \"a\"", "If-Modified-Since: x",
        "Cache-Control: no-store",
    ]) func `a request with credentials, conditions or a range does not use the cache`(lines: String) {
        #expect(!CacheRules.mayUseCache(Fixture.request(.default, lines)))
        #expect(!CacheRules.mayUseCache(Fixture.request(.forceCache, lines)))
    }

    @Test func `a response is used only for the value of Host that its request had`() {
        let keys = ["", "Host: a.test", "Host: b.test"].map { CacheKey(Fixture.request(.default, $0)) }
        #expect(Set(keys).count == 3)
    }

    @Test(arguments: [("http", 3), ("https", 1)])
    func `a response over http is used only for the proxy that it came through`(scheme: String, count: Int) {
        let keys = [TransferOptions.Proxy.none, .url("http://a.test:1"), .url("http://b.test:1")].map { proxy in
            CacheKey(HTTPRequest(url: "\(scheme)://api.test/").with { $0.proxy = proxy })
        }
        #expect(Set(keys).count == count)
    }

    @Test func `a request with a secret, a body or another method does not use the cache`() {
        #expect(CacheRules.mayUseCache(Fixture.request()))
        #expect(CacheRules.mayUseCache(Fixture.request(method: "HEAD")))
        #expect(!CacheRules.mayUseCache(Fixture.request(.noStore)))
        #expect(!CacheRules.mayUseCache(Fixture.request(method: "POST")))
        var secret = Fixture.request()
        secret.headers = [HTTPField(name: "X-Key", value: "k", isSensitive: true)]
        var body = Fixture.request()
        body.body = .bytes([1])
        var digest = Fixture.request()
        digest.options.credentials = .digest(username: "u", password: "p")
        var certificate = Fixture.request()
        certificate.options.tls.clientCertificate = "client.pem"
        for request in [secret, body, digest, certificate] { #expect(!CacheRules.mayUseCache(request)) }
    }

    @Test func `the reason why a request does not use the cache is known`() {
        #expect(CacheRules.obstacle(to: Fixture.request()) == nil)
        #expect(CacheRules.obstacle(to: Fixture.request(method: "POST")) == .kind)
        #expect(CacheRules.obstacle(to: Fixture.request(.default, "Range: bytes=0-1")) == .kind)
        #expect(CacheRules.obstacle(to: Fixture.request(.default, "Authorization: Basic QTpC")) == .credentials)
        var secret = Fixture.request()
        secret.options.isResponseSecret = true
        #expect(CacheRules.obstacle(to: secret) == .secret)
        let message = TransportFailure.notCached(secret, because: .credentials).message
        #expect(message.hasPrefix("a request with credentials does not use the cache, and 'only-if-cached'"))
    }

    @Test func `fields of the connection are not stored (3.1)`() {
        let lines = "Connection: X-Hop, close\nX-Hop: 1\nKeep-Alive: 5\nTransfer-Encoding: chunked\nX-Kept: 2"
        #expect(Fixture.stored(Fixture.response(200, lines))?.headers.map(\.name) == ["X-Kept"])
    }

    @Test func `a confirmation replaces fields, but not those about the content (3.2)`() throws {
        let lines = "Content-Type: text/plain\nContent-Length: 6\nX-A: 1\nX-A: 2\nX-B: 1\nAge: 7"
        let entry = try #require(Fixture.stored(Fixture.response(200, lines)))
        let newer = Fixture.fields("Content-Type: text/html\nContent-Length: 0\nX-A: 3\nX-C: 4")
        let updated = entry.updated(by: HTTPFields(newer), requestedAt: Fixture.time(8), receivedAt: Fixture.time(9))
        let expected = "Content-Type: text/plain\nContent-Length: 6\nX-B: 1\nX-A: 3\nX-C: 4"
        #expect(updated.headers.list == Fixture.fields(expected))
        #expect(updated.receivedAt == Fixture.time(9))
    }

    // MARK: - Section 4: using

    @Test func `a response from the cache has its age and its cache use`() throws {
        let entry = try #require(Fixture.stored(Fixture.response(200, "Cache-Control: max-age=60\nAge: 5")))
        let response = entry.response(to: Fixture.request(), use: .hit, now: Fixture.time(10))
        #expect(response.headers.values(named: "Age") == ["15"])
        #expect(response.body == Array("stored".utf8))
        #expect(response.cacheUse == .hit)
        #expect(entry.response(to: Fixture.request(method: "HEAD"), use: .hit, now: Fixture.time(10)).body.isEmpty)
    }

    @Test(arguments: [
        ("Accept: a", "Accept: a", true), ("Accept: a", "Accept: b", false), ("Accept: a", "", false),
        ("", "", true), ("", "Accept: a", false), ("Accept: a, b", "accept: a,b", true),
        ("Accept: a\nAccept: b", "Accept: a,  b", true), ("Accept: a\nX: 1", "Accept: a\nX: 2", true),
    ]) func `a response is selected by the fields of Vary (4.1)`(first: String, second: String, isUsed: Bool) throws {
        let response = Fixture.response(200, "Cache-Control: max-age=60\nVary: ACCEPT")
        let entry = try #require(Fixture.stored(response, to: Fixture.request(.default, first)))
        let verdict = CacheRules.verdict(on: entry, for: Fixture.request(.default, second), now: Fixture.time(1))
        #expect(verdict == (isUsed ? .use : .ignore))
    }

    @Test func `a body is not used if its coding was not accepted or if it is too large`() throws {
        let entry = try #require(Fixture.stored(Fixture.response(200, "Cache-Control: max-age=60")))
        var request = Fixture.request()
        request.acceptsCompression = false
        #expect(CacheRules.verdict(on: entry, for: request, now: Fixture.time(1)) == .ignore)
        request = Fixture.request()
        request.maximumBodyBytes = 5
        #expect(CacheRules.verdict(on: entry, for: request, now: Fixture.time(1)) == .ignore)
    }

    @Test func `a response that varies by cookies of the jar, which the cache does not see, is not stored`() {
        let response = Fixture.response(200, "Cache-Control: max-age=60\nVary: Cookie")
        #expect(Fixture.stored(response) != nil)
        var request = Fixture.request()
        request.options.cookies = .run
        #expect(Fixture.stored(response, to: request) == nil)
    }

    @Test(arguments: [
        ("Cache-Control: max-age=60", 60), ("Cache-Control: max-age=\"60\"", 60),
        ("Cache-Control: max-age=60, max-age=30", 30), ("Cache-Control: max-age=60\nCache-Control: max-age=30", 30),
        ("Cache-Control: max-age=1x", 0), ("Cache-Control: max-age", 0), ("Cache-Control: max-age=-1", 0),
        ("Cache-Control: max-age=99999999999999999999", 1 << 31), ("Cache-Control: s-maxage=60", 0),
        ("Cache-Control: x=\", max-age=1\", max-age=60", 60),
        ("Expires: Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Expires: Sunday, 06-Nov-94 08:50:37 GMT", 60),
        ("Expires: Sun Nov  6 08:50:37 1994", 60),
        // RFC 9110, 5.6.7: a missing comma, two blanks, one digit, no such day, another weekday, another case.
        ("Expires: Sun 06 Nov 1994 08:50:37 GMT", 0), ("Expires: Sun,  06 Nov 1994 08:50:37 GMT", 0),
        ("Expires: Sun, 06 Nov 1994 8:50:37 GMT", 0), ("Expires: Fri, 31 Feb 2040 08:50:37 GMT", 0),
        ("Expires: Mon, 06 Nov 1994 08:50:37 GMT", 0), ("Expires: Sun, 06 NOV 1994 08:50:37 GMT", 0),
        ("Expires: Sun Nov 06 08:50:37 1994", 0), ("Expires: Sun, 06-Nov-94 08:50:37 GMT", 0),
        ("Expires: 0", 0), ("Expires: Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("Expires: Sun, 06 Nov 1994 08:50:37 GMT\nExpires: 0", 0),
        ("Cache-Control: max-age=5\nExpires: Sun, 06 Nov 1994 08:50:37 GMT", 5),
        // 4.2.2: a tenth of the time since the last change, and a week at most.
        ("Last-Modified: Sun, 06 Nov 1994 08:47:57 GMT", 10), ("Last-Modified: Wed, 06 Nov 1974 08:47:57 GMT", 604_800),
        ("Last-Modified: Sun, 06 Nov 1994 09:47:57 GMT", 0), ("Last-Modified: yesterday", 0), ("", 0),
    ]) func `the freshness lifetime follows from the response's fields (4.2.1, 4.2.2)`(lines: String, lifetime: Int)
        throws
    {
        let entry = try #require(Fixture.stored(Fixture.response(200, "Date: \(Fixture.date)\n\(lines)")))
        #expect(CacheFreshness(entry, now: Fixture.time(0)).lifetime == lifetime)
    }

    @Test(arguments: [
        // Sent, received, now, and the age then.
        ("", 0, 0, 10, 10), ("Age: 5", 0, 0, 10, 15), ("Age: 5, 7", 0, 0, 10, 15), ("Age: x", 0, 0, 10, 10),
        ("Age: -5", 0, 0, 10, 10), ("", 0, 4, 10, 10), ("Age: 5", 0, 4, 10, 15),
        ("Date: \(CacheFixture.date)", 100, 100, 110, 110),
        ("Date: \(CacheFixture.date)\nAge: 200", 100, 102, 110, 210),
        ("Date: Sun, 06 Nov 1994 10:49:37 GMT", 0, 0, 10, 10), ("", 5, 6, 3, 1 << 31),
    ]) func `the age follows from the times and the Age field (4.2.3)`(
        lines: String,
        sent: Int,
        received: Int,
        now: Int,
        age: Int
    ) throws {
        var entry = try #require(Fixture.stored(Fixture.response(200, lines)))
        (entry.requestedAt, entry.receivedAt) = (Fixture.time(sent), Fixture.time(received))
        #expect(CacheFreshness(entry, now: Fixture.time(now)).age == age)
    }

    // MARK: - Section 5.2: directives, and the modes of the Fetch standard

    @Test(arguments: [
        // Mode, the request's fields, the response's directives, the age, and the verdict.
        ("default", "", "max-age=60", 59, CacheRules.Verdict.use), ("default", "", "max-age=60", 60, .validate),
        ("default", "", "max-age=60, must-revalidate", 59, .use), ("default", "", "max-age=60, no-cache", 1, .validate),
        ("default", "", "max-age=60, no-cache=\"X-A\"", 1, .validate), ("default", "", "max-age=0", 0, .validate),
        ("default", "Cache-Control: max-age=10", "max-age=60", 10, .use),
        ("default", "Cache-Control: max-age=10", "max-age=60", 11, .validate),
        ("default", "Cache-Control: max-stale", "max-age=60", 1000, .use),
        ("default", "Cache-Control: max-stale=5", "max-age=60", 65, .use),
        ("default", "Cache-Control: max-stale=5", "max-age=60", 66, .validate),
        ("default", "Cache-Control: max-stale=5", "max-age=60, must-revalidate", 65, .validate),
        ("default", "Cache-Control: max-stale=x", "max-age=60", 65, .validate),
        ("default", "Cache-Control: min-fresh=5", "max-age=60", 55, .use),
        ("default", "Cache-Control: min-fresh=5", "max-age=60", 56, .validate),
        ("default", "Cache-Control: min-fresh=x", "max-age=60", 0, .validate),
        ("default", "Cache-Control: no-cache", "max-age=60", 0, .validate),
        ("default", "Pragma: no-cache", "max-age=60", 0, .validate),
        ("default", "Pragma: no-cache\nCache-Control: max-age=60", "max-age=60", 0, .use),
        ("no-cache", "", "max-age=60", 0, .validate), ("reload", "", "max-age=60", 0, .ignore),
        ("force-cache", "", "max-age=60", 1000, .use), ("only-if-cached", "", "max-age=60, no-cache", 1000, .use),
    ]) func `a stored response is used, validated or ignored`(
        mode: String,
        lines: String,
        directives: String,
        age: Int,
        verdict: CacheRules.Verdict
    ) throws {
        let entry = try #require(Fixture.stored(Fixture.response(200, "Cache-Control: \(directives)")))
        let request = Fixture.request(try #require(.init(rawValue: mode)), lines)
        #expect(CacheRules.verdict(on: entry, for: request, now: Fixture.time(age)) == verdict)
    }

    @Test func `another address to connect to or an unverified server has its own entries`() throws {
        let entry = try #require(Fixture.stored(Fixture.response(200, "Cache-Control: max-age=60")))
        var mock = Fixture.request()
        mock.connectTo = SocketEndpoint(host: "127.0.0.1", port: 8080)
        var unverified = Fixture.request()
        unverified.options.tls.verifiesPeer = false
        var resolved = Fixture.request()
        resolved.options.resolve = [
            SocketEndpoint(host: "api.example", port: 80): SocketEndpoint(host: "127.0.0.1", port: 80)
        ]
        for request in [mock, unverified, resolved, Fixture.request(url: "\(Fixture.url)?a")] {
            #expect(CacheRules.verdict(on: entry, for: request, now: Fixture.time(1)) == .ignore)
        }
        let fragment = Fixture.request(url: "\(Fixture.url)#part")
        #expect(CacheRules.verdict(on: entry, for: fragment, now: Fixture.time(1)) == .use)
    }

    // MARK: - Section 4.4: invalidation

    @Test(arguments: [
        ("POST", 201, "", [CacheFixture.url]), ("DELETE", 204, "", [CacheFixture.url]),
        ("PURGE", 302, "", [CacheFixture.url]), ("POST", 400, "", []), ("PUT", 500, "", []),
        ("GET", 200, "", []), ("OPTIONS", 200, "", []),
        ("POST", 201, "Location: items/7", [CacheFixture.url, "http://api.example/items/7"]),
        ("PUT", 200, "Content-Location: /a", [CacheFixture.url, "http://api.example/a"]),
        ("PUT", 200, "Location: https://api.example/a", [CacheFixture.url]),
        ("PUT", 200, "Location: http://other.example/a", [CacheFixture.url]),
    ]) func `unsafe methods invalidate stored responses`(method: String, status: Int, lines: String, urls: [String]) {
        let request = Fixture.request(.noStore, method: method)
        let keys = CacheRules.invalidated(by: Fixture.response(status, lines), to: request)
        #expect(keys.map(\.url) == urls)
    }
}
