import Dispatch
import Synchronization
import Testing

@testable import WaybillCLI

@Suite(.timeLimit(.minutes(5))) struct OutputQueueTests {
    @Test func `writes that block delay only each other, and happen in order`() {
        let queue = OutputQueue()
        let gate = DispatchSemaphore(value: 0)
        let written = Mutex<[Int]>([])
        queue.add(10) { gate.wait() }
        for number in 0..<100 { queue.add(2) { written.withLock { $0.append(number) } } }
        #expect(queue.waitingBytes == 210)
        #expect(!queue.isIdle)
        #expect(!queue.wait { true })
        #expect(written.withLock { $0.count } == 0)
        gate.signal()
        #expect(queue.wait { false })
        #expect(written.withLock { $0 } == Array(0..<100))
        while !queue.isIdle {}
        #expect(queue.waitingBytes == 0)
    }
}
