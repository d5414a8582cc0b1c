package import WaybillDiagnostics
import WaybillExecution
package import WaybillFormats
package import WaybillJSON
import WaybillManifest
package import WaybillPlan
package import WaybillResults
import WaybillRuntime

/// Combines the runs of all shards in one run.
package struct RunMerge: Sendable {
    /// The folders of the shards, in order.
    package let folders: [String]
    /// The plan of the whole run; `nil` if there are errors.
    package let plan: Plan?
    /// The diagnostics about the manifest.
    package let diagnostics: [Diagnostic]

    /// The files of the manifest that are kept with the run.
    package let keptFiles: [CodePoints: [UInt8]]

    /// The file for the states of the run, if it uses one.
    package let stateFile: String?

    /// A run that is merged.
    package struct Merged: Sendable {
        /// The record of the run, which a session resumes to evaluate the outputs of the graphs and write the summary.
        package var record: RunRecord
        /// When the last shard finished.
        package var time: Timestamp
    }

    /// Reads the shards, and plans their manifest again with the inputs of the run.
    ///
    /// - Parameters:
    ///   - folders: The folders of the shards, in any order.
    ///   - options: Inputs, for a run whose journal could not store them.
    /// - Throws: ``RunError`` if a shard is missing, has not passed, or is of another run.
    package init(of folders: [String], options: PlanOptions, allowsOutside: Bool) throws(RunError) {
        guard !folders.isEmpty else { throw RunError(.shards, "no shards were given to merge") }
        self.folders = try ShardFolders.sorted(folders)
        let resumption = try RunResumption(
            of: self.folders[0],
            options: options,
            allowsOutside: allowsOutside,
            continuing: .whole
        )
        (plan, diagnostics, keptFiles) = (resumption.plan, resumption.diagnostics, resumption.keptFiles)
        stateFile = resumption.record.state.file
    }

    /// Combines the files and journals of the shards in a folder, which may contain an earlier run.
    package func merge(_ plan: Plan, into folder: String) async throws(RunError) -> Merged {
        do {
            if let shard = folders.first(where: { FolderBoundary(folder: $0, allowsOutside: false).encloses(folder) }) {
                throw RunError(
                    .shards,
                    "'\(folder)' is in the folder of a shard, '\(shard)'; choose another",
                    command: " with --out"
                )
            }
            try Self.checkNothingFollowed(plan, in: folder)
            let sharded = plan.shardedSteps
            let shards = try folders.map { try ShardJournal(of: $0, steps: sharded.map(\.path)) }
            for step in sharded { try Self.checkLists(of: step, shards) }
            try Self.checkFiles(of: shards)
            let files = try sharded.map { try Self.file(of: $0, shards) }
            let run = try MergedRun(folder)
            var steps: [MergedRun.Step] = []
            try Self.copyFiles(of: shards, to: folder)
            for (step, file) in zip(sharded, files) {
                steps.append(try await Self.merged(step, file, of: shards, in: run))
            }
            try run.copySources(from: folders[0])
            let time = shards.compactMap(\.lastTime).max() ?? .now()
            try run.writeJournal(steps, of: folders, at: time)
            return Merged(record: try RunRecord(folder: folder), time: time)
        } catch let error as RunError {
            throw error
        } catch {
            throw RunError(.shards, "\(error)")
        }
    }

    /// Combines the results of a sharded step, and the file that it wrote.
    private static func merged(
        _ step: StepPlan,
        _ file: MergedRun.File?,
        of shards: [ShardJournal],
        in run: borrowing MergedRun
    ) async throws -> MergedRun.Step {
        let parts = shards.compactMap { $0.steps[step.path] }
        guard parts.contains(where: { $0.list != nil }) else {
            return MergedRun.Step(path: step.path, elements: nil, end: [])
        }
        var written: [RunEvent.WrittenFile] = []
        if let file, let writes = step.flow?.writes {
            let first = file.parts[0].file
            let contents = try await run.combine(file)
            written = .init(writes, at: [first.path] + first.others, contents, Redactor())
        }
        let use = step.keeps.contains(.written) && !written.isEmpty ? RunEvent.WrittenFile.json(of: written) : nil
        let result = StepResult.merged(parts.compactMap(\.result))
        let kept = RunEvent.KeptRecord.merged(parts.compactMap(\.kept), written: use)
        let end: [RunEvent.Kind] = written.map { .writeCommitted($0) } + [.stepFinished(result, kept: kept)]
        return MergedRun.Step(path: step.path, elements: parts[0].list?.count, end: end)
    }

    /// Throws if a folder has an earlier merge, and steps after the shards have started in it: a new merge would forget
    /// that, and their requests would be sent again.
    private static func checkNothingFollowed(_ plan: Plan, in folder: String) throws(RunError) {
        if let part = (try? RunRecord(folder: folder)).flatMap({ RunPart(json: $0.part) }) {
            throw RunError(
                .shards,
                "'\(folder)' has another run, of \(part.text); choose another folder",
                command: " with --out"
            )
        }
        let started = MergedRun.startedStep(among: plan.stepsAfterShards.map(\.path), in: folder)
        guard let started else { return }
        throw RunError(
            .shards,
            "steps after the shards have started in '\(folder)', such as '\(started)': another merge would forget "
                + "that, and send their requests again",
            command: ". 'waybill resume \(PrintableText.shellWord(folder))' continues; "
                + "to start again, choose another folder or delete this one"
        )
    }

    /// Throws if the shards have divided different lists.
    private static func checkLists(of step: StepPlan, _ shards: [ShardJournal]) throws(RunError) {
        let parts = shards.map { ($0, $0.steps[step.path]) }
        let first = parts[0].1?.list
        for (shard, part) in parts
        where part?.list?.count != first?.count || part?.list?.digest != first?.digest {
            let counts = [first, part?.list].map { $0.map { "\($0.count) elements" } ?? "no elements" }
            throw RunError(
                .shards,
                "step '\(step.path)' has different lists in '\(shards[0].folder)' (\(counts[0])) and "
                    + "'\(shard.folder)' (\(counts[1])): what comes before it did not give the same result in every shard; "
                    + "run it once",
                command: " with --phase before"
            )
        }
    }

    /// Returns the file that a sharded step writes; `nil` if it writes none or was skipped. Throws if a shard does not have
    /// its records.
    private static func file(of step: StepPlan, _ shards: [ShardJournal]) throws -> MergedRun.File? {
        guard let writes = step.flow?.writes, !writes.isEmpty,
            shards.contains(where: { $0.steps[step.path]?.list != nil })
        else {
            return nil
        }
        var parts: [(folder: String, file: RunEvent.ShardFile)] = []
        for shard in shards {
            guard let file = shard.steps[step.path]?.file else {
                throw RunError(
                    .shards,
                    "the journal in '\(shard.folder)' does not have the file of step '\(step.path)'"
                )
            }
            parts.append((shard.folder, file))
        }
        let paths = ([parts[0].file.path] + parts[0].file.others).map(\.string)
        for (folder, file) in parts {
            let others = ([file.path] + file.others).map(\.string)
            if others.count != writes.count {
                throw RunError(.shards, "the journal in '\(folder)' does not have all files of step '\(step.path)'")
            }
            for (path, other) in zip(paths, others) where !path.hasSameCodePoints(as: other) {
                throw RunError(
                    .shards,
                    "step '\(step.path)' writes '\(path)' in '\(parts[0].folder)', but '\(other)' in '\(folder)'"
                )
            }
        }
        var targets: [(write: Write, format: any WritableRecordFormat.Type, path: String)] = []
        for (write, path) in zip(writes, paths) {
            guard let format = write.format ?? RecordFormats.writable(ofFile: path) else {
                throw RunError(.shards, RecordFormats.unknownExtension(of: path))
            }
            targets.append((write, format, path))
        }
        let (container, writer) = RecordContainer.of(targets)
        for (folder, file) in parts {
            try FolderCopy.checkFile(
                container.part(of: paths[0]),
                in: folder,
                of: file.bytes,
                digest: (file.checksum, nil)
            )
        }
        return MergedRun.File(
            path: paths[0],
            container: container,
            writer: writer,
            parts: parts
        )
    }

    /// Copies the other complete files of the shards: those of the steps before the sharded ones from the first shard,
    /// and the downloads of elements and the bodies of failed responses from all.
    private static func copyFiles(of shards: [ShardJournal], to folder: String) throws {
        var copied: Set<CodePoints> = []
        for shard in shards {
            for (path, file) in shard.sortedFiles where isInside(path) {
                guard copied.insert(CodePoints(path)).inserted else {
                    guard file.isOfElement, try !FolderCopy.isEqual("\(shard.folder)/\(path)", "\(folder)/\(path)")
                    else { continue }
                    throw RunError(
                        .shards,
                        "'\(path)' in '\(shard.folder)' has another content than in an earlier shard: two elements "
                            + "have written the same file"
                    )
                }
                try FolderCopy.copyFile(path, from: shard.folder, to: folder)
            }
            try FolderCopy.copyBodies(from: shard.folder, to: folder)
        }
    }

    /// Throws if a shard does not have its complete files, before anything is written.
    private static func checkFiles(of shards: [ShardJournal]) throws {
        for shard in shards {
            for (path, file) in shard.sortedFiles where isInside(path) {
                try FolderCopy.checkFile(path, in: shard.folder, of: file.bytes, digest: file.digest)
            }
        }
    }

    /// Whether a path is inside the folder of its run. The steps before the shards may have written outside.
    private static func isInside(_ path: String) -> Bool {
        !path.hasPrefix("/") && !FileContents.names(in: path).contains("..") && !path.utf8.contains(0)
    }
}

/// The folders of the shards of one run.
private enum ShardFolders {
    /// Returns the folders in the order of their shards. Throws if they are not all shards of one run, each of which has
    /// passed.
    static func sorted(_ folders: [String]) throws(RunError) -> [String] {
        var shards: [(folder: String, shard: Shard, record: RunRecord)] = []
        for folder in folders {
            guard RunFolders.hasJournal(folder) else {
                throw RunFolders.missingRun(folder)
            }
            var record = try RunError.mapping(to: .unreadableRun) { try RunRecord(folder: folder) }
            // There is one for each finished element.
            record.steps = EarlierSteps()
            guard let shard = RunPart(json: record.part)?.shard else {
                throw RunError(
                    .shards,
                    "the run in '\(folder)' is not a shard",
                    command: ": it was started without --shard"
                )
            }
            shards.append((folder, shard, record))
        }
        shards.sort { $0.shard.number < $1.shard.number }
        try checkUnity(of: shards)
        for (folder, shard, record) in shards where record.outcome != .passed || RunFolder.isLocked(folder) {
            throw incomplete(folder, shard, record)
        }
        return shards.map(\.folder)
    }

    private static func incomplete(_ folder: String, _ shard: Shard, _ record: RunRecord) -> RunError {
        if RunFolder.isLocked(folder) {
            return RunError(.runInProgress, "shard \(shard.text) in '\(folder)' is still running")
        }
        let state = record.outcome == .failed ? "has failed" : "has not finished"
        return RunError(
            .shards,
            "shard \(shard.text) in '\(folder)' \(state)",
            command: "; 'waybill resume \(PrintableText.shellWord(folder))' continues it"
        )
    }

    private static func checkUnity(
        of shards: [(folder: String, shard: Shard, record: RunRecord)]
    ) throws(RunError) {
        guard let first = shards.first else { return }
        let sources = RunSources(folder: first.folder)
        for (folder, shard, record) in shards.dropFirst() {
            func differ(_ what: String) -> RunError {
                RunError(
                    .shards,
                    "'\(first.folder)' and '\(folder)' are not shards of one run: they have different \(what)"
                )
            }
            if shard.count != first.shard.count { throw differ("numbers of shards") }
            if record.id != first.record.id, record.continuesPhase || first.record.continuesPhase {
                throw differ("runs of the steps before them")
            }
            if record.manifest != first.record.manifest || !haveSameManifest(sources, RunSources(folder: folder)) {
                throw differ("manifests")
            }
            if record.environment != first.record.environment { throw differ("environments") }
            if record.graphs != first.record.graphs || record.selection != first.record.selection {
                throw differ("graphs")
            }
            if record.inputs != first.record.inputs { throw differ("inputs") }
            if record.state != first.record.state { throw differ("states") }
            if record.isMocked != first.record.isMocked {
                throw RunError(
                    .shards,
                    "only one of '\(first.folder)' and '\(folder)' was run with the mock server: their results do not "
                        + "belong together"
                )
            }
        }
        for (one, other) in zip(shards, shards.dropFirst()) where one.shard.number == other.shard.number {
            throw RunError(.shards, "'\(one.folder)' and '\(other.folder)' are both shard \(one.shard.text)")
        }
        let missing = Set(1...first.shard.count).subtracting(shards.map(\.shard.number)).sorted()
        guard missing.isEmpty else {
            let names = missing.prefix(10).map { "\($0)/\(first.shard.count)" }.joined(separator: ", ")
            let more = missing.count > 10 ? " and \(missing.count - 10) more" : ""
            throw RunError(.shards, "shards are missing: \(names)\(more)")
        }
    }

    /// Whether two runs are of the same manifest, apart from comments and formatting.
    private static func haveSameManifest(_ first: RunSources?, _ second: RunSources?) -> Bool {
        guard let first, let second else { return false }
        return first.files == second.files || first.steps != nil && first.steps == second.steps
    }
}
