package import WaybillDiagnostics
import WaybillExpressions

/// A path to a step that may not have passed, in an expression that expects a missing value, such as `default(…)`.
package struct UncertainReference: Sendable {
    /// The path.
    package let span: SourceSpan
    /// Why the step may not have passed.
    package let reason: String
}

extension ResolvedManifest {
    /// The paths to steps that may not have passed.
    package var uncertainReferences: [UncertainReference] {
        let subject = RuleSubject(manifest, data: data, allowsOutside: allowsOutside)
        return subject.graphs.indices.flatMap { index in
            let flow = GraphFlow(subject: subject, graph: subject.graphs[index])
            flow.visit(subject.references.ofGraph(at: index).filter { $0.reference.root == .steps })
            return flow.uncertain
        }
    }
}
