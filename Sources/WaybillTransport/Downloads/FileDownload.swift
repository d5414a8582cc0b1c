package import WaybillFormats
import WaybillRuntime

/// A download of a file: the request, the path of the partial file, and the function that accepts responses.
package struct FileDownload: Sendable {
    /// What to do with a response that has the file.
    package enum Acceptance: Sendable {
        /// Write its body to the file.
        case yes
        /// Treat it as an ordinary response, because it is not what was expected.
        case no
        /// Keep the file that already exists, and do not read the rest of the response.
        case keepExisting
    }

    /// Decides what to do with a response, given the name that the server suggests for the file.
    package typealias Acceptor =
        @Sendable (HTTPResponse, _ suggestedName: String?) async throws(DownloadError) -> Acceptance

    /// How a download ended.
    package enum Result: Sendable {
        /// Without a file: with an ordinary response, or a failure of the transfer.
        case response(Swift.Result<HTTPResponse, TransportFailure>)
        /// With a file that was there before.
        case kept(HTTPResponse)
        /// With an error that concerns the file.
        case failed(DownloadError, HTTPResponse?)
        /// With a complete file, which has to be moved to its destination.
        case complete(HTTPResponse, CompleteFile)
    }

    /// The request, without the fields that the download adds.
    package var request: HTTPRequest
    /// Removes the secrets from a text.
    package var redact: @Sendable (String) -> String
    /// The path of the partial file.
    package var part: String
    /// Whether a partial file is resumed.
    package var resumes: Bool
    /// The digests to compute.
    package var digests: Set<Digest.Algorithm>
    /// The function that accepts responses.
    package var accept: Acceptor

    /// Creates a download from its properties.
    package init(
        _ request: HTTPRequest,
        redact: @escaping @Sendable (String) -> String,
        part: String,
        resumes: Bool,
        digests: Set<Digest.Algorithm>,
        accept: @escaping Acceptor
    ) {
        self.request = request
        self.redact = redact
        self.part = part
        self.resumes = resumes
        self.digests = digests
        self.accept = accept
    }

    /// Downloads the file. If the download is interrupted, the bytes received so far are kept if it can be resumed.
    package func start(
        through transport: any Transport,
        followingRedirects limit: Int,
        monitor: TransferMonitor? = nil,
        onRedirect: (Redirect) -> Void = { _ in }
    ) async -> Result {
        let (thread, file): (FileThread, PartialFile)
        do {
            thread = try FileThread()
        } catch {
            return .failed(DownloadError("could not start a thread for files: \(error)"), nil)
        }
        let cancellation = Cancellation()
        do throws(DownloadError) {
            file = try await thread.run { [part, digests] () throws(DownloadError) in
                try PartialFile(part, digests: digests, cancellation: cancellation)
            }
        } catch {
            return .failed(error, nil)
        }
        let result = await withTaskCancellationHandler {
            await start(file, thread, through: transport, followingRedirects: limit, monitor, onRedirect)
        } onCancel: {
            cancellation.request()
        }
        if case .complete = result { return result }
        await thread.run { file.release() }
        return result
    }

    private func start(
        _ file: PartialFile,
        _ thread: FileThread,
        through transport: any Transport,
        followingRedirects limit: Int,
        _ monitor: TransferMonitor?,
        _ onRedirect: (Redirect) -> Void
    ) async -> Result {
        var state = DownloadState(request, redact: redact, part: file.resumable, resumes: resumes)
        var isResumed = false
        while true {
            var sending = request
            sending.headers += state.fields
            sending.acceptsCompression = false
            let receiver = DownloadReceiver(state, file: file, thread: thread, accept: accept)
            let result = await transport.send(
                sending,
                followingRedirects: limit,
                monitor: monitor,
                receiver: receiver,
                onRedirect: onRedirect
            )
            state = receiver.decision
            switch receiver.outcome {
            case .ordinary: return .response(result)
            case .kept(let response): return .kept(response)
            case .failed(let error, let response): return .failed(error, response)
            case .startOver:
                if case .failure(let failure) = result, failure != .refusedByReceiver { return .response(result) }
            case .written(let body, _):
                guard case .success(let response) = result else { return .response(result) }
                isResumed = isResumed || body.offset > 0
                let position = file.position
                if let end = body.end, position != end {
                    return .failed(DownloadError("the file has \(position) bytes instead of \(end)"), response)
                }
                guard let total = body.total, position < total else {
                    return await finish(
                        file,
                        thread,
                        body.offset > 0 ? response.forWholeFile : response,
                        status: response.status,
                        isResumed: isResumed
                    )
                }
                state.advance(to: position)
            }
        }
    }

    private func finish(
        _ file: PartialFile,
        _ thread: FileThread,
        _ response: HTTPResponse,
        status: Int,
        isResumed: Bool
    ) async -> Result {
        do throws(DownloadError) {
            let digests = try await thread.run { () throws(DownloadError) in try file.finish() }
            return .complete(
                response,
                CompleteFile(file, thread, status: status, digests: digests, isResumed: isResumed)
            )
        } catch {
            return .failed(error, response)
        }
    }
}

/// A file that is completely downloaded. It is at its destination only after `move`; one that is neither moved nor
/// discarded remains as a partial file.
package struct CompleteFile: Sendable {
    /// The size of the file in bytes.
    package let bytes: Int
    /// The status of the last response: 206 if the file was resumed.
    package let status: Int
    /// Its digests.
    package let digests: [Digest.Algorithm: [UInt8]]
    /// Whether a part of it existed before the download.
    package let isResumed: Bool

    private let file: PartialFile
    private let thread: FileThread

    init(
        _ file: PartialFile,
        _ thread: FileThread,
        status: Int,
        digests: [Digest.Algorithm: [UInt8]],
        isResumed: Bool
    ) {
        self.file = file
        self.thread = thread
        self.status = status
        self.digests = digests
        self.isResumed = isResumed
        bytes = file.size
    }

    /// Waits until the file is on disk and moves it to its destination. Throws if a file exists there that must not be
    /// replaced.
    package func move(to target: String, replacing replaces: Bool = true) async throws(DownloadError) {
        try await thread.run { [file] () throws(DownloadError) in try file.move(to: target, replacing: replaces) }
    }

    /// Deletes the file, because its bytes are wrong.
    package func discard() async {
        await thread.run { [file] in file.discard() }
    }

    /// Keeps the file as a partial one if it can be resumed, and deletes it otherwise.
    package func release() async {
        await thread.run { [file] in file.release() }
    }
}
