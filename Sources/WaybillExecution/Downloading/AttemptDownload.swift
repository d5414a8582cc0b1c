import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The download of one attempt: where the file goes, which responses contain it, and which digest it must have.
struct AttemptDownload: Sendable {
    /// A file that was downloaded, or that already existed.
    struct File: Sendable {
        /// Its path as it is opened.
        var destination: String
        /// Its path as the manifest gives it.
        var path: RedactedText
        /// Its size in bytes.
        var bytes: Int
        var digests: [Digest.Algorithm: [UInt8]]
        /// The content that is not at its path yet; `nil` for a file that already existed.
        var content: CompleteFile?
    }

    /// What the head of the response determined, before the body was received.
    private struct Notes {
        var destination: String?
        var path: String?
        var expectedDigest: [UInt8]?
        var failure: Failure?
    }

    let target: DownloadTarget
    let definition: Download
    private let plan: RequestPlan
    private let scope: RequestScope
    let expectedStatus: [StatusPattern]
    /// The digests to compute. A digest takes as long as the rest of the download, so SHA-256 is computed only if the
    /// manifest uses it, or if 'merge' verifies the file.
    private let algorithms: Set<Digest.Algorithm>
    private let notes = Shared()

    private var run: RunContext { scope.context.run }

    /// The download of an attempt whose request was built.
    ///
    /// - Parameter isUsed: Whether expressions use the file's size and digest.
    init(
        _ definition: Download,
        of plan: RequestPlan,
        in scope: RequestScope,
        expectedStatus: [StatusPattern],
        isUsed: Bool
    ) throws(EvaluationFailure) {
        self.definition = definition
        self.plan = plan
        self.scope = scope
        self.expectedStatus = expectedStatus
        var algorithms: Set<Digest.Algorithm> = isUsed || scope.context.run.isPart ? [.sha256] : []
        if let checksum = definition.checksum { algorithms.insert(checksum.algorithm) }
        self.algorithms = algorithms
        target = try DownloadTarget(definition, folder: plan.settings.downloads, in: scope)
    }

    /// Sends the request, and downloads the file of its response.
    func start(
        _ request: HTTPRequest,
        through transport: any Transport,
        followingRedirects limit: Int,
        _ monitor: TransferMonitor,
        _ onRedirect: (Redirect) -> Void
    ) async -> RequestSender.Outcome {
        func ended(_ end: RequestSender.End, _ file: File? = nil) -> RequestSender.Outcome {
            RequestSender.Outcome(end: end, lastURL: request.url, file: file)
        }
        let part: String
        do throws(Failure) {
            if target.isFolder {
                part = try await path(
                    target.path + DownloadTarget.nameOfPart(for: request.url, redactor: run.redactor),
                    owner: nil
                )
            } else {
                let destination = try await destination(named: nil)
                if keeps(destination) {
                    let file = try await existing(destination, in: scope)
                    return ended(.fileExists, file)
                }
                part = RecordContainer.file.part(of: destination)
            }
        } catch {
            return ended(.refusal(error))
        }
        func download(to part: String) async -> FileDownload.Result {
            let download = FileDownload(
                request,
                redact: { [run] in run.redactor.redact($0) },
                part: part,
                resumes: definition.resumes,
                digests: algorithms
            ) { (response, name) async throws(DownloadError) in
                try await accept(response, suggestedName: name ?? SuggestedName.of(url: request.url))
            }
            return await download.start(
                through: transport,
                followingRedirects: limit,
                monitor: monitor,
                onRedirect: onRedirect
            )
        }
        let unfinished: String?
        do throws(EvaluationFailure) {
            unfinished = try unfinishedPath(of: request)
        } catch {
            return ended(.refusal(run.failure(error)))
        }
        var result = await download(to: unfinished ?? part)
        if unfinished != nil, case .failed(let error, nil) = result, !error.wasStopped {
            // Another run may be downloading the file.
            warn("\(error); the file is downloaded from its start in the results folder")
            result = await download(to: part)
        }
        switch result {
        case .response(.success(let response)): return ended(.response(response))
        case .response(.failure(let failure)): return ended(.failure(failure))
        case .failed(let error, let response):
            let failure = notes.value.failure ?? failure(error)
            guard let response else { return ended(.refusal(failure)) }
            return ended(.fileFailure(failure, response, status: response.status))
        case .kept(let response):
            do throws(Failure) {
                let file = try await existing(notes.value.destination ?? "", in: scope.with(response))
                return ended(.response(response), file)
            } catch {
                return ended(.fileFailure(error, response, status: response.status))
            }
        case .complete(let response, let content):
            let file = File(
                destination: notes.value.destination ?? "",
                path: run.redactor.text(notes.value.path ?? target.path),
                bytes: content.bytes,
                digests: content.digests,
                content: content
            )
            if let failure = mismatch(of: file.digests) {
                await content.discard()
                return ended(.fileFailure(failure, response, status: content.status))
            }
            return ended(.response(response), file)
        }
    }

    /// Moves the file of a successful attempt to its path, and reports it. After a failure, it remains a partial file.
    func conclude(_ file: File, _ outcome: inout AttemptOutcome) async {
        guard outcome.failure == nil else {
            await file.content?.release()
            return
        }
        if let content = file.content {
            do throws(DownloadError) {
                try await content.move(to: file.destination, replacing: definition.replaces)
            } catch {
                outcome.failure = failure(error)
                return
            }
        }
        let digest = file.digests[.sha256].map(Hexadecimal.encode)
        let isResumed = file.content?.isResumed ?? false
        let event = RunEvent.DownloadedFile(
            path: file.path,
            bytes: file.bytes,
            sha256: digest,
            isResumed: isResumed,
            isKept: file.content == nil
        )
        run.events.emit(.downloadCommitted(event), step: scope.context.path, endpoint: plan.endpoint)
        outcome.downloaded = [
            "file": .string(file.path.string),
            "bytes": .number(JSONNumber(file.bytes)),
            "sha256": digest.map(JSON.string) ?? .null,
            "resumed": .bool(isResumed),
        ]
    }

    // MARK: Responses

    /// Decides whether a response contains the file, before any of it is written.
    private func accept(
        _ response: HTTPResponse,
        suggestedName name: String?
    ) async throws(DownloadError) -> FileDownload.Acceptance {
        guard plan.accepts(response, expecting: expectedStatus) else { return .no }
        // Secrets in its fields are not stored next to the partial file.
        run.redactor.register(secretOutputsOf: plan, in: scope.with(response))
        do throws(Failure) {
            let digest = try expectedDigest(in: scope.with(response))
            let destination = try await destination(named: name)
            notes.change { $0.expectedDigest = digest }
            return keeps(destination) ? .keepExisting : .yes
        } catch {
            notes.change { $0.failure = error }
            throw DownloadError(error.message.string)
        }
    }

    private func keeps(_ destination: String) -> Bool {
        !definition.replaces && (try? FileStatus(of: destination, followsLinks: false)) != nil
    }

    // MARK: Paths

    /// Returns the path of the file. In a folder, its name depends on the response.
    private func destination(named name: String?) async throws(Failure) -> String {
        var path = target.path
        if target.isFolder {
            // A name that contains a secret would write the secret to the disk.
            let isSafe = name.map { run.redactor.redact($0) == $0 } ?? false
            path += isSafe ? name ?? "" : DownloadTarget.nameOfNothing
        }
        try run.checkPath(path, at: target.span)
        // Equal requests with `duplicates` may use the same file.
        let isShared = plan.settings.duplicates.map { $0.value.mode != .allow } ?? false
        let destination = try await self.path(path, owner: isShared ? nil : scope.context.path)
        notes.change { notes in
            notes.destination = destination
            notes.path = path
        }
        return destination
    }

    private func path(_ path: String, owner: String?) async throws(Failure) -> String {
        guard let folder = run.folder else {
            throw Failure(.download, "there is no results folder to download to", at: target.span)
        }
        do {
            return try await folder.path(ofDownload: path, allowsOutside: run.allowsOutside, for: owner)
        } catch {
            let kind: FailureKind = error.kind == .refused ? .input : .download
            throw Failure(kind, run.redactor.text(error.description), at: target.span)
        }
    }

    /// Returns the path of the file that the next run continues, if the setting has a folder for those; `nil` for a
    /// request that cannot be continued, and with the mock server, whose files are no service's.
    private func unfinishedPath(of request: HTTPRequest) throws(EvaluationFailure) -> String? {
        guard let setting = plan.settings.unfinishedDownloads, definition.resumes, request.method == "GET",
            !run.executor.isMocked
        else {
            return nil
        }
        let folder = try setting.value.checkedPath(.cache, within: scope.environment.files)
        let isFirst = run.unfinishedDownloads.withLock { $0.insert(folder).inserted }
        if let message = UnfinishedDownloads.prepare(folder, removesOld: isFirst) {
            warn("\(message); downloads that are not finished are lost")
            return nil
        }
        return "\(folder)/\(DownloadTarget.nameOfPart(for: request.url, redactor: run.redactor))"
    }

    private func warn(_ message: String) {
        let location = SourceLocation(plan.settings.unfinishedDownloads?.span ?? target.span)
        run.events.emit(.warning(run.redactor.text(message), at: location), step: scope.context.path)
    }

    private func failure(_ error: DownloadError) -> Failure {
        if error.wasStopped { return .stopped(at: target.span) }
        return Failure(.download, run.redactor.text(error.description), at: target.span)
    }

    // MARK: Digests

    private func existing(_ destination: String, in scope: RequestScope) async throws(Failure) -> File {
        let digest = try expectedDigest(in: scope)
        notes.change { $0.expectedDigest = digest }
        let read: FileDigests?
        do {
            read = try await FileDigests.of([.file(LocalFile(destination))], algorithms)
        } catch {
            throw failure(DownloadError("cannot read '\(destination)': \(error.message)"))
        }
        guard let read else { throw .stopped(at: target.span) }
        if let failure = mismatch(of: read.values) { throw failure }
        let path = run.redactor.text(notes.value.path ?? target.path)
        return File(destination: destination, path: path, bytes: read.count, digests: read.values, content: nil)
    }

    private func expectedDigest(in scope: RequestScope) throws(Failure) -> [UInt8]? {
        guard let checksum = definition.checksum else { return nil }
        do throws(EvaluationFailure) {
            let value = try checksum.value.value(in: scope.scope(definition.level))
            return try checksum.algorithm.bytes(ofDigest: value, at: checksum.value.span)
        } catch {
            throw run.failure(error)
        }
    }

    private func mismatch(of digests: [Digest.Algorithm: [UInt8]]) -> Failure? {
        guard let checksum = definition.checksum, let expected = notes.value.expectedDigest,
            let actual = digests[checksum.algorithm], actual != expected
        else { return nil }
        let words =
            "the \(checksum.algorithm.rawValue) digest of '\(notes.value.path ?? target.path)' is "
            + "\(Hexadecimal.encode(actual)), not \(Hexadecimal.encode(expected))"
        return Failure(.download, run.redactor.text(words), at: checksum.value.span)
    }

    /// The notes, which the transport's callback changes.
    private final class Shared: Sendable {
        private let notes = Mutex(Notes())

        var value: Notes { notes.withLock { $0 } }

        func change(_ body: (inout Notes) -> Void) { notes.withLock { body(&$0) } }
    }
}

extension RequestScope {
    fileprivate func with(_ response: HTTPResponse) -> RequestScope {
        var scope = self
        scope.response = response
        return scope
    }
}

extension Digest.Algorithm {
    fileprivate func bytes(ofDigest value: ScopeValue, at span: SourceSpan) throws(EvaluationFailure) -> [UInt8] {
        let json = value.json
        if case .bytes(let bytes) = json, bytes.count == byteCount { return bytes }
        guard let text = json.string else {
            throw EvaluationFailure(message: "expected the digest as a string, found \(json.kind.phrase)", span: span)
        }
        guard let bytes = bytes(ofDigest: text) else {
            throw EvaluationFailure(message: words(onWrong: value.isSecret ? Redactor.mask : text), span: span)
        }
        return bytes
    }
}
