package import WaybillFormats

extension HTTPResponse {
    /// How long the server asks to wait before the next request (RFC 9110, section 10.2.3): a number of seconds, or a
    /// date, which is compared with the current time.
    package func retryAfter(now: Timestamp = .now()) -> Duration? {
        guard let text = headers.first(named: "Retry-After")?.withoutOuterBlanks else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int(text).map { min(.seconds($0), .longestRetryAfter) } ?? .longestRetryAfter
        }
        guard let moment = HTTPDate.moment(text) else { return nil }
        return now.duration(to: moment)
    }
}

extension Duration {
    /// The maximum wait that is read from `Retry-After`: 100 years.
    fileprivate static let longestRetryAfter = Duration.seconds(3_155_760_000)

    /// A duration from `Retry-After` in words.
    package var retryAfterWords: String { self < .longestRetryAfter ? words : "100 years or more" }
}
