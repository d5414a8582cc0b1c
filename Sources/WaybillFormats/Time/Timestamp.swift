import WaybillJSON
import WaybillPlatform

/// A time on the wall clock, to the nanosecond, in UTC.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public var nanoseconds: Int64

    /// A time in nanoseconds since 1970-01-01T00:00:00Z.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The current time of the system's wall clock.
    public static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanosecond: Int64(time.tv_nsec))
    }

    /// A time in seconds since 1970-01-01T00:00:00Z, with the nanosecond of the second. Times before 1677 and after
    /// 2262, which a clock or a file may have, become the first and the last time that can be represented.
    package init(seconds: Int64, nanosecond: Int64) {
        let (whole, isOut) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflows) = whole.addingReportingOverflow(nanosecond)
        nanoseconds = isOut || overflows ? (seconds < 0 ? .min : .max) : sum
    }

    /// Whether one time is earlier than another.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Timestamp: CustomStringConvertible {
    /// The time in the format of RFC 3339, in UTC and to the millisecond: `2026-11-21T05:27:03.041Z`.
    public var description: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the time in the format of `description`, in UTF-8.
    package func write(to output: inout [UInt8]) {
        let civil = CivilTime(self)
        civil.writeDateAndTime(to: &output)
        output.append(UInt8(ascii: "."))
        output.append(UInt64(civil.nanosecond / 1_000_000), minimumDigits: 3)
        output.append(UInt8(ascii: "Z"))
    }
}

/// A time as fields of the proleptic Gregorian calendar, in UTC.
package struct CivilTime: Sendable, Hashable {
    /// The year, such as 2026.
    package var year: Int
    /// The month, 1 to 12.
    package var month: Int
    /// The day of the month, 1 to 31.
    package var day: Int
    /// The hour, 0 to 23.
    package var hour: Int
    /// The minute, 0 to 59.
    package var minute: Int
    /// The second, 0 to 59.
    package var second: Int
    /// The nanosecond of the second.
    package var nanosecond: Int

    /// Creates the fields of a timestamp.
    package init(_ timestamp: Timestamp) {
        let (seconds, nanosecond) = Self.floorDivide(Int(timestamp.nanoseconds), 1_000_000_000)
        self.init(secondsSince1970: seconds, nanosecond: nanosecond)
    }

    /// The date and the time to the second in the format of RFC 3339, without an offset: `2026-11-21T05:27:03`.
    package var dateAndTime: String {
        var bytes: [UInt8] = []
        writeDateAndTime(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends `dateAndTime`, in UTF-8.
    fileprivate func writeDateAndTime(to output: inout [UInt8]) {
        if year < 0 { output.append(UInt8(ascii: "-")) }
        output.append(UInt64(year.magnitude), minimumDigits: 4)
        output.append(addingCapacity: 15) { output in
            Self.append(UInt8(ascii: "-"), month, to: &output)
            Self.append(UInt8(ascii: "-"), day, to: &output)
            Self.append(UInt8(ascii: "T"), hour, to: &output)
            Self.append(UInt8(ascii: ":"), minute, to: &output)
            Self.append(UInt8(ascii: ":"), second, to: &output)
        }
    }

    private static func append(_ separator: UInt8, _ part: Int, to output: inout OutputSpan<UInt8>) {
        output.append(separator)
        output.append(UInt8(ascii: "0") + UInt8(part / 10))
        output.append(UInt8(ascii: "0") + UInt8(part % 10))
    }

    /// Creates the fields of a time in any year (based on Howard Hinnant's `civil_from_days`).
    init(secondsSince1970 seconds: Int, nanosecond: Int) {
        let (days, secondOfDay) = Self.floorDivide(seconds, 86_400)
        let (era, dayOfEra) = Self.floorDivide(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        self.month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        self.hour = secondOfDay / 3_600
        self.minute = secondOfDay / 60 % 60
        self.second = secondOfDay % 60
        self.nanosecond = nanosecond
    }

    /// Returns the days since 1970-01-01; `nil` for a date that does not exist.
    static func day(year: Int, month: Int, day: Int) -> Int? {
        let number = days(year: year, month: month, day: day)
        let civil = CivilTime(secondsSince1970: number * 86_400, nanosecond: 0)
        return civil.month == month && civil.day == day ? number : nil
    }

    /// Returns the days since 1970-01-01 (based on Howard Hinnant's `days_from_civil`). A day after the last of its
    /// month is one of the next month.
    static func days(year: Int, month: Int, day: Int) -> Int {
        let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The English names of the months.
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns the English name of the weekday of a number of days since 1970-01-01, a Thursday.
    static func weekday(of day: Int) -> String {
        let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
        return names[floorDivide(day, 7).remainder]
    }

    private static func floorDivide(_ value: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Timestamp {
    /// Returns the time to a later timestamp; zero if the clock was set back.
    package func duration(to end: Timestamp) -> Duration {
        guard end > self else { return .zero }
        let (difference, overflow) = end.nanoseconds.subtractingReportingOverflow(nanoseconds)
        return .nanoseconds(overflow ? .max : difference)
    }
}
