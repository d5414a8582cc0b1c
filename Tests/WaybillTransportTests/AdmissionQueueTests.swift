import Testing

@testable import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct AdmissionQueueTests {
    let first: Origin
    let second: Origin

    init() throws {
        first = try Origin(ofURL: "http://first.test/", connectTo: nil)
        second = try Origin(ofURL: "http://second.test/", connectTo: nil)
    }

    func takeAll(_ queue: AdmissionQueue<Int>) -> [Int] {
        var taken: [Int] = []
        while let next = queue.next() { taken.append(next) }
        return taken
    }

    @Test func `an origin's elements start in order, up to its limit`() {
        let queue = AdmissionQueue<Int>(totalLimit: 100)
        for number in 1...5 { queue.enqueue(number, origin: first, limit: 2) }
        #expect(takeAll(queue) == [1, 2])
        queue.finished(at: first)
        #expect(takeAll(queue) == [3])
        queue.finished(at: first)
        queue.finished(at: first)
        #expect(takeAll(queue) == [4, 5])
    }

    @Test func `origins take turns within the total limit`() {
        let queue = AdmissionQueue<Int>(totalLimit: 3)
        for number in 1...3 { queue.enqueue(number, origin: first, limit: 8) }
        for number in 11...13 { queue.enqueue(number, origin: second, limit: 8) }
        #expect(takeAll(queue) == [1, 11, 2])
        queue.finished(at: first)
        queue.finished(at: first)
        queue.finished(at: second)
        #expect(takeAll(queue) == [12, 3, 13])
    }

    @Test func `a removed element does not start and does not delay the elements after it`() {
        let queue = AdmissionQueue<Int>(totalLimit: 2)
        queue.enqueue(1, origin: first, limit: 1)
        #expect(takeAll(queue) == [1])
        for number in 2...4 { queue.enqueue(number, origin: first, limit: 1) }
        queue.removeWaiting(at: first) { $0 == 2 }
        queue.finished(at: first)
        #expect(takeAll(queue) == [3])
        queue.removeWaiting(at: first) { $0 == 4 }
        queue.finished(at: first)
        #expect(takeAll(queue) == [])
        queue.enqueue(5, origin: first, limit: 1)
        #expect(takeAll(queue) == [5])
    }

    @Test func `an origin whose elements were all removed takes no turn`() {
        let queue = AdmissionQueue<Int>(totalLimit: 1)
        queue.enqueue(1, origin: first, limit: 1)
        queue.enqueue(2, origin: second, limit: 1)
        queue.removeWaiting(at: first) { _ in true }
        #expect(takeAll(queue) == [2])
    }
}
