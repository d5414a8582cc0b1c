import ArgumentParser
import Waybill

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
}
