import Testing
import WaybillManifest
import WaybillPlan
import WaybillResults

@testable import WaybillExecution

/// Chains and batches of three steps, in every order of finishing and with every step passing or failing.
@Suite(.timeLimit(.minutes(5))) struct GroupStateTests {
    /// A group of three steps.
    private func group(_ order: String, _ mode: String, needs: String = "") throws -> GroupPlan {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                onFailure: \(mode)
                \(order):
                  - {id: a, get: /a}
                  - {id: b, get: /b\(needs)}
                  - {id: c, get: /c}
            """
        )
        return fixture.plan.graphs[0].body
    }

    /// Schedules a group whose steps finish in this order. Returns the end of each step and of the group.
    private func run(_ group: GroupPlan, ending order: [Int], failing: Set<Int>) -> (
        ends: [String], group: NodeOutcome.End
    ) {
        var state = GroupState(group)
        var ends = [String](repeating: "nothing", count: 3)
        var underWay: Set<Int> = []
        var cancelled: Set<Int> = []
        func take(_ actions: [GroupState.Action]) {
            for action in actions {
                switch action {
                case .start(let place):
                    #expect(ends[place] == "nothing")
                    underWay.insert(place)
                    ends[place] = "under way"
                case .skip(let place, let reason):
                    #expect(ends[place] == "nothing")
                    ends[place] = "skipped \(reason)"
                case .cancelRunning: cancelled = underWay
                }
            }
        }
        take(state.start())
        while let place = order.first(where: underWay.contains) {
            underWay.remove(place)
            let end: NodeOutcome.End =
                cancelled.contains(place) ? .cancelled : failing.contains(place) ? .failed : .passed
            ends[place] = "\(end)"
            take(state.finished(place, end))
        }
        #expect(state.isDone)
        return (ends, state.end)
    }

    private static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    private static let failures: [Set<Int>] = (0..<8).map { mask in Set((0..<3).filter { mask & 1 << $0 != 0 }) }

    @Test(arguments: ["stop", "collect", "continue"])
    func `a chain continues after a failure only if its policy allows it`(mode: String) throws {
        let group = try group("chain", mode)
        for order in Self.orders {
            for failing in Self.failures {
                let (ends, end) = run(group, ending: order, failing: failing)
                let firstFailure = failing.min() ?? 3
                let expected = (0..<3).map { place in
                    if mode == "stop", place > firstFailure { return "skipped failure" }
                    return failing.contains(place) ? "failed" : "passed"
                }
                #expect(ends == expected, "\(order) \(failing)")
                #expect(end == (failing.isEmpty || mode == "continue" ? .passed : .failed))
            }
        }
    }

    @Test(arguments: ["stop", "collect", "continue"])
    func `a batch is cancelled by its first failure unless its policy lets it continue`(mode: String) throws {
        let group = try group("batch", mode)
        for order in Self.orders {
            for failing in Self.failures {
                let (ends, end) = run(group, ending: order, failing: failing)
                let firstFailure = order.firstIndex(where: failing.contains) ?? 3
                let expected = (0..<3).map { place in
                    if mode == "stop", order.firstIndex(of: place)! > firstFailure { return "cancelled" }
                    return failing.contains(place) ? "failed" : "passed"
                }
                #expect(ends == expected, "\(order) \(failing)")
                #expect(end == (failing.isEmpty || mode == "continue" ? .passed : .failed))
            }
        }
    }

    @Test(arguments: [
        ("stop", "failed", "skipped failure", "passed"), ("collect", "failed", "skipped failure", "passed"),
        ("continue", "failed", "passed", "passed"),
    ])
    func `the steps that a step needs must have passed, unless failures are tolerated`(
        mode: String,
        first: String,
        second: String,
        third: String
    ) throws {
        let group = try group("batch", mode, needs: ", needs: [a]")
        // The third step finishes before the first one fails.
        let (ends, _) = run(group, ending: [2, 0, 1], failing: [0])
        #expect(ends == [first, second, third])
    }

    @Test func `a step skipped by its condition counts as done for steps that need it`() throws {
        var state = GroupState(try group("batch", "stop", needs: ", needs: [a]"))
        #expect(state.start() == [.start(0), .start(2)])
        #expect(state.finished(0, .skipped(.condition)) == [.start(1)])
    }

    @Test func `a withdrawn step affects no other step, and steps that need it run`() throws {
        var state = GroupState(try group("batch", "stop", needs: ", needs: [a]"))
        _ = state.start()
        #expect(state.finished(0, .withdrawn(.cancelled)) == [.start(1)])
        _ = state.finished(1, .passed)
        #expect(state.finished(2, .withdrawn(.skipped)) == [])
        #expect(state.isDone)
        #expect(state.end == .passed)
    }

    @Test func `a batch starts as many steps at once as it may run`() throws {
        let steps = (0..<100).map { "{id: s\($0), get: /a}" }.joined(separator: ", ")
        let plan = try ExecutionFixture("graphs: {main: {batch: [\(steps)]}}").plan
        var state = GroupState(plan.graphs[0].body, concurrency: 70)
        #expect(state.start().count == 70)
        #expect(state.finished(3, .passed) == [.start(70)])
    }

    @Test func `an end step skips the rest of a chain, and the chain passes`() throws {
        var state = GroupState(try group("chain", "stop"))
        _ = state.start()
        #expect(state.finished(0, .ended) == [.skip(1, .ended), .skip(2, .ended)])
        #expect(state.end == .passed)
    }

    @Test func `after a step is cancelled from outside, no other step starts, but running ones may finish`() throws {
        var state = GroupState(try group("batch", "collect"))
        _ = state.start()
        #expect(state.finished(1, .cancelled) == [])
        _ = state.finished(0, .cancelled)
        _ = state.finished(2, .passed)
        #expect(state.end == .cancelled)
    }

    @Test(arguments: [("stop", NodeOutcome.End.failed), ("collect", .cancelled), ("continue", .cancelled)])
    func `a group that continues after failures has not ended if it is cancelled after one`(
        mode: String,
        end: NodeOutcome.End
    ) throws {
        var state = GroupState(try group("chain", mode))
        _ = state.start()
        _ = state.finished(0, .failed)
        if mode != "stop" { _ = state.finished(1, .cancelled) }
        #expect(state.isDone)
        #expect(state.end == end)
    }
}
