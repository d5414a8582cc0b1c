/// Dates in HTTP header fields (RFC 9110, section 5.6.7).
package enum HTTPDate {
    // A `Timestamp` cannot represent times after 2262, and servers write the year 9999 for "never".
    private static let lastYear = 2200
    /// More than the length of any date in bytes.
    private static let longest = 64

    /// Returns the time of a string in one of the three formats; `nil` for anything else, such as a name of another
    /// weekday than that of the date.
    ///
    /// Years after 2200 are treated as 2200. A year of two digits, in the obsolete format of RFC 850, belongs to the
    /// century around the current year.
    package static func moment(_ text: some StringProtocol) -> Timestamp? {
        guard text.utf8.count <= longest else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
        let short = { (weekday: String) in String(weekday.prefix(3)) }
        // Sun, 06 Nov 1994 08:49:37 GMT
        if words.count == 6, words[5] == "GMT" {
            return moment(words[0], { short($0) + "," }, day: words[1], month: words[2], year: words[3], time: words[4])
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        if words.count == 4, words[3] == "GMT" {
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let short = number(parts[2], 0...99, digits: 2) else { return nil }
            let thisYear = CivilTime(.now()).year
            var year = thisYear / 100 * 100 + short
            if year > thisYear + 50 { year -= 100 }
            return moment(words[0], { "\($0)," }, day: parts[0], month: parts[1], year: String(year), time: words[2])
        }
        // Sun Nov  6 08:49:37 1994, Sun Nov 16 08:49:37 1994
        if words.count == 6, words[2].isEmpty, words[3].utf8.count == 1 {
            return moment(words[0], short, day: "0" + words[3], month: words[1], year: words[5], time: words[4])
        }
        if words.count == 5, words[2].utf8.first != 0x30 {
            return moment(words[0], short, day: words[2], month: words[1], year: words[4], time: words[3])
        }
        return nil
    }

    /// - Parameter form: Returns how the format writes the name of a weekday.
    private static func moment(
        _ weekday: String,
        _ form: (String) -> String,
        day: String,
        month: String,
        year: String,
        time: String
    ) -> Timestamp? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let month = CivilTime.months.firstIndex(where: { $0.prefix(3) == month }),
            let year = number(year, 1970...9999, digits: 4),
            let day = number(day, 1...31, digits: 2), let hour = number(parts[0], 0...23, digits: 2),
            let minute = number(parts[1], 0...59, digits: 2), let second = number(parts[2], 0...60, digits: 2)
        else { return nil }
        guard let date = CivilTime.day(year: year, month: month + 1, day: day),
            weekday == form(CivilTime.weekday(of: date))
        else { return nil }
        let dayNumber = CivilTime.days(year: min(year, lastYear), month: month + 1, day: day)
        let seconds = dayNumber * 86_400 + hour * 3600 + minute * 60 + second
        return Timestamp(nanoseconds: Int64(seconds) * 1_000_000_000)
    }

    private static func number(_ text: String, _ allowed: ClosedRange<Int>, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            allowed.contains(number)
        else { return nil }
        return number
    }
}
