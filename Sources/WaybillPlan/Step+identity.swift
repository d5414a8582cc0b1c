import WaybillDiagnostics
package import WaybillManifest

extension Step {
    /// The span that gives the step its id: `id`, or the name of the endpoint or graph.
    var identifierSpan: SourceSpan {
        if let id { return id.span }
        switch action {
        case .call(let call), .graph(let call): return call.name.span
        case .request, .group, .values, .end: return span
        }
    }

    /// A short description of the step: `GET /health`.
    var summary: String {
        switch action {
        case .call(let call), .graph(let call): return call.name.value
        case .group(let group): return group.order.rawValue
        case .values: return "values"
        case .end: return "end"
        case .request(let definition):
            return "\(definition.writtenMethod) \(definition.address.text.value.written)"
        }
    }

    /// The steps inside it.
    package var steps: [Step] {
        if case .group(let group) = action { group.steps } else { [] }
    }
}
