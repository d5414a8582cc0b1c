import Testing

@testable import WaybillTransport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite struct PollerTests {
    static let kinds: [@Sendable () throws -> any Poller] = [{ try SystemPoller() }, { try PollPoller() }]

    @Test(arguments: kinds.indices)
    func `a poller tells what is ready, as long as it is watched`(kind: Int) throws {
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
    func `the end of a stream is something to read`(kind: Int) throws {
        let poller = try Self.kinds[kind]()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        poller.watch(ends[0], for: .readable)
        close(ends[1])
        #expect(poller.wait(milliseconds: -1) == [ReadyDescriptor(descriptor: ends[0], readiness: .readable)])
        poller.watch(ends[0], for: [])
        close(ends[0])
    }
}
