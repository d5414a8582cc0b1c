extension Settings {
    /// Visits every use of the expression language in the settings.
    package func visitUses(_ visitor: UseVisitor) {
        for index in entries.indices { entries[index].value.visitUses(visitor) }
    }
}

extension BodyDefinition {
    func visitUses(_ visitor: UseVisitor) {
        switch self {
        case .json(let value), .plist(let value): visitor.value(value, .request, .body)
        case .form(let members): visitor.members(members, .request, .body)
        case .text(let scalar), .base64(let scalar): visitor.scalar(scalar, .request, .body)
        case .file(let path): visitor.scalar(path, .request, .fileName)
        case .graphql(let query, let variables):
            visitor.scalar(query, .request, .body)
            visitor.members(variables, .request, .body)
        case .multipart(let parts): for part in parts { part.visitUses(visitor) }
        }
    }
}

extension BodyDefinition.Part {
    fileprivate func visitUses(_ visitor: UseVisitor) {
        for scalar in [name, filename, contentType] { visitor.scalar(scalar, .request, .body) }
        for (_, value) in headers { visitor.scalar(value, .request, .body) }
        switch content {
        case .value(let scalar), .text(let scalar), .base64(let scalar): visitor.scalar(scalar, .request, .body)
        case .file(let path): visitor.scalar(path, .request, .fileName)
        case .json(let value): visitor.value(value, .request, .body)
        }
    }
}

extension FilterEntry {
    /// Visits every use of the expression language in the entry itself.
    package func visitUses(_ visitor: UseVisitor) {
        if case .stage(let stage) = self { stage.visitUses(visitor) }
    }
}

extension FilterStage {
    fileprivate func visitUses(_ visitor: UseVisitor) {
        switch self {
        case .require(let that, let code, let message):
            visitor.expression(that, .answer, .expectation)
            visitor.expression(code, .answer, .message)
            visitor.expression(message, .answer, .message)
        case .select(let path, let fallback):
            visitor.expression(path, .answer, .data)
            visitor.value(fallback, .answer, .data)
        case .envelope(let envelope):
            visitor.expression(envelope.code, .answer, .expectation)
            visitor.expression(envelope.message, .answer, .message)
            visitor.expression(envelope.data, .answer, .data)
        case .map(let template): visitor.value(template, .answer, .data, item: true)
        case .where(let condition): visitor.expression(condition, .answer, .control, item: true)
        case .set(let members):
            for (_, value) in members { visitor.expression(value, .answer, .data, item: true) }
        case .sort(let by, _), .unique(let by): visitor.expression(by, .answer, .control, item: true)
        case .default(let value): visitor.value(value, .answer, .data)
        case .pick, .omit, .rename, .limit, .flatten, .decode, .schema: break
        }
    }
}
