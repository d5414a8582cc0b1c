import WaybillDiagnostics

/// Fields sent as `application/x-www-form-urlencoded`, those of `params` first: `form: MAP`.
struct FormBody: RequestBody {
    static let key = "form"
    static let takesFields = true

    let members: [ValueTemplate.Member]

    init(_ node: YAMLNode, _ decoder: inout ManifestDecoder) {
        members = decoder.members(node)
    }

    func visitUses(_ visitor: UseVisitor) {
        visitor.members(members, .request, .body)
    }

    func encoded(in context: BodyContext) throws(EvaluationFailure) -> EncodedBody {
        var fields = context.fields
        for member in members { try fields.add(member.name.value, member.value, in: context.scope) }
        return EncodedBody(form: fields)
    }
}

extension EncodedBody {
    /// Creates a form from fields.
    package init(form fields: ParameterList) {
        self.init(fields.form, mediaType: "application/x-www-form-urlencoded", isSecret: fields.isSecret)
    }
}
