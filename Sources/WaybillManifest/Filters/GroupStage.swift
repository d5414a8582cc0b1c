import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Groups the elements of a list for which an expression has the same value: `group: {by: EXPR, as: NAME}`.
///
/// Each group is an object: `key` is the common value, and the member with the given name is the list of the elements.
/// Groups are in the order of their first elements.
struct GroupStage: FilterStage {
    static let key = "group"
    /// The name of the member with the common value of a group.
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
        try data.forEachElement { (element) throws(EvaluationFailure) in
            let key = try by.value(in: data.scope(of: element))
            isSecret = isSecret || key.isSecret
            if let position = positions[key.json] {
                groups[position].elements.append(element)
            } else {
                positions[key.json] = groups.count
                groups.append((key.json, [element]))
            }
        }
        var objects = data.newList
        try data.forEach(in: groups) { (group) throws(EvaluationFailure) in
            try objects.append(.object(JSONObject([(Self.keyName, group.key), (name, .array(group.elements))])))
        }
        return ScopeValue(.array(objects.elements), isSecret: isSecret)
    }
}
