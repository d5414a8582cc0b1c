import Testing
import WaybillPlatform
import WaybillRuntime

@testable import WaybillTransport

extension Poller {
    /// The ready descriptors as a list.
    fileprivate func wait(milliseconds: Int32) -> [ReadyDescriptor] {
        var list: [ReadyDescriptor] = []
        wait(milliseconds: milliseconds) { list.append($0) }
        return list
    }
}

@Suite(.timeLimit(.minutes(5))) struct PollerTests {
    static let kinds: [@Sendable () throws -> any Poller] = [{ try SystemPoller() }, { try PollPoller() }]

    @Test(arguments: kinds.indices)
    func `a poller reports ready descriptors while they are watched`(kind: Int) throws {
        let poller = try Self.kinds[kind]()
        let wakeUp = try WakeUp()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }

        poller.watch(wakeUp.descriptor, for: .readable)
        poller.watch(ends[0], for: .readable)
        #expect(poller.wait(milliseconds: 0).isEmpty)

        poller.watch(ends[1], for: [.readable, .writable])
        #expect(poller.wait(milliseconds: -1) == [ReadyDescriptor(descriptor: ends[1], readiness: .writable)])
        poller.watch(ends[1], for: [])
        #expect(poller.wait(milliseconds: 0).isEmpty)

        wakeUp.signal()
        wakeUp.signal()
        #expect(poller.wait(milliseconds: -1) == [ReadyDescriptor(descriptor: wakeUp.descriptor, readiness: .readable)])
        wakeUp.clear()
        #expect(poller.wait(milliseconds: 0).isEmpty)

        poller.watch(wakeUp.descriptor, for: [])
        wakeUp.signal()
        var byte: UInt8 = 1
        #expect(write(ends[1], &byte, 1) == 1)
        #expect(poller.wait(milliseconds: -1) == [ReadyDescriptor(descriptor: ends[0], readiness: .readable)])
        poller.watch(ends[0], for: [])
        #expect(poller.wait(milliseconds: 0).isEmpty)
    }

    @Test(arguments: kinds.indices)
    func `the end of a stream makes its descriptor readable`(kind: Int) throws {
        let poller = try Self.kinds[kind]()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        poller.watch(ends[0], for: .readable)
        close(ends[1])
        #expect(poller.wait(milliseconds: -1) == [ReadyDescriptor(descriptor: ends[0], readiness: .readable)])
        poller.watch(ends[0], for: [])
        close(ends[0])
    }

    @Test(arguments: kinds.indices)
    func `a reused descriptor number can be watched again`(kind: Int) throws {
        let poller = try Self.kinds[kind]()
        for _ in 0..<3 {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            poller.watch(ends[0], for: .readable)
            var byte: UInt8 = 1
            #expect(write(ends[1], &byte, 1) == 1)
            // A process that another test is starting may hold the pipe of an earlier round, which is then reported too.
            let ready = poller.wait(milliseconds: -1)
            #expect(Set(ready.map(\.descriptor)) == [ends[0]])
            #expect(ready.contains(ReadyDescriptor(descriptor: ends[0], readiness: .readable)))
            poller.watch(ends[0], for: [])
            for end in ends { close(end) }
        }
    }

    @Test(arguments: kinds.indices)
    func `a descriptor that becomes ready while it is not watched is reported when it is watched again`(kind: Int)
        throws
    {
        let poller = try Self.kinds[kind]()
        let wakeUp = try WakeUp()
        poller.watch(wakeUp.descriptor, for: .readable)
        poller.watch(wakeUp.descriptor, for: [])
        wakeUp.signal()
        #expect(poller.wait(milliseconds: 0).isEmpty)
        #expect(poller.wait(milliseconds: 0).isEmpty)
        poller.watch(wakeUp.descriptor, for: .readable)
        #expect(poller.wait(milliseconds: -1) == [ReadyDescriptor(descriptor: wakeUp.descriptor, readiness: .readable)])
    }
}
