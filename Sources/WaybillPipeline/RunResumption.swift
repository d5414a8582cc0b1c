package import WaybillDiagnostics
package import WaybillJSON
import WaybillManifest
package import WaybillPlan
package import WaybillResults
import WaybillRuntime
import WaybillTransport

/// Everything that is needed to resume a run: its record, and the plan of its manifest in its current state.
package struct RunResumption: Sendable {
    /// The folder of its results.
    package let folder: String
    /// The content of its journal.
    package let record: RunRecord
    /// The plan; `nil` if there are errors.
    package private(set) var plan: Plan?
    /// The graphs that the manifest runs if none is named; empty if there are errors.
    package private(set) var usualGraphs: [String] = []
    /// The files of the manifest that are kept with the run.
    package private(set) var keptFiles: [CodePoints: [UInt8]] = [:]
    /// The diagnostics about the manifest, and about changes in steps that have already run.
    package private(set) var diagnostics: [Diagnostic]

    /// The steps that the manifest did not have when the run started.
    package private(set) var addedSteps: [String] = []

    /// The part of a run that is continued.
    package enum Part: Sendable {
        /// The same as before.
        case same
        /// A shard, after the steps before the shards.
        case shard(Shard)
        /// The whole run, of which all shards have finished.
        case whole
    }

    /// Reads the journal of a run, and plans its manifest again with the inputs of the run.
    ///
    /// - Parameters:
    ///   - folder: The folder of its results.
    ///   - options: The environment variables; also inputs, for a run whose journal could not store them.
    ///   - repeatsTolerated: Whether steps and elements whose failures were tolerated run again.
    ///   - part: The part of the run that is continued.
    /// - Throws: ``RunError`` if the journal cannot be read or is damaged.
    package init(
        of folder: String,
        options: PlanOptions,
        allowsOutside: Bool,
        repeatsTolerated: Bool = false,
        continuing part: Part = .same
    ) throws(RunError) {
        self.folder = folder
        if RunFolder.isLocked(folder) { throw RunError(.runInProgress, "the run in '\(folder)' is still running") }
        var record = try RunError.mapping(to: .unreadableRun) { try RunRecord(folder: folder) }
        if repeatsTolerated { record.steps.forgetTolerated() }
        self.record = record
        try Self.checkNaming(of: record.manifest)
        var options = options
        options.graphs = record.graphs
        options.selection = StepSelection(json: record.selection)
        // The names were checked when the run started, maybe as one of several.
        options.selection.toleratesUnknownNames = true
        options.part =
            switch part {
            case .same: RunPart(json: record.part)
            case .shard(let shard): .shard(shard)
            case .whole: nil
            }
        if let inputs = record.inputs { options.earlierInputs = inputs }
        let before = RunSources(folder: folder)
        // Standard input cannot be read again: the run continues with what it read. Other files that were kept replace those
        // that do not exist, as on another machine.
        let files = RecordingFiles(RememberedFiles(before?.texts ?? [:]) { $0 == RunSources.standardInput })
        let pipeline = Pipeline(files: files, allowsOutside: allowsOutside)
        let checked = pipeline.check(pipeline.load(record.manifest), environment: record.environment)
        usualGraphs = checked.value.map { PlanBuilder.usualGraphs(of: $0, options.selection) } ?? []
        let stage = checked.then { [options] in Pipeline.plan($0, options) }
        // A file that was not kept may contain a secret.
        keptFiles = files.texts.filter { before?.texts[$0.key] != nil }
        (plan, diagnostics) = (stage.value, stage.diagnostics)
        guard let plan else { return }
        diagnostics += Self.stepsBeforeFinally(in: plan, record)
        guard let before else {
            // A run without kept results starts over.
            guard !record.steps.paths.isEmpty else { return }
            let file = "\(folder)/\(RunFileNames.sources)"
            let message = "cannot check the manifest for changes: '\(file)' is missing or damaged"
            diagnostics.append(Self.changed(message, "Restore the file"))
            self.plan = nil
            return
        }
        // Schemas, data and operations in separate files are compared as parts of the steps.
        let hasOtherFiles = !plan.schemaFiles.isEmpty || !plan.data.isEmpty || plan.callsOperations
        let mayDiffer = before.steps != nil && hasOtherFiles
        guard mayDiffer || PlanContent.digests(of: plan.documents) != before.files else { return }
        let changes = Self.changes(since: before, in: plan, record)
        diagnostics += changes
        addedSteps =
            before.steps.map { earlier in
                PlanContent(plan).steps.keys.filter { !Self.contains($0, earlier) }.sorted()
            } ?? []
        if !changes.isEmpty { self.plan = nil }
    }

    /// Throws if the file that the journal names is not a manifest. A journal from somebody else may name any file, and
    /// diagnostics would show lines of that file.
    private static func checkNaming(of manifest: String) throws(RunError) {
        guard manifest != "<standard input>", let bytes = try? FileContents.read(manifest, limit: 64 << 20) else {
            return
        }
        // The key that every manifest has.
        guard String(decoding: bytes, as: UTF8.self).contains("waybill") else {
            throw RunError(
                .unreadableRun,
                "'\(manifest)', named by the journal of the run, is not a manifest: it has no key 'waybill'"
            )
        }
    }

    private static func changed(
        _ headline: String,
        at span: SourceSpan? = nil,
        secondary: [Diagnostic.Label] = [],
        _ help: String
    ) -> Diagnostic {
        Diagnostic("changed-manifest", headline, at: span, secondary: secondary, help: ["\(help), or start a new run."])
    }

    /// Returns the changes in steps whose results are kept.
    private static func changes(since before: RunSources, in plan: Plan, _ record: RunRecord) -> [Diagnostic] {
        guard let earlier = before.steps else {
            let reason = "another version of Waybill recorded the run"
            let message = "the manifest was changed, and its steps cannot be compared: \(reason)"
            return [changed(message, "Change the manifest back")]
        }
        let content = PlanContent(plan)
        var now = PlanIndex(plan)
        var seen: Set<String> = []
        let paths = record.steps.paths
        // What encloses a step has run in part.
        let enclosing = Set(paths.flatMap(PlanIndex.enclosingPaths)).union(record.steps.groupPaths).subtracting(paths)
        let changes: [(node: String, diagnostic: Diagnostic)] = (paths + enclosing.sorted()).compactMap { path in
            let node = PlanIndex.withoutElements(path)
            guard let step = now.step(at: path) else {
                guard !enclosing.contains(path), contains(node, earlier), seen.insert(node).inserted else {
                    return nil
                }
                let message = "step '\(path)' has already run, but the manifest no longer contains it"
                return (node, changed(message, "Restore the step"))
            }
            guard seen.insert(step.path).inserted else { return nil }
            let isAround = enclosing.contains(path) && record.steps.group(at: path) == nil
            let isWhole = record.steps.step(at: path) != nil || enclosing.contains(path) && !isAround
            let changes = content.changes(of: step.path, since: earlier, isWhole: isWhole, isAround: isAround)
            let names = changes.keys.map { "'\($0)'" }.joined(separator: ", ")
            let files = changes.files.map { "'\($0)'" }.joined(separator: ", ")
            let all = [
                names.isEmpty ? "" : "its \(names) changed in the manifest",
                files.isEmpty ? "" : "its data in \(files) changed",
            ]
            let what = all.filter { !$0.isEmpty }.joined(separator: ", and ")
            guard !what.isEmpty else { return nil }
            var spans: [SourceSpan] = []
            for span in changes.spans where !spans.contains(span) && span != step.span { spans.append(span) }
            let message = "step '\(path)' has already run\(isWhole ? "" : " in part"), but \(what)"
            let labels = spans.map { Diagnostic.Label($0, "was changed") }
            return (node, changed(message, at: step.span, secondary: labels, "Change it back"))
        }
        // A change in a step also changes the steps around it.
        return changes.filter { change in
            !changes.contains { $0.node.hasPrefix(change.node + ".") }
        }.map(\.diagnostic)
    }

    /// Returns warnings about graphs whose `finally` has run, because it may have undone what their kept steps did,
    /// such as deleting a created record.
    private static func stepsBeforeFinally(in plan: Plan, _ record: RunRecord) -> [Diagnostic] {
        var index = PlanIndex(plan)
        return record.steps.graphsInFinally.compactMap { graph in
            let kept = record.steps.paths.first { path in
                guard path.hasPrefix(graph + "."), case .request(let request)? = index.step(at: path)?.work else {
                    return false
                }
                return !HTTPRequest.isSafe(method: request.constantMethod ?? "")
            }
            guard let kept, let step = index.step(at: kept) else { return nil }
            return Diagnostic(
                "kept-before-finally",
                "the result of step '\(kept)' is kept, but the 'finally' of graph '\(graph)' has run after it",
                severity: .warning,
                at: step.span,
                help: [
                    "If 'finally' undoes the step, for example by deleting what it created, start a new run instead."
                ]
            )
        }
    }

    /// Whether an earlier plan had a step at a path, in one of its graphs or in a graph that a step ran.
    private static func contains(_ path: String, _ earlier: [String: [String: String]]) -> Bool {
        if earlier[path] != nil { return true }
        return path.indices.contains { path[$0] == "." && earlier[String(path[..<$0])]?["graph"] != nil }
    }
}
