import Synchronization
import WaybillRuntime
import WaybillTransport

/// The netrc files that the requests of a run use. Each is read once; one that cannot be read is tried again.
final class NetrcFiles: Sendable {
    private let read = Mutex<[LocalFile: Netrc]>([:])
    // The hosts that were missing, with the paths.
    private let missing = Mutex<Set<[String]>>([])

    /// The credentials in a file.
    func netrc(_ file: LocalFile) throws(FileError) -> Netrc {
        if let known = read.withLock({ $0[file] }) { return known }
        let netrc = try Netrc(reading: file)
        read.withLock { $0[file] = netrc }
        return netrc
    }

    /// Whether a file has no credentials for a host, and this was not asked before.
    func isFirstToMiss(_ host: String, in netrc: Netrc) -> Bool {
        netrc.entry(of: host) == nil && missing.withLock { $0.insert([netrc.path, host]).inserted }
    }
}
