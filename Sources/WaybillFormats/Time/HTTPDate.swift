/// Dates in HTTP header fields (RFC 9110, section 5.6.7).
package enum HTTPDate {
    // A `Timestamp` cannot represent times after 2262, and servers write the year 9999 for "never".
    private static let lastYear = 2200
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    /// Returns the time of a string in one of the three formats; `nil` for anything else, such as a name of another
    /// weekday than that of the date.
    ///
    /// Years after 2200 are treated as 2200. A year of two digits, in the obsolete format of RFC 850, belongs to the
    /// century around the current year.
    package static func moment(_ text: some StringProtocol) -> Timestamp? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
        // Sun, 06 Nov 1994 08:49:37 GMT
        if words.count == 6, words[5] == "GMT" {
            return moment(words[0], .short, day: words[1], month: words[2], year: words[3], time: words[4])
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        if words.count == 4, words[3] == "GMT" {
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let short = number(parts[2], 0...99, digits: 2) else { return nil }
            let thisYear = CivilTime(.now()).year
            var year = thisYear / 100 * 100 + short
            if year > thisYear + 50 { year -= 100 }
            return moment(words[0], .long, day: parts[0], month: parts[1], year: String(year), time: words[2])
        }
        // Sun Nov  6 08:49:37 1994, Sun Nov 16 08:49:37 1994
        if words.count == 6, words[2].isEmpty, words[3].utf8.count == 1 {
            return moment(words[0], .bare, day: "0" + words[3], month: words[1], year: words[5], time: words[4])
        }
        if words.count == 5, words[2].utf8.first != 0x30 {
            return moment(words[0], .bare, day: words[2], month: words[1], year: words[4], time: words[3])
        }
        return nil
    }

    /// How a format writes the name of a weekday.
    private enum WeekdayForm {
        /// As in `Sun,`.
        case short
        /// As in `Sunday,`.
        case long
        /// As in `Sun`.
        case bare

        func name(_ weekday: String) -> String {
            switch self {
            case .short: weekday.prefix(3) + ","
            case .long: weekday + ","
            case .bare: String(weekday.prefix(3))
            }
        }
    }

    private static func moment(
        _ weekday: String,
        _ form: WeekdayForm,
        day: String,
        month: String,
        year: String,
        time: String
    ) -> Timestamp? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let month = months.firstIndex(of: month),
            let year = number(year, 1970...9999, digits: 4),
            let day = number(day, 1...31, digits: 2), let hour = number(parts[0], 0...23, digits: 2),
            let minute = number(parts[1], 0...59, digits: 2), let second = number(parts[2], 0...60, digits: 2)
        else { return nil }
        let date = days(toYear: year, month: month + 1, day: day)
        let nextMonth = days(toYear: month == 11 ? year + 1 : year, month: month == 11 ? 1 : month + 2, day: 1)
        // 1970-01-01 was a Thursday.
        guard date < nextMonth, weekday == form.name(weekdays[(date + 4) % 7]) else { return nil }
        let dayNumber = year <= lastYear ? date : days(toYear: lastYear, month: month + 1, day: day)
        let seconds = dayNumber * 86_400 + hour * 3600 + minute * 60 + second
        return Timestamp(nanoseconds: Int64(seconds) * 1_000_000_000)
    }

    private static func number(_ text: String, _ allowed: ClosedRange<Int>, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
            allowed.contains(number)
        else { return nil }
        return number
    }

    /// Returns the days from 1970-01-01 in the Gregorian calendar. Years start in March, so that the leap day is the
    /// last.
    private static func days(toYear year: Int, month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return 365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }
}
