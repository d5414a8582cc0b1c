package import WaybillDiagnostics
import WaybillManifest
package import WaybillPlan
package import WaybillResults
import WaybillRuntime

/// What is needed to go on with a run: its record, and the plan of its manifest as it is now.
package struct RunResumption: Sendable {
    /// The folder of its results.
    package let folder: String
    /// What its journal says.
    package let record: RunRecord
    /// The plan.
    package private(set) var plan: Plan?
    /// What is wrong with the manifest, or was changed in what has already run.
    package private(set) var diagnostics: [Diagnostic]

    /// Reads the journal of a run, and plans its manifest anew with the inputs that it had.
    ///
    /// - Parameters:
    ///   - folder: The folder of its results.
    ///   - options: The environment variables; also inputs, for a run whose journal could not hold them.
    /// - Throws: where the journal cannot be read, or is damaged.
    package init(of folder: String, options: PlanOptions, allowsOutside: Bool) throws(RunError) {
        self.folder = folder
        do {
            record = try RunRecord(folder: folder)
        } catch {
            throw RunError(message: "\(error)")
        }
        try Self.checkNaming(of: record.manifest)
        var options = options
        options.graphs = record.graphs
        if let inputs = record.inputs { options.earlierInputs = inputs }
        do {
            let before = RememberedFiles(RunFolder.sources(in: folder))
            // Standard input cannot be read again: the run continues with what it read.
            let isFile = record.manifest != "<standard input>"
            let files: any ManifestFileSystem = isFile ? LocalFiles() : before
            let stage = try Self.plan(of: record, from: files, options, allowsOutside: allowsOutside)
            (plan, diagnostics) = (stage.value, stage.diagnostics)
            let texts = RunFolder.sources(in: folder)
            guard let plan, plan.sources.contains(where: { texts[$0.name] != $0.bytes }) else { return }
            let old = try Self.plan(of: record, from: before, options, allowsOutside: allowsOutside)
            let changes = Self.changes(from: old.value, to: plan, record)
            diagnostics += changes
            if !changes.isEmpty { self.plan = nil }
        } catch {
            throw RunError(message: "\(error)")
        }
    }

    /// Throws where the file that the journal names is not a manifest. A journal from somebody else may name any file, and
    /// diagnostics would show lines of it.
    private static func checkNaming(
        of manifest: String
    ) throws(RunError) {
        guard manifest != "<standard input>", let bytes = try? FileContents.read(manifest, limit: 64 << 20) else {
            return
        }
        // The key that every manifest has.
        guard String(decoding: bytes, as: UTF8.self).contains("waybill") else {
            throw RunError(
                message: "'\(manifest)', which the journal of the run names, is not a manifest: it has no key 'waybill'"
            )
        }
    }

    private static func plan(
        of record: RunRecord,
        from files: any ManifestFileSystem,
        _ options: PlanOptions,
        allowsOutside: Bool
    ) throws -> Pipeline.Stage<Plan> {
        let pipeline = try Pipeline(files: files, allowsOutside: allowsOutside)
        return pipeline.check(pipeline.load(record.manifest), environment: record.environment)
            .then { Pipeline.plan($0, options) }
    }

    /// What was changed in steps that are to be taken as they were.
    private static func changes(from old: Plan?, to new: Plan, _ record: RunRecord) -> [Diagnostic] {
        guard let old else {
            return [
                Diagnostic(
                    "changed-manifest",
                    "the manifest that the run began with cannot be planned any more, so what was changed is not known",
                    at: nil,
                    help: ["Files that it names may have changed. Begin a new run."]
                )
            ]
        }
        var (oldIndex, newIndex) = (PlanIndex(old), PlanIndex(new))
        var seen: Set<String> = []
        let changes: [(place: String, diagnostic: Diagnostic)] = record.steps.paths.compactMap { path in
            guard let before = oldIndex.step(at: path), seen.insert(before.path).inserted else { return nil }
            guard let now = newIndex.step(at: path) else {
                let diagnostic = Diagnostic(
                    "changed-manifest",
                    "step '\(path)' has already run, and the manifest has it no more",
                    at: nil,
                    help: ["Put it back, or begin a new run."]
                )
                return (before.path, diagnostic)
            }
            let differences = StepContent(of: now).differences(from: StepContent(of: before))
            guard !differences.isEmpty else { return nil }
            let names = differences.map { "'\($0)'" }.joined(separator: ", ")
            let diagnostic = Diagnostic(
                "changed-manifest",
                "step '\(path)' has already run, and its \(names) changed in the manifest",
                at: now.span,
                secondary: StepContent.changedSettings(of: now, since: before).map { .init($0, "was changed") },
                help: ["Change it back, or begin a new run."]
            )
            return (before.path, diagnostic)
        }
        // What changed in a step is also different in those around it.
        return changes.filter { change in
            !changes.contains { $0.place.hasPrefix(change.place + ".") }
        }.map(\.diagnostic)
    }
}
