import WaybillDiagnostics
import WaybillResults
import WaybillTransport

/// Turns the events of a run into spans: of the run, its graphs, steps and elements, and the attempts of requests.
///
/// It is a value that receives the events in order and returns the spans that have ended. Events contain no secrets, and
/// neither do spans.
struct SpanBuilder: Sendable {
    /// What a span is of. Several parts can have the same path: a step, its attempt, and the graph that it runs.
    private struct Part: Hashable {
        enum Kind { case graph, step, attempt }

        var kind: Kind
        var path: String

        init(_ kind: Kind, _ path: String) {
            self.kind = kind
            self.path = path
        }
    }

    private let context: TraceContext
    private let makeID: @Sendable () -> SpanID
    private var run: Span?
    private var open: [Part: Span] = [:]
    /// The events with which graphs started that have no span yet, by path.
    private var graphStarts: [String: RunEvent] = [:]
    /// How often the current request of each running step was sent.
    private var sends: [String: Int] = [:]
    private var ended: [Span] = []

    /// Creates a builder for a run that has not started.
    init(_ context: TraceContext, makeID: @escaping @Sendable () -> SpanID = { .random() }) {
        self.context = context
        self.makeID = makeID
    }

    /// Adds an event, and returns the spans that ended with it.
    mutating func take(_ event: RunEvent) -> [Span] {
        add(event)
        defer { ended.removeAll(keepingCapacity: true) }
        return ended
    }

    private mutating func add(_ event: RunEvent) {
        let path = event.step ?? ""
        switch event.kind {
        case .runStarted(let start):
            var span = Span(makeID(), in: context.parent, "run \(start.manifest)", at: event.at)
            if start.isResumed { span.attributes.append(SpanAttribute("waybill.resumed", .boolean(true))) }
            if start.isMocked { span.attributes.append(SpanAttribute("waybill.mock", .boolean(true))) }
            run = span
        case .runFinished(let outcome, let counts):
            // What was cancelled has no event of its own.
            for part in open.keys { end(part, at: event) }
            run?.add("waybill.outcome", outcome.rawValue)
            run?.add(counts, "steps")
            run?.hasFailed = outcome == .failed
            if var span = run.take() { close(&span, at: event) }
        case .graphStarted(let graph): graphStarts[event.step ?? graph] = event
        case .graphFinished(let graph, let outcome):
            graphStarts[event.step ?? graph] = nil
            end(Part(.graph, event.step ?? graph), at: event) { span in
                span.add("waybill.outcome", outcome.rawValue)
                span.hasFailed = outcome == .failed
            }
        case .stepStarted: startStep(path, at: event)
        case .stepFinished(let result, _): end(result, at: event)
        case .elementFinished(let element): end(element, of: path, at: event)
        case .pageFinished, .pollFinished: sends[path] = nil
        case .requestWillSend(let request): start(request, of: path, at: event)
        case .requestRedirected(let redirect):
            let attributes = [
                SpanAttribute("http.response.status_code", .integer(redirect.status)),
                SpanAttribute("url.full", .string(redirect.url.string)),
            ]
            open[Part(.attempt, path)]?.events.append(.init(name: "redirect", at: event.at, attributes: attributes))
        case .responseHead(let head):
            open[Part(.attempt, path)]?.add(head)
        case .responseFinished: end(Part(.attempt, path), at: event)
        case .requestRetrying(let retry): endAttempt(of: path, after: retry.failure, at: event)
        default: break
        }
    }

    // MARK: Steps

    private mutating func startStep(_ path: String, at event: RunEvent) {
        guard open[Part(.step, path)] == nil else { return }
        start(Part(.step, path), Self.name(of: path), at: event) { $0.add("waybill.step", path) }
    }

    private mutating func end(_ result: StepResult, at event: RunEvent) {
        let path = result.path
        endAttempt(of: path, after: result.failure, at: event)
        // A step that failed before its request was built has not started.
        startStep(path, at: event)
        end(Part(.step, path), at: event) { span in
            span.add("waybill.step.name", result.name)
            span.add("waybill.endpoint", result.endpoint)
            if result.attempts > 0 { span.add("waybill.attempts", result.attempts) }
            if let elements = result.elements { span.add(elements.counts, "elements") }
            span.add(result.outcome, result.failure)
        }
        sends[path] = nil
    }

    /// Ends the span of an element. One whose requests are not reported has a span only if it failed.
    private mutating func end(_ element: RunEvent.ElementEnd, of step: String, at event: RunEvent) {
        let path = "\(step)[\(element.index)]"
        endAttempt(of: path, after: element.failure, at: event)
        if element.outcome == .failed || element.outcome == .tolerated {
            var start = event
            start.at = element.startedAt ?? event.at
            startElement(path, at: start)
        }
        end(Part(.step, path), at: event) { $0.add(element.outcome, element.failure) }
        sends[path] = nil
    }

    /// Starts the span of a graph, unless it is open. A graph in which nothing is executed has none, such as one that
    /// passed before the run was resumed.
    private mutating func startGraph(at path: String) {
        guard let event = graphStarts.removeValue(forKey: path), case .graphStarted(let graph) = event.kind else {
            return
        }
        start(Part(.graph, path), "graph \(graph)", at: event) { $0.add("waybill.step", event.step) }
    }

    private mutating func startElement(_ path: String, at event: RunEvent) {
        guard open[Part(.step, path)] == nil, let bracket = path.lastIndex(of: "[") else { return }
        let index = Int(path[path.index(after: bracket)...].dropLast())
        start(Part(.step, path), Self.name(of: path), at: event) { span in
            span.add("waybill.step", path)
            span.add("waybill.element", index)
        }
    }

    /// The name of the span of a step: its path without the indices of elements, so that those of all elements have the
    /// same name: `main.items[].order`.
    private static func name(of path: String) -> String {
        guard path.utf8.contains(UInt8(ascii: "[")) else { return path }
        var isIndex = false
        return path.filter { character in
            if character == "]" { isIndex = false }
            defer { if character == "[" { isIndex = true } }
            return !isIndex
        }
    }

    // MARK: Attempts

    private mutating func start(_ request: RunEvent.SentRequest, of path: String, at event: RunEvent) {
        let part = Part(.attempt, path)
        // The request is sent again within the attempt, because the session or the token was renewed.
        end(part, at: event)
        let resends = sends[path] ?? 0
        sends[path] = resends + 1
        let isKnown = Self.knownMethods.contains(request.method)
        start(part, isKnown ? request.method : "HTTP", id: id(in: request), at: event) { span in
            span.isClient = true
            span.add("http.request.method", isKnown ? request.method : "_OTHER")
            if !isKnown { span.add("http.request.method_original", request.method) }
            span.add("url.full", request.url.string)
            if let endpoint = try? Origin(ofURL: request.url.string).endpoint {
                span.add("server.address", endpoint.host)
                span.add("server.port", endpoint.port)
            }
            if resends > 0 { span.add("http.request.resend_count", resends) }
        }
    }

    /// The methods that the semantic conventions know; the others are `_OTHER`.
    private static let knownMethods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]

    /// The id that the request names in its `traceparent`; `nil` if it has none, or one from the manifest.
    private func id(in request: RunEvent.SentRequest) -> SpanID? {
        let field = request.headers.first { $0.name.string == TraceParent.fieldName }
        guard let parent = field.flatMap({ TraceParent($0.value.string) }), parent.trace == context.trace,
            parent.span != context.parent
        else { return nil }
        return parent.span
    }

    /// Ends the attempt that is in flight, which has received no response that could be used.
    private mutating func endAttempt(of path: String, after failure: Failure?, at event: RunEvent) {
        end(Part(.attempt, path), at: event) { span in
            // One with a response failed only if its status is an error; the rest is a failure of the step.
            guard let failure, !span.hasResponse else { return }
            span.add("error.type", failure.kind.rawValue)
            span.hasFailed = true
            span.message = failure.message.string
        }
    }

    // MARK: Spans

    private mutating func start(
        _ part: Part,
        _ name: String,
        id: SpanID? = nil,
        at event: RunEvent,
        _ complete: (inout Span) -> Void = { _ in }
    ) {
        var span = Span(id ?? makeID(), in: parent(of: part, at: event), name, at: event.at)
        complete(&span)
        open[part] = span
    }

    /// The id of the innermost span that contains a part. Elements have no event when they start: their spans start with
    /// the first part in them.
    private mutating func parent(of part: Part, at event: RunEvent) -> SpanID? {
        // A step is inside what contains it; an attempt and a graph are also inside the step with their path.
        var path: String? = part.kind == .step ? Self.container(of: part.path) : part.path
        while let node = path {
            if part != Part(.graph, node) {
                startGraph(at: node)
                if let graph = open[Part(.graph, node)] { return graph.id }
            }
            if node.hasSuffix("]") { startElement(node, at: event) }
            if let step = open[Part(.step, node)] { return step.id }
            path = Self.container(of: node)
        }
        return run?.id
    }

    /// The path without its last part: `main.items[3]` for `main.items[3].get`, `main.items` for that, then `main`.
    private static func container(of path: String) -> String? {
        let end = path.utf8.lastIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") }
        return end.map { String(path[..<$0]) }
    }

    private mutating func end(_ part: Part, at event: RunEvent, _ complete: (inout Span) -> Void = { _ in }) {
        guard var span = open.removeValue(forKey: part) else { return }
        complete(&span)
        close(&span, at: event)
    }

    private mutating func close(_ span: inout Span, at event: RunEvent) {
        // The clock may have been set back.
        span.end = max(span.start, event.at)
        ended.append(span)
    }
}

extension Span {
    /// Whether the span is that of an attempt that has received a response.
    fileprivate var hasResponse: Bool { attributes.contains { $0.key == "http.response.status_code" } }

    /// Adds the response to an attempt, which fails with a status of 400 or more.
    fileprivate mutating func add(_ head: RunEvent.ResponseHead) {
        add("network.protocol.version", head.httpVersion)
        add("http.response.status_code", head.status)
        guard head.status >= 400 else { return }
        add("error.type", String(head.status))
        hasFailed = true
    }

    /// Adds the outcome of a step or an element, and its failure. A failure that the manifest tolerates is not one of
    /// the span.
    fileprivate mutating func add(_ outcome: StepOutcome, _ failure: Failure?) {
        add("waybill.outcome", outcome.rawValue)
        // The failure of a chain, batch or graph may be that of a step in it.
        hasFailed = outcome == .failed
        guard let failure else { return }
        add("error.type", failure.kind.rawValue)
        if let location = failure.location {
            add("code.file.path", location.file)
            add("code.line.number", location.line)
        }
        if hasFailed { message = failure.message.string } else { add("waybill.failure", failure.message.string) }
    }

    /// Adds the numbers of steps or elements by outcome, without those that are 0.
    fileprivate mutating func add(_ counts: OutcomeCounts, _ subject: String) {
        for outcome in StepOutcome.allCases where counts[outcome] > 0 {
            add("waybill.\(subject).\(outcome.rawValue)", counts[outcome])
        }
    }
}
