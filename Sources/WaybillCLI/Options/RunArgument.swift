import ArgumentParser
import WaybillPipeline

/// An earlier run.
struct RunArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The run: its name in waybill-results, 'latest', 'latest-passed', or the path of its folder.",
            valueName: "run"
        ),
        completion: .runs
    )
    var run: String

    /// The folder of its results.
    var folder: String { RunFolders.folder(of: run) }

    func validate() throws {
        // The files of an empty path would be those of the root folder.
        if run.isEmpty { throw ValidationError("The name of the run must not be empty.") }
    }
}
