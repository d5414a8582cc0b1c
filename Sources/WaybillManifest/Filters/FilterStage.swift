package import WaybillDiagnostics
package import WaybillExpressions

/// One thing that a filter does to the data of a response.
///
/// A stage is one file of this folder, which says all about it; `FilterStages` lists them.
package protocol FilterStage: Sendable {
    /// The key that the stage is written with.
    static var key: String { get }
    /// Where the server's own message is in the body of a response that is refused, if the stage knows it.
    var serverMessage: ManifestExpression? { get }

    /// Reads the stage from the value of its key; `nil` where that is impossible, which has its diagnostic.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder)
    /// Visits every use of the expression language in the stage.
    func visitUses(_ visitor: UseVisitor)
    /// The data after the stage. Throws where the stage refuses the data.
    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue
}

extension FilterStage {
    /// The key that the stage is written with.
    package var key: String { Self.key }
    package var serverMessage: ManifestExpression? { nil }

    /// The data after the stage. Throws where the stage refuses the data.
    ///
    /// - Parameters:
    ///   - scope: The scope of the level that the stage was written at; its `$` is replaced by the data.
    ///   - span: Where the stage was written.
    package func apply(
        to data: ScopeValue,
        in scope: EvaluationScope,
        at span: SourceSpan
    ) throws(EvaluationFailure) -> ScopeValue {
        var scope = scope
        scope.current = data
        return try apply(to: FilterData(value: data, scope: scope, key: key, span: span))
    }
}
