import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// The data that a filter stage receives, and operations that several stages share.
package struct FilterData: Sendable {
    /// The data.
    let value: ScopeValue
    /// The scope of the expressions in the stage: `$` is the data.
    let scope: EvaluationScope
    /// The key of the stage.
    let key: String
    /// The location of the stage.
    let span: SourceSpan

    /// Returns the failure for data that the stage rejects, located at the stage.
    func refusal(_ message: String) -> EvaluationFailure {
        EvaluationFailure(message: message, span: span)
    }

    // MARK: Lists

    /// Returns the elements of the data; throws if it is not a list.
    func elements() throws(EvaluationFailure) -> [JSON] {
        if let elements = value.json.array { return elements }
        throw refusal("'\(key)' requires a list, but the data is \(value.json.kind.phrase)")
    }

    /// Returns the scope in which a part of the data is `item`.
    func scope(of item: JSON) -> EvaluationScope {
        var scope = scope
        scope.item = ScopeValue(item, isSecret: value.isSecret)
        return scope
    }

    /// Returns the value by which an element is compared: that of an expression, or the element itself.
    func comparedValue(of element: JSON, by key: ManifestExpression?) throws(EvaluationFailure) -> JSON {
        guard let key else { return element }
        return try key.value(in: scope(of: element)).json
    }

    /// Returns a list of elements of the data, which is secret if the data is.
    func list(_ elements: some Sequence<JSON>) -> ScopeValue {
        ScopeValue(.array(Array(elements)), isSecret: value.isSecret)
    }

    /// Returns the elements of the list that an expression evaluates to, and whether they are secret.
    func list(of expression: ManifestExpression) throws(EvaluationFailure) -> (elements: [JSON], isSecret: Bool) {
        let list = try expression.value(in: scope)
        if let elements = list.json.array { return (elements, list.isSecret) }
        throw EvaluationFailure(
            message: "'\(key)' requires lists, found \(list.json.kind.phrase)",
            span: expression.span
        )
    }

    // MARK: Objects

    /// Returns the data with a change applied to it, if it is an object, or to each element, if it is a list of
    /// objects.
    func changingObjects(
        _ change: (JSONObject) throws(EvaluationFailure) -> JSONObject
    ) throws(EvaluationFailure) -> ScopeValue {
        guard let elements = value.json.array else {
            return ScopeValue(.object(try change(try object(value.json))), isSecret: value.isSecret)
        }
        var objects: [JSON] = []
        for element in elements { objects.append(.object(try change(try object(element)))) }
        return list(objects)
    }

    private func object(_ value: JSON) throws(EvaluationFailure) -> JSONObject {
        if let object = value.object { return object }
        throw refusal("'\(key)' requires an object or a list of objects, found \(value.kind.phrase)")
    }

    // MARK: What a server says

    /// Returns the value of an expression; `nil` if it is null or cannot be evaluated.
    func valueIfAny(of expression: ManifestExpression?) -> JSON? {
        guard let value = try? expression?.value(in: scope).json, value != .null else { return nil }
        return value
    }
}
