import Testing
import WaybillPlan
import WaybillTestSupport

@testable import WaybillCLI
@testable import WaybillPipeline

/// What completes words with earlier runs, files and reports.
@Suite(.timeLimit(.minutes(5))) struct RunCompletionsTests {
    private let folder = TemporaryFolder()

    private func runs(_ prefix: String) -> [String] { RunCompletions.runs(prefix, in: folder.path) }

    /// Runs a manifest of one step in a folder.
    private func run(_ id: String, expression: String) async throws {
        let steps = "[{id: one, values: {v: \"\(expression)\"}}]"
        let pipeline = Pipeline()
        let loaded = pipeline.load(folder.write("waybill: 1\ngraphs: {main: {chain: \(steps)}}\n", to: "m.yaml"))
        let plan = try #require(pipeline.check(loaded).then { Pipeline.plan($0, PlanOptions()) }.value)
        var options = RunOptions()
        options.outputFolder = "\(folder.path)/\(id)"
        _ = try await Pipeline.session(for: plan, options).run()
    }

    @Test func `runs are offered from the newest, without other folders and files`() {
        for id in ["20260101-120000-aaaaaa", "20260102-120000-bbbbbb", "20251231-120000-cccccc"] {
            folder.write("", to: "\(id)/events.ndjson")
        }
        folder.write("", to: "state/nightly.json")
        folder.write("", to: "20260103-120000-dddddd")
        let all = ["20260102-120000-bbbbbb", "20260101-120000-aaaaaa", "20251231-120000-cccccc"]
        #expect(runs("20") == all)
        #expect(runs("202601") == Array(all.prefix(2)))
        #expect(runs("lat").isEmpty)
    }

    @Test func `latest and latest-passed are offered if they exist`() async throws {
        try await run("20260101-120000-aaaaaa", expression: "1 / 0 == 1")
        #expect(runs("l").isEmpty)
        folder.write("", to: "latest/events.ndjson")
        #expect(runs("l") == ["latest"])
        try await run("20260101-110000-bbbbbb", expression: "true")
        #expect(runs("l") == ["latest", "latest-passed"])
    }

    @Test func `the steps of a run are offered`() async throws {
        try await run("20260101-120000-aaaaaa", expression: "true")
        let run = "\(folder.path)/20260101-120000-aaaaaa"
        #expect(RunCompletions.steps("o", of: run) == ["one"])
        #expect(RunCompletions.steps("x", of: run).isEmpty)
        #expect(RunCompletions.steps("", of: folder.path + "/missing").isEmpty)
    }

    @Test func `folders end with a slash, and hidden names need a dot`() {
        for name in ["sub/file", "other.txt", ".hidden/file", "new\nline"] { folder.write("", to: name) }
        let path = folder.path
        #expect(PathCompletions.paths("\(path)/") == ["\(path)/other.txt", "\(path)/sub/"])
        #expect(PathCompletions.paths("\(path)/", foldersOnly: true) == ["\(path)/sub/"])
        #expect(PathCompletions.paths("\(path)/.h") == ["\(path)/.hidden/"])
        #expect(RunCompletions.runs("\(path)/s") == ["\(path)/sub/"])
        #expect(PathCompletions.paths("\(path)/missing/").isEmpty)
    }

    @Test func `folders of runs are offered, and other folders only if there are none`() {
        for name in ["out/one/run.json", "out/suite/suite.json", "out/bad/file", "out/new/events.ndjson"] {
            folder.write("", to: name)
        }
        let path = folder.path
        #expect(RunCompletions.runs("\(path)/out/") == ["new", "one", "suite"].map { "\(path)/out/\($0)/" })
        #expect(RunCompletions.runs("\(path)/out/b") == ["\(path)/out/bad/"])
        #expect(RunCompletions.runs("\(path)/o") == ["\(path)/out/"])
    }

    @Test func `reports are completed with their kinds, then with files`() {
        let kinds = ["coverage=", "har=", "html=", "json=", "junit=", "markdown=", "prometheus=", "tap=", "github"]
        #expect(ReportCompletions.requests("") == kinds)
        #expect(ReportCompletions.requests("j") == ["json=", "junit="])
        folder.write("", to: "old.xml")
        #expect(ReportCompletions.requests("junit=\(folder.path)/o") == ["junit=\(folder.path)/old.xml"])
        #expect(ReportCompletions.requests("github,j") == ["github,json=", "github,junit="])
        let second = "tap=-,junit=\(folder.path)/o"
        #expect(ReportCompletions.requests(second) == ["\(second)ld.xml"])
    }
}
