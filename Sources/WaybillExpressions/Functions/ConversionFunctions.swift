import WaybillFormats
import WaybillJSON

extension ExpressionFunction {
    /// Conversions.
    static let conversions: [ExpressionFunction] = [
        ExpressionFunction(
            "number",
            [Parameter("value", [.string, .number])],
            .number,
            "The number that a string contains, in JSON's notation.",
            .compute(ConversionFunctions.number)
        ),
        ExpressionFunction(
            "round",
            [Parameter("number", .number), Parameter("digits", .number, isOptional: true)],
            .number,
            "A number rounded to a number of decimal places (0 by default); halves are rounded away from zero.",
            .compute(ConversionFunctions.round)
        ),
        ExpressionFunction(
            "string",
            [Parameter("value", [.text, .bytes])],
            .string,
            "A number, a boolean, or bytes in UTF-8, as a string.",
            .compute(ConversionFunctions.string)
        ),
        ExpressionFunction(
            "json",
            [Parameter("value", .any)],
            .string,
            "A value as a string of JSON.",
            work: .everything,
            .compute(ConversionFunctions.json)
        ),
        ExpressionFunction(
            "parse",
            [Parameter("text", .string)],
            .any,
            "The value of a string of JSON.",
            .compute(ConversionFunctions.parse)
        ),
        ExpressionFunction(
            "base64",
            [Parameter("value", [.string, .bytes])],
            .string,
            "Bytes, or the UTF-8 bytes of a string, in Base64 (RFC 4648).",
            .compute(ConversionFunctions.base64)
        ),
        ExpressionFunction(
            "unbase64",
            [Parameter("text", .string)],
            .string,
            "The string whose UTF-8 bytes are given in Base64, standard or URL-safe (RFC 4648).",
            .compute(ConversionFunctions.unbase64)
        ),
        ExpressionFunction(
            "urlencode",
            [Parameter("value", .text)],
            .string,
            "A string percent-encoded for any part of a URL (RFC 3986).",
            .compute(ConversionFunctions.urlencode)
        ),
        ExpressionFunction(
            "raw",
            [Parameter("value", .text)],
            .text,
            "The value, marked so that a path keeps its slashes and its query.",
            .markRaw
        ),
    ]
}

/// Functions that write one kind of value as another.
enum ConversionFunctions {
    /// A string, a number as it was written, or a boolean as text; `nil` for other values.
    static func text(of value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let flag): flag ? "true" : "false"
        case .null, .bytes, .array, .object: nil
        }
    }

    static func number(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        guard case .string(let text) = arguments[0] else { return arguments[0] }
        guard let number = JSONNumber(parsing: text) else {
            throw FunctionFailure(.value, "number() takes a text that is a number, and this is none")
        }
        return .number(number)
    }

    static func round(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        let digits = arguments.count > 1 ? arguments[1].number?.int : 0
        guard let digits, (0...15).contains(digits), let number = arguments[0].number else {
            throw FunctionFailure(.value, "the digits of round() are a whole number from 0 to 15")
        }
        return .number(number.rounded(toFractionDigits: digits))
    }

    static func json(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        let text = JSONWriter().string(arguments[0])
        try EvaluationLimits.checkText(text.utf8.count)
        return .string(text)
    }

    static func parse(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        do {
            return try JSONParser().parse(Array(arguments.string(0).utf8))
        } catch {
            // Not the parser's own words, which may quote the text.
            throw FunctionFailure(.value, "parse() takes a text that is JSON, and at byte \(error.offset) this is none")
        }
    }

    static func string(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        guard case .bytes(let bytes) = arguments[0] else { return .string(text(of: arguments[0]) ?? "") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FunctionFailure(.value, "these bytes are not text in UTF-8")
        }
        return .string(text)
    }

    static func base64(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        let bytes = arguments.bytes(0)
        try EvaluationLimits.checkText(bytes.count / 3 * 4)
        return .string(Base64.encode(bytes))
    }

    static func unbase64(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        guard let bytes = Base64.decode(arguments.string(0)) else {
            throw FunctionFailure(.value, "unbase64() takes a text in Base64, and this is none")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FunctionFailure(.value, "what is encoded here is no text in UTF-8")
        }
        return .string(text)
    }

    static func urlencode(_ arguments: FunctionArguments) throws(FunctionFailure) -> JSON {
        let text = text(of: arguments[0]) ?? ""
        try EvaluationLimits.checkText(text.utf8.count * 3)
        return .string(PercentEncoding.component(text))
    }
}
