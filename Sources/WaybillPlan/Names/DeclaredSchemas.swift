import OrderedCollections
import WaybillContract
package import WaybillDiagnostics
import WaybillExpressions
package import WaybillJSON
package import WaybillManifest

/// A value that a call gives to an input.
package struct DeclaredArgument {
    package let name: String
    /// The declaration of the input.
    package let input: InputDeclaration
    /// The operation that is called, if the input is one of its.
    package let operation: BoundOperation?
}

/// What declares the values at a location, for completion.
extension ResolvedManifest {
    /// Returns the argument of a call at a location.
    package func argument(where isThere: (SourceSpan) -> Bool) -> DeclaredArgument? {
        for site in graphs.lazy.flatMap(\.all) {
            guard let call = site.step.namedCall, let inputs = site.calledInputs,
                let argument = call.arguments.first(where: { isThere($0.value.span) }),
                let input = inputs[argument.name.value]
            else { continue }
            return .init(name: argument.name.value, input: input.value, operation: site.endpoint?.request.operation)
        }
        return nil
    }

    /// Returns the schemas that OpenAPI documents have for a value in a path: for what precedes the name at the location, if that
    /// is the data of a response or a part of it.
    package func schemas(beforeNameWhere isThere: (SourceSpan) -> Bool) -> [JSON] {
        guard !contracts.isEmpty else { return [] }
        let list = ReferenceList(of: manifest, graphs)
        guard let site = list.sites.last(where: { isThere($0.span(of: $0.reference.range)) }) else { return [] }
        let segments = site.reference.segments + (site.reference.childSegments ?? [])
        guard let last = segments.firstIndex(where: { isThere(site.span(of: $0.range)) }) else { return [] }
        let wildcards = site.reference.tokens.count - segments.count
        let count = last < site.reference.segments.count ? last : last + wildcards
        return schemas(of: site, at: site.reference.tokens.prefix(count), in: list)
    }

    private func schemas(of site: ReferenceSite, at path: ArraySlice<JSONPointer.Token>, in list: ReferenceList)
        -> [JSON]
    {
        let ofResponse = site.moment == .response && !site.seesItem
        switch site.reference.root {
        case .steps:
            var path = path.dropFirst()
            if path.first == .name("items"), path.count > 1 { path = path.dropFirst(2) }
            guard path.first == .name("data"), let step = site.step else { return [] }
            return schemas(ofDataOf: step, at: path.dropFirst())
        case .document where ofResponse:
            return site.location.step.map { schemas(ofDataOf: $0, at: path) } ?? []
        case nil:
            // The variable of a 'forEach' is an element of the list.
            let steps = (site.location.step?.around ?? []) + [site.location.step?.step].compactMap { $0 }
            guard
                let forEach = steps.compactMap({ $0.flow?.forEach }).last(where: {
                    $0.variable.value == site.reference.name
                }),
                case .expression(let elements) = forEach.elements, let whole = elements.references.first,
                whole.range.count == elements.expression.text.utf8.count,
                let outer = list.sites.first(where: { $0.reference === whole })
            else { return [] }
            return schemas(of: outer, at: whole.tokens + [.index(0)] + path, in: list)
        default: return []
        }
    }

    private func schemas(ofDataOf step: StepSite, at path: ArraySlice<JSONPointer.Token>) -> [JSON] {
        // Filters and pages make other values of the body.
        guard let bound = step.endpoint?.request.operation, step.paginate == nil,
            !requests.of(step).contains(where: { $0.mayHave(FilterEntry.key) })
        else { return [] }
        return bound.operation.successMedia.flatMap { media in
            bound.contract.document.schemas(of: media.location, at: Array(path))
        }
    }
}

extension Reference {
    /// The path after the name, in which every selector that selects several children is an element.
    fileprivate var tokens: ArraySlice<JSONPointer.Token> {
        func tokens(_ segments: [Segment]) -> [JSONPointer.Token] {
            segments.map { $0.name.map { .name($0) } ?? .index(0) }
        }
        return ArraySlice(tokens(segments) + (childSegments.map { [.index(0)] + tokens($0) } ?? []))
    }
}
