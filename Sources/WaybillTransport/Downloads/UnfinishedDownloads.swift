import WaybillPlatform
import WaybillRuntime

/// A folder in which unfinished downloads wait for a later run.
package enum UnfinishedDownloads {
    /// How long a file is kept after its last change.
    package static let maximumAge = Duration.seconds(14 * 86_400)
    /// The maximum number of names in the folder that are inspected.
    private static let maximumNames = 100_000

    /// Creates the folder, and removes the files in it that are too old. Files with other names than those of unfinished
    /// downloads are ignored, and so are those that a process is downloading.
    ///
    /// - Parameter removesOld: Whether files are removed.
    /// - Returns: Why the folder cannot be used, or `nil`.
    package static func prepare(_ folder: String, removesOld: Bool) -> String? {
        // Other users must not read what a user with credentials has downloaded.
        if let failed = NewFile.makeFolder(folder, permissions: 0o700), errno != EEXIST {
            return "cannot create '\(failed)': \(SystemError.last)"
        }
        guard removesOld, let names = try? FolderListing.names(in: folder, limit: maximumNames) else { return nil }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        for name in names where isName(name) { remove("\(folder)/\(name)", before: .seconds(now.tv_sec) - maximumAge) }
        return nil
    }

    private static func remove(_ path: String, before limit: Duration) {
        guard let status = try? FileStatus(of: path, followsLinks: false), status.kind == .file,
            status.modifiedAt < limit
        else { return }
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0, SystemError.last.errno == EWOULDBLOCK { return }
        unlink(path)
        unlink(DownloadRecord.path(ofPart: path))
    }

    /// Whether a name is that of an unfinished download: it ends in eight hexadecimal digits and an extension.
    private static func isName(_ name: String) -> Bool {
        let suffix = ".part"
        guard name.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else { return false }
        let end = name.utf8.dropLast(suffix.utf8.count).suffix(9)
        return end.count == 9 && end.first == UInt8(ascii: "-")
            && end.dropFirst().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
