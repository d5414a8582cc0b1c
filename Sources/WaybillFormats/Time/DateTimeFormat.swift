/// Checks dates, times and durations (RFC 3339, section 5.6 and appendix A).
package enum DateTimeFormat {
    /// Whether a string is a date and a time with an offset, such as `2026-11-21T05:27:03Z`.
    package static func isDateTime(_ string: String) -> Bool {
        var text = string.utf8[...]
        guard takeDate(&text), let separator = text.popFirst(), separator | 0x20 == UInt8(ascii: "t") else {
            return false
        }
        return takeTime(&text) && text.isEmpty
    }

    /// Whether a string is a valid date, such as `2024-02-29`.
    package static func isDate(_ string: String) -> Bool {
        var text = string.utf8[...]
        return takeDate(&text) && text.isEmpty
    }

    /// Whether a string is a time of day with an offset, such as `05:27:03.5+01:00`.
    package static func isTime(_ string: String) -> Bool {
        var text = string.utf8[...]
        return takeTime(&text) && text.isEmpty
    }

    /// Whether a string is a duration: `P1Y2M3DT4H5M6S` or `P2W`. The units are in order, without gaps between the
    /// first and the last.
    package static func isDuration(_ string: String) -> Bool {
        var text = string.utf8[...]
        guard take("P", &text) else { return false }
        let dates = takeUnits("YMD", &text)
        if take("T", &text) {
            let times = takeUnits("HMS", &text)
            return dates != nil && times ?? 0 > 0 && text.isEmpty
        }
        if let dates, dates > 0 { return text.isEmpty }
        return takeUnits("W", &text) == 1 && text.isEmpty
    }

    private static func takeDate(_ text: inout Substring.UTF8View) -> Bool {
        guard let year = takeDigits(4, &text), take("-", &text), let month = takeDigits(2, &text), take("-", &text),
            let day = takeDigits(2, &text), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }

    private static func takeTime(_ text: inout Substring.UTF8View) -> Bool {
        guard let hour = takeDigits(2, &text), take(":", &text), let minute = takeDigits(2, &text), take(":", &text),
            let second = takeDigits(2, &text), hour < 24, minute < 60, second <= 60
        else { return false }
        if take(".", &text) {
            guard takeNumber(&text) else { return false }
        }
        guard let sign = text.popFirst() else { return false }
        var offset = 0
        if sign | 0x20 != UInt8(ascii: "z") {
            guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = takeDigits(2, &text),
                take(":", &text), let minutes = takeDigits(2, &text), hours < 24, minutes < 60
            else { return false }
            offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "+") ? 1 : -1)
        }
        // A leap second is at the end of a day in UTC.
        let minuteOfDay = (hour * 60 + minute - offset + 2 * 1_440) % 1_440
        return second < 60 || minuteOfDay == 1_439
    }

    /// Returns the number of numbers with units that were read; `nil` if a unit between two others is missing.
    private static func takeUnits(_ units: String, _ text: inout Substring.UTF8View) -> Int? {
        let units = Array(units.utf8)
        var last: Int?
        var count = 0
        while true {
            var rest = text
            guard takeNumber(&rest), let unit = rest.popFirst(), let index = units.firstIndex(of: unit) else { break }
            if let last, index != last + 1 { return nil }
            last = index
            count += 1
            text = rest
        }
        return count
    }

    private static func takeNumber(_ text: inout Substring.UTF8View) -> Bool {
        let digits = text.prefix { isDigit($0) }
        text = text[digits.endIndex...]
        return !digits.isEmpty
    }

    private static func takeDigits(_ count: Int, _ text: inout Substring.UTF8View) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard let byte = text.popFirst(), isDigit(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    private static func take(_ mark: Unicode.Scalar, _ text: inout Substring.UTF8View) -> Bool {
        guard text.first == UInt8(ascii: mark) else { return false }
        text.removeFirst()
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
