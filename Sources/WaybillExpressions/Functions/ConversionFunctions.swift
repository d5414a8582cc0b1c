import WaybillFormats
import WaybillJSON

extension ExpressionFunction {
    /// The functions that convert values to other kinds.
    static let conversions: [ExpressionFunction] = [
        ExpressionFunction("number", [Parameter("value", [.string, .number])], .number) {
            arguments throws(EvaluationError) in
            guard case .string(let text) = arguments[0] else { return arguments[0] }
            guard let number = JSONNumber(parsing: text) else {
                throw EvaluationError(.value, "number() requires a string that contains a number in JSON notation")
            }
            return .number(number)
        },
        ExpressionFunction(
            "round",
            [Parameter("number", .number), Parameter("digits", .number, isOptional: true)],
            .number
        ) { arguments throws(EvaluationError) in
            let digits = arguments.count > 1 ? arguments[1].number?.int : 0
            guard let digits, (0...15).contains(digits), let number = arguments[0].number else {
                throw EvaluationError(.value, "the digits of round() must be an integer from 0 to 15")
            }
            return .number(number.rounded(toFractionDigits: digits))
        },
        ExpressionFunction("string", [Parameter("value", [.text, .bytes])], .string) {
            arguments throws(EvaluationError) in
            guard case .bytes(let bytes) = arguments[0] else { return .string(arguments[0].scalarText ?? "") }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw EvaluationError(.value, "string() requires bytes that are valid UTF-8")
            }
            return .string(text)
        },
        ExpressionFunction("json", [Parameter("value", .any)], .string, work: .everything) {
            arguments throws(EvaluationError) in
            let maximum = EvaluationLimits.textBytes
            let text = JSONWriter(stopsAtDeadline: true, maximumBytes: maximum).string(arguments[0])
            try EvaluationLimits.checkText(text.utf8.count)
            return .string(text)
        },
        ExpressionFunction("parse", [text], .any) { arguments throws(EvaluationError) in
            do throws(JSONSyntaxError) {
                return try JSONParser(stopsAtLimit: true).parse(Array(arguments.string(0).utf8))
            } catch {
                // The parser's own message may quote the string, which may be secret.
                throw EvaluationError(
                    .value,
                    "parse() requires a string of JSON: it is invalid at byte \(error.offset)"
                )
            }
        },
        ExpressionFunction("base64", [Parameter("value", [.string, .bytes])], .string) {
            arguments throws(EvaluationError) in
            let bytes = arguments.bytes(0)
            try EvaluationLimits.checkText(bytes.count / 3 * 4)
            return .string(Base64.encode(bytes))
        },
        ExpressionFunction("unbase64", [text], .string) { arguments throws(EvaluationError) in
            guard let bytes = Base64.decode(arguments.string(0)) else {
                throw EvaluationError(.value, "unbase64() requires a string in Base64")
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw EvaluationError(.value, "the bytes decoded by unbase64() are not valid UTF-8")
            }
            return .string(text)
        },
        ExpressionFunction("urlencode", [Parameter("value", .text)], .string) { arguments throws(EvaluationError) in
            let text = arguments[0].scalarText ?? ""
            try EvaluationLimits.checkText(text.utf8.count * 3)
            return .string(try arguments.changingPieces(of: text) { PercentEncoding.component($0) })
        },
        ExpressionFunction("raw", [Parameter("value", .text)], .text, .markRaw),
    ]
}

extension JSON {
    /// The text of a string, of a number as it was written, or of a boolean; `nil` for other values.
    package var scalarText: String? {
        switch self {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let flag): flag ? "true" : "false"
        case .null, .bytes, .array, .object: nil
        }
    }
}
