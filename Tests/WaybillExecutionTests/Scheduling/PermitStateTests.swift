import Testing
import WaybillManifest
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct PermitStateTests {
    private static func queue(_ name: String, _ rate: String, limit: Int? = nil) throws -> PermitRequest.Queue {
        PermitRequest.Queue(name: name, rate: try #require(RequestRate(manifestText: rate)), limit: limit)
    }

    /// The indices of the requests in the order in which they receive the only permit.
    private func order(_ requests: [PermitRequest]) -> [Int] {
        var state = PermitState(slots: 1)
        var permit = Permit(queue: nil, hasSlot: true)
        _ = state.enqueue(PermitRequest(), now: .zero)
        _ = state.advance(now: .zero)
        for request in requests { _ = state.enqueue(request, now: .zero) }
        var order: [Int] = []
        for _ in requests {
            state.release(permit)
            for issued in state.advance(now: .zero).issued {
                order.append(issued.ticket - 2)
                permit = issued.permit
            }
        }
        return order
    }

    @Test(arguments: [
        ([Priority.default, .default, .default], [0, 1, 2]),
        ([.low, .default, .high], [2, 1, 0]),
        ([.high, .low, .high, .default, .low, .default], [0, 2, 3, 5, 1, 4]),
    ])
    func `a permit goes to the highest priority, and among equals to the first request`(
        priorities: [Priority],
        expected: [Int]
    ) {
        #expect(order(priorities.map { PermitRequest(priority: $0) }) == expected)
    }

    @Test func `a request that does not count towards the limit starts at once`() {
        var state = PermitState(slots: 1)
        _ = state.enqueue(PermitRequest(), now: .zero)
        _ = state.enqueue(PermitRequest(), now: .zero)
        _ = state.enqueue(PermitRequest(needsSlot: false), now: .zero)
        let issued = state.advance(now: .zero)
        #expect(issued.issued.map(\.ticket) == [3, 1])
    }

    @Test func `a rate delays only its own requests`() throws {
        var state = PermitState(slots: 10)
        let slow = PermitRequest(queue: try Self.queue("slow", "1/s"))
        for _ in 0..<3 { _ = state.enqueue(slow, now: .zero) }
        _ = state.enqueue(PermitRequest(), now: .zero)
        _ = state.enqueue(PermitRequest(queue: try Self.queue("other", "1/s")), now: .zero)
        let first = state.advance(now: .zero)
        #expect(first.issued.map(\.ticket) == [1, 4, 5])
        #expect(first.wake == .seconds(1))
        let second = state.advance(now: .seconds(1))
        #expect(second.issued.map(\.ticket) == [2])
        #expect(second.wake == .seconds(2))
        let tooEarly = state.advance(now: .milliseconds(1999))
        #expect(tooEarly.issued.isEmpty)
        let third = state.advance(now: .seconds(2))
        #expect(third.issued.map(\.ticket) == [3])
        #expect(third.wake == nil)
    }

    @Test func `while the limit is reached, no wake-up is scheduled for a rate`() throws {
        var state = PermitState(slots: 1)
        let queue = try Self.queue("s", "1/s")
        _ = state.enqueue(PermitRequest(queue: queue), now: .zero)
        _ = state.enqueue(PermitRequest(queue: queue), now: .zero)
        let step = state.advance(now: .zero)
        #expect(step.issued.map(\.ticket) == [1])
        #expect(step.wake == nil)
        state.release(step.issued[0].permit)
        let afterwards = state.advance(now: .zero)
        #expect(afterwards.wake == .seconds(1))
    }

    @Test func `a service with a rate has no more requests in flight than connections`()
        throws
    {
        var state = PermitState(slots: 10)
        let request = PermitRequest(queue: try Self.queue("s", "10/s", limit: 1))
        for _ in 0..<2 { _ = state.enqueue(request, now: .zero) }
        _ = state.enqueue(PermitRequest(queue: try Self.queue("s", "10/s")), now: .zero)
        let first = state.advance(now: .zero)
        #expect(first.issued.map(\.ticket) == [1])
        let held = state.advance(now: .seconds(5))
        #expect(held.issued.isEmpty)
        state.release(first.issued[0].permit)
        let freed = state.advance(now: .seconds(5))
        #expect(freed.issued.map(\.ticket) == [2])
    }

    @Test func `the number of connections does not limit multiplexed requests`() throws {
        var state = PermitState(slots: 10)
        let request = PermitRequest(queue: try Self.queue("s", "1000/s", limit: 1))
        for _ in 0..<3 { _ = state.enqueue(request, now: .zero) }
        _ = state.advance(now: .zero)
        state.note(isMultiplexed: true, queue: "s")
        let second = state.advance(now: .seconds(1))
        let third = state.advance(now: .seconds(2))
        #expect((second.issued + third.issued).map(\.ticket) == [2, 3])
    }

    @Test func `a request can be withdrawn until its permit is issued`() {
        var state = PermitState(slots: 1)
        let tickets = (0..<3).map { _ in state.enqueue(PermitRequest(), now: .zero) }
        let issued = state.advance(now: .zero).issued
        let ofBegun = state.withdraw(tickets[0])
        #expect(!ofBegun)
        let ofWaiting = state.withdraw(tickets[1])
        #expect(ofWaiting)
        let again = state.withdraw(tickets[1])
        #expect(!again)
        state.release(issued[0].permit)
        let rest = state.advance(now: .zero)
        #expect(rest.issued.map(\.ticket) == [tickets[2]])
    }

    @Test func `after a stop, only final requests keep waiting`() {
        var state = PermitState(slots: 0)
        let tickets = [false, true, false].map { state.enqueue(PermitRequest(isFinal: $0), now: .zero) }
        let stopped = state.stop()
        #expect(stopped == [tickets[0], tickets[2]])
        let stillWaited = state.withdraw(tickets[1])
        #expect(stillWaited)
    }

    @Test(arguments: 0..<20)
    func `requests in flight never exceed the limit, and each request starts once`(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let places = 1 + random.next(below: 4)
        var state = PermitState(slots: places)
        let lanes = [nil, try Self.queue("a", "20/s", limit: 2), try Self.queue("b", "500/m")]
        let priorities: [Priority] = [.low, .default, .high]
        var now = Duration.zero
        var entered: Set<Int> = []
        var issued: Set<Int> = []
        var inFlight: [Permit] = []
        for round in 0..<400 {
            switch random.next(below: round < 200 ? 4 : 2) {
            case 0 where !inFlight.isEmpty: state.release(inFlight.remove(at: random.next(below: inFlight.count)))
            case 0, 1: now += .milliseconds(random.next(below: 200))
            default:
                let request = PermitRequest(
                    priority: priorities[random.next(below: 3)],
                    queue: lanes[random.next(below: 3)]
                )
                entered.insert(state.enqueue(request, now: now))
            }
            let step = state.advance(now: now)
            for permit in step.issued {
                #expect(issued.insert(permit.ticket).inserted)
                inFlight.append(permit.permit)
            }
            if let wake = step.wake { #expect(wake > now) }
            #expect(inFlight.count <= places)
            #expect(inFlight.count { $0.queue == "a" } <= 2)
        }
        while issued.count < entered.count {
            for permit in inFlight { state.release(permit) }
            now += .seconds(1)
            inFlight = state.advance(now: now).issued.map { begin in
                issued.insert(begin.ticket)
                return begin.permit
            }
        }
        #expect(issued == entered)
    }
}
