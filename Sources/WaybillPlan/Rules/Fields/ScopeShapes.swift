import OrderedCollections
import WaybillData
import WaybillDiagnostics
import WaybillManifest

/// What is known of the values that the names of the scope have.
struct ScopeShapes {
    let subject: RuleSubject

    private let loops: LoopShapes

    init(_ subject: RuleSubject) {
        self.subject = subject
        loops = LoopShapes(subject)
    }

    /// What a path that has more than its names begins at; `nil` where nothing is known of that.
    func root(of reference: Reference, _ use: ExpressionUse, _ place: UsePlace) -> PathRoot? {
        switch reference.name {
        case "inputs": return input(reference, depth: 1, place)
        case "manifest": return input(reference, depth: 2, UsePlace(level: .defaults))
        case "secrets": return fixed(.map(.scalar("a string")), reference, least: 2)
        case "run": return fixed(Self.run, reference, least: 2)
        case "request": return fixed(Self.request, reference, least: 2)
        case "response": return fixed(Self.response, reference, least: 2)
        case "data": return data(reference)
        case "steps": return step(reference, place)
        case "$", "vars", "session": return nil
        case "item" where use.seesItem: return nil
        default: return element(reference, place)
        }
    }

    // MARK: Names whose values always look the same

    private static let text = ValueShape.scalar("a string")
    private static let number = ValueShape.scalar("a number")

    private static let run = ValueShape.object([
        ("id", text), ("startedAt", text), ("environment", .scalar("a string or null")),
    ])
    private static let request = ValueShape.object([("method", text), ("url", text), ("query", text), ("body", text)])
    private static let response = ValueShape.object([
        ("status", number), ("headers", .map(text)), ("cookies", .map(text)), ("time", number),
    ])
    private static let failure = ValueShape.object([("kind", text), ("code", .anything), ("message", text)])

    /// A root with the given shape, where the path has so many steps that its names alone do not decide.
    private func fixed(_ shape: ValueShape, _ reference: Reference, least: Int) -> PathRoot? {
        guard reference.segments.count >= least || !reference.isComplete,
            reference.segments.first?.name.map(shape.hasField) == true
        else { return nil }
        return PathRoot(shape: shape, depth: 0)
    }

    // MARK: Values that are declared

    private func input(_ reference: Reference, depth: Int, _ place: UsePlace) -> PathRoot? {
        guard reference.segments.count > depth || !reference.isComplete,
            let name = reference.segments.dropFirst(depth - 1).first?.name,
            let input = subject.input(name, at: place)
        else { return nil }
        let source = Diagnostic.Label(input.name.span, "declared here")
        return PathRoot(shape: ValueShape(schema: input.value.document), depth: depth, source: source)
    }

    private func data(_ reference: Reference) -> PathRoot? {
        guard reference.segments.count > 1 || !reference.isComplete, let name = reference.segments.first?.name,
            let value = subject.data[name]
        else { return nil }
        let source = subject.manifest.data[name].map { Diagnostic.Label($0.name.span, "the data") }
        return PathRoot(shape: .oneOf([value]), depth: 1, source: source)
    }

    private func element(_ reference: Reference, _ place: UsePlace) -> PathRoot? {
        guard !reference.segments.isEmpty || !reference.isComplete,
            let variable = place.loopVariables.last(where: { $0.value == reference.name }),
            let shape = loops.shape(of: variable)
        else { return nil }
        return PathRoot(shape: shape, depth: 0, source: .init(variable.span, "the element"))
    }

    // MARK: Steps

    private func step(_ reference: Reference, _ place: UsePlace) -> PathRoot? {
        guard reference.segments.count > 2 || !reference.isComplete, let graph = place.graph?.name.value,
            let id = reference.segments.first?.name, let field = reference.segments.dropFirst().first?.name,
            let step = subject.steps[graph, id]
        else { return nil }
        let shape: ValueShape
        switch field {
        case "items" where step.flow?.forEach != nil: shape = .list(.object(elementFields(of: step)))
        case "ok": shape = .scalar("a boolean")
        case "error": shape = Self.failure
        case "status", "time": shape = Self.number
        case "headers": shape = .map(Self.text)
        default: return nil
        }
        return PathRoot(shape: shape, depth: 2, source: .init(step.identifierSpan, "the step"))
    }

    /// The fields of `steps.ID.items[…]`.
    private func elementFields(of step: Step) -> [(name: String, shape: ValueShape)] {
        let item = step.flow?.forEach.flatMap { loops.shape(of: $0.variable) } ?? .anything
        var fields: [(String, ValueShape)] = [("item", item), ("ok", .scalar("a boolean")), ("error", Self.failure)]
        if case .group = step.action { return fields }
        let outputs = subject.outputs(of: step)?.map { (name: $0.name.value, shape: ValueShape.anything) }
        fields.append(("outputs", outputs.map(ValueShape.object) ?? .anything))
        if step.isRequest { fields += [("status", Self.number), ("data", .anything)] }
        return fields
    }
}

extension ValueShape {
    fileprivate func hasField(_ name: String) -> Bool {
        if case .object(let fields) = self { fields.contains { $0.name.hasSameCodePoints(as: name) } } else { true }
    }
}

extension RuleSubject {
    /// The declaration of an input that a name means at a place.
    func input(_ name: String, at place: UsePlace) -> Definition<InputDeclaration>? {
        let own: Definitions<InputDeclaration>?
        switch place.level {
        case .endpoint(let endpoint): own = manifest.endpoints[endpoint]?.value.inputs
        case .graph(let graph): own = manifest.graphs[graph]?.value.inputs
        case .defaults, .service: own = nil
        }
        return own?[name] ?? manifest.inputs[name]
    }
}
