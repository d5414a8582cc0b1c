package import WaybillFormats
import WaybillPlatform
import WaybillRuntime

/// The digests of a file while it is written.
struct FileDigests {
    /// The number of bytes digested so far.
    private(set) var count = 0
    private var digests: [Digest.Algorithm: Digest]

    init(_ algorithms: Set<Digest.Algorithm>) {
        digests = Dictionary(uniqueKeysWithValues: algorithms.map { ($0, Digest($0)) })
    }

    /// Whether there are no digests to compute.
    var isEmpty: Bool { digests.isEmpty }

    mutating func update(_ bytes: [UInt8]) {
        for algorithm in digests.keys { digests[algorithm]?.update(bytes) }
        count += bytes.count
    }

    var values: [Digest.Algorithm: [UInt8]] { digests.mapValues(\.value) }
}

/// Files that existed before a download.
package enum ExistingFile {
    /// The size and the digests of a regular file, read on a separate thread until the task is cancelled.
    package static func digests(
        of path: String,
        _ algorithms: Set<Digest.Algorithm>
    ) async throws(DownloadError) -> (bytes: Int, digests: [Digest.Algorithm: [UInt8]]) {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await BlockingCall.run {
                Result { () throws(DownloadError) in try read(path, algorithms, until: cancellation) }
            }
        } onCancel: {
            cancellation.request()
        }
        guard let result else { throw DownloadError("could not start a thread to read '\(path)'") }
        return try result.get()
    }

    private static func read(
        _ path: String,
        _ algorithms: Set<Digest.Algorithm>,
        until cancellation: Cancellation
    ) throws(DownloadError) -> (bytes: Int, digests: [Digest.Algorithm: [UInt8]]) {
        let descriptor: Int32
        do throws(FileError) {
            (descriptor, _) = try LocalFile(path).open()
        } catch {
            throw DownloadError("cannot read '\(path)': \(error.message)")
        }
        defer { close(descriptor) }
        var digests = FileDigests(algorithms)
        while true {
            if cancellation.isRequested { throw .stopped }
            do throws(SystemError) {
                let piece = try OpenFile.read(256 << 10, from: descriptor)
                if piece.isEmpty { return (digests.count, digests.values) }
                digests.update(piece)
            } catch {
                throw DownloadError(cannot: "read", path, error)
            }
        }
    }
}
