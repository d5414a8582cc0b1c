import WaybillDiagnostics

extension SyntaxError {
    /// The error for a tab where only spaces can indent.
    var tabError: Diagnostic? {
        let tab = UInt8(ascii: "\t")
        switch failure.problem {
        case "found a tab character that violates indentation",
            "found a tab character where an indentation space is expected":
            break
        case "found character that cannot start any token" where byte == tab:
            break
        default:
            return nil
        }
        let start = failure.problemOffset
        let end = file.bytes[start...].firstIndex { $0 != tab } ?? file.bytes.count
        return error(
            "a tab cannot be used for indentation",
            at: file.span(start..<max(end, min(start + 1, file.bytes.count))),
            help: ["Indent with spaces."]
        )
    }
}
