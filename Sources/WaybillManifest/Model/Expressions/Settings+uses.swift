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
