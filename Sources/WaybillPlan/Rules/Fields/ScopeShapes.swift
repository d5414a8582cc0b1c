import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

/// The shapes of the values that the names of the scope have.
struct ScopeShapes {
    let subject: RuleSubject

    private let loops: LoopShapes

    init(_ subject: RuleSubject) {
        self.subject = subject
        loops = LoopShapes(subject)
    }

    /// Returns the start of a path that has more segments than its names; `nil` if nothing is known about it.
    func root(of site: ReferenceSite) -> PathRoot? {
        let reference = site.reference
        switch reference.root {
        case .inputs: return input(reference, depth: 1, site.location.declarations)
        case .manifest: return input(reference, depth: 2, nil)
        case .secrets: return fixed(Self.secrets, reference)
        case .run: return fixed(Self.run, reference)
        case .request: return fixed(Self.request, reference)
        case .response: return fixed(Self.response, reference)
        case .data: return data(reference)
        case .steps: return step(reference, site.step)
        case nil: return element(reference, site.location)
        case .document: return response(reference, site)
        case .vars, .session, .state, .item: return nil
        }
    }

    // MARK: Names whose values always have the same shape

    private static let text = ValueShape.scalar("a string")
    private static let number = ValueShape.scalar("a number")

    private static let secrets = ValueShape.map(text)
    private static let run = ValueShape.object([
        ("id", text), ("startedAt", text), ("environment", .scalar("a string or null")),
    ])
    private static let request = ValueShape.object([
        ("method", text), ("url", text), ("query", text), ("params", .map(.anything)), ("body", text),
    ])
    private static let response = ValueShape.object([
        ("status", number), ("headers", .map(text)), ("cookies", .map(text)), ("time", number),
        ("redirects", .list(.object([("status", number), ("url", text)]))), ("body", .anything),
    ])
    private static let downloaded = ValueShape.object([
        ("file", text), ("bytes", number), ("sha256", text), ("resumed", .scalar("a boolean")),
    ])
    private static func written(_ writes: [Write]) -> ValueShape {
        let shapes = writes.map { write in
            var fields = [("file", text), ("records", number), ("bytes", number)]
            if write.table != nil { fields.append(("table", text)) }
            return ValueShape.object(fields + write.aggregates.map { ($0.name.value, .anything) })
        }
        return shapes.count == 1 ? shapes[0] : shapes.isEmpty ? .anything : .elements(shapes)
    }
    private static let failure = ValueShape.object([("kind", text), ("code", .anything), ("message", text)])

    /// Returns a root with a fixed shape, if the path is long enough that its names alone do not decide.
    private func fixed(_ shape: ValueShape, _ reference: Reference) -> PathRoot? {
        guard reference.segments.count > 1 || !reference.isComplete,
            reference.segments.first?.name.map(shape.hasField) == true
        else { return nil }
        return PathRoot(shape: shape, depth: 0)
    }

    // MARK: Values that are declared

    private func input(_ reference: Reference, depth: Int, _ declarations: UseLocation.Declarations?) -> PathRoot? {
        guard reference.segments.count > depth || !reference.isComplete,
            let name = reference.segments.dropFirst(depth - 1).first?.name,
            let input = input(name, declarations)
        else { return nil }
        let source = Diagnostic.Label(input.name.span, "declared here")
        return PathRoot(shape: ValueShape(schema: input.value.document), depth: depth, source: source)
    }

    private func input(
        _ name: String,
        _ declarations: UseLocation.Declarations?
    ) -> Definition<InputDeclaration>? {
        if let own = declarations?.inputs[name] { return own }
        // An unknown input of the endpoint or graph would take precedence over the manifest's.
        return declarations?.areAllKnown == false ? nil : subject.manifest.inputs[name]
    }

    private func data(_ reference: Reference) -> PathRoot? {
        guard reference.segments.count > 1 || !reference.isComplete, let name = reference.segments.first?.name,
            let value = subject.data[name]
        else { return nil }
        let source = subject.manifest.data[name].map { Diagnostic.Label($0.name.span, "the data") }
        return PathRoot(shape: .oneOf([value]), depth: 1, source: source)
    }

    private func element(_ reference: Reference, _ location: UseLocation) -> PathRoot? {
        guard !reference.segments.isEmpty || !reference.isComplete,
            let variable = location.loopVariables.last(where: { $0.value == reference.name }),
            let shape = loops.shape(of: variable)
        else { return nil }
        return PathRoot(shape: shape, depth: 0, source: .init(variable.span, "the element"))
    }

    // MARK: Responses

    /// Returns the data of a response that is decoded as bytes or a string, before any filter: it has no fields.
    private func response(_ reference: Reference, _ site: ReferenceSite) -> PathRoot? {
        guard !reference.segments.isEmpty || !reference.isComplete, !site.seesItem else { return nil }
        if site.moment == .values, let step = site.location.step { return values(of: step) }
        guard site.moment == .response else { return nil }
        var requests: [RequestSite]
        if let step = site.location.step {
            requests = subject.requests.of(step)
        } else if case .endpoint(let name) = site.location.level {
            guard subject.requests.ofEndpoint(name)?.has(Decoding.key) == true else { return nil }
            requests = subject.requests.all.filter { $0.endpoint == name }
        } else {
            return nil
        }
        let shapes = requests.map(\.dataWithoutFields)
        guard let first = shapes.first, let first, shapes.allSatisfy({ $0?.words == first.words }) else { return nil }
        return PathRoot(shape: .scalar(first.words), depth: 0, source: .init(first.span, "decoded as \(first.words)"))
    }

    /// Returns the object of a step's values, unless an error hides some of them.
    private func values(of site: StepSite) -> PathRoot? {
        guard let outputs = site.outputs else { return nil }
        let shape = ValueShape.object(outputs.map { ($0.name.value, .anything) })
        return PathRoot(shape: shape, depth: 0, source: .init(site.step.span, "the values"))
    }

    // MARK: Steps

    private func step(_ reference: Reference, _ site: StepSite?) -> PathRoot? {
        guard reference.segments.count > 2 || !reference.isComplete, let site,
            !site.step.unknown.contains(anyOf: [.form, .loop]),
            let field = reference.segments.dropFirst().first?.name
        else { return nil }
        let step = site.step
        let shape: ValueShape
        switch field {
        case "items" where step.flow?.forEach != nil: shape = .list(.object(elementFields(of: site)))
        case "ok": shape = .scalar("a boolean")
        case "error": shape = Self.failure
        case "status", "time": shape = Self.number
        case "headers": shape = .map(Self.text)
        case "written" where step.unknown.contains(.file): return nil
        case "written": shape = Self.written(step.flow?.writes ?? [])
        case "downloaded": shape = Self.downloaded
        default: return nil
        }
        return PathRoot(shape: shape, depth: 2, source: .init(step.identifierSpan, "the step"))
    }

    /// The fields of `steps.ID.items[…]`, with their shapes.
    private func elementFields(of site: StepSite) -> [(name: String, shape: ValueShape)] {
        let step = site.step
        let item = step.flow?.forEach.flatMap { loops.shape(of: $0.variable) } ?? .anything
        let outputs = site.outputs?.map { (name: $0.name.value, shape: ValueShape.anything) }
        return step.elementFields.map { name in
            let shape: ValueShape =
                switch name {
                case "item": item
                case "ok": .scalar("a boolean")
                case "error": Self.failure
                case "outputs": outputs.map(ValueShape.object) ?? .anything
                case "status": Self.number
                default: .anything
                }
            return (name, shape)
        }
    }
}

extension Step {
    /// The fields of `steps.ID.items[…]`, if the step has a `forEach`.
    var elementFields: [String] {
        let ofAll = ["item", "ok", "error"]
        if case .group = action { return ofAll }
        return ofAll + ["outputs"] + (isRequest ? ["status", "data"] : [])
    }
}

extension ValueShape {
    fileprivate func hasField(_ name: String) -> Bool {
        if case .object(let fields) = self { fields.contains { $0.name.hasSameCodePoints(as: name) } } else { true }
    }
}

/// The shapes of the elements that the variables of `forEach` stand for.
struct LoopShapes {
    private var shapes: [SourceSpan: ValueShape] = [:]

    init(_ subject: RuleSubject) {
        for site in subject.steps {
            guard let forEach = site.step.flow?.forEach else { continue }
            if let shape = Self.shape(of: forEach.elements, in: site.graph.value, subject) {
                shapes[forEach.variable.span] = shape
            }
        }
    }

    /// Returns the shape of a variable's value; `nil` if it is unknown.
    func shape(of variable: Spanned<String>) -> ValueShape? { shapes[variable.span] }

    private static func shape(of elements: ForEach.Elements, in graph: Graph, _ subject: RuleSubject) -> ValueShape? {
        switch elements {
        case .list(let list):
            let constants = list.compactMap(\.constant)
            return constants.count == list.count ? .values(constants) : nil
        case .expression(let expression):
            // Only an expression that is a single path is followed.
            guard let reference = expression.references.first, expression.references.count == 1,
                reference.range.count == expression.expression.text.utf8.count
            else { return nil }
            return shape(after: reference, in: graph, subject)
        }
    }

    private static func shape(
        after reference: Reference,
        in graph: Graph,
        _ subject: RuleSubject
    ) -> ValueShape? {
        guard let name = reference.segments.first?.name, !reference.goesOn else { return nil }
        var shape: ValueShape
        switch reference.root {
        case .data: shape = subject.data[name].map { .oneOf([$0]) } ?? .anything
        case .inputs:
            if graph.inputs[name] == nil, graph.unknown.contains(.inputs) { return nil }
            let input = graph.inputs[name] ?? subject.manifest.inputs[name]
            shape = input.map { ValueShape(schema: $0.value.document) } ?? .anything
        default: return nil
        }
        do throws(ValueShape.Absence) {
            for segment in reference.segments.dropFirst() { shape = try shape.selected(by: segment.key) }
            shape = try shape.children()
            // A path may select only some of the children. A field that none of all children has is also missing from
            // these.
            for segment in reference.childSegments ?? [] { shape = try shape.selected(by: segment.key) }
            return shape
        } catch {
            return nil
        }
    }
}
