import Testing
import WaybillManifest
import WaybillTestSupport

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct RateStateTests {
    @Test func `waiting requests start evenly spaced`() throws {
        var state = RateState(try #require(RequestRate(manifestText: "10/s")))
        var moments: [Duration] = []
        for _ in 0..<25 {
            moments.append(state.earliest)
            state.begin(at: state.earliest, waitingSince: .zero)
        }
        #expect(moments == (0..<25).map { .milliseconds(100 * $0) })
    }

    @Test func `after an idle time, requests are spaced again without catching up`() throws {
        var state = RateState(try #require(RequestRate(manifestText: "60/m")))
        state.begin(at: .zero, waitingSince: .zero)
        state.begin(at: .seconds(600), waitingSince: .seconds(600))
        #expect(state.earliest == .seconds(601))
    }

    @Test func `the delay of a late timer is made up for`() throws {
        var state = RateState(try #require(RequestRate(manifestText: "10/s")))
        state.begin(at: .zero, waitingSince: .zero)
        state.begin(at: .milliseconds(104), waitingSince: .zero)
        #expect(state.earliest == .milliseconds(200))
        // But only up to a small limit.
        state.begin(at: .milliseconds(290), waitingSince: .zero)
        #expect(state.earliest == .milliseconds(380))
    }

    @Test(arguments: ["1/s", "3/s", "7/m", "10/s", "1000/s", "3000/s", "5000/m"], 0..<3)
    func `no more requests start in any interval than the rate allows`(text: String, seed: Int) throws {
        let rate = try #require(RequestRate(manifestText: text))
        var state = RateState(rate)
        var random = SplitMix(state: UInt64(seed))
        var now = Duration.zero
        var moments: [Duration] = []
        for _ in 0..<max(40, 3 * rate.count) {
            // A request arrives, sometimes after a pause, and starts slightly late.
            if random.next(below: 50) == 0 { now += rate.interval * random.next(below: 30) / 20 }
            let arrival = now
            now = max(now, state.earliest)
            if random.next(below: 3) == 0 { now += .microseconds(random.next(below: 15_000)) }
            state.begin(at: now, waitingSince: arrival)
            moments.append(now)
        }
        #expect(zip(moments, moments.dropFirst(rate.count)).allSatisfy { $1 - $0 >= rate.interval })
    }
}
