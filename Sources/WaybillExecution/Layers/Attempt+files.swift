import Synchronization
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The files of a request: the downloaded one, the snapshot, and the kept body of its response.
extension Attempt {
    /// Completes the files of the request: moves the downloaded one to its path and writes the snapshot, if it has not failed.
    func complete(_ outcome: inout AttemptOutcome) async {
        await concludeDownload(&outcome)
        await writeSnapshot(&outcome)
    }

    func concludeDownload(_ outcome: inout AttemptOutcome) async {
        guard let (download, file) = outcome.file else { return }
        outcome.file = nil
        await download.conclude(file, &outcome)
    }

    /// Writes the snapshot, unless the file already has that content. A log entry names the file.
    private func writeSnapshot(_ outcome: inout AttemptOutcome) async {
        guard let snapshot = outcome.snapshot, let folder = run.folder, outcome.failure == nil else { return }
        if let other = stepSharing(snapshot) {
            let message = run.redactor.text(
                "the snapshot \(snapshot.path) was already written by step '\(other)', with other data; "
                    + "give each step its own snapshot"
            )
            outcome.failure = Failure(.expect, message, at: snapshot.span)
            return
        }
        do throws(ResultsError) {
            guard let isNew = try await folder.replace(snapshot.path, with: snapshot.content) else { return }
            emit(.log(run.redactor.text("snapshot \(snapshot.path) \(isNew ? "created" : "updated")")))
        } catch {
            let message = run.redactor.text("could not write the snapshot: \(error)")
            outcome.failure = Failure(.expect, message, at: snapshot.span)
        }
    }

    /// The other step of the run that has written a snapshot to the same file with other content, if there is one.
    private func stepSharing(_ snapshot: SnapshotChecker.Update) -> String? {
        let folder = FileContents.folder(of: snapshot.path)
        let path = FileContents.path(
            FileContents.name(of: snapshot.path),
            in: FileContents.canonicalPath(folder) ?? folder
        )
        let digest = Digest.sha256(of: snapshot.content)
        return run.snapshots.withLock { snapshots in
            if let earlier = snapshots[CodePoints(path)], earlier.step != context.path, earlier.digest != digest {
                return earlier.step
            }
            snapshots[CodePoints(path)] = (context.path, digest)
            return nil
        }
    }

    /// Keeps the body of a response that failed, or of each one, once. A page that did not fail has a file of its own.
    /// A body that cannot be searched for secrets within the time of the step is hidden.
    func keepingBody(_ outcome: AttemptOutcome) async -> AttemptOutcome {
        guard let folder = run.folder, let response = outcome.response, !response.body.isEmpty, !outcome.isBodyKept,
            !outcome.isBodyHidden
        else { return outcome }
        let page = outcome.failure == nil ? context.pageNumber : nil
        var outcome = outcome
        guard let body = await redacted(response.body) else {
            if WorkLimit.isDeadlinePassed {
                warn("the response body is not shown: the time of the step was over before it was searched for secrets")
            }
            outcome.isBodyHidden = true
            return outcome
        }
        do {
            let kept = try await folder.keep(
                body: body,
                of: context.path,
                page: page,
                contentType: response.headers.first(named: "Content-Type")
            )
            if kept == .noRoom(isFirst: true) {
                warn(
                    "the response bodies already take \(RunFolder.usualBodyLimit >> 20) MiB; this one and later ones are not kept"
                )
            }
        } catch {
            warn("could not keep the response body: \(error)")
        }
        // The step may still fail because of this page. The body is then kept as that of the step.
        outcome.isBodyKept = page == nil
        return outcome
    }

    /// A body without secrets; `nil` if the time of the step was over before. A large body is not searched on the
    /// transport's thread.
    private func redacted(_ body: [UInt8]) async -> RedactedBytes? {
        guard body.count >= Self.largeResponse else { return try? run.redactor.bytes(body) }
        return await withTaskExecutorPreference(globalConcurrentExecutor) { [run] in try? run.redactor.bytes(body) }
    }
}
