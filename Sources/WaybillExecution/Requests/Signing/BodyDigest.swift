import WaybillFormats
import WaybillPlatform
import WaybillRuntime
import WaybillTransport

extension HTTPRequest.Body {
    /// The SHA-256 digest of the body, in hexadecimal. Files are read in pieces on a separate thread. Throws if a file
    /// cannot be read, or the task is cancelled in the meantime.
    func digest() async throws(TransportFailure) -> String {
        switch self {
        case .none: return Digest.sha256(of: [])
        case .bytes(let bytes): return Digest.sha256(of: bytes)
        case .file(let file): return try await Self.digest(of: [.file(file)])
        case .parts(let parts): return try await Self.digest(of: parts)
        }
    }

    private static func digest(of parts: [HTTPRequest.Part]) async throws(TransportFailure) -> String {
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await BlockingCall.run { readDigest(of: parts, cancellation) }
        } onCancel: {
            cancellation.request()
        }
        // `CURLE_READ_ERROR` and `CURLE_ABORTED_BY_CALLBACK`, as if the transport had read the body.
        guard let result else {
            throw TransportFailure(kind: .transfer, code: 26, message: "could not start a thread to read the body")
        }
        guard let digest = try result.get() else {
            throw TransportFailure(kind: .cancelled, code: 42, message: "the request was cancelled")
        }
        return digest
    }

    private static func readDigest(
        of parts: [HTTPRequest.Part],
        _ cancellation: Cancellation
    ) -> Result<String?, TransportFailure> {
        var digest = Digest(.sha256)
        for part in parts {
            switch part {
            case .bytes(let bytes): digest.update(bytes)
            case .file(let file):
                do {
                    guard try read(file, into: &digest, cancellation) else { return .success(nil) }
                } catch {
                    let message = "the file \(file) cannot be read: \(error.message)"
                    return .failure(TransportFailure(kind: .transfer, code: 26, message: message))
                }
            }
        }
        return .success(Hexadecimal.encode(digest.value))
    }

    /// Adds a file to a digest. Returns `false` if the task was cancelled.
    private static func read(
        _ file: LocalFile,
        into digest: inout Digest,
        _ cancellation: Cancellation
    ) throws(FileError) -> Bool {
        let (descriptor, _) = try file.open()
        defer { close(descriptor) }
        while !cancellation.isRequested {
            do throws(SystemError) {
                let piece = try OpenFile.read(256 << 10, from: descriptor)
                if piece.isEmpty { return true }
                digest.update(piece)
            } catch {
                throw FileError(path: file.path, errno: error.errno)
            }
        }
        return false
    }
}
