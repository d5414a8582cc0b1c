import WaybillJSON

extension ExpressionFunction {
    /// What a filter of the manifest makes of a value.
    static let apply = ExpressionFunction(
        "apply",
        [Parameter("filter", .string), Parameter("value", .any)],
        .any,
        work: .constant
    ) { arguments throws(EvaluationError) in
        try arguments.environment.result(ofFilter: arguments.string(0), on: arguments[1])
    }

    /// The functions that use definitions of the manifest.
    static let filters = [apply]
}

/// The use of a filter of the manifest in an expression, for the checks of a plan.
package struct FilterUse: Sendable {
    /// The name of the filter.
    package let name: String
    /// The location of the name, in UTF-8 bytes of the text.
    package let range: Range<Int>
}
