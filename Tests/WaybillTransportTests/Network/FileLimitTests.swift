import Testing
import WaybillPlatform

@testable import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct FileLimitTests {
    static var current: rlimit {
        var limit = rlimit()
        waybill_get_file_limit(&limit)
        return limit
    }

    @Test func `the limit of open files is raised if that is wanted, and never lowered`() throws {
        let original = Self.current
        let plenty = min(original.rlim_max, FileLimit.plenty)
        var limit = original
        // Only slightly less, because other tests run at the same time.
        limit.rlim_cur = plenty - 1
        try #require(waybill_set_file_limit(&limit) == 0)
        #expect(FileLimit.room(forConnections: 1, raising: false) == 1)
        #expect(Self.current.rlim_cur == plenty - 1)
        #expect(FileLimit.room(forConnections: 1, raising: true) == 1)
        #expect(Self.current.rlim_cur == plenty)
        #expect(Self.current.rlim_max == original.rlim_max)
        limit.rlim_cur = original.rlim_max
        try #require(waybill_set_file_limit(&limit) == 0)
        #expect(FileLimit.room(forConnections: 1, raising: true) == 1)
        #expect(Self.current.rlim_cur == original.rlim_max)
    }

    @Test(arguments: [(1024, 256, 256), (1024, 5000, 832), (256, 256, 128), (16, 256, 8), (3, 256, 1), (0, 256, 1)])
    func `if the system allows few open files, there are fewer connections`(allowed: Int, count: Int, room: Int) {
        #expect(FileLimit.room(in: allowed, forConnections: count) == room)
    }

    @Test func `runs at once share the limit`() {
        let limit = Int(clamping: Self.current.rlim_cur)
        #expect(FileLimit.room(forConnections: limit, raising: false, shares: 4) < limit / 4)
        #expect(FileLimit.room(forRuns: 1) == 1)
        #expect(FileLimit.room(forRuns: .max) == max(1, Int(clamping: Self.current.rlim_max) / 64))
    }
}
