extension ExpressionFunction {
    /// What RFC 9535, section 2.4 defines, functions that ask whether there is a value, and the choice between two.
    static let paths: [ExpressionFunction] = [
        ExpressionFunction(
            "length",
            [Parameter("value", [.string, .bytes, .array, .object])],
            .number,
            "The number of code points of a string, of bytes, of elements of a list or of members of an object.",
            concealsSecrets: true,
            work: .constant,
            .compute(ListFunctions.length)
        ),
        ExpressionFunction(
            "count",
            [Parameter("path", .any)],
            .number,
            "The number of values that a path matches.",
            concealsSecrets: true,
            .form(.count)
        ),
        ExpressionFunction(
            "match",
            [Parameter("text", .string), Parameter("pattern", .string)],
            .boolean,
            "Whether a whole string matches a pattern (I-Regexp, RFC 9485).",
            .form(.pattern(.match))
        ),
        ExpressionFunction(
            "search",
            [Parameter("text", .string), Parameter("pattern", .string)],
            .boolean,
            "Whether some part of a string matches a pattern (I-Regexp, RFC 9485).",
            .form(.pattern(.search))
        ),
        ExpressionFunction(
            "value",
            [Parameter("path", .any)],
            .any,
            "The value of a path that matches exactly one value.",
            .form(.value)
        ),
        ExpressionFunction(
            "default",
            [Parameter("value", .any), Parameter("otherwise", .any, repeats: true)],
            .any,
            "The first argument that exists and is not null.",
            .form(.firstPresent)
        ),
        ExpressionFunction(
            "exists",
            [Parameter("path", .any)],
            .boolean,
            "Whether a path matches a value, null included.",
            .form(.exists)
        ),
        ExpressionFunction(
            "not",
            [Parameter("condition", .boolean)],
            .boolean,
            "True if the condition is false.",
            .form(.not)
        ),
        ExpressionFunction(
            "if",
            [Parameter("condition", .boolean), Parameter("then", .any), Parameter("else", .any)],
            .any,
            "The second argument if the condition is true, otherwise the third. Only that one is evaluated.",
            .form(.conditional)
        ),
    ]
}
