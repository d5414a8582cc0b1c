import Synchronization
package import WaybillRuntime

/// The caches that the requests of a run use: that of the user, and those in other folders. All of their file
/// operations run on one thread.
package final class CacheStores: Sendable {
    private struct StoreKey: Hashable {
        let folder: String
        let maximumBytes: Int
    }

    private let userFolder: String?
    private let stores = Mutex<[StoreKey: CacheStore]>([:])
    private let thread: FileThread

    /// Creates the caches of a run, with the user's cache folder if it is known. Throws if the thread cannot be
    /// started.
    package init(userFolder: String?) throws(SystemError) {
        self.userFolder = userFolder
        thread = try FileThread()
    }

    /// The cache in a folder, by default in the user's cache folder; nil if that is unknown.
    @discardableResult
    package func store(in folder: String?, maximumBytes: Int?) -> CacheStore? {
        guard let folder = folder ?? userFolder else { return nil }
        let storeKey = StoreKey(folder: folder, maximumBytes: maximumBytes ?? CacheStore.usualMaximumBytes)
        return stores.withLock { stores in
            if let store = stores[storeKey] { return store }
            let store = CacheStore(folder: storeKey.folder, maximumBytes: storeKey.maximumBytes)
            stores[storeKey] = store
            return store
        }
    }

    /// The cache that a request uses.
    func store(for request: HTTPRequest) -> CacheStore? {
        store(in: request.options.cacheFolder, maximumBytes: request.options.maximumCacheBytes)
    }

    /// The entry for a key in the cache of a request.
    func entry(for key: CacheKey, of request: HTTPRequest) async -> CacheEntry? {
        guard let store = store(for: request) else { return nil }
        return await thread.run { store.entry(for: key) }
    }

    /// Stores an entry in the cache of a request.
    func store(_ entry: CacheEntry, for request: HTTPRequest) async throws(CacheStore.Failure) {
        guard let store = store(for: request) else { return }
        try await thread.run { () throws(CacheStore.Failure) in try store.store(entry) }
    }

    /// Removes the entries for these keys from all caches.
    func remove(_ keys: [CacheKey]) async {
        let stores = stores.withLock { Array($0.values) }
        await thread.run { for store in stores { store.remove(keys) } }
    }
}
