import WaybillDiagnostics
import WaybillExpressions
import WaybillManifest

/// Steps with `shard` must be where their elements can be divided among several processes: before them only what each
/// process can have, after them only what needs all elements.
struct ShardedSteps: ManifestRule {
    func check(_ subject: RuleSubject) -> [Diagnostic] {
        subject.graphs.flatMap { graph in
            let sharded = graph.all.filter { $0.step.flow?.forEach?.isSharded ?? false }
            guard !sharded.isEmpty, !graph.isOrderUnknown else { return [Diagnostic]() }
            let nested = sharded.filter { $0.isFinal || !$0.around.isEmpty }
            return nested.map(Self.nested) + Self.unordered(in: graph)
        }
    }

    private static func nested(_ site: StepSite) -> Diagnostic {
        let reason = site.isFinal ? "it is part of 'finally'" : "it is inside another step"
        return Diagnostic(
            "misplaced-shard",
            "the elements of this step cannot be divided among several processes: \(reason)",
            at: site.step.flow?.forEach?.shard?.span ?? site.step.span,
            help: ["'shard: true' is valid in the 'forEach' of the steps of a graph's own 'chain' or 'batch'."]
        )
    }

    /// Reports sharded steps that need something that runs after the shards.
    private static func unordered(in graph: GraphSite) -> [Diagnostic] {
        let sites = graph.body
        let phases = ShardPhase.phases(
            of: sites.map { ($0.step.effectiveID, $0.step.flow) },
            order: graph.definition.value.body.order
        )
        func ids(in phase: ShardPhase) -> Set<String> {
            Set(zip(sites, phases).filter { $1 == phase }.flatMap { $0.0.allIDs })
        }
        let divided = ids(in: .shards)
        let late = divided.union(ids(in: .after))
        var diagnostics: [Diagnostic] = []
        for (index, site) in sites.enumerated() where phases[index] == .shards {
            if graph.definition.value.body.order == .chain,
                let between = sites[..<index].indices.last(where: { phases[$0] == .after })
            {
                diagnostics.append(Self.between(sites[between], before: site))
            }
            let own = Set(site.allIDs)
            for need in site.step.flow?.needs ?? [] where late.contains(need.value) {
                diagnostics.append(Self.dependent(site, on: need, isDivided: divided.contains(need.value)))
            }
            diagnostics += site.stepReferences.filter { late.contains($0.value) && !own.contains($0.value) }.prefix(1)
                .map { Self.dependent(site, on: $0, isDivided: divided.contains($0.value)) }
        }
        return diagnostics
    }

    private static func between(_ site: StepSite, before sharded: StepSite) -> Diagnostic {
        Diagnostic(
            "misplaced-shard",
            "this step is between two steps whose elements are divided among several processes",
            at: site.step.span,
            secondary: [.init(sharded.step.flow?.forEach?.shard?.span ?? sharded.step.span, "the second of them")],
            help: [
                "It would have to run after all elements of the first. Move it before or after both."
            ]
        )
    }

    private static func dependent(_ site: StepSite, on id: Spanned<String>, isDivided: Bool) -> Diagnostic {
        let need = isDivided ? "all elements of step '\(id.value)'" : "step '\(id.value)', which runs after all shards"
        return Diagnostic(
            "misplaced-shard",
            "the elements of this step cannot be divided among several processes: it needs \(need)",
            at: id.span,
            secondary: [.init(site.step.flow?.forEach?.shard?.span ?? site.step.span, "divided here")],
            help: [
                isDivided
                    ? "Each process has its own share of the elements. Remove 'shard: true' from one of the two steps."
                    : "Remove 'shard: true' here, or from the steps that '\(id.value)' needs."
            ]
        )
    }
}

extension StepSite {
    /// The ids of the step and of the steps inside it.
    fileprivate var allIDs: [String] {
        (step.effectiveID.map { [$0] } ?? []) + steps.flatMap(\.allIDs)
    }

    /// The ids of the steps whose results the expressions of the step use, with the spans of the paths.
    fileprivate var stepReferences: [Spanned<String>] {
        var found: [Spanned<String>] = []
        let visitor = UseVisitor { use in
            found += use.text.references.compactMap { reference in
                reference.stepID.map { Spanned($0, at: use.text.span(of: reference.nameRange)) }
            }
        }
        step.visitUses(outside: visitor, inside: visitor)
        return found + steps.flatMap(\.stepReferences)
    }
}
