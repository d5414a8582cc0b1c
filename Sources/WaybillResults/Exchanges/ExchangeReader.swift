import WaybillFormats
import WaybillJSON

/// Finds the exchanges in the events of a journal. It keeps only those in flight and the last one of each running step.
///
/// The journal contains the requests of a `forEach`'s elements only if something asks for them (`-v`, `--keep-bodies`,
/// `--report har`). Otherwise, only their unsafe requests are recorded, without the responses.
struct ExchangeReader {
    /// The current exchange of each step and element.
    private var current: [String: Exchange] = [:]

    /// Reads the next event, and calls a function with the exchanges that it completes.
    mutating func take(_ event: JSON, _ complete: (Exchange) -> Void) {
        guard let type = event["type"]?.string else { return }
        guard let step = event["step"]?.string else {
            // A killed process leaves exchanges in flight.
            if type == "run.started" { finish(complete) }
            return
        }
        var at: Timestamp? { event["at"]?.string.flatMap(Timestamp.init(rfc3339:)) }
        switch type {
        case "request.willSend":
            if let earlier = current.removeValue(forKey: step) { complete(earlier) }
            current[step] = at.flatMap { Exchange(event, step, $0) }
        case "request.sent":
            current[step]?.bodyBytes = event["bytes"]?.number?.int
        case "request.redirected":
            guard var exchange = current.removeValue(forKey: step), let at else { return }
            current[step] = exchange.redirect(event, at)
            complete(exchange)
        case "page.finished":
            current[step]?.page = event["page"]?.number?.int
        case "cache.used":
            // Nothing was sent if the event has the request.
            if event["url"] != nil, let at { current[step] = Exchange(event, step, at) }
            current[step]?.cache = event["cache"]?.string.flatMap(CacheUse.init)
        case "response.head":
            current[step]?.response = Exchange.Response(event)
        case "response.finished":
            current[step]?.finish(event)
        case "request.retrying":
            guard var exchange = current.removeValue(forKey: step) else { return }
            exchange.conclude(at, failure: event["failure"])
            complete(exchange)
        case "step.finished":
            guard var exchange = current.removeValue(forKey: step) else { return }
            exchange.conclude(at, failure: event["result"]?["failure"], time: event["result"]?["time"])
            exchange.isLast = true
            complete(exchange)
        case "element.finished":
            guard let element = event["element"]?.number?.int else { return }
            finish(element: "\(step)[\(element)]", at, failure: event["failure"], complete)
        default: break
        }
    }

    /// Completes the exchanges that remain at the end of the journal.
    mutating func finish(_ complete: (Exchange) -> Void) {
        for exchange in current.values.sorted(by: { $0.startedAt < $1.startedAt }) { complete(exchange) }
        current = [:]
    }

    /// Completes the exchanges of an element and of the steps in it.
    private mutating func finish(
        element: String,
        _ at: Timestamp?,
        failure: JSON?,
        _ complete: (Exchange) -> Void
    ) {
        if var exchange = current.removeValue(forKey: element) {
            exchange.conclude(at, failure: failure)
            exchange.isLast = true
            complete(exchange)
        }
        // Requests of a session or token have paths of their own, and remain until the end.
        let inner = current.keys.filter { $0.hasPrefix(element + ".") }
        for step in inner { if let exchange = current.removeValue(forKey: step) { complete(exchange) } }
    }
}

extension Exchange {
    /// Creates the start of an exchange from `request.willSend`.
    fileprivate init?(_ event: JSON, _ step: String, _ at: Timestamp) {
        guard let method = event["method"]?.string, let url = event["url"]?.string else { return nil }
        self.init(
            step: step,
            attempt: event["attempt"]?.number?.int ?? 1,
            startedAt: at,
            method: method,
            url: url,
            headers: event["headers"]?.array ?? []
        )
        body = event["body"].flatMap(BodyExcerpt.init)
    }

    /// Completes the exchange with a redirect, and returns the exchange that follows.
    fileprivate mutating func redirect(_ event: JSON, _ at: Timestamp) -> Exchange? {
        guard let next = event["url"]?.string, let method = event["method"]?.string else { return nil }
        response = Response(event)
        response?.redirectURL = next
        let time = event["time"].flatMap(PhaseTimes.init(json:)) ?? PhaseTimes(total: startedAt.duration(to: at))
        self.time = time
        return Exchange(
            step: step,
            attempt: attempt,
            startedAt: at,
            method: method,
            url: next,
            headers: event["nextHeaders"]?.array ?? [],
            earlierTime: earlierTime + time.total
        )
    }

    /// Reads the response's time.
    fileprivate mutating func finish(_ event: JSON) {
        time = event["time"].flatMap(PhaseTimes.init(json:))
        if let total = time?.total { time?.total = max(total - earlierTime, .zero) }
    }

    /// Completes the last exchange of an attempt. Without a response, its duration is until now, or that of its step.
    fileprivate mutating func conclude(_ at: Timestamp?, failure: JSON?, time: JSON? = nil) {
        self.failure = failure?["message"]?.string
        guard self.time == nil else { return }
        self.time = time.flatMap(PhaseTimes.init(json:)) ?? at.map { PhaseTimes(total: startedAt.duration(to: $0)) }
    }
}

extension Exchange.Response {
    fileprivate init?(_ event: JSON) {
        guard let status = event["status"]?.number?.int else { return nil }
        self.init(
            status: status,
            httpVersion: event["httpVersion"]?.string,
            headers: event["headers"]?.array ?? [],
            body: event["body"].flatMap(BodyExcerpt.init)
        )
    }
}
