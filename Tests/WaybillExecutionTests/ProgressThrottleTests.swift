import Synchronization
import Testing
import WaybillData
import WaybillExecution

@testable import WaybillTransport

@Suite struct ProgressThrottleTests {
    /// A clock that stands still but for what a test adds.
    private final class Clock: Sendable {
        private let start = ContinuousClock.Instant.now
        private let passed = Mutex(Duration.zero)

        func now() -> ContinuousClock.Instant { start + passed.withLock { $0 } }

        func pass(_ duration: Duration) { passed.withLock { $0 += duration } }
    }

    private let clock = Clock()

    private func throttle() -> ProgressThrottle {
        ProgressThrottle { [clock] in clock.now() }
    }

    private static func progress(_ sent: Int, _ received: Int, of total: Int? = nil, sending: Int = 1000)
        -> TransferProgress
    {
        TransferProgress(sent: sent, sentTotal: sending, received: received, receivedTotal: total)
    }

    private static func words(_ updates: [ProgressThrottle.Update]) -> [String] {
        updates.map { "\($0.direction) \($0.bytes)/\($0.total.map(String.init) ?? "?")" }
    }

    @Test func `at most ten a second are told in each direction`() {
        var throttle = throttle()
        var told: [ProgressThrottle.Direction: Int] = [:]
        // A second, and the moment at its end.
        for step in 0...1000 {
            for update in throttle.take(Self.progress(step + 1, step * 2, sending: 100_000)) {
                told[update.direction, default: 0] += 1
            }
            clock.pass(.milliseconds(1))
        }
        #expect(told == [.sent: 11, .received: 10])
    }

    @Test func `the last news are told at the end, where they were held back`() {
        var throttle = throttle()
        #expect(Self.words(throttle.take(Self.progress(10, 0))) == ["sent 10/1000"])
        #expect(throttle.take(Self.progress(20, 5, of: 7)).map(\.direction) == [.received])
        #expect(throttle.take(Self.progress(30, 6, of: 7)).isEmpty)
        #expect(Self.words(throttle.finish(isComplete: false)) == ["sent 30/1000", "received 6/7"])
        #expect(throttle.finish(isComplete: false).isEmpty)
    }

    @Test func `a transfer that went well is told to its end, once`() {
        var throttle = throttle()
        _ = throttle.take(Self.progress(1000, 3, of: 7))
        #expect(Self.words(throttle.finish(isComplete: true)) == ["received 7/7"])
        _ = throttle.take(Self.progress(1000, 7, of: 7))
        #expect(throttle.finish(isComplete: true).isEmpty)
    }

    @Test func `the end of a direction does not wait`() {
        var throttle = throttle()
        #expect(Self.words(throttle.take(Self.progress(999, 0))) == ["sent 999/1000"])
        #expect(Self.words(throttle.take(Self.progress(1000, 0))) == ["sent 1000/1000"])
        clock.pass(.seconds(1))
        #expect(throttle.take(Self.progress(1000, 0)).isEmpty)
    }

    @Test func `nothing is told of what does not travel`() {
        var throttle = throttle()
        #expect(throttle.take(Self.progress(0, 0, of: 0, sending: 0)).isEmpty)
        #expect(throttle.finish(isComplete: true).isEmpty)
    }

    @Test func `a hop of a redirect is told like others`() {
        var throttle = throttle()
        _ = throttle.take(Self.progress(500, 0))
        clock.pass(.milliseconds(100))
        #expect(Self.words(throttle.take(Self.progress(100, 0))) == ["sent 100/1000"])
    }
}
