import WaybillJSON

extension ExpressionFunction {
    /// The functions of RFC 9535, section 2.4, functions that test whether a value exists, and `if()`.
    static let paths: [ExpressionFunction] = [
        ExpressionFunction(
            "length",
            [Parameter("value", [.string, .bytes, .array, .object])],
            .number,
            concealsSecrets: true,
            work: .constant
        ) { arguments in
            switch arguments[0] {
            case .array(let elements): .number(JSONNumber(elements.count))
            case .object(let object): .number(JSONNumber(object.count))
            case .bytes(let bytes): .number(JSONNumber(bytes.count))
            default: .number(JSONNumber(arguments.string(0).unicodeScalars.count))
            }
        },
        ExpressionFunction("count", [Parameter("path", .any)], .number, concealsSecrets: true, .form(.count)),
        ExpressionFunction("match", [text, pattern], .boolean, .form(.pattern(.match))),
        ExpressionFunction("search", [text, pattern], .boolean, .form(.pattern(.search))),
        ExpressionFunction("value", [Parameter("path", .any)], .any, .form(.value)),
        ExpressionFunction(
            "default",
            [Parameter("value", .any), Parameter("otherwise", .any, repeats: true)],
            .any,
            .form(.firstPresent)
        ),
        ExpressionFunction("exists", [Parameter("path", .any)], .boolean, .form(.exists)),
        ExpressionFunction("not", [Parameter("condition", .boolean)], .boolean, .form(.not)),
        ExpressionFunction(
            "if",
            [Parameter("condition", .boolean), Parameter("then", .any), Parameter("else", .any)],
            .any,
            .form(.conditional)
        ),
    ]
}
