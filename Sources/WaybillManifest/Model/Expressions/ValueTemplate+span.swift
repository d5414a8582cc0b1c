package import WaybillDiagnostics
package import WaybillJSON

extension ValueTemplate {
    /// The location of the value at a path, including its name if it has one; if a template evaluates to more than that
    /// value, the location of the template.
    package func span(at path: [JSONPointer.Token]) -> SourceSpan {
        var value = self
        var location = span
        for component in path {
            switch (component, value) {
            case (.name(let name), .mapping(let members, _)):
                guard let member = members.last(where: { $0.name.value == name }) else { return location }
                value = member.value
                if case .scalar = value {
                    location = member.name.span.through(value.span)
                } else {
                    location = member.name.span
                }
            case (.index(let index), .list(let elements, _)) where elements.indices.contains(index):
                value = elements[index]
                location = value.span
            default: return location
            }
        }
        return location
    }
}
