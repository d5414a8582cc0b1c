import WaybillJSON

extension ExpressionFunction {
    /// The functions of RFC 9535, section 2.4, functions that test whether a value exists, and `if()`.
    static let paths: [ExpressionFunction] = [
        ExpressionFunction(
            "length",
            [Parameter("value", [.string, .bytes, .array, .object])],
            .number,
            "The number of code points in a string, elements in a list, members in an object, or bytes.",
            example: ("length('häu😀')", 4),
            concealsSecrets: true,
            work: .constant,
            .compute { arguments in
                switch arguments[0] {
                case .array(let elements): .number(JSONNumber(elements.count))
                case .object(let object): .number(JSONNumber(object.count))
                case .bytes(let bytes): .number(JSONNumber(bytes.count))
                default: .number(JSONNumber(arguments.string(0).unicodeScalars.count))
                }
            }
        ),
        ExpressionFunction(
            "count",
            [Parameter("path", .any)],
            .number,
            "The number of values that a path matches.",
            example: ("count($.lines[?@.price > 3])", 1),
            concealsSecrets: true,
            .form(.count)
        ),
        ExpressionFunction(
            "match",
            [Parameter("text", .string), Parameter("pattern", .string)],
            .boolean,
            "Whether a whole string matches a pattern (I-Regexp, RFC 9485).",
            example: ("match($.state, 'pa.*')", true),
            .form(.pattern(.match))
        ),
        ExpressionFunction(
            "search",
            [Parameter("text", .string), Parameter("pattern", .string)],
            .boolean,
            "Whether some part of a string matches a pattern (I-Regexp, RFC 9485).",
            example: ("search($.state, 'ai')", true),
            .form(.pattern(.search))
        ),
        ExpressionFunction(
            "value",
            [Parameter("path", .any)],
            .any,
            "The value that a path matches; an error unless it matches exactly one.",
            example: ("value($..total)", 6.5),
            .form(.value)
        ),
        ExpressionFunction(
            "default",
            [Parameter("value", .any), Parameter("otherwise", .any, repeats: true)],
            .any,
            "The first argument that exists and is not null; otherwise the last argument.",
            example: ("default($.discount, 0)", 0),
            .form(.firstPresent)
        ),
        ExpressionFunction(
            "exists",
            [Parameter("path", .any)],
            .boolean,
            "Whether a path matches a value; null counts as a value.",
            example: ("exists($.discount)", false),
            .form(.exists)
        ),
        ExpressionFunction(
            "not",
            [Parameter("condition", .boolean)],
            .boolean,
            "True if the condition is false, and false if it is true.",
            example: ("not(exists($.discount))", true),
            .form(.not)
        ),
        ExpressionFunction(
            "if",
            [Parameter("condition", .boolean), Parameter("then", .any), Parameter("else", .any)],
            .any,
            "The second argument if the condition is true, otherwise the third. Only that one is evaluated.",
            example: ("if($.total > 5, 'large', 'small')", "large"),
            .form(.conditional)
        ),
    ]
}
