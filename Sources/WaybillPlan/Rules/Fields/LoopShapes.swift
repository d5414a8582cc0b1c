import OrderedCollections
import WaybillDiagnostics
import WaybillExpressions
import WaybillJSON
import WaybillManifest

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
        do throws(AbsenceError) {
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
