import WaybillPlatform

/// The limit of open files of this process. Each connection counts as one.
package enum FileLimit {
    // The files that the program has open in addition to connections: streams, results, files of bodies, and those of
    // the system's name lookup.
    private static let others = 192
    /// The files that a run of a few requests at once needs.
    private static let ofRun = 64

    /// The limit to use where the system allows it without privileges. The usual 1,024 are for programs that still use
    /// `select`.
    static let plenty: rlim_t = 65536

    /// Whether the process cannot open another file now.
    static var isReached: Bool {
        let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { return errno == EMFILE }
        close(descriptor)
        return false
    }

    /// Returns how many runs may be executed at once: fewer than `count`, but at least one, if the system does not
    /// allow enough open files.
    package static func room(forRuns count: Int) -> Int {
        var limit = rlimit()
        guard waybill_get_file_limit(&limit) == 0 else { return count }
        // The transport raises the limit.
        return max(1, min(count, Int(clamping: limit.rlim_max) / ofRun))
    }

    /// Returns how many connections there is room for.
    ///
    /// - Parameters:
    ///   - count: The number of connections that are wanted.
    ///   - shares: The number of others that open as many files in this process, and this one.
    ///   - raises: Whether the limit is raised to what they need, and to `plenty` where that is allowed.
    /// - Returns: The number of connections that there is room for: fewer than `count`, but at least one, if the system
    ///   does not allow more.
    static func room(forConnections count: Int, raising raises: Bool, shares: Int = 1) -> Int {
        var limit = rlimit()
        guard waybill_get_file_limit(&limit) == 0 else { return count }
        guard raises else { return room(in: Int(clamping: limit.rlim_cur) / shares, forConnections: count) }
        let needed = rlim_t(count) * rlim_t(shares) + rlim_t(others)
        let wanted = max(needed, min(limit.rlim_max, plenty))
        guard limit.rlim_cur < wanted else { return count }
        let allowed = limit.rlim_max
        limit.rlim_cur = wanted
        // Only a privileged process can do that.
        limit.rlim_max = max(limit.rlim_max, needed)
        if waybill_set_file_limit(&limit) == 0 { return count }
        limit = rlimit(rlim_cur: allowed, rlim_max: allowed)
        waybill_set_file_limit(&limit)
        return room(in: Int(clamping: allowed) / shares, forConnections: count)
    }

    /// The number of connections that there is room for among this many open files. `others` of the files, but at most
    /// half of them, are reserved for everything else that a run opens.
    static func room(in allowed: Int, forConnections count: Int) -> Int {
        max(1, min(count, allowed - min(others, (allowed + 1) / 2)))
    }
}
