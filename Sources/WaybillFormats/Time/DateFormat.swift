/// Times as strings: RFC 3339, and formats like those of `strftime`, in UTC and English.
package enum DateFormat {
    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns a time in a format: `%Y %m %d %H %M %S %L` (milliseconds) `%j` (day of the year) `%a %A %b %B %s`
    /// (seconds since 1970) `%F` (`%Y-%m-%d`) `%T` (`%H:%M:%S`) `%z` (`+0000`) `%%`.
    package static func text(of moment: Timestamp, _ format: String) throws(DateFormatError) -> String {
        let civil = CivilTime(moment)
        let dayNumber = days(year: civil.year, month: civil.month, day: civil.day)
        var text = ""
        var characters = format.unicodeScalars.makeIterator()
        while let character = characters.next() {
            guard character == "%" else {
                text.unicodeScalars.append(character)
                continue
            }
            switch characters.next() {
            case "Y": text += padded(civil.year, 4)
            case "m": text += padded(civil.month, 2)
            case "d": text += padded(civil.day, 2)
            case "H": text += padded(civil.hour, 2)
            case "M": text += padded(civil.minute, 2)
            case "S": text += padded(civil.second, 2)
            case "L": text += padded(civil.nanosecond / 1_000_000, 3)
            case "j": text += padded(dayNumber - days(year: civil.year, month: 1, day: 1) + 1, 3)
            case "a": text += days[weekday(dayNumber)].prefix(3)
            case "A": text += days[weekday(dayNumber)]
            case "b": text += months[civil.month - 1].prefix(3)
            case "B": text += months[civil.month - 1]
            case "s": text += String(dayNumber * 86_400 + civil.hour * 3_600 + civil.minute * 60 + civil.second)
            case "F": text += "\(padded(civil.year, 4))-\(padded(civil.month, 2))-\(padded(civil.day, 2))"
            case "T": text += "\(padded(civil.hour, 2)):\(padded(civil.minute, 2)):\(padded(civil.second, 2))"
            case "z": text += "+0000"
            case "%": text += "%"
            case let other:
                let found = other.map { "'%\($0)'" } ?? "a single '%' at the end"
                throw DateFormatError(
                    message: "a date format supports %Y %m %d %H %M %S and others, not \(found)"
                )
            }
        }
        return text
    }

    /// Returns the time of a string in the format of RFC 3339, section 5.6, or of a date alone (midnight, UTC).
    package static func moment(_ text: String) -> Timestamp? {
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), (1...12).contains(month), day >= 1,
            day <= days(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
                - days(year: year, month: month, day: 1)
        else { return nil }
        var seconds = days(year: year, month: month, day: day) * 86_400
        if reader.isAtEnd { return timestamp(seconds, 0) }
        guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        seconds += hour * 3_600 + minute * 60 + second
        guard let nanosecond = reader.fraction(), let offset = reader.offset(), reader.isAtEnd else { return nil }
        return timestamp(seconds - offset, nanosecond)
    }

    private static func timestamp(_ seconds: Int, _ nanosecond: Int) -> Timestamp? {
        // 64 bits of nanoseconds represent the years from 1677 to 2262.
        guard abs(seconds) < 9_223_372_036 else { return nil }
        return Timestamp(nanoseconds: Int64(seconds * 1_000_000_000 + nanosecond))
    }

    /// Returns the days since 1970-01-01 (based on Howard Hinnant's `days_from_civil`).
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func weekday(_ dayNumber: Int) -> Int {
        ((dayNumber + 4) % 7 + 7) % 7
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
            position += 1
            return true
        }

        mutating func digit() -> Int? {
            guard position < bytes.count, (48...57).contains(bytes[position]) else { return nil }
            position += 1
            return Int(bytes[position - 1]) - 48
        }

        mutating func number(_ digits: Int) -> Int? {
            var value = 0
            for _ in 0..<digits {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Reads an optional fraction as nanoseconds. Further digits are dropped.
        mutating func fraction() -> Int? {
            guard skip(".") else { return 0 }
            var value = 0
            var scale = 100_000_000
            guard let first = digit() else { return nil }
            value += first * scale
            while let digit = digit() {
                scale /= 10
                value += digit * scale
            }
            return value
        }

        /// Reads the offset of local time from UTC, in seconds.
        mutating func offset() -> Int? {
            if skip("Z") || skip("z") { return 0 }
            let isAhead = skip("+")
            guard isAhead || skip("-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24,
                minutes < 60
            else { return nil }
            return (isAhead ? 1 : -1) * (hours * 3_600 + minutes * 60)
        }
    }
}

extension Timestamp {
    /// Creates a timestamp from a string in the format of RFC 3339, section 5.6; `nil` for anything else.
    package init?(rfc3339 text: String) {
        guard let moment = DateFormat.moment(text) else { return nil }
        self = moment
    }
}

/// The error for an invalid date format.
package struct DateFormatError: Error {
    /// The message for the user.
    package let message: String
}
