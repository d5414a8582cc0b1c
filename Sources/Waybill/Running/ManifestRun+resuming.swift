import WaybillDiagnostics
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
    ///   - variables: Environment variables, for inputs and secrets that come from one; `nil` for those of this process.
    ///   - repeatsUnsure: Whether to repeat requests that may have been sent but have no recorded response, and requests
    ///     that passed and provide something that later steps need and the journal does not contain, even if this performs
    ///     their effects twice.
    ///   - repeatsTolerated: Whether to repeat steps and elements whose failures were tolerated (`onFailure: continue`).
    ///   - allowsOutside: Whether includes and data files may be outside the folder of the manifest.
    ///   - options: The observers of the run, and how it is executed.
    /// - Throws: ``ManifestError`` if the manifest has errors, or if parts of it that have already run were changed;
    ///   ``RunError`` if there is no run in the folder, or if its journal is damaged.
    public static func resume(
        _ folder: String,
        inputs: [String: JSONValue] = [:],
        variables: [String: String]? = nil,
        repeatsUnsure: Bool = false,
        repeatsTolerated: Bool = false,
        allowsOutside: Bool = false,
        options: ManifestRun.Options = ManifestRun.Options()
    ) throws -> ManifestRun {
        var planOptions = PlanOptions()
        planOptions.values = .init(inputs: inputs)
        planOptions.setVariables(variables)
        let resumption = try RunResumption(
            of: RunFolders.folder(of: folder),
            options: planOptions,
            allowsOutside: allowsOutside,
            repeatsTolerated: repeatsTolerated
        )
        guard let plan = resumption.plan else { throw ManifestError(resumption.diagnostics) }
        var session = RunOptions()
        session.usesMock = resumption.record.isMocked
        session.variables = planOptions.variables
        session.resumed = (resumption.record, resumption.folder)
        session.repeatsUnsure = repeatsUnsure
        return ManifestRun(plan, session, options, warnings: resumption.diagnostics.map(ManifestDiagnostic.init))
    }
}
