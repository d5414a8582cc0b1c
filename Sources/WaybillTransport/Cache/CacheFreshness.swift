package import WaybillFormats

/// How old a stored response is, and how long it is fresh (RFC 9111, section 4.2), in seconds.
package struct CacheFreshness: Sendable, Equatable {
    /// The freshness lifetime (section 4.2.1).
    package let lifetime: Int
    /// The current age (section 4.2.3).
    package let age: Int

    /// Whether the response is fresh.
    package var isFresh: Bool { lifetime > age }
    /// For how long it has been stale; negative while it is fresh.
    package var staleness: Int { age - lifetime }

    /// Computes the freshness of an entry at a time.
    package init(_ entry: CacheEntry, now: Timestamp) {
        let date = entry.headers.first(named: "Date").flatMap(HTTPDate.moment) ?? entry.receivedAt
        age = Self.age(of: entry, date: date, now: now)
        lifetime = Self.lifetime(of: entry, date: date)
    }

    private static func age(of entry: CacheEntry, date: Timestamp, now: Timestamp) -> Int {
        // The clock was set back, so the age of the response is unknown.
        guard now >= entry.receivedAt, entry.receivedAt >= entry.requestedAt else { return 1 << 31 }
        let apparent = max(0, date.seconds(until: entry.receivedAt))
        // The first of several values counts, and an unreadable one is ignored (section 5.1).
        let stated = entry.headers.first(named: "Age")?.unicodeScalars.split(separator: ",").first
            .flatMap { CacheControl.seconds(String(String.UnicodeScalarView($0.filter { $0 != " " }))) }
        let corrected = (stated ?? 0) + entry.requestedAt.seconds(until: entry.receivedAt)
        return max(apparent, corrected) + entry.receivedAt.seconds(until: now)
    }

    private static func lifetime(of entry: CacheEntry, date: Timestamp) -> Int {
        let control = CacheControl(entry.headers)
        if let maximum = control.maxAge { return maximum }
        let expires = entry.headers.values(named: "Expires")
        if !expires.isEmpty {
            // An unreadable value, such as 0, is in the past; several different values are ambiguous.
            guard Set(expires).count == 1, let end = HTTPDate.moment(expires[0]) else { return 0 }
            return max(0, date.seconds(until: end))
        }
        // A tenth of the time since the last change (section 4.2.2), and at most a week.
        guard CacheRules.isHeuristicallyCacheable(entry.status) || control.allowsStoring,
            let modified = entry.headers.first(named: "Last-Modified").flatMap(HTTPDate.moment)
        else { return 0 }
        return min(max(0, modified.seconds(until: date)) / 10, 7 * 86_400)
    }
}

extension Timestamp {
    fileprivate func seconds(until later: Timestamp) -> Int {
        let (difference, isTooMuch) = later.nanoseconds.subtractingReportingOverflow(nanoseconds)
        guard !isTooMuch else { return later > self ? 1 << 31 : -(1 << 31) }
        return Int(difference / 1_000_000_000)
    }
}
