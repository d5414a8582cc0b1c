import Synchronization
import WaybillRuntime
import WaybillTransport

/// The netrc files that the requests of a run use. Each is read once; one that cannot be read is tried again.
final class NetrcFiles: Sendable {
    private let read = Mutex<[LocalFile: Netrc]>([:])

    /// The credentials in a file.
    func netrc(_ file: LocalFile) throws(FileError) -> Netrc {
        if let known = read.withLock({ $0[file] }) { return known }
        let netrc = try Netrc(reading: file)
        read.withLock { $0[file] = netrc }
        return netrc
    }
}
