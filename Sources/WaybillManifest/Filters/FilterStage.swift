package import WaybillDiagnostics
package import WaybillExpressions

/// A stage of a filter, which checks or changes the data of a response.
///
/// Each stage is defined in one file of this folder; `FilterStages` lists them.
package protocol FilterStage: Sendable {
    /// The key that the stage is written with.
    static var key: String { get }
    /// The expression for the server's message in the body of a rejected response, if the stage has one.
    var serverMessage: ManifestExpression? { get }
    /// Whether the manifest has words of its own for the failures of the stage.
    var hasOwnWords: Bool { get }

    /// Reads the stage from the value of its key; `nil` if it cannot be read, which is reported.
    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder)
    /// Visits every use of the expression language in the stage.
    func visitUses(_ visitor: UseVisitor)
    /// Returns the data after the stage; throws if the stage rejects it.
    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue
}

extension FilterStage {
    /// The key that the stage is written with.
    package var key: String { Self.key }
    package var serverMessage: ManifestExpression? { nil }
    package var hasOwnWords: Bool { false }

    /// Returns the data after the stage; throws if the stage rejects it.
    ///
    /// - Parameters:
    ///   - scope: The scope of the level that the stage was written at; its `$` is replaced by the data.
    ///   - span: The location of the stage.
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
