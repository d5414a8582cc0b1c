import Crypto
import WaybillRuntime

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The digests that the file of a download can be checked by.
package enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    case sha256, sha512, sha1, md5

    /// How many bytes a digest has.
    package var byteCount: Int {
        switch self {
        case .sha256: SHA256.byteCount
        case .sha512: SHA512.byteCount
        case .sha1: Insecure.SHA1.byteCount
        case .md5: Insecure.MD5.byteCount
        }
    }

    fileprivate var function: any HashFunction {
        switch self {
        case .sha256: SHA256()
        case .sha512: SHA512()
        case .sha1: Insecure.SHA1()
        case .md5: Insecure.MD5()
        }
    }
}

/// The digests of a file while it is written.
struct FileDigests {
    /// How many bytes went into them.
    private(set) var count = 0
    private var functions: [(algorithm: DigestAlgorithm, function: any HashFunction)]

    init(_ algorithms: Set<DigestAlgorithm>) {
        functions = algorithms.map { ($0, $0.function) }
    }

    /// Whether there are any.
    var isEmpty: Bool { functions.isEmpty }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        for index in functions.indices { functions[index].function.update(bufferPointer: bytes) }
        count += bytes.count
    }

    var values: [DigestAlgorithm: [UInt8]] {
        var values: [DigestAlgorithm: [UInt8]] = [:]
        for (algorithm, function) in functions { values[algorithm] = Self.bytes(of: function) }
        return values
    }

    private static func bytes(of function: some HashFunction) -> [UInt8] { Array(function.finalize()) }
}

/// Files that were there before a download.
package enum ExistingFile {
    /// Whether there is anything at a path, also a link that leads nowhere.
    package static func exists(_ path: String) -> Bool { (try? FileStatus(of: path, followsLinks: false)) != nil }

    /// The size and the digests of a regular file, read on a thread of its own.
    package static func digests(
        of path: String,
        _ algorithms: Set<DigestAlgorithm>
    ) async throws(DownloadError) -> (bytes: Int, digests: [DigestAlgorithm: [UInt8]]) {
        let result = await BlockingCall.run { Result { () throws(DownloadError) in try read(path, algorithms) } }
        guard let result else { throw DownloadError("there is no thread to read '\(path)' on") }
        return try result.get()
    }

    private static func read(
        _ path: String,
        _ algorithms: Set<DigestAlgorithm>
    ) throws(DownloadError) -> (bytes: Int, digests: [DigestAlgorithm: [UInt8]]) {
        let descriptor: Int32
        do throws(FileError) {
            (descriptor, _) = try LocalFile(path).open()
        } catch {
            throw DownloadError("cannot read '\(path)': \(error.message)")
        }
        defer { close(descriptor) }
        var digests = FileDigests(algorithms)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(digests.count))
            if count < 0 && SystemError.last.errno == EINTR { continue }
            guard count >= 0 else { throw DownloadError(cannot: "read", path) }
            if count == 0 { return (digests.count, digests.values) }
            digests.update(.init(rebasing: buffer[..<count]))
        }
    }
}
