import Testing

@testable import WaybillTransport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct FileLimitTests {
    #if canImport(Glibc)
        static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        static let resource = RLIMIT_NOFILE
    #endif

    static var current: rlimit {
        var limit = rlimit()
        getrlimit(resource, &limit)
        return limit
    }

    @Test func `the limit of open files is raised, and never lowered`() throws {
        let original = Self.current
        let plenty = min(original.rlim_max, FileLimit.plenty)
        var limit = original
        // Only slightly less, because other tests run at the same time.
        limit.rlim_cur = plenty - 1
        try #require(setrlimit(Self.resource, &limit) == 0)
        #expect(FileLimit.makeRoom(forConnections: 1) == 1)
        #expect(Self.current.rlim_cur == plenty)
        #expect(Self.current.rlim_max == original.rlim_max)
        limit.rlim_cur = original.rlim_max
        try #require(setrlimit(Self.resource, &limit) == 0)
        #expect(FileLimit.makeRoom(forConnections: 1) == 1)
        #expect(Self.current.rlim_cur == original.rlim_max)
    }

    @Test(arguments: [(1024, 256, 256), (1024, 5000, 832), (256, 256, 128), (16, 256, 8), (3, 256, 1), (0, 256, 1)])
    func `if the system allows few open files, there are fewer connections`(allowed: Int, count: Int, room: Int) {
        #expect(FileLimit.room(in: allowed, forConnections: count) == room)
    }
}
