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

    /// Raises the limit to what so many connections need, and where it is allowed to plenty.
    ///
    /// - Returns: For how many connections there is room: fewer, but at least one, where the system does not allow more.
    static func makeRoom(forConnections count: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return count }
        let needed = rlim_t(count) + rlim_t(others)
        let wanted = max(needed, min(limit.rlim_max, plenty))
        guard limit.rlim_cur < wanted else { return count }
        let allowed = limit.rlim_max
        limit.rlim_cur = wanted
        // Only a privileged process can do that.
        limit.rlim_max = max(limit.rlim_max, needed)
        if setrlimit(resource, &limit) == 0 { return count }
        limit = rlimit(rlim_cur: allowed, rlim_max: allowed)
        setrlimit(resource, &limit)
        return room(in: Int(clamping: allowed), forConnections: count)
    }

    /// How many connections there is room for among so many open files: half of the files at least, where they are few,
    /// are for all else that a run opens.
    static func room(in allowed: Int, forConnections count: Int) -> Int {
        max(1, min(count, allowed - min(others, (allowed + 1) / 2)))
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
