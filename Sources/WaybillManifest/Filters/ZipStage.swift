import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON

/// Combines parallel lists into records: `zip: {NAME: EXPR}`. The first record has the first element of each list, and
/// so on.
struct ZipStage: FilterStage {
    static let key = "zip"
    var keepsElements: Bool { columns.allSatisfy(\.list.expression.keepsElements) }

    let columns: [(name: Spanned<String>, list: ManifestExpression)]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        columns = decoder.constantNames(node).compactMap { name, node in decoder.expression(node).map { (name, $0) } }
    }

    func visitUses(_ visitor: UseVisitor) {
        for column in columns { visitor.expression(column.list, .response, .data) }
    }

    func apply(to data: FilterData) throws(EvaluationFailure) -> ScopeValue {
        var isSecret = data.value.isSecret
        var records: [JSONObject] = []
        var size = JSONSize()
        for (index, column) in columns.enumerated() {
            let list = try data.list(of: column.list)
            isSecret = isSecret || list.isSecret
            if index == 0 { records = Array(repeating: JSONObject(), count: list.elements.count) }
            guard list.elements.count == records.count else {
                let words = "has \(list.elements.count) elements, but '\(columns[0].name.value)' has \(records.count)"
                throw EvaluationFailure(
                    message: "'zip' requires lists of the same length: '\(column.name.value)' \(words)",
                    span: column.list.span
                )
            }
            try data.forEach(in: list.elements.enumerated()) { (position, element) throws(EvaluationFailure) in
                try size.add(element, at: data.span)
                records[position][column.name.value] = element
            }
        }
        return ScopeValue(.array(records.map { .object($0) }), isSecret: isSecret)
    }
}
