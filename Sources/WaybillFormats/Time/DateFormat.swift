import WaybillJSON

/// Times as strings in formats like those of `strftime`, in UTC and English.
package enum DateFormat {
    /// Returns a time in a format: `%Y %m %d %H %M %S %L` (milliseconds) `%j` (day of the year) `%a %A %b %B %s`
    /// (seconds since 1970) `%F` (`%Y-%m-%d`) `%T` (`%H:%M:%S`) `%z` (`+0000`) `%%`.
    package static func text(of moment: Timestamp, _ format: String) throws(DateFormatError) -> String {
        let civil = CivilTime(moment)
        let day = CivilTime.days(year: civil.year, month: civil.month, day: civil.day)
        var text = ""
        var characters = format.unicodeScalars.makeIterator()
        while let character = characters.next() {
            guard character == "%" else {
                text.unicodeScalars.append(character)
                continue
            }
            switch characters.next() {
            case "Y": text += civil.year.digits(4)
            case "m": text += civil.month.digits(2)
            case "d": text += civil.day.digits(2)
            case "H": text += civil.hour.digits(2)
            case "M": text += civil.minute.digits(2)
            case "S": text += civil.second.digits(2)
            case "L": text += (civil.nanosecond / 1_000_000).digits(3)
            case "j": text += (day - CivilTime.days(year: civil.year, month: 1, day: 1) + 1).digits(3)
            case "a": text += CivilTime.weekday(of: day).prefix(3)
            case "A": text += CivilTime.weekday(of: day)
            case "b": text += CivilTime.months[civil.month - 1].prefix(3)
            case "B": text += CivilTime.months[civil.month - 1]
            case "s": text += String(day * 86_400 + civil.hour * 3_600 + civil.minute * 60 + civil.second)
            case "F": text += "\(civil.year.digits(4))-\(civil.month.digits(2))-\(civil.day.digits(2))"
            case "T": text += "\(civil.hour.digits(2)):\(civil.minute.digits(2)):\(civil.second.digits(2))"
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
}

/// The error for an invalid date format.
package struct DateFormatError: Error {
    /// The message for the user.
    package let message: String
}
