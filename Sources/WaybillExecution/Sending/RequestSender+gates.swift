import WaybillDiagnostics
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// The checks before a request is sent: whether an equal one is in flight, and whether its service can be reached.
///
/// Such requests are built before they wait for a permit: those that end here need none, and those that wait count as
/// in flight.
extension RequestSender {
    /// Whether anything is checked.
    var hasGates: Bool {
        let settings = plan.settings
        return settings.reachability?.value == true
            || settings.allowsMetered?.value == false
            || (settings.duplicates.map { $0.value.mode != .allow } ?? false)
    }

    /// Sends a request as soon as it may be sent.
    ///
    /// - Parameters:
    ///   - hasPermit: Whether it has waited for its permit.
    ///   - scope: The scope of the key of `duplicates`.
    func send(
        _ sending: HTTPRequest,
        through transport: any Transport,
        hasPermit: Bool,
        scope: RequestScope
    ) async -> Outcome {
        if hasPermit { return await transfer(sending, through: transport) }
        if let end = await networkEnd(of: sending) { return Outcome(end: end, lastURL: sending.url) }
        guard let policy = plan.settings.duplicates, policy.value.mode != .allow else {
            return await sendWithPermit(sending, through: transport)
        }
        do {
            let key = try DuplicateKey(
                of: sending,
                by: policy,
                in: plan,
                scope: scope,
                signer: (transport as? SigningTransport)?.signer,
                download: download
            )
            if policy.value.mode == .share {
                let transfer = await run.shared.join(key, redirects: maximumRedirects, isFinal: context.isFinal) {
                    await sendWithPermit(sending, through: transport)
                }
                return transfer ?? Outcome(end: .stopped, lastURL: sending.url)
            }
            try await enter(key, policy)
        } catch {
            return Outcome(end: .refusal(run.failure(error)), lastURL: sending.url)
        }
        return await sendWithPermit(sending, through: transport)
    }

    /// Claims to be the request that is sent before it waits for a session or a token, if it is known by then which requests
    /// are equal to it. Throws if it must not be sent.
    func enterEarly(in scope: RequestScope) async throws(EvaluationFailure) {
        guard context.claim != nil, let policy = plan.settings.duplicates,
            let key = DuplicateKey(by: policy, in: plan, scope: scope)
        else { return }
        try await enter(key, policy)
    }

    private func enter(_ key: DuplicateKey, _ policy: Setting<DuplicatePolicy>) async throws(EvaluationFailure) {
        guard await context.claim?.enter(key, policy.value.mode) ?? true else {
            let message = "\(name.string) is already in flight, so this request was not sent"
            throw EvaluationFailure(message: message, span: policy.span, kind: .duplicate)
        }
    }

    /// The request's failure when a later one has replaced it.
    var superseded: Failure {
        Failure(
            .duplicate,
            "the request was cancelled, because \(name) was sent again",
            at: plan.settings.duplicates?.span
        )
    }

    /// The name of the request in messages.
    private var name: RedactedText {
        run.redactor.text(plan.endpoint.map { "'\($0)'" } ?? "the same request")
    }

    private func sendWithPermit(_ sending: HTTPRequest, through transport: any Transport) async -> Outcome {
        guard let permit = await permit() else { return Outcome(end: .stopped, lastURL: sending.url) }
        defer { run.limiter.release(permit) }
        // The service may have become unreachable while the request waited.
        if let destination = destination(of: sending), let reason = run.reachability.refusal(at: destination) {
            return Outcome(end: .refusal(unreachable(reason)), lastURL: sending.url)
        }
        let outcome = await transfer(sending, through: transport)
        if case .failure(let failure) = outcome.end, failure.kind != .cancelled,
            let destination = destination(of: sending)
        {
            run.reachability.failed(at: destination)
        }
        return outcome
    }

    // MARK: Network

    /// The failure of a request that the network settings do not allow.
    private func networkEnd(of sending: HTTPRequest) async -> End? {
        if let setting = plan.settings.allowsMetered, !setting.value,
            let interface = await run.routes.mobileInterface(towards: sending)
        {
            let failure = Failure(
                .unreachable,
                "the request was not sent, because it would use a mobile network (interface '\(run.redactor.text(interface.name))')",
                at: setting.span
            )
            return .refusal(failure)
        }
        guard let destination = destination(of: sending) else { return nil }
        return switch await run.reachability.check(sending, at: destination) {
        case .go: nil
        case .refused(let reason): .refusal(unreachable(reason))
        case .stopped: .stopped
        }
    }

    /// The service and origin whose reachability is checked before the request, if it is.
    private func destination(of sending: HTTPRequest) -> Reachability.Destination? {
        guard plan.settings.reachability?.value == true,
            let origin = try? Origin(
                ofURL: sending.url,
                connectTo: sending.connectTo,
                resolve: sending.options.resolve,
                unixSocket: sending.options.unixSocket
            )
        else { return nil }
        return Reachability.Destination(service: plan.service ?? "", origin: origin)
    }

    private func unreachable(_ reason: String) -> Failure {
        Failure(
            .unreachable,
            run.redactor.text("the request was not sent, because the server is unreachable: \(reason)"),
            at: plan.settings.reachability?.span
        )
    }
}
