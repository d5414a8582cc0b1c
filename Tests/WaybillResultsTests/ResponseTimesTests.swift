import Testing
import WaybillJSON
import WaybillTestSupport

@testable import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct ResponseTimesTests {
    private func measured(_ microseconds: some Sequence<Int>) -> ResponseTimes? {
        var counter = ResponseTimeCounter()
        for time in microseconds { counter.add(.microseconds(time)) }
        return counter.figures
    }

    @Test(arguments: [
        ([5], [5, 5, 5, 5]), (Array(1...100).reversed(), [50, 95, 99, 100]),
        ([1, 2, 3, 1_000_000], [2, 1_000_000, 1_000_000, 1_000_000]),
        (Array(1...10_000), [5_000, 9_500, 9_900, 10_000]),
    ])
    func `percentiles are nearest ranks, and exact up to 10,000 responses`(times: [Int], expected: [Int]) throws {
        let figures = try #require(measured(times))
        #expect(figures.list.map(\.time) == expected.map { .microseconds($0) })
        #expect(figures.count == times.count && !figures.isRounded)
    }

    @Test func `of more responses, percentiles are rounded to three digits, and the maximum is exact`() throws {
        let figures = try #require(measured(1...1_234_567))
        #expect(figures.count == 1_234_567 && figures.isRounded && figures.maximum == .microseconds(1_234_567))
        for (found, exact) in zip([figures.p50, figures.p95, figures.p99], [617_284.0, 1_172_839, 1_222_222]) {
            #expect(abs(found / .microseconds(exact) - 1) <= 0.005)
        }
    }

    @Test func `many equal times stay exact, and two counters add up`() throws {
        var counter = ResponseTimeCounter()
        for time in 1...50_000 { counter.add(.microseconds(time % 7)) }
        var other = ResponseTimeCounter()
        other.add(.seconds(2))
        counter.add(other)
        let figures = try #require(counter.figures)
        #expect(figures.count == 50_001 && !figures.isRounded && figures.maximum == .seconds(2))
        #expect(ResponseTimeCounter().figures == nil)
        var stream = JSONStream()
        stream.add(figures)
        #expect(ResponseTimes(json: try JSONParser().parse(stream.bytes)) == figures)
    }
}
