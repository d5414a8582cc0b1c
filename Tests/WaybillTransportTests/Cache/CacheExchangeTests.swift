import Testing
import WaybillFormats
import WaybillRuntime

@testable import WaybillTransport

/// What the cache does before and after a request: validation (RFC 9111, section 4.3) and stale responses (RFC 5861).
struct CacheExchangeTests {
    private typealias Fixture = CacheFixture

    private static let validators =
        "ETag: \"a\"\nLast-Modified: Sat, 05 Nov 1994 08:49:37 GMT\nCache-Control: max-age=60"

    /// The exchange, and the fields that it adds to a request. Throws if it sends nothing.
    private func sent(
        _ request: HTTPRequest,
        with entry: CacheEntry?,
        at seconds: Int = 100
    ) throws -> (CacheExchange, [HTTPField]) {
        var exchange = CacheExchange(request)
        let start = exchange.start(with: entry, now: Fixture.time(seconds))
        guard case .send(let sending) = start else { throw Unexpected(what: "\(start)") }
        return (exchange, Array(sending.headers.dropFirst(request.headers.count)))
    }

    private struct Unexpected: Error { let what: String }

    private func entry(_ lines: String = validators) throws -> CacheEntry {
        try #require(Fixture.stored(Fixture.response(200, lines)))
    }

    @Test func `a fresh response is used, and nothing is sent`() throws {
        var exchange = CacheExchange(Fixture.request())
        let start = exchange.start(with: try entry(), now: Fixture.time(59))
        guard case .finish(.success(let response), _) = start else { throw Unexpected(what: "\(start)") }
        #expect(response.cacheUse == .hit)
        #expect(response.body == Array("stored".utf8))
    }

    @Test func `a stale response is validated with its validators (4.3.1)`() throws {
        let (_, added) = try sent(Fixture.request(), with: entry())
        let expected = "If-None-Match: \"a\"\nIf-Modified-Since: Sat, 05 Nov 1994 08:49:37 GMT"
        #expect(added == Fixture.fields(expected))
        #expect(try sent(Fixture.request(), with: entry("Cache-Control: max-age=60")).1.isEmpty)
        #expect(try sent(Fixture.request(method: "HEAD"), with: entry()).1.isEmpty)
    }

    @Test func `reload and no-cache also apply to the caches on the way`() throws {
        #expect(try sent(Fixture.request(.reload), with: nil).1 == Fixture.fields("Cache-Control: no-cache"))
        #expect(try sent(Fixture.request(.noCache), with: nil).1 == Fixture.fields("Cache-Control: max-age=0"))
        #expect(try sent(Fixture.request(.noCache, "Cache-Control: x"), with: nil).1.isEmpty)
    }

    @Test(arguments: [CacheMode.onlyIfCached, .default])
    func `without a stored response, only-if-cached fails`(mode: CacheMode) {
        let lines = mode == .default ? "Cache-Control: only-if-cached" : ""
        var exchange = CacheExchange(Fixture.request(mode, lines))
        let start = exchange.start(with: nil, now: Fixture.time(0))
        #expect(start == .finish(.failure(.notCached(Fixture.request())), .none))
    }

    @Test(arguments: [
        "", "ETag: \"a\"", "ETag: W/\"a\"", "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT",
    ]) func `status 304 confirms the stored response (4.3.4)`(lines: String) throws {
        var (exchange, _) = try sent(Fixture.request(), with: entry())
        let confirmation = Fixture.response(304, "Cache-Control: max-age=90\n\(lines)", body: "")
        let next = exchange.next(after: .success(confirmation), now: Fixture.time(101))
        guard case .finish(.success(let response), .store(let stored)) = next else { throw Unexpected(what: "\(next)") }
        #expect(response.status == 200)
        #expect(response.cacheUse == .revalidated)
        #expect(response.body == Array("stored".utf8))
        #expect(CacheRules.verdict(on: stored, for: Fixture.request(), now: Fixture.time(180)) == .use)
    }

    @Test(arguments: ["ETag: \"b\"", "Last-Modified: Sat, 05 Nov 1994 08:49:38 GMT"])
    func `after status 304 for another response, the request is sent again without conditions`(lines: String) throws {
        var (exchange, _) = try sent(Fixture.request(), with: entry())
        let next = exchange.next(after: .success(Fixture.response(304, lines)), now: Fixture.time(101))
        #expect(next == .send(Fixture.request()))
        let full = Fixture.response(200, "ETag: \"b\"", body: "new")
        let last = exchange.next(after: .success(full), now: Fixture.time(102))
        guard case .finish(.success(let response), .store(let stored)) = last else { throw Unexpected(what: "\(last)") }
        #expect(response.cacheUse == .miss)
        #expect(stored.body == Array("new".utf8))
    }

    @Test func `a confirmation with no-store or a cookie removes the stored response`() throws {
        for line in ["Cache-Control: no-store", "Set-Cookie: a=1"] {
            var (exchange, _) = try sent(Fixture.request(), with: entry())
            let next = exchange.next(after: .success(Fixture.response(304, line)), now: Fixture.time(101))
            guard case .finish(.success, .remove(let keys)) = next else { throw Unexpected(what: "\(next)") }
            #expect(keys == [CacheKey(Fixture.request())])
        }
    }

    @Test(arguments: [(200, true), (303, true), (404, true), (410, true), (403, false), (500, false)])
    func `a newer response that is not stored removes the older one`(status: Int, isRemoved: Bool) throws {
        var (exchange, _) = try sent(Fixture.request(), with: entry())
        let response = Fixture.response(status, "Cache-Control: no-store")
        let next = exchange.next(after: .success(response), now: Fixture.time(101))
        guard case .finish(_, let change) = next else { throw Unexpected(what: "\(next)") }
        #expect(change == (isRemoved ? .remove([CacheKey(Fixture.request())]) : .none))
    }

    @Test(arguments: [
        ("ETag: \"a\"", true), ("Content-Length: 6", true), ("", true), ("ETag: \"b\"", false),
        ("Content-Length: 7", false), ("Last-Modified: Sat, 05 Nov 1994 08:49:38 GMT", false),
    ]) func `a response to HEAD refreshes or removes the stored response (4.3.5)`(lines: String, isKept: Bool) throws {
        let stored = try entry("\(Self.validators)\nContent-Length: 6")
        var (exchange, _) = try sent(Fixture.request(method: "HEAD"), with: stored)
        let head = Fixture.response(200, "\(lines)\nX-New: 1", body: "")
        let next = exchange.next(after: .success(head), now: Fixture.time(101))
        guard case .finish(.success(let response), let change) = next else { throw Unexpected(what: "\(next)") }
        #expect(response.body.isEmpty)
        switch change {
        case .store(let entry):
            #expect(isKept && entry.body == Array("stored".utf8) && entry.headers.first(named: "X-New") == "1")
        case .remove: #expect(!isKept)
        case .none: Issue.record("nothing changes")
        }
    }

    private static let failure = TransportFailure(kind: .connect, code: 7, message: "refused")

    @Test(arguments: [
        // The directives, the request's fields, the time, and whether the stale response is used.
        ("max-age=60, stale-if-error=50", "", 110, true), ("max-age=60, stale-if-error=50", "", 111, false),
        ("max-age=60", "", 61, false), ("max-age=60", "Cache-Control: stale-if-error=50", 110, true),
        ("max-age=60, stale-if-error=50, must-revalidate", "", 61, false),
        ("max-age=60, stale-if-error=50, no-cache", "", 61, false),
    ]) func `a stale response is used if the server fails (RFC 5861)`(
        directives: String,
        lines: String,
        seconds: Int,
        isUsed: Bool
    ) throws {
        let results: [Result<HTTPResponse, TransportFailure>] = [
            .failure(Self.failure), .success(Fixture.response(503)), .success(Fixture.response(500)),
        ]
        for result in results {
            let stored = try entry("Cache-Control: \(directives)")
            var (exchange, _) = try sent(Fixture.request(.default, lines), with: stored, at: seconds)
            let next = exchange.next(after: result, now: Fixture.time(seconds))
            guard case .finish(let last, let change) = next else { throw Unexpected(what: "\(next)") }
            #expect(((try? last.get())?.cacheUse == .hit) == isUsed)
            #expect(change == .none)
        }
    }

    @Test func `a cancelled or untrusted request fails, even with a stale response`() throws {
        for kind in [TransportFailure.Kind.cancelled, .tls] {
            let stored = try entry("Cache-Control: max-age=60, stale-if-error=50")
            var (exchange, _) = try sent(Fixture.request(), with: stored)
            let failure = TransportFailure(kind: kind, code: 42, message: "not sent")
            let next = exchange.next(after: .failure(failure), now: Fixture.time(100))
            #expect(next == .finish(.failure(failure), .none))
        }
    }
}
