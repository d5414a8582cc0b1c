import Testing
import Waybill
import WaybillResults
import WaybillTestSupport

/// The results of earlier runs, read from their folders.
@Suite(.timeLimit(.minutes(5))) struct EarlierRunTests {
    /// Runs the shop, and returns its report.
    private func run(_ fixture: LibraryFixture, in folder: String? = nil) async throws -> ManifestRun.Report {
        try await fixture.plan()
            .run(results: folder ?? fixture.results, options: ManifestRun.Options(usesMock: true)).report
    }

    /// A manifest whose only step fails.
    private static let failing =
        "graphs: {main: {chain: [{id: a, get: \"http://127.0.0.1/\", expect: {status: 201}, mock: {body: {b: 1}}}]}}"

    @Test func `a report is read from the folder of a run as the run returned it`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let report = try await run(fixture)
        let read = try ManifestRun.Report(contentsOf: fixture.results)
        #expect((read.id, read.manifest, read.outcome, read.isFinished) == (report.id, fixture.path, .passed, true))
        // The file has times to the millisecond.
        #expect(read.steps.map(\.description) == report.steps.map(\.description))
        #expect(read.steps.map(\.url) == report.steps.map(\.url))
        #expect(read.outputs.description == report.outputs.description)
        #expect(read.startedAt.description == report.startedAt.description)
        #expect("\(read)" == "\(report)")
    }

    @Test func `the failure of an earlier run has its location`() async throws {
        let fixture = LibraryFixture(Self.failing)
        _ = try await run(fixture)
        let read = try ManifestRun.Report(contentsOf: fixture.results)
        #expect(read.failedSteps.first?.failure?.location?.line == 2)
        #expect(read.failedSteps.first?.failure?.location?.file == fixture.path)
    }

    @Test func `a run that was killed is reported with the steps of its journal`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let report = try await run(fixture)
        let journal = try #require(fixture.folder.read("results/events.ndjson"))
        let lines = journal.split(separator: "\n").prefix { !$0.contains("step.finished\",\"step\":\"main.orders") }
        fixture.folder.write(lines.joined(separator: "\n") + "\n", to: "results/events.ndjson")
        fixture.folder.remove("results/run.json")
        fixture.folder.remove("results/outputs.json")

        let read = try ManifestRun.Report(contentsOf: fixture.results)
        #expect((read.id, read.outcome, read.isFinished) == (report.id, .interrupted, false))
        #expect(read.steps.map(\.outcome) == [.passed, .cancelled])
        #expect(read.outputs == [:])
        #expect(read.finishedAt >= read.startedAt)
        let listed = try ManifestRun.earlierRuns(in: fixture.folder.path)
        #expect(listed.isEmpty, "the folder is not named like a run")
    }

    @Test func `what is no folder of a single run is reported`() throws {
        let folder = TemporaryFolder()
        let error = try #require(
            #expect(throws: RunError.self) { try ManifestRun.Report(contentsOf: "\(folder.path)/none") }
        )
        #expect(error.message == "there is no run in '\(folder.path)/none'")
        #expect(throws: RunError.self) { try ManifestRun.earlierRuns(in: "\(folder.path)/none") }
        _ = try SuiteFolder.create("\(folder.path)/suite", in: folder.path, for: ["a.yaml", "b.yaml"])
        let several = try #require(
            #expect(throws: RunError.self) { try ManifestRun.Report(contentsOf: "\(folder.path)/suite") }
        )
        #expect(several.message.contains("contains runs of several manifests"))
    }

    @Test func `runs in a folder are listed, also those of several manifests`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let runs = "\(fixture.folder.path)/runs"
        _ = try SuiteFolder.create("\(runs)/20260101-000000-aaaaaa", in: runs, for: ["a.yaml", "b.yaml", "c.yaml"])
        let a = try await run(fixture, in: "\(runs)/20260101-000000-aaaaaa/a")
        let b = try await run(LibraryFixture(Self.failing), in: "\(runs)/20260101-000000-aaaaaa/b")
        let single = try await run(fixture, in: "\(runs)/20260102-000000-aaaaaa")

        let listed = try ManifestRun.earlierRuns(in: runs)
        #expect(listed.map(\.id) == [single.id, a.id, b.id])
        #expect(listed.map(\.outcome) == [.passed, .passed, .failed])
        #expect("\(listed[0])" == "\(single.id) \(fixture.path): passed")
        #expect(listed.map(\.isRunning) == [false, false, false])
        #expect(listed[0].startedAt.description == single.startedAt.description)
        #expect(try listed.map { try ManifestRun.Report(contentsOf: $0.folder).manifest } == listed.map(\.manifest))
        #expect(try ManifestRun.earlierRuns(in: "\(runs)/20260101-000000-aaaaaa").map(\.id) == [a.id, b.id])

        let page = "\(fixture.folder.path)/junit.xml"
        try ManifestRun.Report.write(.junit, ofRunsIn: "\(runs)/20260101-000000-aaaaaa", to: page)
        let text = try #require(fixture.folder.read("junit.xml"))
        #expect(text.contains("c.yaml"), "a manifest that was not run is listed")
        #expect(text.contains("expected") || text.contains("status"))
    }

    @Test func `runs with damaged files are listed as such`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let runs = "\(fixture.folder.path)/runs"
        let (ids, suite) = (["20260104-000000-aaaaaa", "20260103-000000-aaaaaa"], "20260102-000000-aaaaaa")
        for id in ids { _ = try await run(fixture, in: "\(runs)/\(id)") }
        _ = try SuiteFolder.create("\(runs)/\(suite)", in: runs, for: ["a.yaml", "b.yaml"])
        let member = try await run(fixture, in: "\(runs)/\(suite)/a")
        fixture.folder.write("{", to: "runs/\(ids[0])/run.json")
        fixture.folder.write("{", to: "runs/\(ids[0])/events.ndjson")
        fixture.folder.write("\0", to: "runs/\(ids[1])/run.json")
        fixture.folder.write("", to: "runs/\(suite)/a/run.json")

        let listed = try ManifestRun.earlierRuns(in: runs)
        #expect(listed.map(\.folder) == ["\(runs)/\(ids[0])", "\(runs)/\(ids[1])", "\(runs)/\(suite)/a"])
        #expect(listed.map(\.isDamaged) == [true, true, true])
        #expect(listed.map(\.outcome) == [nil, nil, nil])
        #expect(listed.map(\.manifest) == ["", fixture.path, member.manifest])
        #expect(listed[0].id == ids[0])
        #expect(listed[0].startedAt.description == "2026-01-04T00:00:00.000Z")
        #expect("\(listed[2])".hasSuffix(": damaged"))
    }

    @Test func `the events of an earlier run are those of the run`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let run = try fixture.plan().run(results: fixture.results, options: ManifestRun.Options(usesMock: true))
        let events = try await run.events()
        var recorded: [ManifestRun.Event] = []
        for try await event in try ManifestRun.Report(contentsOf: fixture.results).events { recorded.append(event) }
        // The journal has no progress.
        #expect(recorded.map(\.description) == events.map(\.description))
        fixture.folder.remove("results/events.ndjson")
        await #expect(throws: RunError.self) { for try await _ in try await run.report.events {} }
    }

    @Test func `the body of a failed response is kept`() async throws {
        let fixture = LibraryFixture(Self.failing)
        let report = try await run(fixture)
        let body = try #require(try report.keptBody(of: "main.a"))
        #expect(JSONValue(parsing: String(decoding: body, as: UTF8.self)) == ["b": 1])
        #expect(try report.keptBody(of: "main.b") == nil)
    }

    @Test(arguments: ["", "{\"main\": {", "[]"])
    func `a run whose outputs are damaged is not read`(outputs: String) async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        _ = try await run(fixture)
        fixture.folder.write(outputs, to: "results/outputs.json")
        let error = #expect(throws: RunError.self) { try ManifestRun.Report(contentsOf: fixture.results) }
        #expect(error?.code == .unreadableRun)
    }

    @Test func `two runs are compared`() async throws {
        let fixture = LibraryFixture(LibraryFixture.shop)
        let before = try await run(fixture, in: "\(fixture.folder.path)/before")
        #expect(before.changes(since: before).isEmpty)
        fixture.folder.write(
            "waybill: 1\n\(LibraryFixture.shop.replacing("total: 3}]", with: "total: 4}], status: 201"))\n",
            to: "manifest.yaml"
        )
        let after = try await run(fixture, in: "\(fixture.folder.path)/after")
        let comparison = try ManifestRun.Report(contentsOf: #require(after.folder))
            .changes(since: ManifestRun.Report(contentsOf: #require(before.folder)))
        guard case .outcome(let old, let new)? = comparison.steps.first else {
            Issue.record("the changes are \(comparison.steps)")
            return
        }
        #expect((old.status, new.status) == (200, 201))
        #expect(comparison.outputs.map(\.name) == ["main.totals"])
        #expect(comparison.outputs.first?.after == [12.5, 4])
    }

    @Test(arguments: ManifestRun.Report.Format.allCases)
    func `a report is written in each format`(format: ManifestRun.Report.Format) async throws {
        #expect(RunReports.all.map { $0.name } == ManifestRun.Report.Format.allCases.map(\.rawValue))
        let fixture = LibraryFixture(Self.failing)
        let report = try await run(fixture)
        let path = "\(fixture.folder.path)/reports/report"
        try report.write(format, to: path)
        let written = try #require(fixture.folder.read("reports/report"))
        #expect(written.contains(format == .har ? "http://127.0.0.1/" : format == .coverage ? "documents" : "main"))
        // Links to the bodies are relative to the file.
        if format != .html { #expect(try report.text(in: format) == written) }
    }

    @Test func `a report does not replace a file of the run`() async throws {
        let fixture = LibraryFixture(Self.failing)
        let report = try await run(fixture)
        for path in ["\(fixture.results)/run.json", fixture.path] {
            let error = try #require(#expect(throws: RunError.self) { try report.write(.json, to: path) })
            #expect(error.message.contains("would replace a file that the run"))
        }
        #expect(fixture.folder.read("manifest.yaml")?.hasPrefix("waybill: 1") == true)
    }

    @Test func `a report that a test has made is written without a folder`() throws {
        let report = ManifestRun.Report(manifest: "shop.yaml", outcome: .passed)
        #expect(try report.text(in: .tap).hasPrefix("TAP version 13\n1..0"))
        let path = "\(TemporaryFolder().path)/r.har"
        for write in [{ _ = try report.text(in: .har) }, { try report.write(.har, to: path) }] as [() throws -> Void] {
            let error = #expect(throws: RunError.self) { try write() }
            #expect(error?.message.contains("which the run does not have") == true)
        }
        #expect(try report.keptBody(of: "main.a") == nil)
    }
}
