import WaybillFormats
import WaybillJSON

extension ExpressionFunction {
    /// Functions that read the time, generate identifiers, or read files.
    static let timeAndFiles: [ExpressionFunction] = [
        ExpressionFunction("now", [], .string, isAmbient: true) { .string($0.environment.now().description) },
        ExpressionFunction(
            "date",
            [Parameter("time", [.number, .string]), Parameter("format", .string, isOptional: true)],
            .string
        ) { arguments throws(EvaluationError) in
            let moment = try time(arguments[0])
            guard let format = arguments.optionalString(1) else { return .string(moment.description) }
            guard format.utf8.count <= maximumFormatBytes else {
                throw EvaluationError(.value, "the format of date() has more than \(maximumFormatBytes) bytes")
            }
            do throws(DateFormatError) {
                return .string(try DateFormat.text(of: moment, format))
            } catch {
                throw EvaluationError(.value, error.message)
            }
        },
        ExpressionFunction(
            "epoch",
            [Parameter("time", [.string, .number], isOptional: true)],
            .number,
            isAmbient: true
        ) { arguments throws(EvaluationError) in
            if arguments.count == 0 {
                return .number(JSONNumber(floorDivide(arguments.environment.now().nanoseconds, 1_000_000_000)))
            }
            let nanoseconds = try time(arguments[0]).nanoseconds
            if nanoseconds % 1_000_000_000 == 0 { return .number(JSONNumber(Int(nanoseconds / 1_000_000_000))) }
            // In decimal: the nearest double to the quotient has more digits than the time.
            let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
            var digits = String(rest + 1_000_000_000).dropFirst()
            while digits.last == "0" { digits.removeLast() }
            return .number(
                JSONNumber(parsing: "\(nanoseconds < 0 ? "-" : "")\(seconds).\(digits)") ?? JSONNumber(0)
            )
        },
        ExpressionFunction("uuid", [], .string, isAmbient: true) { .string($0.environment.uuid()) },
        ExpressionFunction("file", [Parameter("path", .string)], .string, isAmbient: true) {
            arguments throws(EvaluationError) in
            guard let text = String(validating: try contents(of: "file", arguments), as: UTF8.self) else {
                throw EvaluationError(.value, "file() cannot read the file: it is not valid UTF-8")
            }
            return .string(text)
        },
        ExpressionFunction("bytes", [Parameter("path", .string)], .bytes, isAmbient: true) {
            arguments throws(EvaluationError) in
            .bytes(try contents(of: "bytes", arguments))
        },
    ]

    /// The maximum size of a date format in bytes, which bounds the time of applying one from a server.
    private static let maximumFormatBytes = 1 << 16

    private static func contents(
        of function: String,
        _ arguments: FunctionArguments
    ) throws(EvaluationError) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try arguments.environment.contents(ofFile: arguments.string(0))
        } catch {
            throw EvaluationError(.value, "\(function)() cannot read the file: it \(error.message)")
        }
        try EvaluationLimits.checkText(bytes.count)
        return bytes
    }

    private static func time(_ value: JSON) throws(EvaluationError) -> Timestamp {
        switch value {
        case .number(let number):
            if let seconds = number.int {
                let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
                if !overflow { return Timestamp(nanoseconds: Int64(nanoseconds)) }
            } else if abs(number.double) < 9e9 {
                return Timestamp(nanoseconds: Int64((number.double * 1e9).rounded()))
            }
            throw EvaluationError(.value, "the number of seconds is too large for a time")
        default:
            guard let text = value.string, let moment = Timestamp(rfc3339: text) else {
                let found = value.string.map { "'\($0.excerpt(60))'" } ?? value.kind.phrase
                if let text = value.string, DateTimeFormat.isDateTime(text) || DateTimeFormat.isDate(text) {
                    throw EvaluationError(.value, "\(found) is out of range: times are in the years 1678 to 2261")
                }
                throw EvaluationError(.value, "\(found) is not a time of the form 2026-11-21T05:27:03Z (RFC 3339)")
            }
            return moment
        }
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int {
        Int(value >= 0 ? value / divisor : (value + 1) / divisor - 1)
    }
}
