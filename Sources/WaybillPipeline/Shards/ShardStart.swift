package import WaybillDiagnostics
import WaybillExecution
import WaybillManifest
package import WaybillPlan
import WaybillResults
import WaybillRuntime
import WaybillTransport

/// Prepares the folders of shards that continue a run of the steps before them.
package enum ShardStart {
    /// Copies the run of the steps before the shards to the folder of a shard, which continues from there. A folder that
    /// already has this shard stays as it is.
    package static func prepare(_ folder: String, from before: String, for shard: Shard) throws(RunError) {
        try RunError.mapping(to: .shards) {
            guard RunFolders.hasJournal(before) else {
                throw RunFolders.missingRun(before)
            }
            if FolderBoundary(folder: before, allowsOutside: false).encloses(folder) {
                throw RunError(
                    .shards,
                    "'\(folder)' is in the folder of the run before the shards; choose another",
                    command: " with --out"
                )
            }
            let record = try RunRecord(folder: before)
            guard RunPart(json: record.part) == .before else {
                throw RunError(
                    .shards,
                    "the run in '\(before)' is not one of the steps before the shards",
                    command: ": it was started without --phase before"
                )
            }
            if RunFolders.hasJournal(folder) {
                let own = try RunRecord(folder: folder)
                let part = RunPart(json: own.part)
                guard own.id == record.id, part?.shard?.text == shard.text else {
                    throw RunError(
                        .shards,
                        "'\(folder)' already has another run, and not shard \(shard.text) of '\(before)'"
                    )
                }
                return
            }
            guard record.outcome == .passed else {
                throw RunError(
                    .shards,
                    "the run in '\(before)' has not passed",
                    command: "; 'waybill resume \(PrintableText.shellWord(before))' continues it"
                )
            }
            try FolderCopy.copyRun(from: before, to: folder, continuingAs: RunPart.shard(shard).json)
        }
    }
}

extension Plan {
    /// Errors for requests of a part of a run that must be sent once, and that every shard would send.
    package func unsafeRequestsOfPart(of checked: ResolvedManifest, _ options: PlanOptions) -> [Diagnostic] {
        guard let part else { return [] }
        guard part == .before, let shard = Shard(1, of: 1) else { return unsafeRequestsBeforeShards }
        var options = options
        options.part = .shard(shard)
        return Pipeline.plan(checked, options).value?.secretsBeforeShards ?? []
    }

    /// Errors for the unsafe steps before the shards whose secret outputs the shards use: the shards will not find these
    /// outputs in the results, and would have to run the steps again. The plan is that of a shard.
    private var secretsBeforeShards: [Diagnostic] {
        var passed: [String: [String]] = [:]
        for step in stepsBeforeShards {
            guard case .request(let request) = step.work else {
                passed[step.path] = []
                continue
            }
            passed[step.path] = request.outputs.filter(\.isSecret).map(\.name.value)
        }
        let decision = ResumeDecision(self, EarlierSteps(passed: passed), repeatsUnsure: false)
        return decision.diagnostics.map { diagnostic in
            Diagnostic(
                "unsafe-before-shards",
                "the shards use a secret output of this step: it is not written to the results, and every shard would run the step again",
                at: diagnostic.primary?.span,
                secondary: diagnostic.secondary,
                help: [
                    "If the step is a login, write it as the 'session' of its service: each shard fetches the session."
                ]
            )
        }
    }

    /// Errors for the unsafe requests before the sharded steps: the process of each shard would send them.
    private var unsafeRequestsBeforeShards: [Diagnostic] {
        var diagnostics: [Diagnostic] = []
        var visited: Set<String> = []
        func visit(_ steps: [StepPlan], in site: StepPlan?) {
            for step in steps {
                switch step.work {
                case .request(let request):
                    let method = request.constantMethod
                    guard !(method.map { HTTPRequest.isSafe(method: $0) } ?? false) else { continue }
                    diagnostics.append(.unsafe(step, method, in: site))
                case .group(let group): visit(group.steps, in: site)
                case .graph(let call):
                    guard visited.insert(call.path).inserted, let graph = subgraphs[call.path] else { continue }
                    visit(graph.body.steps + (graph.finally?.steps ?? []), in: site ?? step)
                case .values, .end: break
                }
            }
        }
        visit(stepsBeforeShards, in: nil)
        return diagnostics
    }
}

extension Diagnostic {
    fileprivate static func unsafe(_ step: StepPlan, _ method: String?, in site: StepPlan?) -> Diagnostic {
        let request = method.map { "its request is \("AEIOU".contains($0.prefix(1)) ? "an" : "a") \($0)" }
        return Diagnostic(
            "unsafe-before-shards",
            "step '\(step.path)' would run in every shard: \(request ?? "the method of its request is not known")",
            at: step.span,
            secondary: site.map { [.init($0.span, "runs the graph")] } ?? [],
            help: [
                "Run it once with 'waybill run MANIFEST --phase before --out DIR'; 'waybill resume DIR --shard K/N --out …' then runs each shard."
            ],
            programHelp: ["Plan it once with the part 'beforeShards', and continue that run with each shard."]
        )
    }
}
