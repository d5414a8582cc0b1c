/// Moments as binary property lists have them.
enum PropertyListDate {
    /// 2001-01-01T00:00:00Z in seconds since 1970.
    private static let referenceDate = 978_307_200

    /// A moment by RFC 3339, in UTC and to the microsecond; `nil` outside the years 1 to 9999.
    static func text(secondsSince2001 seconds: Double) -> String? {
        guard abs(seconds) < 1e12 else { return nil }
        let whole = seconds.rounded(.down)
        let microseconds = Int(((seconds - whole) * 1e6).rounded())
        let civil = CivilTime(
            secondsSince1970: Int(whole) + referenceDate + microseconds / 1_000_000,
            nanosecond: microseconds % 1_000_000 * 1_000
        )
        guard (1...9999).contains(civil.year) else { return nil }
        let digits = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        let end = digits.lastIndex { $0 != "0" }
        return civil.dateAndTime + (end.map { ".\(digits[...$0])" } ?? "") + "Z"
    }
}
