#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How many files this process may have open, of which each connection is one.
enum FileLimit {
    // What the program has open besides connections: streams, results, files of bodies, and those of the system's
    // look-up of names.
    private static let others = 192

    /// What there may be room for, where the system allows more without being asked. The usual 1,024 are for programs that
    /// still use `select`.
    static let plenty: rlim_t = 65536

    /// Raises the limit to what so many connections need, and where it is allowed to plenty. Throws when the system does not
    /// allow what is needed.
    static func makeRoom(forConnections count: Int) throws(TransportSetUpError) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let needed = rlim_t(count) + rlim_t(others)
        let wanted = max(needed, min(limit.rlim_max, plenty))
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        // Only a privileged process can do that.
        limit.rlim_max = max(limit.rlim_max, needed)
        guard setrlimit(resource, &limit) == 0 else {
            throw TransportSetUpError(
                reason: "\(count) connections at once need \(needed) open files, and the system allows \(allowed)"
            )
        }
    }

    /// The limit as far as it can be raised.
    private static var allowed: rlim_t {
        var limit = rlimit()
        getrlimit(resource, &limit)
        return limit.rlim_max
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
