import Testing
import WaybillJSON
import WaybillManifest
import WaybillTestSupport

@testable import WaybillExecution

@Suite(.timeLimit(.minutes(5))) struct DuplicateStateTests {
    private let key = DuplicateKey.endpoint("e")

    @Test func `the first request starts, and a request in flight can be sent again`() {
        var state = DuplicateState()
        let first = state.enter(1, key, .discard)
        let again = state.enter(1, key, .discard)
        #expect(first == .begin && again == .begin)
    }

    @Test func `requests with other keys are not duplicates`() {
        var state = DuplicateState()
        let actions = [
            state.enter(1, .endpoint("a"), .discard), state.enter(2, .endpoint("b"), .discard),
            state.enter(3, .value(1, endpoint: "a"), .discard), state.enter(4, .value("1", endpoint: "a"), .discard),
            state.enter(5, .value(1, endpoint: "b"), .discard),
        ]
        #expect(actions.allSatisfy { $0 == .begin })
    }

    @Test func `a new request is dropped until the earlier one has finished`() {
        var state = DuplicateState()
        _ = state.enter(1, key, .discard)
        let dropped = state.enter(2, key, .discard)
        #expect(dropped == .drop)
        // The end of a dropped request has no effect.
        #expect(state.leave(2) == nil)
        let stillDropped = state.enter(3, key, .discard)
        #expect(stillDropped == .drop)
        #expect(state.leave(1) == nil)
        let begun = state.enter(4, key, .discard)
        #expect(begun == .begin)
    }

    @Test func `the earlier request is cancelled, and the new one starts when it has finished`() {
        var state = DuplicateState()
        _ = state.enter(1, key, .cancelPrevious)
        let second = state.enter(2, key, .cancelPrevious)
        #expect(second == .wait(cancelling: [1]))
        #expect(state.leave(1) == 2)
        let third = state.enter(3, key, .cancelPrevious)
        #expect(third == .wait(cancelling: [2]))
    }

    @Test func `an earlier request that is ready later is cancelled`() {
        var state = DuplicateState()
        _ = state.enter(2, key, .cancelPrevious)
        let first = state.enter(1, key, .cancelPrevious)
        #expect(first == .wait(cancelling: [1]))
        #expect(state.leave(1) == nil)
        // The later one is still in flight.
        let third = state.enter(3, key, .cancelPrevious)
        #expect(third == .wait(cancelling: [2]))
    }

    @Test func `only the last of several waiting requests starts`() {
        var state = DuplicateState()
        _ = state.enter(1, key, .cancelPrevious)
        _ = state.enter(2, key, .cancelPrevious)
        // The first is already being cancelled, and the second waits for it.
        let third = state.enter(3, key, .cancelPrevious)
        #expect(third == .wait(cancelling: [2]))
        #expect(state.leave(2) == nil)
        #expect(state.leave(1) == 3)
    }

    @Test func `a waiting request can end before it starts`() {
        var state = DuplicateState()
        _ = state.enter(1, key, .cancelPrevious)
        _ = state.enter(2, key, .cancelPrevious)
        #expect(state.leave(2) == nil)
        #expect(state.leave(1) == nil)
        let next = state.enter(3, key, .cancelPrevious)
        #expect(next == .begin)
    }

    @Test(arguments: 0..<20)
    func `two duplicates are never in flight at once, and a new request can start in the end`(seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        var state = DuplicateState()
        var running: Set<Int> = []
        var waiting: Set<Int> = []
        // Waiting requests that were cancelled, until they end.
        var ending: Set<Int> = []
        var number = 0
        func leave(_ request: Int) {
            running.remove(request)
            waiting.remove(request)
            ending.remove(request)
            if let next = state.leave(request) {
                #expect(waiting.remove(next) != nil)
                running.insert(next)
            }
        }
        for _ in 0..<300 {
            if random.next(below: 2) == 0 {
                number += 1
                switch state.enter(number, key, random.next(below: 2) == 0 ? .discard : .cancelPrevious) {
                case .begin: running.insert(number)
                case .drop: #expect(!running.isEmpty)
                case .wait(let cancelled):
                    #expect(cancelled.allSatisfy { running.contains($0) || waiting.contains($0) })
                    ending.formUnion(waiting.intersection(cancelled))
                    waiting = [number]
                }
            } else if let request = running.union(waiting).union(ending).sorted().dropFirst(random.next(below: 2)).first
            {
                leave(request)
            }
            #expect(running.count <= 1)
            #expect(running.count == 1 || waiting.isEmpty)
        }
        while let request = running.union(waiting).union(ending).min() { leave(request) }
        let last = state.enter(number + 1, key, .discard)
        #expect(last == .begin)
    }
}
