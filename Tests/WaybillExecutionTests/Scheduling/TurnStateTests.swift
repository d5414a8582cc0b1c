import Testing
import WaybillManifest
import WaybillTestSupport

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct TurnStateTests {
    private static func lane(_ name: String, _ rate: String, limit: Int? = nil) throws -> TurnWish.Lane {
        TurnWish.Lane(name: name, rate: try #require(RequestRate(manifestText: rate)), limit: limit)
    }

    /// The numbers of the requests in the order in which they get the only place.
    private func order(_ wishes: [TurnWish]) -> [Int] {
        var state = TurnState(places: 1)
        var turn = Turn(lane: nil, hasPlace: true)
        _ = state.enter(TurnWish(), now: .zero)
        _ = state.advance(now: .zero)
        for wish in wishes { _ = state.enter(wish, now: .zero) }
        var order: [Int] = []
        for _ in wishes {
            state.leave(turn)
            for begun in state.advance(now: .zero).begun {
                order.append(begun.ticket - 2)
                turn = begun.turn
            }
        }
        return order
    }

    @Test(arguments: [
        ([Priority.default, .default, .default], [0, 1, 2]),
        ([.low, .default, .high], [2, 1, 0]),
        ([.high, .low, .high, .default, .low, .default], [0, 2, 3, 5, 1, 4]),
    ])
    func `a place goes to the highest priority, and among equals to the first`(priorities: [Priority], expected: [Int])
    {
        #expect(order(priorities.map { TurnWish(priority: $0) }) == expected)
    }

    @Test func `what needs no place begins at once, whatever is under way`() {
        var state = TurnState(places: 1)
        _ = state.enter(TurnWish(), now: .zero)
        _ = state.enter(TurnWish(), now: .zero)
        _ = state.enter(TurnWish(needsPlace: false), now: .zero)
        let begun = state.advance(now: .zero)
        #expect(begun.begun.map(\.ticket) == [3, 1])
    }

    @Test func `a rate holds up its own requests and no others`() throws {
        var state = TurnState(places: 10)
        let slow = TurnWish(lane: try Self.lane("slow", "1/s"))
        for _ in 0..<3 { _ = state.enter(slow, now: .zero) }
        _ = state.enter(TurnWish(), now: .zero)
        _ = state.enter(TurnWish(lane: try Self.lane("other", "1/s")), now: .zero)
        let first = state.advance(now: .zero)
        #expect(first.begun.map(\.ticket) == [1, 4, 5])
        #expect(first.wake == .seconds(1))
        let second = state.advance(now: .seconds(1))
        #expect(second.begun.map(\.ticket) == [2])
        #expect(second.wake == .seconds(2))
        let tooEarly = state.advance(now: .milliseconds(1999))
        #expect(tooEarly.begun.isEmpty)
        let third = state.advance(now: .seconds(2))
        #expect(third.begun.map(\.ticket) == [3])
        #expect(third.wake == nil)
    }

    @Test func `where no place is free, nothing is woken for a rate`() throws {
        var state = TurnState(places: 1)
        let lane = try Self.lane("s", "1/s")
        _ = state.enter(TurnWish(lane: lane), now: .zero)
        _ = state.enter(TurnWish(lane: lane), now: .zero)
        let step = state.advance(now: .zero)
        #expect(step.begun.map(\.ticket) == [1])
        #expect(step.wake == nil)
        state.leave(step.begun[0].turn)
        let afterwards = state.advance(now: .zero)
        #expect(afterwards.wake == .seconds(1))
    }

    @Test func `of a service with a rate no more are under way than it has connections`()
        throws
    {
        var state = TurnState(places: 10)
        let wish = TurnWish(lane: try Self.lane("s", "10/s", limit: 1))
        for _ in 0..<2 { _ = state.enter(wish, now: .zero) }
        _ = state.enter(TurnWish(lane: try Self.lane("s", "10/s")), now: .zero)
        let first = state.advance(now: .zero)
        #expect(first.begun.map(\.ticket) == [1])
        let held = state.advance(now: .seconds(5))
        #expect(held.begun.isEmpty)
        state.leave(first.begun[0].turn)
        let freed = state.advance(now: .seconds(5))
        #expect(freed.begun.map(\.ticket) == [2])
    }

    @Test func `where a connection carries many requests, its number is no limit of them`() throws {
        var state = TurnState(places: 10)
        let wish = TurnWish(lane: try Self.lane("s", "1000/s", limit: 1))
        for _ in 0..<3 { _ = state.enter(wish, now: .zero) }
        _ = state.advance(now: .zero)
        state.note(isMultiplexed: true, lane: "s")
        let second = state.advance(now: .seconds(1))
        let third = state.advance(now: .seconds(2))
        #expect((second.begun + third.begun).map(\.ticket) == [2, 3])
    }

    @Test func `a wish can be taken back until its turn has come`() {
        var state = TurnState(places: 1)
        let tickets = (0..<3).map { _ in state.enter(TurnWish(), now: .zero) }
        let begun = state.advance(now: .zero).begun
        let ofBegun = state.withdraw(tickets[0])
        #expect(!ofBegun)
        let ofWaiting = state.withdraw(tickets[1])
        #expect(ofWaiting)
        let again = state.withdraw(tickets[1])
        #expect(!again)
        state.leave(begun[0].turn)
        let rest = state.advance(now: .zero)
        #expect(rest.begun.map(\.ticket) == [tickets[2]])
    }

    @Test func `when the run is being stopped, only what runs all the same goes on waiting`() {
        var state = TurnState(places: 0)
        let tickets = [false, true, false].map { state.enter(TurnWish(isFinal: $0), now: .zero) }
        let stopped = state.stop()
        #expect(stopped == [tickets[0], tickets[2]])
        let stillWaited = state.withdraw(tickets[1])
        #expect(stillWaited)
    }

    @Test(arguments: 0..<20)
    func `never more are under way than there are places, and each begins once`(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let places = 1 + random.next(below: 4)
        var state = TurnState(places: places)
        let lanes = [nil, try Self.lane("a", "20/s", limit: 2), try Self.lane("b", "500/m")]
        let priorities: [Priority] = [.low, .default, .high]
        var now = Duration.zero
        var entered: Set<Int> = []
        var begun: Set<Int> = []
        var underWay: [Turn] = []
        for round in 0..<400 {
            switch random.next(below: round < 200 ? 4 : 2) {
            case 0 where !underWay.isEmpty: state.leave(underWay.remove(at: random.next(below: underWay.count)))
            case 0, 1: now += .milliseconds(random.next(below: 200))
            default:
                let wish = TurnWish(priority: priorities[random.next(below: 3)], lane: lanes[random.next(below: 3)])
                entered.insert(state.enter(wish, now: now))
            }
            let step = state.advance(now: now)
            for turn in step.begun {
                #expect(begun.insert(turn.ticket).inserted)
                underWay.append(turn.turn)
            }
            if let wake = step.wake { #expect(wake > now) }
            #expect(underWay.count <= places)
            #expect(underWay.count { $0.lane == "a" } <= 2)
        }
        while begun.count < entered.count {
            for turn in underWay { state.leave(turn) }
            now += .seconds(1)
            underWay = state.advance(now: now).begun.map { begin in
                begun.insert(begin.ticket)
                return begin.turn
            }
        }
        #expect(begun == entered)
    }
}
