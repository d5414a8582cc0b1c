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
            return .string(try joined(arguments.values, separator: "", arguments.check))
        },
        ExpressionFunction("lower", [text], .string) { arguments throws(EvaluationError) in
            .string(try arguments.changingPieces(of: arguments.string(0)) { $0.lowercased() })
        },
        ExpressionFunction("upper", [text], .string) { arguments throws(EvaluationError) in
            .string(try arguments.changingPieces(of: arguments.string(0)) { $0.uppercased() })
        },
        ExpressionFunction("trim", [text], .string) { arguments throws(EvaluationError) in
            var check = arguments.check
            var scalars = arguments.string(0).unicodeScalars[...]
            while scalars.first?.properties.isWhitespace == true {
                try check.spend(1)
                scalars.removeFirst()
            }
            while scalars.last?.properties.isWhitespace == true {
                try check.spend(1)
                scalars.removeLast()
            }
            return .string(String(scalars))
        },
        ExpressionFunction("split", [Parameter("text", .string), Parameter("separator", .string)], .array) {
            arguments throws(EvaluationError) in
            var elements: [JSON] = []
            if arguments.string(1).isEmpty {
                var check = arguments.check
                for scalar in arguments.string(0).unicodeScalars {
                    try check.spend(1)
                    elements.append(.string(String(scalar)))
                    try EvaluationLimits.checkElements(elements.count)
                }
                return .array(elements)
            }
            var parts = StringParts(of: arguments.string(0), between: arguments.string(1), arguments.check)
            while let part = try parts.next() {
                elements.append(.string(String(part)))
                try EvaluationLimits.checkElements(elements.count)
            }
            return .array(elements)
        },
        ExpressionFunction("join", [Parameter("list", .array), Parameter("separator", .string)], .string) {
            arguments throws(EvaluationError) in
            .string(try joined(arguments.list(0), separator: arguments.string(1), arguments.check))
        },
        ExpressionFunction(
            "replace",
            [Parameter("text", .string), Parameter("part", .string), Parameter("with", .string)],
            .string
        ) { arguments throws(EvaluationError) in
            if arguments.string(1).isEmpty {
                throw EvaluationError(.value, "replace() needs a part that is not empty")
            }
            var parts = StringParts(of: arguments.string(0), between: arguments.string(1), arguments.check)
            var text = String(try parts.next() ?? "")
            while let part = try parts.next() {
                text += arguments.string(2)
                text += part
                try EvaluationLimits.checkText(text.utf8.count)
            }
            return .string(text)
        },
        ExpressionFunction(
            "contains",
            [Parameter("value", [.string, .array, .object]), Parameter("part", .any)],
            .boolean,
            work: .everything
        ) { arguments throws(EvaluationError) in
            switch arguments[0] {
            case .array(let elements):
                var check = arguments.check
                for element in elements {
                    try check.spend(1 + Cost.ofComparing(element, arguments[1]))
                    if element == arguments[1] { return true }
                }
                return false
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
                var parts = StringParts(of: arguments.string(0), between: part, arguments.check)
                _ = try parts.next()
                return .bool(try parts.next() != nil)
            }
        },
        ExpressionFunction("startsWith", [Parameter("text", .string), Parameter("prefix", .string)], .boolean) {
            .bool($0.string(0).utf8.starts(with: $0.string(1).utf8))
        },
        ExpressionFunction("endsWith", [Parameter("text", .string), Parameter("suffix", .string)], .boolean) {
            arguments in
            let text = arguments.string(0).utf8
            let ending = arguments.string(1).utf8
            return .bool(ending.count <= text.count && text.suffix(ending.count).elementsEqual(ending))
        },
        ExpressionFunction(
            "capture",
            [Parameter("text", .string), Parameter("pattern", .string)],
            .string,
            .form(.pattern(.capture))
        ),
        ExpressionFunction(
            "captures",
            [Parameter("text", .string), Parameter("pattern", .string)],
            .array,
            .form(.pattern(.captures))
        ),
    ]

    private static func joined(
        _ values: [JSON],
        separator: String,
        _ check: ContinuationCheck
    ) throws(EvaluationError) -> String {
        var check = check
        var text = ""
        for (index, value) in values.enumerated() {
            try check.spend(1)
            guard let part = value.scalarText else {
                throw EvaluationError(.type, "cannot join \(value.kind.phrase): strings, numbers and booleans only")
            }
            if index > 0 { text += separator }
            text += part
            try EvaluationLimits.checkText(text.utf8.count)
        }
        return text
    }
}

/// The parts of a string between the occurrences of a separator, which is not empty. The search does not backtrack
/// (Knuth, Morris and Pratt), so its time is linear for every string.
private struct StringParts {
    private let text: String
    private let separator: [UInt8]
    /// For each prefix of the separator, the length of the longest shorter prefix that is also its suffix.
    private var borders = [0]
    /// Where the next part starts; `nil` after the last part.
    private var start: String.Index?
    private var check: ContinuationCheck

    init(of text: String, between separator: String, _ check: ContinuationCheck) {
        self.text = text
        self.separator = Array(separator.utf8)
        self.check = check
        start = text.startIndex
        let pattern = self.separator
        for index in pattern.indices.dropFirst() {
            var length = borders[index - 1]
            while length > 0, pattern[length] != pattern[index] { length = borders[length - 1] }
            borders.append(pattern[length] == pattern[index] ? length + 1 : 0)
        }
    }

    /// Returns the next part. Throws if the evaluation must stop.
    mutating func next() throws(EvaluationError) -> Substring? {
        guard let start else { return nil }
        let bytes = text.utf8
        var index = start
        var matched = 0
        while index < bytes.endIndex {
            try check.spend(1)
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            while matched > 0, separator[matched] != byte { matched = borders[matched - 1] }
            if separator[matched] == byte { matched += 1 }
            if matched == separator.count {
                self.start = index
                return text[start..<bytes.index(index, offsetBy: -separator.count)]
            }
        }
        self.start = nil
        return text[start...]
    }
}
