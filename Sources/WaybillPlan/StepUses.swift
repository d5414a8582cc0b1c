import WaybillExpressions
import WaybillManifest

extension Graph {
    /// The fields of steps that the expressions of the graph use, by the id of the step. Other parts of the responses
    /// are not kept.
    var usedFields: [String: StepFields] {
        var fields: [String: StepFields] = [:]
        let visitor = UseVisitor { use in
            for reference in use.text.references {
                guard let id = reference.stepID else { continue }
                fields[id, default: []].formUnion(StepFields(usedBy: reference))
            }
        }
        settings.visitUses(visitor)
        for step in allSteps { step.visitUses(outside: visitor, inside: visitor) }
        for output in outputs { output.visitUses(visitor, .end, .result) }
        for value in state { value.visitUses(visitor) }
        return fields
    }
}

extension StepFields {
    /// The fields of the step that a path starting with `steps.ID` uses.
    fileprivate init(usedBy reference: Reference) {
        let path = reference.segments.dropFirst()
        guard let field = path.first?.name, let fields = Self.names[field] else {
            self = .all
            return
        }
        guard fields == .items else {
            self = fields
            return
        }
        // The field of an element: after `[*]` and the like, or after an index.
        let inside = path.count > 1 ? path.dropFirst(2).first : reference.childSegments?.first
        switch inside?.name {
        case "item", "ok", "error": self = .items
        case "outputs": self = [.items, .itemOutputs]
        case "data": self = [.items, .itemData]
        case "status": self = [.items, .itemStatus]
        default: self = .wholeItems
        }
    }
}

extension StepSite {
    /// The fields that are not kept because the step writes its records to a file: the data of all pages or elements.
    var notKept: StepFields {
        guard let flow = step.flow, !flow.writes.isEmpty else { return [] }
        var fields: StepFields = []
        if paginate != nil { fields.insert(.data) }
        if paginate != nil || flow.forEach != nil { fields.insert(.itemData) }
        return fields
    }
}
