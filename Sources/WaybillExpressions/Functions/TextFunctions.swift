import WaybillJSON

extension ExpressionFunction {
    static let text = Parameter("text", .string)
    static let pattern = Parameter("pattern", .string)

    /// Functions on strings.
    static let texts: [ExpressionFunction] = [
        ExpressionFunction("concat", [Parameter("value", [.text, .array], repeats: true)], [.string, .array]) {
            arguments throws(EvaluationError) in
            if arguments.values.allSatisfy({ $0.array != nil }) {
                let lists = arguments.values.map { $0.array ?? [] }
                try EvaluationLimits.checkElements(lists.reduce(0) { $0 + $1.count })
                return .array(lists.flatMap { $0 })
            }
            return .string(try joined(arguments.values, separator: ""))
        },
        ExpressionFunction("lower", [text], .string) { .string($0.string(0).lowercased()) },
        ExpressionFunction("upper", [text], .string) { .string($0.string(0).uppercased()) },
        ExpressionFunction("trim", [text], .string) { arguments in
            let scalars = arguments.string(0).unicodeScalars
            guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
                let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
            else { return "" }
            return .string(String(scalars[first...last]))
        },
        ExpressionFunction("split", [text, Parameter("separator", .string)], .array) {
            arguments throws(EvaluationError) in
            let text = arguments.string(0)
            if arguments.string(1).isEmpty {
                return .array(text.unicodeScalars.map { .string(String(Character($0))) })
            }
            return .array(try parts(of: text, between: arguments.string(1)).map { .string(String($0)) })
        },
        ExpressionFunction("join", [Parameter("list", .array), Parameter("separator", .string)], .string) {
            arguments throws(EvaluationError) in
            .string(try joined(arguments.list(0), separator: arguments.string(1)))
        },
        ExpressionFunction(
            "replace",
            [text, Parameter("part", .string), Parameter("with", .string)],
            .string
        ) { arguments throws(EvaluationError) in
            if arguments.string(1).isEmpty {
                throw EvaluationError(.value, "replace() needs a part that is not empty")
            }
            let parts = try parts(of: arguments.string(0), between: arguments.string(1))
            let replacement = arguments.string(2)
            try EvaluationLimits.checkText(arguments.string(0).utf8.count + (parts.count - 1) * replacement.utf8.count)
            return .string(parts.joined(separator: replacement))
        },
        ExpressionFunction(
            "contains",
            [Parameter("value", [.string, .array, .object]), Parameter("part", .any)],
            .boolean,
            work: .everything
        ) { arguments throws(EvaluationError) in
            switch arguments[0] {
            case .array(let elements): return .bool(elements.contains(arguments[1]))
            case .object(let object):
                guard case .string(let name) = arguments[1] else {
                    throw EvaluationError(
                        .type,
                        "contains() requires a string, the name of a member, to search an object"
                    )
                }
                return .bool(object[name] != nil)
            default:
                guard case .string(let part) = arguments[1] else {
                    throw EvaluationError(
                        .type,
                        "contains() requires a string to search for in a string, found \(arguments[1].kind.phrase)"
                    )
                }
                if part.isEmpty { return true }
                return .bool(try parts(of: arguments.string(0), between: part, most: 2).count > 1)
            }
        },
        ExpressionFunction("startsWith", [text, Parameter("prefix", .string)], .boolean) {
            .bool($0.string(0).utf8.starts(with: $0.string(1).utf8))
        },
        ExpressionFunction("endsWith", [text, Parameter("suffix", .string)], .boolean) {
            arguments in
            let text = arguments.string(0).utf8
            let ending = arguments.string(1).utf8
            return .bool(ending.count <= text.count && text.suffix(ending.count).elementsEqual(ending))
        },
        ExpressionFunction("capture", [text, pattern], .string, .form(.pattern(.capture))),
        ExpressionFunction("captures", [text, pattern], .array, .form(.pattern(.captures))),
    ]

    private static func joined(_ values: [JSON], separator: String) throws(EvaluationError) -> String {
        var text = ""
        for (index, value) in values.enumerated() {
            guard let part = value.scalarText else {
                throw EvaluationError(.type, "cannot join \(value.kind.phrase): strings, numbers and booleans only")
            }
            if index > 0 { text += separator }
            text += part
            try EvaluationLimits.checkText(text.utf8.count)
        }
        return text
    }

    /// Returns the parts of a string between the occurrences of a separator, which is not empty. The search does not
    /// backtrack (Knuth, Morris and Pratt), so its time is linear for every string. Throws once `WorkLimit` is reached.
    private static func parts(
        of text: String,
        between separator: String,
        most: Int = .max
    ) throws(EvaluationError) -> [Substring] {
        let pattern = Array(separator.utf8)
        var borders = [0]
        for index in pattern.indices.dropFirst() {
            var length = borders[index - 1]
            while length > 0, pattern[length] != pattern[index] { length = borders[length - 1] }
            borders.append(pattern[length] == pattern[index] ? length + 1 : 0)
        }
        var parts: [Substring] = []
        let bytes = text.utf8
        var start = bytes.startIndex
        var index = start
        var matched = 0
        var limit = WorkLimit.Check()
        var position = 0
        while index < bytes.endIndex, parts.count < most - 1 {
            if limit.isReached(at: position) { throw EvaluationError(.value, WorkLimit.message) }
            position += 1
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            while matched > 0, pattern[matched] != byte { matched = borders[matched - 1] }
            if pattern[matched] == byte { matched += 1 }
            if matched == pattern.count {
                parts.append(text[start..<bytes.index(index, offsetBy: -pattern.count)])
                start = index
                matched = 0
            }
        }
        parts.append(text[start...])
        return parts
    }
}
