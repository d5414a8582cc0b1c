import Synchronization
import WaybillDiagnostics
import WaybillExpressions
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlan
import WaybillResults
import WaybillTransport

/// Receives the events of a request with `stream`: those of all its attempts, each of which continues after the last
/// event that had an ID.
final class EventCollector: BodyReceiver {
    private struct State {
        /// The scope of the current attempt, and the statuses that have events.
        var scope: RequestScope
        var expectedStatus: [StatusPattern] = []
        /// The response of the current attempt, if it has events, and when it started.
        var response: HTTPResponse?
        /// That of an earlier attempt.
        var earlierResponse: HTTPResponse?
        var beganAt = Duration.zero
        /// How long the current attempt may take, and how long its events have been processed.
        var timeout: Duration?
        var busyTime = Duration.zero
        var reader = EventReader(nil)
        /// The events of all attempts, if they are kept.
        var events: [JSON] = []
        var isSecret = false
        /// Whether the secret outputs could be evaluated with events so far.
        var areSecretsKnown = false
        var memory: RunMemory.Share?
        /// The memory of an unfinished event of more than one mebibyte.
        var unfinishedMemory: RunMemory.Share?
        var count = 0
        /// The events since the last one with an ID of its own, which are not counted yet: the server sends them again after
        /// `Last-Event-ID`.
        var unconfirmed: [JSON] = []
        var confirmedBytes = 0
        /// The bytes that were received in this attempt, and in those before that it continues.
        var bytes = (received: 0, earlier: 0)
        /// The redirects of all attempts.
        var redirects: [Redirect] = []
        var pages = 0
        var lastID = ""
        var ids = RecentIDs()
        /// Whether the current attempt continues after an ID and has repeated none.
        var mayRepeat = false
        var reconnectionTime: Duration?
        /// Whether a response had the status 204, after which a stream is not connected to again (WHATWG HTML, section 9.2.3).
        var isEndedForGood = false
        /// When the time of `for` is over.
        var end: Duration?
        var result: Result<Void, Failure>?
    }

    private let request: RequestStep
    private let context: StepContext
    private let setting: Setting<StreamSetting>
    private let keepsEvents: Bool
    private let state: Mutex<State>
    private var plan: RequestPlan { request.plan }
    private var run: RunContext { context.run }

    init(_ request: RequestStep, _ setting: Setting<StreamSetting>, in context: StepContext) {
        self.request = request
        self.context = context
        self.setting = setting
        keepsEvents = context.output == nil || request.step.needsItems
        state = Mutex(State(scope: context.scope))
    }

    /// Continues after the events of the earlier run; `false` if it must start with the first one.
    func continueEarlier() -> Bool {
        guard let output = context.output, var earlier = context.earlier?.pages(of: context.path) else { return false }
        if context.isElement(request.step) {
            earlier.goBack(to: output.continuedPages)
        } else if let loss = output.loss {
            earlier.goBack(to: loss.rest.count)
        }
        guard let id = earlier.next?.string, !keepsEvents || earlier.hasItems else { return false }
        state.withLock { state in
            (state.lastID, state.count, state.pages) = (id, earlier.items, earlier.count)
            for page in earlier.nextPages { _ = state.ids.insert(page.string) }
            guard keepsEvents else { return }
            state.events = earlier.keptItems
            // The earlier run had memory for them.
            try? context.keep(state.events, in: &state.memory, at: setting.span)
        }
        return true
    }

    /// Prepares for an attempt. Without an ID to continue after, the events of earlier attempts are forgotten.
    func start(in scope: RequestScope, expecting status: [StatusPattern]) throws(EvaluationFailure) {
        let limit = try setting.value.time?.duration(in: scope.scope(setting.level))
        let failure = state.withLock { state -> Failure? in
            state.earlierResponse = state.response ?? state.earlierResponse
            (state.scope, state.expectedStatus, state.response, state.result) = (scope, status, nil, nil)
            state.bytes = (0, state.bytes.earlier + state.bytes.received)
            (state.redirects, state.unconfirmed, state.unfinishedMemory) = ([], [], nil)
            state.confirmedBytes = state.bytes.earlier
            state.end = state.end ?? limit.map { run.clock.now + $0 }
            return state.lastID.isEmpty && state.count > 0 ? restart(&state) : nil
        }
        if let failure { throw EvaluationFailure(message: failure.message.string, span: setting.span, kind: .output) }
    }

    /// Forgets the events so far, and removes their records. Returns why that failed.
    private func restart(_ state: inout State) -> Failure? {
        (state.events, state.memory, state.count, state.pages, state.bytes.earlier) = ([], nil, 0, 0, 0)
        (state.lastID, state.areSecretsKnown) = ("", false)
        do throws(Failure) {
            try context.output?.removeRecords()
            return nil
        } catch {
            return error
        }
    }

    /// The field that continues the stream. It does not go to another origin if it contains a secret, or may contain one.
    var field: HTTPField? {
        let id = state.withLock { $0.lastID }
        if id.isEmpty { return nil }
        let isSensitive = plan.hasSecretOutputs || run.redactor.unchanged(JSON.string(id)) == nil
        return HTTPField(name: Self.fieldName, value: id, isSensitive: isSensitive)
    }

    private static let fieldName = "Last-Event-ID"

    /// How long to wait before the next attempt: as long as the server asks, and not longer than `for`.
    func pause(_ pause: Duration) -> Duration {
        state.withLock { state in min(pause, state.end.map { max(.zero, $0 - run.clock.now) } ?? pause) }
    }

    /// Whether no further attempt may follow: the time of `for` is over, or the server has ended the stream for good.
    var isOver: Bool {
        state.withLock { state in state.isEndedForGood || state.end.map { run.clock.now >= $0 } ?? false }
    }

    /// How long the server asks to wait before it is connected to again.
    var reconnectionTime: Duration? { state.withLock { $0.reconnectionTime } }

    /// The events of all attempts; `nil` if the current response has none.
    var data: ScopeValue? {
        state.withLock { $0.response == nil ? nil : events($0) }
    }

    /// The events of all attempts, even if the last one failed; `nil` if there are none.
    var received: ScopeValue? {
        state.withLock { $0.count + $0.unconfirmed.count == 0 ? nil : events($0) }
    }

    private func events(_ state: State) -> ScopeValue {
        // With a file, the filters have not been applied to the others.
        ScopeValue(.array(areFiltered ? state.events : state.events + state.unconfirmed), isSecret: state.isSecret)
    }

    /// What else is known of the events, if they were decoded from JSON.
    var decoded: ResponseDecoder.Decoded { state.withLock { $0.reader.decoded } }

    /// The redirects of the current attempt.
    var redirects: [Redirect] { state.withLock { $0.redirects } }

    /// Whether the events may contain secrets that are not known.
    var hidesSecrets: Bool { state.withLock { $0.count > 0 && !$0.areSecretsKnown } }

    /// Whether the filters have been applied to the events, as to the records of a file.
    var areFiltered: Bool { context.output != nil }

    // MARK: Receiving

    /// Sends the request, and receives its events until the stream has ended.
    func send(
        _ request: HTTPRequest,
        through transport: any Transport,
        followingRedirects limit: Int,
        _ monitor: TransferMonitor
    ) async -> RequestSender.End {
        let send = { @Sendable [self] in
            await transport.send(request, followingRedirects: limit, monitor: monitor, receiver: self) { redirect in
                state.withLock { $0.redirects.append(redirect) }
            }
        }
        let end = state.withLock { state in
            (state.timeout, state.busyTime) = (request.timeout, .zero)
            return state.end
        }
        let rest = end.map { max(.zero, $0 - run.clock.now) }
        let sent = if let rest { await run.clock.cancelling(after: rest, send) } else { await send() }
        let isTimeUp = !Task.isCancelled && end.map { run.clock.now >= $0 } ?? false
        return state.withLock { state in
            // An evaluation that the time of 'for' has stopped does not stop the step.
            if isTimeUp { state.scope.environment.goOn() }
            defer {
                // The outcome of the step keeps the collector, but not what the stream has not finished.
                state.unfinishedMemory = nil
                state.reader.forgetUnfinished()
            }
            // The time of 'for' ends the stream also while it is interrupted.
            if case .failure = sent, isTimeUp, state.response == nil { state.response = state.earlierResponse }
            let isWhole = if case .success = sent { true } else { isTimeUp && state.bytes.earlier == 0 }
            if isWhole { checkType(&state) }
            guard var response = state.response else {
                switch sent {
                case .success(let response): return .response(response)
                case .failure(let failure) where isTimeUp && failure.kind == .cancelled:
                    return .failure(TransportFailure(.timeout, "no response within the time of 'for'", wasSent: true))
                case .failure(let failure): return .failure(failure)
                }
            }
            if case .success = sent, state.result == nil { finish(&state) }
            let isComplete = if case .success = sent { setting.value.goals.isEmpty } else { isTimeUp }
            if state.result == nil, isComplete {
                take(&state, isEnd: true) { (reader) throws(ResponseDecoder.DecodingError) in try reader.checkStart() }
            }
            response.timings.total += run.clock.now - state.beganAt
            response.bytesReceived = max(response.bytesReceived, state.bytes.received)
            state.response = response
            let failure: Failure
            switch (state.result, sent) {
            case (.success, _): return .response(response)
            case (.failure(let reason), _): failure = reason
            case (nil, .success):
                let goals = setting.value.goals.map { "'\($0)'" }.joined(separator: " or ")
                let end = state.isEndedForGood ? "ended the stream for good (status 204)" : "ended the stream"
                let message = "the server \(end) after \(count(state)), before \(goals)"
                failure = Failure(.transfer, run.redactor.text(message), at: span)
            case (nil, .failure(let reason)) where reason.kind == .cancelled: failure = .stopped(at: span)
            case (nil, .failure(let reason)):
                let message = run.redactor.text("\(reason.message), after \(count(state)) of the stream")
                failure = Failure(FailureKind(reason), message, at: span)
            }
            return .fileFailure(failure, response, status: response.status)
        }
    }

    private var span: SourceSpan { setting.span }

    private func count(_ state: State) -> String {
        let count = state.count + state.unconfirmed.count
        return count == 1 ? "1 event" : "\(count) events"
    }

    func begin(_ response: HTTPResponse) async -> BodyUse {
        state.withLock { state in
            state.isEndedForGood = response.status == 204
            guard response.status / 100 == 2, plan.accepts(response, expecting: state.expectedStatus) else {
                return .collect
            }
            let decoder = ResponseDecoder(decoding: plan.settings.decoding?.value ?? .default)
            state.scope.response = response
            (state.response, state.beganAt) = (response, run.clock.now)
            let areSecretsKnown = run.redactor.register(secretOutputsOf: plan, in: state.scope)
            state.areSecretsKnown = state.areSecretsKnown || areSecretsKnown
            // A redirect to another origin does not receive an ID that may contain a secret, so the stream starts over there.
            if let hop = state.redirects.last, !state.lastID.isEmpty,
                !hop.nextHeaders.contains(where: { $0.isNamed(Self.fieldName) }),
                let failure = restart(&state)
            {
                state.result = .failure(failure)
            }
            switch decoder.effectiveDecoding(of: response) {
            case .ndjson: state.reader = EventReader(nil)
            case .sse:
                state.reader = EventReader(ServerSentEvents(after: state.lastID))
                state.mayRepeat = !state.lastID.isEmpty
                _ = state.ids.insert(state.lastID.isEmpty ? nil : state.lastID)
            default:
                let type = response.headers.first(named: "Content-Type").map { "has the content type '\($0)'" }
                let words = "the response \(type ?? "has no content type"), so it is not known how to find events in it"
                let help = "'decoding: sse' and 'decoding: ndjson' decide that"
                // A response without content has no events.
                if [204, 205].contains(response.status) { break }
                state.result = .failure(Failure(.decode, run.redactor.text("\(words); \(help)"), at: span))
            }
            return .receive
        }
    }

    func receive(_ bytes: [UInt8]) async -> Bool {
        let start = run.clock.now
        if let output = context.output, !output.hasRoom { await wait(for: output) }
        await holdUnfinished(and: bytes.count)
        // The transport's clock stops while events wait to be processed.
        guard isInTime(since: start) else { return false }
        // A cancelled step does not work off what has arrived, which may be a million lines.
        for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) where !Task.isCancelled {
            let piece = Array(bytes[start..<min(start + Self.pieceBytes, bytes.count)])
            let goesOn = state.withLock { state in
                state.bytes.received += piece.count
                return take(&state) { (reader) throws(ResponseDecoder.DecodingError) in try reader.take(piece) }
            }
            guard goesOn else { return false }
        }
        let isInTime = isInTime(since: start)
        state.withLock { $0.busyTime += run.clock.now - start }
        return isInTime
    }

    private static let pieceBytes = 64 << 10

    /// Waits until the records of other elements leave room for more, no longer than the timeout: they may never do so.
    private func wait(for output: StepFile) async {
        let rest = state.withLock { state in state.timeout.map { max(.zero, $0 - state.busyTime) } }
        guard let rest else { return await output.room() }
        await run.clock.cancelling(after: rest) { await output.room() }
    }

    /// Whether the events of the current attempt may still be processed. Otherwise the attempt has failed, or is cancelled.
    private func isInTime(since start: Duration) -> Bool {
        state.withLock { state in
            if let timeout = state.timeout, state.busyTime + run.clock.now - start > timeout {
                let message = run.redactor.text("the stream has not ended within \(timeout.words)")
                state.result = .failure(Failure(.timeout, message, at: span))
            }
            return state.result == nil && !Task.isCancelled
        }
    }

    /// Waits for room in memory if a line or an event is long.
    private func holdUnfinished(and count: Int) async {
        let share = state.withLock { state -> (RunMemory.Share, Int)? in
            let size = state.reader.unfinishedBytes + count
            guard size > RunMemory.smallBody else {
                state.unfinishedMemory = nil
                return nil
            }
            let share = state.unfinishedMemory ?? RunMemory.Share(of: run.executor.memory)
            state.unfinishedMemory = share
            // The array grows by doubling.
            return (share, 2 * size)
        }
        if let (share, size) = share { await share.grow(to: size) }
    }

    /// Fails if nothing was received, and the response may be that of something else.
    private func checkType(_ state: inout State) {
        guard state.result == nil, state.bytes.received == 0, let response = state.response,
            ![204, 205].contains(response.status),
            let error = ResponseDecoder(decoding: plan.settings.decoding?.value ?? .default).emptyList(of: response)
        else { return }
        state.result = .failure(Failure(.decode, run.redactor.text(error.message), at: span))
    }

    /// Takes the last event of a body that the server has ended. If it is incomplete, and the stream should have gone on, the
    /// transfer has failed.
    private func finish(_ state: inout State) {
        take(&state) { (reader) throws(ResponseDecoder.DecodingError) in try reader.finish() }
        guard !setting.value.goals.isEmpty, case .failure(var failure)? = state.result, failure.kind == .decode else {
            return
        }
        failure.kind = .transfer
        state.result = .failure(failure)
    }

    /// Takes the next events. Returns whether more may follow.
    ///
    /// - Parameter isEnd: Whether the stream has ended as it should.
    @discardableResult
    private func take(
        _ state: inout State,
        isEnd: Bool = false,
        _ read: (inout EventReader) throws(ResponseDecoder.DecodingError) -> [JSON]
    ) -> Bool {
        guard state.result == nil else { return false }
        do throws(Failure) {
            let events: [JSON]
            do throws(ResponseDecoder.DecodingError) {
                events = try read(&state.reader)
            } catch {
                throw Failure(.decode, run.redactor.text(error.message), at: span)
            }
            let received = state.bytes.earlier + state.bytes.received
            let limit = plan.settings.maxBody?.value ?? MaxBodySetting.default
            let isFull = (keepsEvents ? received : received - state.confirmedBytes) > limit
            guard state.reader.unfinishedBytes <= limit, !isFull || !keepsEvents && state.unconfirmed.isEmpty else {
                let words = isFull ? "the events\(keepsEvents ? "" : " without an ID of their own") are" : "an event is"
                throw Failure(
                    .transfer,
                    run.redactor.text("\(words) larger than the limit of \(limit) bytes"),
                    at: span
                )
            }
            state.reconnectionTime = state.reader.reconnectionTime ?? state.reconnectionTime
            try add(events, after: state.reader.lastID, isEnd: isEnd, to: &state)
        } catch {
            // The time of 'for' may be over in the middle of an evaluation.
            if !Task.isCancelled { state.result = .failure(error) }
        }
        return state.result == nil
    }

    private func add(
        _ events: [JSON],
        after last: String,
        isEnd: Bool,
        to state: inout State
    ) throws(Failure) {
        noteIDs(of: events, &state)
        var (taken, isLast) = try untilEnd(events, state)
        isLast = isLast || isEnd
        taken = state.unconfirmed + taken
        var lastID = last
        var confirmed = taken.count
        if !isLast, !lastID.isEmpty, lastID == taken.last?["id"]?.string {
            // The first event with this ID; the others have it from this one.
            confirmed = taken.firstIndex { $0["id"]?.string == lastID } ?? 0
            if lastID != state.lastID { confirmed += 1 } else { confirmed = 0 }
        }
        // Those that cannot be evaluated in time wait for the end.
        state.unconfirmed = taken
        let unconfirmed = Array(taken[confirmed...])
        taken.removeSubrange(confirmed...)
        guard !taken.isEmpty || isLast else {
            if unconfirmed.isEmpty { state.lastID = lastID }
            return
        }
        lastID = unconfirmed.isEmpty ? lastID : taken.last?["id"]?.string ?? lastID
        state.confirmedBytes = state.bytes.earlier + state.bytes.received
        var data = ScopeValue(.array(taken))
        var records: RecordedOutput?
        var scope = state.scope
        if let output = context.output {
            let evaluator = ResponseEvaluator(
                plan: plan,
                response: state.response ?? HTTPResponse(status: 200, url: ""),
                part: .page,
                keepsData: false,
                expectedStatus: state.expectedStatus,
                scope: scope
            )
            data = try evaluator.filtered(data)
            let elements = data.json.array ?? [data.json]
            if keepsEvents { try keep(elements, isSecret: data.isSecret, &state) }
            scope.data = keepsEvents ? ScopeValue(.array(state.events), isSecret: state.isSecret) : data
            let areSecretsKnown = run.redactor.register(secretOutputsOf: plan, in: scope)
            state.areSecretsKnown = state.areSecretsKnown || areSecretsKnown
            records = try output.append(data, isList: true, in: scope)
            // The event of the step's end includes the last events. A request that must not be sent twice has no end yet.
            if !isLast, plan.isIdempotent(sentAs: scope.request?.method) {
                state.pages += 1
                let isSafe = areSecretsKnown && !data.isSecret
                let next = isSafe && !lastID.isEmpty ? run.redactor.unchanged(JSON.string(lastID)) : nil
                let kept = keepsEvents && isSafe ? run.redactor.unchanged(JSON.array(elements).markingBytes) : nil
                var end = RunEvent.PageEnd(
                    number: state.pages,
                    items: taken.count,
                    nextPage: next,
                    records: records,
                    kept: kept?.encoded
                )
                end.isOfStream = true
                run.events.emit(.pageFinished(end), step: context.path)
            }
        } else {
            try keep(taken, isSecret: false, &state)
        }
        state.unconfirmed = unconfirmed
        state.count += taken.count
        state.lastID = lastID
        if isLast { state.result = .success(()) }
    }

    /// Warns if a server that was asked to continue the stream sends events again.
    private func noteIDs(of events: [JSON], _ state: inout State) {
        for event in events {
            guard !state.ids.insert(event["id"]?.string), state.mayRepeat else { continue }
            state.mayRepeat = false
            let message: RedactedText =
                "the server ignores 'Last-Event-ID': it sends events again that the stream already had, and they are used twice"
            run.events.emit(.warning(message, at: SourceLocation(span)), step: context.path, endpoint: plan.endpoint)
        }
    }

    private func keep(_ elements: [JSON], isSecret: Bool, _ state: inout State) throws(Failure) {
        try context.keep(elements, in: &state.memory, at: span)
        state.events += elements
        state.isSecret = state.isSecret || isSecret
    }

    /// Returns the events up to the one that ends the stream, and whether there is one.
    private func untilEnd(_ events: [JSON], _ state: State) throws(Failure) -> (taken: [JSON], isLast: Bool) {
        for (index, event) in events.enumerated() {
            var isLast = setting.value.max.map { state.count + state.unconfirmed.count + index + 1 >= $0 } ?? false
            if let until = setting.value.until {
                var scope = state.scope.scope(setting.level)
                scope.item = ScopeValue(event)
                scope.current = scope.item
                do throws(EvaluationFailure) {
                    isLast = try until.holds(in: scope) || isLast
                } catch {
                    throw run.failure(error)
                }
            }
            if isLast { return (Array(events[...index]), true) }
        }
        return (events, false)
    }
}

extension RequestPlan {
    /// Whether a response has the content that the request is for: its status and its media type are expected.
    func accepts(_ response: HTTPResponse, expecting status: [StatusPattern]) -> Bool {
        guard status.contains(where: { $0.matches(response.status) }) else { return false }
        guard let ranges = settings.accept?.value, response.headers.first(named: "Content-Range") == nil,
            ![204, 205].contains(response.status)
        else { return true }
        // A response of another media type, such as a login page, is not the content.
        let types = response.headers.values(named: "Content-Type")
        return !types.isEmpty && types.allSatisfy { type in ranges.contains { $0.contains(type) } }
    }
}
