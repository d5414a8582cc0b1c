import Testing
import WaybillDiagnostics
import WaybillFormats
import WaybillResults
import WaybillTransport

@testable import WaybillExecution
@testable import WaybillManifest

@Suite(.timeLimit(.minutes(5))) struct RetryStateTests {
    private func policy(times: Int = 3, isUnsafe: Bool = false, jitter: Bool = false) -> RetryPolicy {
        var backoff = RetryPolicy.Backoff()
        backoff.jitter = jitter
        backoff.max = .seconds(1)
        return RetryPolicy(times: times, causes: RetryPolicy.defaultCauses, backoff: backoff, isUnsafe: isUnsafe)
    }

    private func failed(
        _ kind: FailureKind = .timeout,
        status: Int? = nil,
        wasSent: Bool = true,
        retryAfter: Duration? = nil
    ) -> RetryState.Failed {
        RetryState.Failed(kind: kind, status: status, wasSent: wasSent, retryAfter: retryAfter)
    }

    @Test func `waits grow by the factor up to the maximum, and retries stop after the given number`() {
        var state = RetryState(policy(times: 4), isIdempotent: true)
        let pauses = (0..<5).map { _ in state.pause(after: failed(), chance: 0) }
        #expect(pauses == [.milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1), nil])
    }

    @Test(arguments: [(0.0, 100), (0.5, 150), (0.999_999, 200)])
    func `jitter shortens a wait by up to half`(chance: Double, milliseconds: Int) throws {
        var state = RetryState(policy(jitter: true), isIdempotent: true)
        let found = state.pause(after: failed(), chance: chance)
        let pause = try #require(found)
        #expect(abs(pause / .milliseconds(1) - Double(milliseconds)) < 0.01)
    }

    @Test func `a Retry-After is obeyed, or retries stop if it exceeds the maximum wait`() {
        var state = RetryState(policy(), isIdempotent: true)
        let near = failed(.status, status: 503, retryAfter: .milliseconds(900))
        #expect(state.pause(after: near, chance: 0) == .milliseconds(900))
        #expect(state.refusedWait == nil)
        #expect(state.pause(after: failed(.status, status: 503, retryAfter: .seconds(2)), chance: 0) == nil)
        #expect(state.refusedWait == .seconds(2))
    }

    @Test(arguments: ["3600", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func `a warning is reported if the server asks for a wait longer than the maximum`(text: String) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{get: /a, retry: {times: 1, for: [503], backoff: {max: 60s}}}]}}",
            ["/a": .busy(retryAfter: text)]
        )
        let listener = EventListener()
        _ = await fixture.run(events: EventStream(journal: nil, observers: [listener]))
        let warning = try #require(listener.warnings.first)
        #expect(warning.hasPrefix("the request was not sent again: the response's Retry-After asks to wait for "))
        #expect(warning.hasSuffix(", longer than the maximum of 60s (retry.backoff.max)"))
        #expect(warning.contains("100 years or more") == (text != "3600"))
        #expect(listener.warnings.count == 1)
    }

    @Test(arguments: [
        (FailureKind.connect, false, true), (.dns, false, true), (.timeout, true, false), (.transfer, true, false),
    ])
    func `a request that may have reached the server is retried only if that is safe`(
        kind: FailureKind,
        wasSent: Bool,
        isRetried: Bool
    ) {
        var state = RetryState(policy(), isIdempotent: false)
        #expect((state.pause(after: failed(kind, wasSent: wasSent), chance: 0) != nil) == isRetried)
        var unsafe = RetryState(policy(isUnsafe: true), isIdempotent: false)
        #expect(unsafe.pause(after: failed(kind, wasSent: wasSent), chance: 0) != nil)
        var idempotent = RetryState(policy(), isIdempotent: true)
        #expect(idempotent.pause(after: failed(kind, wasSent: wasSent), chance: 0) != nil)
    }

    @Test(arguments: [(FailureKind.expect, nil as Int?), (.status, 500), (.tls, nil), (.input, nil)])
    func `other failures are not retried`(kind: FailureKind, status: Int?) {
        var state = RetryState(policy(), isIdempotent: true)
        #expect(state.pause(after: failed(kind, status: status), chance: 0) == nil)
    }

    @Test(arguments: [
        ("120", 120), (" 7 ", 7), ("Sun, 06 Nov 1994 08:49:37 GMT", 10), ("Sunday, 06-Nov-94 08:49:37 GMT", 10),
        ("Sun Nov  6 08:49:37 1994", 10), ("Sun, 06 Nov 1994 08:49:17 GMT", 0), ("soon", nil as Int?), ("", nil),
        ("-1", nil),
    ])
    func `Retry-After is a number of seconds or a date`(text: String, seconds: Int?) throws {
        let now = try #require(Timestamp(rfc3339: "1994-11-06T08:49:27Z"))
        let response = HTTPResponse(
            status: 503,
            reason: "",
            httpVersion: "1.1",
            headers: HTTPFields([HTTPField(name: "Retry-After", value: text)]),
            body: [],
            url: "",
            timings: .zero,
            bytesSent: 0,
            bytesReceived: 0,
            remoteAddress: nil,
            reusedConnection: false
        )
        #expect(response.retryAfter(now: now) == seconds.map { .seconds($0) })
    }
}
