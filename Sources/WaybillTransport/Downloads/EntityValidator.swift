import WaybillFormats

/// A strong validator (RFC 9110, section 8.8): two responses with the same one have the same bytes.
package enum EntityValidator: Sendable, Equatable {
    /// A strong entity tag, with its quotes.
    case tag(String)
    /// A `Last-Modified` date so long before the response's own `Date` that the file cannot have changed again within
    /// that second.
    case lastModified(String)

    /// How long before the response the file must have been changed for its date to be strong (section 8.8.2.2; the
    /// clocks of servers may differ).
    private static let certainty: Int64 = 60_000_000_000

    /// Creates the strong validator of a response; nil if it has none. A weak tag, or several different tags, also rule
    /// out the date (section 13.1.5).
    package init?(_ headers: HTTPFields) {
        let tags = headers.values(named: "ETag")
        if let tag = tags.first {
            guard tags.allSatisfy({ $0 == tag }), tag.utf8.count > 2,
                tag.utf8.first == UInt8(ascii: "\""), tag.utf8.last == UInt8(ascii: "\""),
                Self.isUsable(tag)
            else {
                return nil
            }
            self = .tag(tag)
            return
        }
        let dates = headers.values(named: "Last-Modified")
        guard let date = dates.first, dates.allSatisfy({ $0 == date }), let changed = HTTPDate.moment(date),
            let sent = headers.first(named: "Date").flatMap(HTTPDate.moment),
            sent.nanoseconds - changed.nanoseconds >= Self.certainty
        else { return nil }
        self = .lastModified(date)
    }

    /// Whether an entity tag can be sent back unchanged: bytes beyond ASCII are lost when a field is decoded, so that
    /// different tags could look the same, and control characters cannot be sent.
    static func isUsable(_ tag: String) -> Bool { tag.utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

    /// The value of `If-Range`.
    package var text: String {
        switch self {
        case .tag(let text), .lastModified(let text): text
        }
    }

    /// Whether a response repeats the validator.
    func isRepeated(in headers: HTTPFields) -> Bool {
        let name =
            switch self {
            case .tag: "ETag"
            case .lastModified: "Last-Modified"
            }
        let values = headers.values(named: name)
        return !values.isEmpty && values.allSatisfy { $0 == text }
    }
}
