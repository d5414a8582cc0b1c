import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Groups the elements of a list that have the same value of an expression: `group: {by: EXPR, as: NAME}`.
///
/// Each group is an object: `key` is the value that its elements have in common, and the member with the given name is the
/// list of its elements. Groups are in the order of their first elements.
struct GroupStage: FilterStage {
    static let key = "group"
    /// The name of the member that the elements of a group have in common.
    private static let keyName = "key"

    let by: ManifestExpression
    let name: String

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        guard let by = node["by"].flatMap({ decoder.comparedExpression($0) }) else { return nil }
        self.by = by
        name = node["as"]?.text ?? "items"
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.expression(by, .response, .data, item: true)
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var positions: [JSON: Int] = [:]
        var groups: [(key: JSON, elements: [JSON])] = []
        var isSecret = data.value.isSecret
        for element in try data.elements() {
            let key = try by.value(in: data.scope(of: element))
            isSecret = isSecret || key.isSecret
            if let position = positions[key.json] {
                groups[position].elements.append(element)
            } else {
                positions[key.json] = groups.count
                groups.append((key.json, [element]))
            }
        }
        let objects = groups.map { group in
            JSON.object(JSONObject([(Self.keyName, group.key), (name, .array(group.elements))]))
        }
        return ScopeValue(.array(objects), isSecret: isSecret)
    }
}
