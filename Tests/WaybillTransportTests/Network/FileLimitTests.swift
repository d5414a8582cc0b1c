import Testing

@testable import WaybillTransport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite struct FileLimitTests {
    static var current: rlim_t {
        var limit = rlimit()
        #if canImport(Glibc)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return limit.rlim_cur
    }

    @Test func `the limit of open files is raised to what connections need, and never lowered`() throws {
        let before = Self.current
        try FileLimit.makeRoom(forConnections: 1)
        #expect(Self.current == before)
        try FileLimit.makeRoom(forConnections: Int(before))
        #expect(Self.current >= before + 100)
    }

    @Test func `more connections than the system allows are refused when the transport is made`() {
        let error = #expect(throws: TransportSetUpError.self) {
            try CurlTransport(configuration: .init(maximumConnections: 4_000_000_000))
        }
        let words = "4000000000 connections at once need 4000000192 open files, and the system allows "
        #expect(error?.reason.hasPrefix(words) == true, "\(error?.reason ?? "")")
    }
}
