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
        if let snapshot = outcome.snapshot, outcome.failure == nil {
            outcome.failure = await context.write(snapshot, endpoint: plan.endpoint)
        }
    }

    func concludeDownload(_ outcome: inout AttemptOutcome) async {
        guard let (download, file) = outcome.file else { return }
        outcome.file = nil
        await download.conclude(file, &outcome)
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
