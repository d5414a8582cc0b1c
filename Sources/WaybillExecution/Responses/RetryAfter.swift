import WaybillFormats
import WaybillTransport

extension HTTPResponse {
    /// How long the server asks to wait before the next request (RFC 9110, section 10.2.3): a count of seconds, or a moment,
    /// which is compared with now.
    func retryAfter(now: Timestamp = .now()) -> Duration? {
        guard let text = headers.first(named: "Retry-After")?.trimmed else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A century is enough.
            return .seconds(min(Int(text) ?? .max, 3_200_000_000))
        }
        guard let moment = HTTPDate.moment(text) else { return nil }
        return .nanoseconds(max(0, moment.nanoseconds - now.nanoseconds))
    }
}

extension String {
    fileprivate var trimmed: Substring {
        var text = self[...]
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }
}
