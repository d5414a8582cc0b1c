package import WaybillFormats
import WaybillTransport

/// The cache of responses in a folder, as `waybill cache` shows it. All functions block.
package struct ResponseCache: Sendable {
    /// The folder.
    package let folder: String
    private let store: CacheStore

    /// Opens the cache in a folder. Its maximum size is set by manifests.
    package init(folder: String) {
        self.folder = folder
        store = CacheStore(folder: folder, maximumBytes: .max)
    }

    /// Opens the cache in the user's cache folder; `nil` if that is not known.
    package init?(variables: [String: String]) {
        guard let folder = CacheStore.userFolder(environment: variables) else { return nil }
        self.folder = folder
        store = CacheStore(folder: folder)
    }

    /// The number of entries and their size.
    package struct Size: Sendable {
        /// The number of entries.
        package let entries: Int
        /// The size of their files in bytes.
        package let bytes: Int

        fileprivate init(_ files: [CacheStore.File]) {
            entries = files.count
            bytes = files.reduce(0) { $0 + $1.size }
        }
    }

    /// A response in the cache.
    package struct Entry: Sendable {
        /// The URL.
        package let url: String
        /// The status.
        package let status: Int
        /// The size of its file in bytes.
        package let bytes: Int
        /// When it was received.
        package let receivedAt: Timestamp
        /// Whether it may be used without revalidation by the server.
        package let isFresh: Bool
    }

    /// The size of the cache.
    package var size: Size { Size(store.files()) }

    /// The maximum size of the cache in bytes; `nil` if only manifests set one.
    package var maximumBytes: Int? { store.maximumBytes == .max ? nil : store.maximumBytes }

    /// Returns the entries whose digest is correct, the most recently used first.
    package func entries(now: Timestamp = .now()) -> [Entry] {
        store.files().compactMap { file in
            guard let entry = store.entry(in: file) else { return nil }
            return Entry(
                url: entry.key.url,
                status: entry.status,
                bytes: file.size,
                receivedAt: entry.receivedAt,
                isFresh: CacheFreshness(entry, now: now).isFresh
            )
        }
    }

    /// Removes all entries, and returns what was removed.
    package func clear() -> Size { Size(store.clear()) }
}
