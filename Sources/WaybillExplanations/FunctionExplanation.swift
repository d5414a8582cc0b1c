import CExplanations
package import WaybillExpressions
package import WaybillJSON

/// The explanation of a function of expressions, from `Sources/CExplanations/functions.json`.
package struct FunctionExplanation: Sendable {
    /// The function.
    package let function: ExpressionFunction
    /// What it returns, in one line.
    package let summary: String
    /// An example of a call.
    package let call: String
    /// The result of the call. That of `now()`, `uuid()` and files is only one of the possible ones.
    package let result: JSON
}

extension FunctionExplanation {
    private static let document = JSON(embedded: explanation_functions())

    /// The value of `$` in the calls.
    package static let data = document["data"] ?? .null

    /// The functions by family, in the order of the reference.
    static let families = (document["families"]?.object ?? JSONObject()).map { title, functions in
        (title: title, functions: (functions.object ?? JSONObject()).compactMap(FunctionExplanation.init))
    }

    /// All functions, in the order of the reference.
    package static let all = families.flatMap(\.functions)

    /// Returns the explanation of the function with a name.
    package static func of(_ name: String) -> FunctionExplanation? { all.first { $0.function.name == name } }

    private init?(name: String, json: JSON) {
        guard let function = ExpressionFunction.named(name), let summary = json["summary"]?.string,
            let call = json["call"]?.string, let result = json["result"]
        else { return nil }
        self.init(function: function, summary: summary, call: call, result: result)
    }
}

extension JSON {
    /// The value of an embedded file.
    init(embedded file: explanation_text) {
        let bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
        guard let value = try? JSONParser().parse(bytes) else { preconditionFailure("an embedded file is not JSON") }
        self = value
    }
}
