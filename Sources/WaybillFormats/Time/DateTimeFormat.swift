import WaybillJSON

/// Checks dates, times and durations (RFC 3339, section 5.6 and appendix A).
package enum DateTimeFormat {
    /// Whether a string is a date and a time with an offset, such as `2026-11-21T05:27:03Z`.
    package static func isDateTime(_ string: String) -> Bool {
        var reader = DateTimeReader(string)
        return reader.date() != nil && (reader.skip("T") || reader.skip("t")) && reader.time()?.isPossible == true
            && reader.isAtEnd
    }

    /// Whether a string is a valid date, such as `2024-02-29`.
    package static func isDate(_ string: String) -> Bool {
        var reader = DateTimeReader(string)
        return reader.date() != nil && reader.isAtEnd
    }

    /// Whether a string is a time of day with an offset, such as `05:27:03.5+01:00`.
    package static func isTime(_ string: String) -> Bool {
        var reader = DateTimeReader(string)
        return reader.time()?.isPossible == true && reader.isAtEnd
    }

    /// Whether a string is a duration: `P1Y2M3DT4H5M6S` or `P2W`. The units are in order, without gaps between the
    /// first and the last.
    package static func isDuration(_ string: String) -> Bool {
        var reader = DateTimeReader(string)
        guard reader.skip("P") else { return false }
        let dates = reader.units("YMD")
        if reader.skip("T") {
            let times = reader.units("HMS")
            return dates != nil && times ?? 0 > 0 && reader.isAtEnd
        }
        if let dates, dates > 0 { return reader.isAtEnd }
        return reader.units("W") == 1 && reader.isAtEnd
    }
}

extension Timestamp {
    /// Creates a timestamp from a string in the format of RFC 3339, section 5.6, in which a space can be between date
    /// and time, or from a date alone (midnight, UTC); `nil` for anything else.
    package init?(rfc3339 text: String) {
        var reader = DateTimeReader(text)
        guard let day = reader.date() else { return nil }
        var seconds = day * 86_400
        var nanosecond = 0
        if !reader.isAtEnd {
            guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let time = reader.time(), reader.isAtEnd
            else { return nil }
            seconds += time.minute * 60 + time.second
            nanosecond = time.nanosecond
        }
        // 64 bits of nanoseconds represent the years from 1677 to 2262. The first and the last time are written with
        // fewer digits than they have.
        guard (-9_223_372_037...9_223_372_036).contains(seconds) else { return nil }
        self.init(seconds: Int64(seconds), nanosecond: Int64(nanosecond))
    }
}

/// Reads the parts of dates, times and durations.
private struct DateTimeReader {
    /// A time of day in UTC.
    struct Time {
        /// The minute of the day; an offset can move it into the day before or after.
        let minute: Int
        let second: Int
        let nanosecond: Int

        /// Whether the second is not a leap second, or one at the end of a day.
        var isPossible: Bool { second < 60 || (minute + 2 * 1_440) % 1_440 == 1_439 }
    }

    private var text: Substring.UTF8View

    init(_ string: String) { text = string.utf8[...] }

    var isAtEnd: Bool { text.isEmpty }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard text.first == UInt8(ascii: mark) else { return false }
        text.removeFirst()
        return true
    }

    /// Reads a date that exists, as days since 1970-01-01.
    mutating func date() -> Int? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else { return nil }
        return CivilTime.day(year: year, month: month, day: day)
    }

    /// Reads a time of day with an offset. Digits of the fraction after the ninth are dropped.
    mutating func time() -> Time? {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        var nanosecond = 0
        if skip(".") {
            guard let fraction = digits() else { return nil }
            nanosecond = Int(String(decoding: (Array(fraction) + Array("00000000".utf8)).prefix(9), as: UTF8.self)) ?? 0
        }
        var offset = 0
        if !skip("Z"), !skip("z") {
            let isAhead = skip("+")
            guard isAhead || skip("-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24,
                minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (isAhead ? 1 : -1)
        }
        return Time(minute: hour * 60 + minute - offset, second: second, nanosecond: nanosecond)
    }

    /// Reads numbers with units. Returns their count; `nil` if a unit between two others is missing.
    mutating func units(_ units: String) -> Int? {
        let units = Array(units.utf8)
        var last: Int?
        var count = 0
        while true {
            var rest = self
            guard rest.digits() != nil, let unit = rest.text.popFirst(), let index = units.firstIndex(of: unit) else {
                return count
            }
            if let last, index != last + 1 { return nil }
            last = index
            count += 1
            self = rest
        }
    }

    /// Reads one or more digits.
    private mutating func digits() -> Substring.UTF8View? {
        let digits = text.prefix { $0.isDigit }
        text = text[digits.endIndex...]
        return digits.isEmpty ? nil : digits
    }

    private mutating func number(_ count: Int) -> Int? {
        let digits = text.prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isDigit) else { return nil }
        text = text[digits.endIndex...]
        return Int(Substring(digits))
    }
}
