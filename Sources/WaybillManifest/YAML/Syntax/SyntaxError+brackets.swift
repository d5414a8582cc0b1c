import WaybillDiagnostics

extension SyntaxError {
    /// The error for a bracket without its counterpart, or for a missing value or comma between brackets.
    var bracketError: Diagnostic? {
        switch failure.problem {
        case "did not find expected ',' or ']'": bracketError(open: "[", close: "]")
        case "did not find expected ',' or '}'": bracketError(open: "{", close: "}")
        case "did not find expected node content": missingValue
        default: nil
        }
    }

    private func bracketError(open: String, close: String) -> Diagnostic {
        let opening = Diagnostic.Label(place(failure.contextOffset), "opened here")
        let here = place(failure.problemOffset)
        let isOnOtherLine = line(at: failure.problemOffset) != line(at: failure.contextOffset)
        switch byte {
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            let headline = "'\(text(here.range))' cannot close '\(open)'"
            return error(headline, at: here, label: "'\(close)' is expected", secondary: [opening])
        case UInt8(ascii: "{") where byte(at: failure.problemOffset - 1) == UInt8(ascii: "$"):
            return error(
                "'${' must be quoted between brackets",
                at: file.span(failure.problemOffset - 1..<here.range.upperBound),
                secondary: [opening],
                help: ["Put double quotes around the string: \"${…}\"."]
            )
        case nil:
            return error("'\(open)' is not closed", at: here, label: "the file ends here", secondary: [opening])
        case UInt8(ascii: ":") where isOnOtherLine:
            let label = "'\(close)' is missing before this line, or ',' within it"
            return error("'\(open)' is not closed", at: here, label: label, secondary: [opening])
        default:
            return error(
                "',' or '\(close)' is missing here",
                at: here,
                secondary: [opening],
                help: ["A string with ': ', ',' or brackets in it must be quoted here."]
            )
        }
    }

    private var missingValue: Diagnostic {
        let here = place(failure.problemOffset)
        switch byte {
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return error("'\(text(here.range))' has no matching opening bracket", at: here)
        case UInt8(ascii: ","):
            return error(
                "a value is missing before ','",
                at: here,
                help: ["A string that starts with ',' must be quoted."]
            )
        default:
            return error("a value is missing here", at: here)
        }
    }
}
