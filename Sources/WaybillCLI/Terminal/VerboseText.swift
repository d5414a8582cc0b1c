import WaybillDiagnostics
import WaybillFormats
import WaybillResults

/// The text that `--verbose` prints for an event: requests and responses as `curl -v` does, and the elements, pages,
/// polls and retries of steps. Secrets are redacted in the events.
enum VerboseText {
    /// Paints a line in a style.
    typealias Paint = (String, TerminalStyle) -> String

    /// Returns the lines of an event; empty if it has none.
    static func text(of event: RunEvent, _ numbers: RequestNumbers, _ paint: Paint) -> String {
        lines(of: event, numbers).map { "    \(paint($0, .faint))\n" }.joined()
    }

    private static func lines(of event: RunEvent, _ numbers: RequestNumbers) -> [String] {
        let step = event.step ?? ""
        switch event.kind {
        case .requestWillSend(let request):
            let page = numbers.page(of: step).map { ", page \($0)" } ?? ""
            let number = numbers.number(ofAttempt: request.attempt, of: step)
            let attempt = number > 1 ? ", attempt \(number)" : ""
            return ["* \(step)\(page)\(attempt)"] + self.lines(of: request)
        case .cacheUsed(_, _, let request?):
            return ["* \(step), not sent: the response is in the cache"] + self.lines(of: request)
        case .responseHead(let head):
            let version = head.httpVersion.map { "HTTP/\($0) " } ?? ""
            return ["* \(step)", "< \(version)\(head.status)"] + head.headers.map { "< \($0.name): \($0.value)" } + [
                "<"
            ]
                + self.lines(of: head.body)
        case .responseFinished(_, let status, let times, let bytes):
            return ["* \(step): \(status) in \(times); \(TransferText.size(bytes.received)) received"]
        case .requestRedirected(let redirection):
            return ["* \(step): \(redirection.status) redirects to \(redirection.method) \(redirection.url)"]
        case .requestRetrying(let retry):
            let attempt = numbers.number(ofAttempt: retry.attempt, of: step)
            let next = "attempt \(attempt + 1) starts in \(retry.pause.timeText)"
            return ["* \(step): attempt \(attempt) failed, \(next): \(retry.failure.message)"]
        case .elementFinished(let end) where end.failure == nil:
            return ["* \(step)[\(end.index)]: \(end.outcome.rawValue)"]
        case .pageFinished(let page):
            if page.isOfStream { return ["* \(step): \(page.items == 1 ? "1 event" : "\(page.items) events")"] }
            let items = page.items == 1 ? "1 item" : "\(page.items) items"
            return ["* \(step): page \(page.number), \(items)"]
        case .pollFinished(let poll, let pause):
            return ["* \(step): poll \(poll), the next one starts in \(pause.timeText)"]
        case .sessionRenewed(let service):
            return ["* the session of '\(service)' is renewed"]
        default:
            return []
        }
    }

    private static func lines(of request: RunEvent.SentRequest) -> [String] {
        ["> \(request.method) \(request.url)"] + request.headers.map { "> \($0.name): \($0.value)" } + [">"]
            + lines(of: request.body)
    }

    /// Returns the text of a body, or its size.
    private static func lines(of body: BodyExcerpt?) -> [String] {
        guard let body else { return [] }
        let size = body.bytes.map(TransferText.size) ?? "a body"
        guard let text = body.text?.string else { return ["{ \(size) that are not text or not shown }"] }
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
            + (body.isCut ? ["{ the start of \(size) }"] : [])
    }
}
