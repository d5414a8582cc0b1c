import CLibCurl
package import WaybillFormats
import WaybillPlatform
package import WaybillRuntime

/// The digests of bytes, of a file while it is written, or of files that are read.
package struct FileDigests: Sendable {
    /// The number of bytes digested so far.
    package private(set) var count = 0
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

    package var values: [Digest.Algorithm: [UInt8]] { digests.mapValues(\.value) }

    /// Returns the digests of bytes and of regular files, which are read on a separate thread; `nil` if the task is
    /// cancelled in the meantime.
    package static func of(
        _ parts: [BodyPart],
        _ algorithms: Set<Digest.Algorithm>
    ) async throws(FileError) -> FileDigests? {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await BlockingCall.run {
                Result { () throws(FileError) in
                    var digests = FileDigests(algorithms)
                    for part in parts {
                        switch part {
                        case .bytes(let bytes): digests.update(bytes)
                        case .file(let file): try digests.add(file, until: cancellation)
                        }
                    }
                    return cancellation.isRequested ? nil : digests
                }
            }
        } onCancel: {
            cancellation.request()
        }
        // The system can start no other thread.
        guard let result else { throw FileError(path: "", errno: EAGAIN) }
        return try result.get()
    }

    private mutating func add(_ file: LocalFile, until cancellation: Cancellation) throws(FileError) {
        let (descriptor, _) = try file.open()
        defer { close(descriptor) }
        do throws(SystemError) {
            while !cancellation.isRequested, case let piece = try OpenFile.read(256 << 10, from: descriptor),
                !piece.isEmpty
            {
                update(piece)
            }
        } catch {
            throw FileError(path: file.path, errno: error.errno)
        }
    }
}

extension HTTPRequest.Body {
    /// The SHA-256 digest of the body, in hexadecimal. Throws if a file cannot be read, or the task is cancelled in the
    /// meantime.
    package func digest() async throws(TransportFailure) -> String {
        let parts: [BodyPart]
        switch self {
        case .none: return Digest.sha256(of: [])
        case .bytes(let bytes): return Digest.sha256(of: bytes)
        case .file(let file): parts = [.file(file)]
        case .parts(let list): parts = list
        }
        let read: FileDigests?
        do {
            read = try await FileDigests.of(parts, [.sha256])
        } catch {
            throw .refused(CURLE_READ_ERROR, "the file \(error.path) cannot be read: \(error.message)")
        }
        guard let digest = read?.values[.sha256] else { throw .cancelledBeforeSending }
        return Hexadecimal.encode(digest)
    }
}
