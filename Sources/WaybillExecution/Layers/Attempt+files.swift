import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// The files of a request: the downloaded one, and the kept body of its response.
extension Attempt {
    /// Deletes the downloaded file, because another response follows that may have the file.
    func discardDownload(_ outcome: inout AttemptOutcome) async {
        await outcome.file?.file.content?.discard()
        outcome.file = nil
    }

    /// Moves the downloaded file to its path, unless the request has failed.
    func concludeDownload(_ outcome: inout AttemptOutcome) async {
        guard let (download, file) = outcome.file else { return }
        outcome.file = nil
        await download.conclude(file, &outcome)
    }

    /// Keeps the body of a response that failed, or of each one, once. A page that did not fail has a file of its own.
    /// A body that cannot be searched for secrets within the time of the step is hidden.
    func keepingBody(_ outcome: AttemptOutcome) async -> AttemptOutcome {
        guard run.folder != nil, !outcome.isBodyKept, !outcome.hidden.contains(.body),
            let content = content(of: outcome)
        else {
            return outcome
        }
        let limit = RunFolder.usualBodyLimit
        guard content.body.count <= limit else {
            warn("the response body is larger than \(limit >> 20) MiB and is not kept")
            return outcome
        }
        let page = outcome.failure == nil ? context.pageNumber : nil
        var outcome = outcome
        guard let body = await Self.redacted(content.body, run) else {
            if WorkLimit.isDeadlinePassed {
                warn("the response body is not shown: the time of the step was over before it was searched for secrets")
            }
            outcome.hidden.insert(.body)
            return outcome
        }
        await keep(body, page: page, contentType: content.type)
        // The step may still fail because of this page. The body is then kept as that of the step.
        outcome.isBodyKept = page == nil
        return outcome
    }

    /// The body of the response with its content type, or the events of a stream, one a line; `nil` if it is empty.
    private func content(of outcome: AttemptOutcome) -> (body: [UInt8], type: String?)? {
        if let response = outcome.response, !response.body.isEmpty {
            return (response.body, response.headers.first(named: "Content-Type"))
        }
        // Without a response, secret outputs among the events are not known.
        guard let events = outcome.scope.context.stream?.received, !events.isSecret, let list = events.json.array,
            !list.isEmpty,
            outcome.response != nil || !plan.hasSecretOutputs
        else { return nil }
        var body: [UInt8] = []
        for event in list {
            JSONWriter().write(event, to: &body)
            body.append(UInt8(ascii: "\n"))
        }
        return (body, "application/x-ndjson")
    }

    /// Keeps the body of a request, unless it is read from files or cannot be searched for secrets.
    func keepBody(of request: HTTPRequest, page: Int?) async {
        guard let bytes = request.body.bytes, !bytes.isEmpty,
            !(request.isBodySensitive && run.redactor.hasShortSecrets),
            let body = await Self.redacted(bytes, run)
        else { return }
        await keep(
            body,
            ofRequest: true,
            page: page,
            contentType: request.headers.first { $0.isNamed("Content-Type") }?.value
        )
    }

    private func keep(_ body: RedactedBytes, ofRequest: Bool = false, page: Int?, contentType: String?) async {
        do {
            let kept = try await run.folder?.keep(
                body: body,
                ofRequest: ofRequest,
                of: context.path,
                page: page,
                contentType: contentType
            )
            if kept == .noRoom(isFirst: true) {
                warn(
                    "the bodies already take \(RunFolder.usualBodyLimit >> 20) MiB; this one and later ones are not kept"
                )
            }
        } catch {
            warn("could not keep the \(ofRequest ? "request" : "response") body: \(error)")
        }
    }

    /// The maximum size in bytes of a body that is searched for secrets to show its start.
    private static let maximumSearched = 1 << 20

    /// A body as events have it; `nil` without a body.
    ///
    /// - Parameter isHidden: Whether its text is left out.
    static func excerpt(of body: [UInt8], isHidden: Bool, _ run: RunContext) async -> BodyExcerpt? {
        if body.isEmpty { return nil }
        guard !isHidden, body.count <= maximumSearched, let redacted = await redacted(body, run) else {
            return BodyExcerpt(bytes: body.count)
        }
        return BodyExcerpt(of: redacted)
    }

    /// The body of a request as events have it; without its text if it is read from files.
    static func excerpt(of request: HTTPRequest, isHidden: Bool, _ run: RunContext) async -> BodyExcerpt? {
        guard let bytes = request.body.bytes else { return BodyExcerpt(bytes: request.body.size) }
        let isHidden = isHidden || request.isBodySensitive && run.redactor.hasShortSecrets
        return await excerpt(of: bytes, isHidden: isHidden, run)
    }

    /// A body without secrets; `nil` if the time of the step was over before. A large body is not searched on the
    /// transport's thread.
    private static func redacted(_ body: [UInt8], _ run: RunContext) async -> RedactedBytes? {
        guard body.count >= largeResponse else { return try? run.redactor.bytes(body) }
        return await withTaskExecutorPreference(globalConcurrentExecutor) { try? run.redactor.bytes(body) }
    }
}
