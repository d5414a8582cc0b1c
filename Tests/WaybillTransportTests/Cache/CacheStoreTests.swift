import Testing
import WaybillFormats
import WaybillPlatform
import WaybillTestSupport

@testable import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct CacheStoreTests {
    private let temporary = TemporaryFolder()
    private var folder: String { "\(temporary.path)/a/http" }

    private func entry(_ number: Int, size: Int = 10) -> CacheEntry {
        CacheEntry(
            key: CacheKey(url: "http://api.example/\(number)", route: ""),
            status: 200,
            reason: "OK",
            headers: [HTTPField(name: "X-Ü", value: "\"\u{1F600}\"\n")],
            body: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size),
            requestedAt: Timestamp(nanoseconds: 1),
            receivedAt: .now(),
            selection: CacheSelection(values: ["accept": "a", "x": nil], acceptsCompression: true)
        )
    }

    @Test func `an entry is read back as it was stored, even by another store`() throws {
        let store = CacheStore(folder: folder)
        #expect(store.entry(for: entry(1).key) == nil)
        let stored = entry(1, size: 100_000)
        try store.store(stored)
        #expect(CacheStore(folder: folder).entry(for: stored.key) == stored)
        #expect(store.files().map { store.entry(in: $0) } == [stored])
        store.remove([stored.key])
        #expect(store.entry(for: stored.key) == nil)
    }

    @Test func `a file that was cut off or changed is removed and not used`() throws {
        let store = CacheStore(folder: folder)
        let stored = entry(1)
        let good = CacheFile.bytes(of: stored)
        let path = "a/http/\(stored.key.fileName)"
        try store.store(stored)
        for length in 0..<good.count {
            temporary.write(Array(good[..<length]), to: path)
            #expect(store.entry(for: stored.key) == nil)
        }
        for index in good.indices {
            var bad = good
            bad[index] ^= 1
            temporary.write(bad, to: path)
            #expect(store.entry(for: stored.key) == nil)
        }
        #expect(store.files().isEmpty)
        // The entry of another key under this name.
        temporary.write(CacheFile.bytes(of: entry(2)), to: path)
        #expect(store.entry(for: stored.key) == nil)
    }

    @Test func `the least recently used entries are evicted`() throws {
        let store = CacheStore(folder: folder, maximumBytes: 80_000)
        for number in 0..<10 {
            try store.store(entry(number, size: 7000))
            // File times are too coarse on some systems.
            setTime(of: entry(number), to: 1000 + number)
        }
        #expect(store.entry(for: entry(0).key) != nil)
        try store.store(entry(10, size: 7000))
        let kept = store.files().compactMap { store.entry(in: $0)?.body.first }.sorted()
        #expect(kept == [0, 3, 4, 5, 6, 7, 8, 9, 10])
        #expect(store.files().reduce(0) { $0 + $1.size } <= 70_000)
    }

    @Test func `a file that was changed after 2262 is the latest one`() throws {
        let store = CacheStore(folder: folder)
        for number in 0..<2 { try store.store(entry(number)) }
        setTime(of: entry(0), to: 10_000_000_000)
        #expect(store.files().compactMap { store.entry(in: $0)?.body.first } == [0, 1])
    }

    @Test func `an entry that is too large is not stored, and the older one is removed`() throws {
        let store = CacheStore(folder: folder, maximumBytes: 80_000)
        try store.store(entry(1))
        try store.store(entry(1, size: 10_000))
        #expect(store.files().isEmpty)
    }

    @Test func `temporary files of a killed process are removed after an hour, and other files never`() throws {
        let store = CacheStore(folder: folder)
        try store.store(entry(1))
        temporary.write("waybill-ca", to: "a/http/.waybill-1-old")
        temporary.write("waybill-ca", to: "a/http/.waybill-1-new")
        temporary.write("mine", to: "a/http/notes.txt")
        setTime(of: ".waybill-1-old", to: 1000)
        try CacheStore(folder: folder).store(entry(2))
        #expect(temporary.read("a/http/.waybill-1-old") == nil)
        #expect(temporary.read("a/http/.waybill-1-new") == "waybill-ca")
        #expect(store.clear().count == 2)
        #expect(store.files().isEmpty)
        #expect(temporary.read("a/http/notes.txt") == "mine")
    }

    @Test func `files of others that are named like those of the cache are neither removed nor counted`() throws {
        let names = [String(repeating: "0", count: 64), String(repeating: "f", count: 64), ".waybill-1-old"]
        for name in names {
            temporary.write(String(repeating: "x", count: 90_000), to: "a/http/\(name)")
            setTime(of: name, to: 1000)
        }
        let store = CacheStore(folder: folder, maximumBytes: 80_000)
        for number in 0..<20 { try store.store(entry(number, size: 7000)) }
        #expect(store.files().count >= 9)
        #expect(store.clear().count >= 9)
        #expect(store.files().isEmpty)
        #expect(temporary.names(in: "a/http") == Set(names))
    }

    @Test func `a folder that cannot be written to is a failure`() throws {
        temporary.write("", to: "file")
        let store = CacheStore(folder: "\(temporary.path)/file/http")
        #expect(throws: CacheStore.Failure.self) { try store.store(entry(1)) }
        #expect(store.entry(for: entry(1).key) == nil)
        #expect(store.clear().isEmpty)
    }

    @Test func `the user's cache folder follows from the environment`() {
        #expect(CacheStore.userFolder(environment: ["XDG_CACHE_HOME": "/x", "HOME": "/h"]) == "/x/waybill/http")
        let home = CacheStore.userFolder(environment: ["XDG_CACHE_HOME": "x", "HOME": "/h"])
        #expect(home == "/h/.cache/waybill/http" || home == "/h/Library/Caches/waybill/http")
        #expect(CacheStore.userFolder(environment: [:]) == nil)
    }

    /// Like processes, the stores share only the folder, and each keeps its own count.
    @Test func `stores that use one folder at the same time never see a torn entry`() async throws {
        let limit = 200_000
        let folder = folder
        let found = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var random = SplitMix(state: UInt64(worker))
                    let store = CacheStore(folder: folder, maximumBytes: limit)
                    var found = 0
                    for _ in 0..<600 {
                        let number = random.next(below: 24)
                        if random.next(below: 3) == 0 {
                            try? store.store(entry(number, size: random.next(below: 20_000)))
                        } else if let entry = store.entry(for: entry(number).key) {
                            found += 1
                            #expect(entry.body.allSatisfy { $0 == UInt8(number) })
                        }
                    }
                    return found
                }
            }
            return await group.reduce(0, +)
        }
        #expect(found > 0)
        let files = CacheStore(folder: folder).files()
        #expect(files.allSatisfy { CacheStore(folder: folder).entry(in: $0) != nil })
        #expect(files.reduce(0) { $0 + $1.size } <= limit * 3 / 2)
    }

    private func setTime(of entry: CacheEntry, to seconds: Int) { setTime(of: entry.key.fileName, to: seconds) }

    private func setTime(of name: String, to seconds: Int) {
        let time = timespec(tv_sec: seconds, tv_nsec: 0)
        utimensat(AT_FDCWD, "\(folder)/\(name)", [time, time], 0)
    }
}
