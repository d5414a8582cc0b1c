import WaybillDiagnostics
import WaybillExecution
import WaybillPipeline
import WaybillPlan
import WaybillResults

extension ManifestRun {
    /// Continues a run that failed, was stopped or was killed: steps that passed keep their results, and the rest runs.
    ///
    /// Inputs are those of the run; secrets and sessions are fetched again. The results are written to the folder of the
    /// run.
    ///
    /// - Parameters:
    ///   - folder: The folder of the run's results, or the name of a run in `waybill-results`, or `latest`.
    ///   - inputs: Values for inputs. They are needed if the inputs of the run contained secrets, which its journal does
    ///     not store.
    ///   - variables: Environment variables. They are added to those of this process, and replace those of the same names.
    ///   - repeatsUnsure: Whether to repeat requests that may have been sent but have no recorded response, and requests
    ///     that passed and provide something that later steps need and the journal does not contain, even if this performs
    ///     their effects twice.
    ///   - repeatsTolerated: Whether to repeat steps and elements whose failures were tolerated (`onFailure: continue`).
    ///   - allowsOutside: Whether includes, data files and written files may be outside the folder of the manifest.
    ///   - options: The observers of the run, and how it is executed.
    /// - Throws: ``RunError`` with the code `RunError.Code.invalidManifest` and all diagnostics if the manifest has errors, or
    ///   if parts of it that have already run were changed; with another code if the folder does not contain a run, or if its
    ///   journal is damaged.
    ///
    /// The files of the run and its manifest are read before this function returns.
    public static func resume(
        _ folder: String,
        inputs: [String: JSONValue] = [:],
        variables: [String: String] = [:],
        repeatsUnsure: Bool = false,
        repeatsTolerated: Bool = false,
        allowsOutside: Bool = false,
        options: ManifestRun.Options = ManifestRun.Options()
    ) throws(RunError) -> ManifestRun {
        let planOptions = PlanOptions(inputs: inputs, variables: variables)
        let resumption = try RunResumption(
            of: RunFolders.folder(of: folder),
            options: planOptions,
            allowsOutside: allowsOutside,
            repeatsTolerated: repeatsTolerated
        )
        return try start(resumption, planOptions, repeatsUnsure: repeatsUnsure, options)
    }

    private static func start(
        _ resumption: RunResumption,
        _ planOptions: PlanOptions,
        repeatsUnsure: Bool = false,
        _ options: ManifestRun.Options
    ) throws(RunError) -> ManifestRun {
        guard let plan = resumption.plan else {
            throw RunError(.invalidManifest, "the run cannot be resumed with this manifest", resumption.diagnostics)
        }
        var session = options.session(variables: planOptions.variables)
        session.usesMock = resumption.record.isMocked
        session.resumed = (resumption.record, resumption.folder)
        session.repeatsUnsure = repeatsUnsure
        return ManifestRun(plan, session, options, warnings: resumption.diagnostics.map(ManifestDiagnostic.init))
    }

    /// Continues a run of the steps before the shards (``RunPlan/Part/beforeShards``) with one shard, in a folder of its own.
    /// A shard that was started there before is resumed.
    ///
    /// The files of the run and its manifest are read before this function returns.
    ///
    /// - Parameters:
    ///   - folder: The folder of the run before the shards, which must have passed.
    ///   - number: The number of the shard, from 1.
    ///   - count: The number of shards.
    ///   - destination: The folder for the results of the shard.
    ///   - inputs: Values for inputs that the journal of the run does not store.
    ///   - variables: Environment variables. They are added to those of this process, and replace those of the same names.
    ///   - allowsOutside: Whether includes, data files and written files may be outside the folder of the manifest.
    ///   - options: The observers of the run, and how it is executed.
    public static func resume(
        _ folder: String,
        asShard number: Int,
        of count: Int,
        into destination: String,
        inputs: [String: JSONValue] = [:],
        variables: [String: String] = [:],
        allowsOutside: Bool = false,
        options: ManifestRun.Options = ManifestRun.Options()
    ) throws(RunError) -> ManifestRun {
        guard let shard = Shard(number, of: count) else {
            throw RunError(.shards, "shard \(number) of \(count) does not exist")
        }
        try ShardStart.prepare(destination, from: RunFolders.folder(of: folder), for: shard)
        let planOptions = PlanOptions(inputs: inputs, variables: variables)
        let resumption = try RunResumption(
            of: destination,
            options: planOptions,
            allowsOutside: allowsOutside,
            continuing: .shard(shard)
        )
        return try start(resumption, planOptions, options)
    }

    /// Combines the runs of all shards in one run, as if one process had run them. Sends nothing.
    ///
    /// - Parameters:
    ///   - folders: The folders of the shards, in any order.
    ///   - folder: The folder for the merged run.
    ///   - inputs: Values for inputs that the journals of the runs do not store.
    ///   - variables: Environment variables. They are added to those of this process, and replace those of the same names.
    ///   - allowsOutside: Whether includes, data files and written files may be outside the folder of the manifest.
    /// - Returns: The report of the run; `nil` if steps come after the shards: then resume the run in the folder.
    /// - Throws: ``RunError``, with the code `RunError.Code.shards` if a shard is missing or has not passed.
    public static func merge(
        _ folders: [String],
        into folder: String,
        inputs: [String: JSONValue] = [:],
        variables: [String: String] = [:],
        allowsOutside: Bool = false
    ) async throws(RunError) -> Report? {
        let planOptions = PlanOptions(inputs: inputs, variables: variables)
        let merge = try RunMerge(
            of: folders.map(RunFolders.folder),
            options: planOptions,
            allowsOutside: allowsOutside
        )
        guard let plan = merge.plan else {
            throw RunError(.invalidManifest, "the shards cannot be merged with this manifest", merge.diagnostics)
        }
        let merged = try await merge.merge(plan, into: folder)
        guard !plan.continuesAfterShards else { return nil }
        var session = ManifestRun.Options().session(variables: planOptions.variables)
        session.sendsNothing = true
        session.keptFiles = merge.keptFiles
        session.resumed = (merged.record, folder)
        (session.time, session.clock) = (merged.time, StoppedClock())
        return Report(try await Pipeline.session(for: plan, session).run())
    }
}
