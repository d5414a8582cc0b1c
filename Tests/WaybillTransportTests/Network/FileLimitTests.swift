import Testing

@testable import WaybillTransport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite struct FileLimitTests {
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
        // Not much less, since other tests run meanwhile.
        limit.rlim_cur = plenty - 1
        try #require(setrlimit(Self.resource, &limit) == 0)
        try FileLimit.makeRoom(forConnections: 1)
        #expect(Self.current.rlim_cur == plenty)
        #expect(Self.current.rlim_max == original.rlim_max)
        limit.rlim_cur = original.rlim_max
        try #require(setrlimit(Self.resource, &limit) == 0)
        try FileLimit.makeRoom(forConnections: 1)
        #expect(Self.current.rlim_cur == original.rlim_max)
    }

    @Test func `more connections than the system allows are refused when the transport is made`() {
        let error = #expect(throws: TransportSetUpError.self) {
            try CurlTransport(configuration: .init(maximumConnections: 4_000_000_000))
        }
        let words = "4000000000 connections at once need 4000000192 open files, and the system allows "
        #expect(error?.reason.hasPrefix(words) == true, "\(error?.reason ?? "")")
    }
}
