package import WaybillDiagnostics
package import WaybillExpressions
import WaybillJSON
import WaybillRuntime

/// A value sent as JSON: `json: VALUE`.
struct JSONBody: RequestBody {
    static let key = "json"

    let value: ValueTemplate

    var constantContent: JSON? { value.constant }

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        if let number = node.firstNonFiniteNumber {
            decoder.diagnostics.report(
                "invalid-value",
                "JSON cannot represent this number",
                at: number.span,
                help: ["Write \"\(number.text)\" in quotes to send it as a string, or null."]
            )
        }
        guard let value = decoder.valueTemplate(node) else { return nil }
        self.value = value
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.value(value, .request, .body)
    }

    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody {
        try EncodedBody(json: try value.checkedValue(in: context.scope), at: value.span)
    }
}

/// A GraphQL query and its variables sent as JSON: `graphql: {query, variables}`.
struct GraphQLBody: RequestBody {
    static let key = "graphql"

    let query: ScalarTemplate
    let variables: [ValueTemplate.Member]

    init?(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        variables = node["variables"].map { decoder.members($0) } ?? []
        guard let query = node["query"].flatMap({ decoder.scalarTemplate($0) }) else { return nil }
        self.query = query
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.scalar(query, .request, .body)
        visitor.members(variables, .request, .body)
    }

    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody {
        let text = try query.text(in: context.scope)
        let values = try ValueTemplate.mapping(variables, query.span).checkedValue(in: context.scope)
        var request = JSONObject([("query", .string(text.text))])
        if !variables.isEmpty { request["variables"] = values.json }
        let value = ScopeValue(.object(request), isSecret: text.isSecret || values.isSecret)
        return try EncodedBody(json: value, at: query.span)
    }
}

extension YAMLNode {
    /// The first infinity or NaN in the value. The search is recursive; the depth of a value is limited.
    fileprivate var firstNonFiniteNumber: YAMLScalar? {
        switch content {
        case .scalar(let scalar):
            scalar.style == .plain && scalar.tag != .string && CoreSchema.isNotFinite(scalar.text) ? scalar : nil
        case .sequence(let elements): elements.lazy.compactMap(\.firstNonFiniteNumber).first
        case .mapping(let mapping): mapping.entries.lazy.compactMap(\.value.firstNonFiniteNumber).first
        }
    }
}

extension EncodedBody {
    /// The maximum length of a body of JSON in bytes.
    private static let maximumJSONBytes = 1 << 30

    /// Creates a body from a value encoded as JSON. Throws if it is larger than 1 GiB.
    package init(json value: ScopeValue, at span: SourceSpan) throws(EvaluationFailure) {
        let writer = JSONWriter(stopsAtDeadline: true, maximumBytes: Self.maximumJSONBytes)
        // A step whose deadline has passed fails, whatever its body is.
        guard let text = writer.wholeText(value.json) ?? (WorkLimit.isDeadlinePassed ? [] : nil) else {
            throw EvaluationFailure(message: "the body would be larger than 1 GiB", span: span)
        }
        self.init(.bytes(text), mediaType: "application/json", isSecret: value.isSecret)
    }
}
