import Synchronization
import WaybillFormats
import WaybillPlatform
import WaybillRuntime

/// The cache on disk: a folder with one file for each entry, which any number of processes may use at the same time.
///
/// A file is written under a temporary name and then renamed, and its digest is checked when it is read, so that
/// neither another process nor a killed one can leave a wrong entry. The modification time of a file is the time of its
/// last use. All functions block; tasks call them through `CacheStores`.
package final class CacheStore: Sendable {
    /// The folder.
    package let folder: String
    /// The maximum size of all files in bytes. While other processes store entries too, each of them may exceed it by an
    /// eighth until it counts again.
    package let maximumBytes: Int

    // The size of all files as far as this process knows: the last count plus what it has stored since. Nil until
    // counted.
    private let knownBytes = Mutex<Int?>(nil)

    /// The default maximum size in bytes.
    package static let usualMaximumBytes = 256 << 20

    /// Creates a cache in a folder, which is created when the first entry is stored.
    package init(folder: String, maximumBytes: Int = CacheStore.usualMaximumBytes) {
        self.folder = folder
        self.maximumBytes = maximumBytes
    }

    /// Why an entry could not be stored.
    package struct Failure: Error, Sendable, Equatable {
        /// The folder that cannot be written to.
        package let folder: String
        /// The reason, without the folder.
        package let message: String
    }

    /// The user's cache folder for HTTP: `$XDG_CACHE_HOME/waybill/http`, or `~/.cache/waybill/http`, or
    /// `~/Library/Caches/waybill/http` on macOS; nil without a home folder. A relative `XDG_CACHE_HOME` is ignored, as
    /// its specification requires.
    package static func userFolder(environment: [String: String]) -> String? {
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") { return "\(folder)/waybill/http" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(String(cString: waybill_caches_folder()))/waybill/http"
    }

    /// The entry for a key, if there is one that passes the digest check. Marks it as used now.
    package func entry(for key: CacheKey) -> CacheEntry? {
        let path = path(of: key.fileName)
        guard let bytes = try? FileContents.read(path, limit: largestFile) else { return nil }
        guard let entry = CacheFile.entry(bytes), entry.key == key else {
            if CacheFile.isOwn(Array(bytes.prefix(CacheFile.ownLength))) { unlink(path) }
            return nil
        }
        markUsed(path)
        return entry
    }

    /// Stores an entry and replaces an earlier one with the same key. An entry larger than an eighth of the cache is
    /// not stored, and the earlier one is removed.
    package func store(_ entry: CacheEntry) throws(Failure) {
        let bytes = CacheFile.bytes(of: entry)
        guard bytes.count <= largestFile else { return remove([entry.key]) }
        let temporary = path(of: Self.temporaryName())
        do {
            try NewFile.write(bytes, to: temporary)
        } catch {
            guard error == .noSuchFile else { throw Failure(folder: folder, message: error.description) }
            // Other users must not read this user's responses.
            if let failed = NewFile.makeFolder(folder, permissions: 0o700), errno != EEXIST {
                throw Failure(folder: failed, message: SystemError.last.description)
            }
            do {
                try NewFile.write(bytes, to: temporary)
            } catch {
                throw Failure(folder: folder, message: error.description)
            }
        }
        markUsed(temporary)
        guard rename(temporary, path(of: entry.key.fileName)) == 0 else {
            let code = errno
            unlink(temporary)
            throw Failure(folder: folder, message: SystemError(code).description)
        }
        evict(afterStoring: bytes.count)
    }

    /// Removes the entries for these keys.
    package func remove(_ keys: [CacheKey]) {
        for key in keys { unlink(path(of: key.fileName)) }
    }

    /// A file of the cache.
    package struct File: Sendable, Equatable {
        /// Its name in the folder.
        package let name: String
        /// Its size in bytes.
        package let size: Int
        /// When it was last used, in nanoseconds since 1970.
        package let usedAt: Duration
    }

    /// The files of all entries, the most recently used first.
    package func files() -> [File] {
        contents().filter { Self.isEntry($0.name) }.sorted { ($0.usedAt, $0.name) > ($1.usedAt, $1.name) }
    }

    /// The entry of a file, if it passes the digest check. Does not mark it as used.
    package func entry(in file: File) -> CacheEntry? {
        (try? FileContents.read(path(of: file.name), limit: largestFile)).flatMap { CacheFile.entry($0) }
    }

    /// Removes all entries and leaves other files in the folder alone. Returns the removed entries.
    package func clear() -> [File] {
        let removed = contents().filter { unlink(path(of: $0.name)) == 0 }
        knownBytes.withLock { $0 = nil }
        return removed.filter { Self.isEntry($0.name) }
    }

    // The kernel's own file times advance only every few milliseconds, so the order of uses would be lost.
    private func markUsed(_ path: String) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        _ = utimensat(AT_FDCWD, path, [now, now], 0)
    }

    private var largestFile: Int { maximumBytes / 8 }

    private func path(of name: String) -> String { "\(folder)/\(name)" }

    /// Counts the files if they may exceed the limit, and removes the least recently used ones until an eighth of the
    /// limit is free.
    private func evict(afterStoring count: Int) {
        let mayExceed = knownBytes.withLock { known in
            guard let bytes = known, bytes + count <= maximumBytes else { return true }
            known = bytes + count
            return false
        }
        guard mayExceed else { return }
        var rest = files()
        var total = rest.reduce(0) { $0 + $1.size }
        if total > maximumBytes {
            while total > maximumBytes - largestFile, let oldest = rest.popLast() {
                unlink(path(of: oldest.name))
                total -= oldest.size
            }
        }
        removeAbandonedFiles()
        knownBytes.withLock { $0 = total }
    }

    // Removes what killed processes have left. An hour is much longer than writing a file takes.
    private func removeAbandonedFiles() {
        let limit = Duration.nanoseconds(Timestamp.now().nanoseconds) - .seconds(3600)
        for file in contents() where Self.isTemporary(file.name) && file.usedAt < limit {
            unlink(path(of: file.name))
        }
    }

    /// All files that the cache has put into its folder.
    private func contents() -> [File] {
        let names = (try? FolderListing.names(in: folder, limit: .max)) ?? []
        return names.filter { Self.isEntry($0) || Self.isTemporary($0) }.compactMap { name in
            guard let status = try? FileStatus(of: path(of: name), followsLinks: false), status.kind == .file,
                let start = try? LocalFile(path(of: name)).start(CacheFile.ownLength), CacheFile.isOwn(start)
            else { return nil }
            return File(name: name, size: status.size, usedAt: status.modifiedAt)
        }
    }

    private static let temporaryPrefix = ".waybill-"

    private static func temporaryName() -> String {
        "\(temporaryPrefix)\(getpid())-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    private static func isTemporary(_ name: String) -> Bool { name.hasPrefix(temporaryPrefix) }

    private static func isEntry(_ name: String) -> Bool {
        name.utf8.count == 64
            && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
