import Synchronization
import Testing
import WaybillExecution
import WaybillResults

/// Elements of `forEach` steps that are inside elements of others.
@Suite(.timeLimit(.minutes(5)), .ownThread) struct NestedElementsTests {
    /// A clock on which every wait takes a number of yields. It counts the waits.
    private final class CountingClock: RunClock {
        private struct State {
            var waiting = 0
            var most = 0
            var all = 0
        }

        private let state = Mutex(State())
        private let turns: Int

        init(turns: Int) {
            self.turns = turns
        }

        var now: Duration { .zero }
        /// The maximum number of simultaneous waits.
        var most: Int { state.withLock { $0.most } }
        /// The total number of waits.
        var all: Int { state.withLock { $0.all } }

        func sleep(for duration: Duration) async throws {
            state.withLock { state in
                state.waiting += 1
                state.all += 1
                state.most = max(state.most, state.waiting)
            }
            for _ in 0..<turns { await Task.yield() }
            state.withLock { $0.waiting -= 1 }
        }
    }

    /// A manifest with this many nested loops and a delay in the innermost one.
    private func manifest(levels: Int, of count: Int, concurrency: Int, requests: Int) -> String {
        let inner = "{id: wait, delay: 1s, values: {x: 1}}"
        let steps = (0..<levels).reduce(inner) { inner, level in
            let loop = "{in: \"range(0, \(count))\", as: n\(level), concurrency: \(concurrency)}"
            return "{id: loop\(level), forEach: \(loop), chain: [\(inner)]}"
        }
        return "defaults: {concurrency: \(requests)}\ngraphs: {main: {chain: [\(steps)]}}"
    }

    @Test func `elements in flight are limited across all levels, not per level`() async throws {
        let fixture = try ExecutionFixture(manifest(levels: 3, of: 12, concurrency: 12, requests: 8))
        let clock = CountingClock(turns: 200)
        let outcome = await fixture.run(clock: clock)
        #expect(outcome.result.outcome == .passed)
        #expect(clock.all == 1728)
        // 256 elements, each with at least one inside it.
        #expect(clock.most <= 512)
    }

    @Test(arguments: [(4, 6, 6), (4, 6, 1), (6, 3, 3)])
    func `nested loops finish at any depth, even when the outer ones reach the limit`(
        levels: Int,
        count: Int,
        concurrency: Int
    ) async throws {
        let fixture = try ExecutionFixture(
            manifest(levels: levels, of: count, concurrency: concurrency, requests: 1)
        )
        let clock = CountingClock(turns: 1)
        let outcome = await fixture.run(clock: clock)
        #expect(outcome.result.outcome == .passed)
        #expect(clock.all == (0..<levels).reduce(1) { all, _ in all * count })
    }
}
