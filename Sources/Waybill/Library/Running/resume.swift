import WaybillDiagnostics
import WaybillPlan
import WaybillResults

/// Goes on with a run that failed, was stopped or was killed: steps that passed are taken as they are, the rest runs.
///
/// Inputs are those of the run; secrets and sessions are fetched anew. The results go where those of the run are.
///
/// - Parameters:
///   - folder: The folder of the run's results, or the name of a run in `waybill-results`, or `latest`.
///   - inputs: Values for inputs, where the run had secrets among them, which its journal does not hold.
///   - variables: Environment variables, for inputs and secrets that come from one; `nil`: those of this process.
///   - repeatsUnsure: Whether requests are sent again that may have been sent and have no recorded response, and those that
///     passed and provide what later steps need and the journal does not hold, even if that may do their work twice.
///   - repeatsTolerated: Whether steps and elements whose failures were tolerated (`onFailure: continue`) run again.
///   - allowsOutside: Whether includes and data files may lie outside the folder of the manifest.
///   - options: Who is told of it.
/// - Throws: ``ManifestError`` where the manifest has errors, or was changed in what has already run; ``RunError`` where
///   there is no run in the folder, or its journal is damaged.
public func resume(
    _ folder: String,
    inputs: [String: Value] = [:],
    variables: [String: String]? = nil,
    repeatsUnsure: Bool = false,
    repeatsTolerated: Bool = false,
    allowsOutside: Bool = false,
    options: Run.Options = Run.Options()
) throws -> Run {
    var planOptions = PlanOptions()
    planOptions.values = .init(inputs: inputs)
    planOptions.variables = variables ?? ProcessVariables.all
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
    return Run(plan, session, options, warnings: resumption.diagnostics.map(ManifestDiagnostic.init))
}
