import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// Checks of references to steps.
extension GraphFlow {
    /// Returns the error in a path that starts with `steps`; `nil` if it is valid.
    func diagnostic(of use: ReferenceSite) -> Diagnostic? {
        guard let segment = use.reference.segments.first, let id = segment.name else {
            return Diagnostic(
                "unknown-step",
                "'steps' must be followed by the id of a step",
                at: use.span(of: use.reference.nameRange)
            )
        }
        guard let step = use.step else {
            // The reference may mean a step whose id is unknown.
            if graph.mayHaveOtherIDs { return nil }
            let name = Spanned(id, at: use.span(of: segment.range))
            guard let nameless = graph.firstStepWithoutID(of: id) else {
                let own = use.location.step?.step.effectiveID
                var diagnostic = Diagnostic.unknown("step", name, among: own == nil ? ids : ids.filter { $0 != own })
                diagnostic.validNames = ids.prefix(1_000).filter { graph[$0].flatMap(certainty) != nil }
                return diagnostic
            }
            var diagnostic = Diagnostic.unknown("step", name, among: [String]())
            diagnostic.secondary.append(.init(nameless.span, "this step has no id"))
            diagnostic.help.append("Give the step an id, such as 'id: first', and write steps.first here.")
            return diagnostic
        }
        guard let certainty = certainty(of: step) else {
            if isOrderUnknown { return nil }
            return Diagnostic(
                "step-not-run",
                "step '\(id)' is not guaranteed to have run before this",
                at: use.span(of: segment.range),
                secondary: [.init(step.step.identifierSpan, "the step")],
                help: [
                    "A chain runs its steps in order. A batch runs them concurrently unless one 'needs' another."
                        + " Steps inside a 'forEach' are visible only there."
                ]
            )
        }
        return checkField(of: step, id: id, certainty: certainty, use)
    }

    private func checkField(
        of site: StepSite,
        id: String,
        certainty: Certainty,
        _ use: ReferenceSite
    ) -> Diagnostic? {
        let reference = use.reference
        guard let field = reference.segments.dropFirst().first, let name = field.name else { return nil }
        guard !site.step.unknown.contains(anyOf: [.form, .loop]) else { return nil }
        let fields = site.fields
        guard fields.contains(name) else {
            let help = site.step.reasonAgainst(field: name, id: id).map { [$0] } ?? []
            return .unknown("field", Spanned(name, at: use.span(of: field.range)), among: fields, help: help)
        }
        if let kept = site.dataNotKept(use, id: id) { return kept }
        if name == "outputs", let unknown = unknownOutput(of: site, id, use) { return unknown }
        let isAlwaysThere =
            name == "ok" || name == "error" || reference.isGuarded || conditions.guarantee(reference, .passed)
        if let reason = certainty.doubt(about: name), !isAlwaysThere {
            let reason = "step '\(id)' may not have passed: \(reason)"
            return uncertain(site.step, id, name, because: reason, use)
        }
        if let reason = certainty.doubt(about: name), reference.isGuarded {
            uncertain.append(UncertainReference(span: use.span(of: reference.range), reason: reason))
        }
        guard name == "outputs" else { return nil }
        return checkStatus(of: site, id: id, use)
    }

    private func unknownOutput(of site: StepSite, _ id: String, _ use: ReferenceSite) -> Diagnostic? {
        guard let output = use.reference.segments.dropFirst(2).first, let wanted = output.name,
            !use.reference.isGuarded,
            let known = site.outputs?.map(\.name.value), !known.contains(where: { $0.hasSameCodePoints(as: wanted) })
        else { return nil }
        let help = known.isEmpty ? ["Step '\(id)' has no outputs; declare them under 'outputs'."] : []
        return .unknown("output", Spanned(wanted, at: use.span(of: output.range)), among: known, help: help)
    }

    /// Checks that the step can have outputs: they are computed only for responses with status 2xx.
    private func checkStatus(of site: StepSite, id: String, _ use: ReferenceSite) -> Diagnostic? {
        let statuses = subject.requests.of(site).compactMap(\.expectedStatus)
            .filter { $0.value.contains(where: \.mayBeOther) }
        guard let status = statuses.first else { return nil }
        if statuses.allSatisfy({ $0.value.contains(where: \.mayBeSuccess) }) {
            if use.reference.isGuarded || conditions.guarantee(use.reference, .present) { return nil }
            let reason = "step '\(id)' has outputs only if its status is 2xx, but it may expect other statuses"
            return uncertain(site.step, id, "outputs", because: reason, use)
        }
        return Diagnostic(
            "outputs-never",
            "step '\(id)' never has outputs: they are computed only for responses with status 2xx",
            at: use.span(of: use.reference.range),
            secondary: [.init(status.span, "the expected status")],
            help: ["Use steps.\(id).data or steps.\(id).status."]
        )
    }

    private func uncertain(
        _ step: Step,
        _ id: String,
        _ field: String,
        because reason: String,
        _ use: ReferenceSite
    ) -> Diagnostic {
        let reference = use.reference
        let others = reference.segments.dropFirst(2)
        let output = field == "outputs" ? others.first?.name : nil
        let isWhole = reference.isComplete && others.count == (output == nil ? 0 : 1)
        let path = (["steps", id, field] + [output].compactMap { $0 }).joined(separator: ".") + (isWhole ? "" : "…")
        return Diagnostic(
            "uncertain-step",
            reason,
            at: use.span(of: use.reference.range),
            secondary: [.init(step.identifierSpan, "the step")],
            help: ["Use default(\(path), VALUE), or use it in a step with 'when: exists(\(path))'."]
        )
    }
}

extension Certainty {
    /// Why a field of the step may be missing; `nil` if it is there.
    fileprivate func doubt(about field: String) -> String? {
        switch self {
        case .certain: nil
        case .tolerated(let reason): field == "items" ? nil : reason
        case .uncertain(let reason): reason
        }
    }
}

extension StepSite {
    /// The fields of the step that expressions can use.
    fileprivate var fields: [String] {
        let written = step.flow?.writes.isEmpty ?? true && !step.unknown.contains(.file) ? [] : ["written"]
        if step.flow?.forEach != nil { return Step.fieldsOfLoops + written }
        var unknown = step.unknown.union(endpoint?.request.unknown ?? [])
        if case .request(let definition) = step.action { unknown.formUnion(definition.unknown) }
        let mayDownload = download != nil || unknown.contains(.download)
        switch step.action {
        case .call, .request: return Step.fieldsOfRequests + written + (mayDownload ? ["downloaded"] : [])
        case .graph, .values: return Step.fieldsOfValues
        case .group, .end: return Step.fieldsOfGroups
        }
    }
}

extension StepSite {
    /// The error in a path to the data of all pages or elements, if a step with `write` does not keep that data.
    fileprivate func dataNotKept(_ use: ReferenceSite, id: String) -> Diagnostic? {
        let path = use.reference.segments.dropFirst()
        let segment: Reference.Segment?
        if path.first?.name == "items" {
            guard notKept.contains(.itemData) else { return nil }
            segment = path.count > 1 ? path.dropFirst(2).first : use.reference.childSegments?.first
        } else {
            guard notKept.contains(.data), step.flow?.forEach == nil else { return nil }
            segment = path.first
        }
        guard let segment, segment.name == "data", let write = step.flow?.writes.first else { return nil }
        return Diagnostic(
            "data-not-kept",
            "step '\(id)' does not keep its data, because it writes the records to a file",
            at: use.span(of: segment.range),
            secondary: [.init(write.span, "written here")],
            help: ["steps.\(id).written has the file and the numbers of its records and bytes."]
        )
    }
}

extension Step {
    fileprivate static let fieldsOfLoops = ["items", "ok", "error"]
    fileprivate static let fieldsOfRequests = ["outputs", "data", "status", "headers", "time", "ok", "error"]
    fileprivate static let fieldsOfValues = ["outputs", "ok", "error"]
    fileprivate static let fieldsOfGroups = ["ok", "error"]

    /// Why this step does not have a field that steps of other forms have.
    fileprivate func reasonAgainst(field: String, id: String) -> String? {
        guard StepFields.names[field] != nil else { return nil }
        if flow?.forEach != nil {
            if field == "downloaded" {
                return "Step '\(id)' runs once for each element, each with a file that the events of the run name."
            }
            if elementFields.contains(field) {
                return "Step '\(id)' runs once for each element: steps.\(id).items[*].\(field) has all values."
            }
            let fields = elementFields.map { "'\($0)'" }.joined(separator: ", ")
            let known = "Step '\(id)' runs once for each element: each of steps.\(id).items has \(fields)."
            guard case .group = action else { return known }
            return known
                + " To get outputs of its steps, move them into a graph with 'outputs', and run that for each element."
        }
        if field == "items" { return "Only a step with 'forEach' has items." }
        if field == "written" { return "Only a step with 'write' writes a file." }
        if field == "downloaded" { return "Only a request with 'download' downloads a file." }
        return isRequest ? nil : "Step '\(id)' sends no request of its own."
    }
}
