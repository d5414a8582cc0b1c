import ArgumentParser
import WaybillPipeline
import WaybillPlan

/// The steps that a run is limited to.
struct SelectionOptions: ParsableArguments {
    @Option(
        name: .customLong("tag"),
        help: """
            Run only the steps with this tag, and the steps that they need, in the graph to run and in graphs with \
            this tag. May be repeated to run the steps with any of the tags.
            """,
        completion: .names(.tag)
    )
    var tags: [String] = []

    @Option(
        name: .customLong("not-tag"),
        help: "Leave out the steps with this tag; may be repeated.",
        completion: .names(.tag)
    )
    var excludedTags: [String] = []

    @Option(
        name: .customLong("only"),
        help: ArgumentHelp(
            "Run only the step with this id or path, such as main.login, and the steps that it needs; may be repeated.",
            valueName: "step"
        ),
        completion: .names(.step)
    )
    var steps: [String] = []

    var selection: StepSelection {
        var selection = StepSelection()
        (selection.tags, selection.excludedTags, selection.steps) = (tags, excludedTags, steps)
        return selection
    }
}
