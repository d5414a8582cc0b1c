import Testing
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON
import WaybillPlatform
import WaybillTestSupport

@testable import WaybillResults

/// The request reports of runs whose servers are hostile.
@Suite(.timeLimit(.minutes(5))) struct RequestReportTests {
    private static let hostile =
        "</script><script>alert(1)</script><img src=x onerror=alert(2)>&\"'\u{2028}\u{202E}\u{7}"

    private let folder = TemporaryFolder()

    /// A run in a folder, with one step whose names, message, header and body are hostile.
    private func hostileRun(_ text: String? = nil, body: [UInt8]? = nil) async throws -> ReportedRun {
        let hostile = text ?? Self.hostile
        let redactor = Samples.redactor
        let message = redactor.text(hostile)
        var result = Samples.result
        result.manifest = hostile
        let failure = Failure(.status, message, at: nil)
        var step = StepResult(id: "a", path: "main.a", graph: "main", outcome: .failed, failure: failure)
        step.name = hostile
        step.attempts = 1
        step.status = 500
        step.method = "GET"
        step.url = redactor.text("http://x/?p=hunter2&q=%3Cb")
        result.steps = [step]
        let response = ContractCoverage.Response(hostile, message, isDeclared: false, isSeen: true)
        let operation = ContractCoverage.Operation(name: hostile, id: hostile, responses: [response])
        result.coverage = [
            ContractCoverage(
                service: hostile,
                document: hostile,
                operations: [operation, .init(name: hostile, id: nil)]
            )
        ]
        let run = try RunFolder.create(.at("\(folder.path)/out"), for: Samples.id)
        let events = EventStream(journal: run.journal)
        let headers = [redactor.header("Authorization", "Bearer x"), redactor.header(hostile, hostile)]
        let url = redactor.text("http://x/?p=hunter2&q=%3Cb#part")
        events.emit(
            .requestWillSend(.init(attempt: 1, method: "GET", url: url, headers: headers)),
            step: "main.a"
        )
        events.emit(
            .responseHead(.init(attempt: 1, status: 500, httpVersion: "1.1", headers: headers)),
            step: "main.a"
        )
        events.emit(.responseFinished(attempt: 1, status: 500, Samples.time, ByteCounts()), step: "main.a")
        events.emit(.warning(message, at: nil), step: "main.a")
        events.emit(.stepFinished(result.steps[0]), step: "main.a")
        _ = try await run.keep(body: redactor.bytes(body ?? Array(hostile.utf8)), of: "main.a", contentType: nil)
        try await run.finish(result, outputs: [])
        return ReportedRun(result, in: run.path)
    }

    private func text(_ format: any RunReport.Type, _ runs: [ReportedRun], folder: String? = nil) throws -> String {
        var bytes: [UInt8] = []
        try format.write(runs, folder: folder) { bytes += $0 }
        return try #require(String(validating: bytes, as: UTF8.self))
    }

    @Test func `nothing from a server becomes markup or script in the page`() async throws {
        let run = try await hostileRun()
        let page = try text(HTMLReport.self, [run, run], folder: folder.path)
        #expect(!page.contains("<img") && !page.contains("alert(1)</script>"))
        #expect(page.components(of: "<script").count == 4, "two runs and the page's own script")
        #expect(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"))
        let shown = try #require(page.components(of: "<section id=\"steps\"").first)
        #expect(!shown.contains("\u{202E}") && !shown.contains("\u{7}") && shown.contains("alert(2)"))
        #expect(page.contains("href=\"out/bodies/main.a.bin\""))
        #expect(!page.contains("hunter2") && !page.contains("Bearer x"))
    }

    @Test func `the page links the files of steps and the bodies of failed elements`() async throws {
        let run = try RunFolder.create(.at("\(folder.path)/out"), for: Samples.id)
        let events = EventStream(journal: run.journal)
        let name = "javascript:alert(1)</script>.csv"
        folder.write("n\n1\n", to: "out/\(name)")
        let file = RunEvent.WrittenFile(path: Samples.redactor.text(name), records: 1, bytes: 4, aggregated: nil)
        events.emit(.writeCommitted(file), step: "main.a")
        var step = StepResult(id: "a", path: "main.a", graph: "main", outcome: .failed)
        let failure = Failure(.status, "the status is 500", at: nil)
        step.elements = ElementResults()
        for element in 0...1 { step.elements?.add(element: element, .failed, failure) }
        _ = try await run.keep(body: Samples.redactor.bytes(Array("no".utf8)), of: "main.a[1]", contentType: nil)
        var result = Samples.result
        result.steps = [step]
        try await run.finish(result, outputs: [])
        let page = try text(HTMLReport.self, [ReportedRun(result, in: run.path)], folder: folder.path)
        let link = "<a href=\"out/bodies/main.a%5B1%5D.bin\"><code>bodies/main.a[1].bin</code></a>"
        #expect(page.contains("<b>[1]</b> the status is 500<br>Body: \(link)</li>"), "\(page)")
        #expect(page.contains("<b>[0]</b> the status is 500</li>"))
        let href = "out/javascript%3Aalert%281%29%3C/script%3E.csv"
        #expect(page.contains("\"files\":[{\"name\":\"javascript:alert(1)\\u003c/script>.csv\",\"href\":\"\(href)\"}]"))
    }

    @Test func `the reports for people and for CI list the first warnings and count the others`() throws {
        let run = try RunFolder.create(.at("\(folder.path)/out"), for: Samples.id)
        let events = EventStream(journal: run.journal)
        for number in 1...102 { events.emit(.warning("warning <\(number)>", at: nil), step: "main.a") }
        events.flush()
        let reported = ReportedRun(Samples.result, in: run.path)
        for (format, first, last) in [
            (HTMLReport.self, "<li>main.a: warning &lt;1&gt;</li>", "<li>2 more are in the journal</li>"),
            (
                JUnitReport.self, "<system-err>warning: main.a: warning &lt;1&gt;\n",
                "2 more are in the journal</system-err>"
            ),
            (MarkdownReport.self, "- ⚠️ `main.a: warning <1>`\n", "- ⚠️ `2 more are in the journal`\n"),
            (TAPReport.self, "\n# warning: main.a: warning <1>\n", "\n# warning: 2 more are in the journal\n"),
        ] as [(any RunReport.Type, String, String)] {
            let report = try text(format, [reported])
            #expect(report.contains(first) && report.contains(last) && !report.contains("102"), "\(format.name)")
        }
    }

    /// Comparing such a text by canonical equivalence takes a time that is quadratic in its length.
    @Test(arguments: RunReports.all.map { $0.name })
    func `a letter with a million marks takes a time that is linear in every report`(name: String) async throws {
        let format = try #require(RunReports.all.first { $0.name == name })
        let letter = "x" + String(repeating: "\u{301}\u{316}", count: 20_000)
        let text = try text(format, [await hostileRun(letter)])
        #expect(text.unicodeScalars.contains("\u{316}"))
    }

    @Test func `labels of metrics are escaped, and no metric has the same labels twice`() async throws {
        var result = try await hostileRun().result
        result.manifest = "a\\b\"c\nd"
        let metrics = try text(PrometheusReport.self, [ReportedRun(result, in: nil), ReportedRun(result, in: nil)])
        let lines = metrics.split(separator: "\n").filter { !$0.hasPrefix("# ") }
        #expect(
            lines.contains(#"waybill_run_success{manifest="a\\b\"c\nd",environment="staging",mock="true"} 0"#),
            "\(metrics)"
        )
        #expect(Set(lines.map { $0.prefix { $0 != "}" } }).count == lines.count)
        #expect(metrics.components(of: "# TYPE waybill_step_success gauge\n").count == 2)
    }

    @Test func `Markdown is short enough for a comment, with the failures first and the number of what is left out`()
        async throws
    {
        var failed = Samples.result
        let failure = Failure(.status, Samples.redactor.text(String(repeating: "no ", count: 500)), at: nil)
        failed.steps = (0..<100).map {
            StepResult(id: "s\($0)", path: "main.s\($0)", graph: "main", outcome: .failed, failure: failure)
        }
        failed.outcome = .failed
        var passed = failed
        passed.outcome = .passed
        passed.manifest = "passed.yaml"
        passed.steps = failed.steps.map { StepResult(id: $0.id, path: $0.path, graph: "main", outcome: .passed) }
        let runs = Array(repeating: ReportedRun(passed, in: nil), count: 1_000) + [ReportedRun(failed, in: nil)]
        let report = try text(MarkdownReport.self, runs)
        #expect(report.unicodeScalars.count < 60_000 && report.hasPrefix("### ❌"))
        let shown = report.components(of: "**failed**").count - 1
        #expect(shown > 10 && report.contains("… and \(100 - shown) more failures.\n"))
        #expect(report.contains(" more manifests.\n"))
    }

    @Test func `the heading counts the manifests with the outcome, and noncharacters are replaced`() async throws {
        let failed = try await hostileRun()
        var result = failed.result
        result.outcome = .passed
        let odd = [0xFFFE, 0xFDD0, 0x1FFFF].compactMap { Unicode.Scalar($0 as UInt32) }
        result.steps[0].name = "a\(String(String.UnicodeScalarView(odd)))"
        let passed = ReportedRun(result, in: failed.folder)
        #expect(try text(HTMLReport.self, [passed, failed, passed]).contains("failed</span> 1 of 3 manifests</h1>"))
        #expect(try text(HTMLReport.self, [passed, passed]).contains("passed</span> 2 manifests</h1>"))
        for format in [HTMLReport.self, TAPReport.self] as [any RunReport.Type] {
            let text = try text(format, [passed])
            #expect(!text.unicodeScalars.contains(where: odd.contains), "\(format.name)")
        }
    }

    @Test func `the steps are embedded as JSON for the script of the page`() async throws {
        let page = try text(HTMLReport.self, [try await hostileRun()])
        let data = try #require(page.components(of: "class=\"run\">\n").last?.components(of: "</script>").first)
        let steps = try JSONParser().parse(Array(data.utf8))["steps"]
        #expect(steps?[0]?["name"]?.string == Self.hostile)
        #expect(steps?[0]?["failureNumber"] == 1)
    }

    @Test func `the page loads nothing from other origins`() throws {
        let page = try text(HTMLReport.self, [])
        #expect(page.contains("default-src 'none'"))
        #expect(!page.contains("http://") && !page.contains("https://"))
    }

    @Test func `an archive contains the exchange with its stored body, and no secrets`() async throws {
        let archive = try text(HARReport.self, [try await hostileRun()])
        #expect(!archive.contains("hunter2") && !archive.contains("Bearer x"))
        let entry = try JSONParser().parse(Array(archive.utf8))["log"]?["entries"]?[0]
        #expect(entry?["request"]?["url"] == "http://x/?p=***&q=%3Cb")
        #expect(entry?["request"]?["queryString"] == [["name": "p", "value": "***"], ["name": "q", "value": "<b"]])
        #expect(entry?["response"]?["content"]?["text"]?.string == Self.hostile)
        #expect(entry?["response"]?["httpVersion"] == "HTTP/1.1")
        // A first byte after the end is impossible, and no phase may be negative.
        let timings: JSON = [
            "blocked": -1, "dns": 0.01, "connect": 3, "ssl": 2, "send": 0, "wait": 2996.99, "receive": 0,
        ]
        #expect(entry?["timings"] == timings)
        #expect(entry?["time"] == 3000)
        #expect(entry?["_step"] == "main.a")
    }

    @Test func `a body that is not UTF-8 is base64 in an archive and repaired on the page`() async throws {
        let run = try await hostileRun(body: [0xFF, 0x3C, 0x62, 0x0D, 0x0A, 0x63])
        let archive = try JSONParser().parse(Array(try text(HARReport.self, [run]).utf8))
        let content = archive["log"]?["entries"]?[0]?["response"]?["content"]
        #expect(content?["text"] == "/zxiDQpj" && content?["encoding"] == "base64" && content?["size"] == 6)
        #expect(try text(HTMLReport.self, [run]).contains("\u{FFFD}&lt;b\nc</pre>"))
    }

    /// A run with one step.
    private func run(_ outcome: StepOutcome, _ failure: Failure? = nil, _ change: (inout StepResult) -> Void)
        -> RunResult
    {
        var step = StepResult(id: "a", path: "main.a", graph: "main", outcome: outcome, failure: failure)
        change(&step)
        var result = Samples.result
        result.steps = [step]
        return result
    }

    @Test(
        arguments: [
            (1, 1, nil, nil), (2, nil, nil, "2 attempts"), (3, 3, nil, "3 pages"), (5, 3, nil, "3 pages, 5 attempts"),
            (1, 7, nil, "7 pages"), (4, nil, 4, "4 polls"), (6, nil, 4, "4 polls, 6 attempts"),
            (9, 2, 4, "2 pages, 4 polls"),
            (2, 0, nil, "2 attempts"),
        ] as [(Int, Int?, Int?, String?)]
    )
    func `the requests of pages and polls are not attempts`(
        attempts: Int,
        pages: Int?,
        polls: Int?,
        words: String?
    ) throws {
        let result = run(.failed, Samples.failure) { ($0.attempts, $0.pages, $0.polls) = (attempts, pages, polls) }
        let runs = [ReportedRun(result, in: nil)]
        #expect(result.steps[0].repetitionText == words)
        let junit = try text(JUnitReport.self, runs)
        #expect(
            junit.contains(words.map { "<system-out>\($0)</system-out>" } ?? "</failure>\n    </testcase>"),
            "\(junit)"
        )
        let parts = words?.components(of: ", ") ?? []
        let tap = try text(TAPReport.self, runs)
        let page = try text(HTMLReport.self, runs)
        for part in parts {
            let (count, noun) = (part.prefix { $0 != " " }, part.drop { $0 != " " }.dropFirst())
            #expect(tap.contains("\n  \(noun): \(count)\n") && page.contains("<span>\(part)</span>"))
        }
        #expect(tap.contains("attempts:") == parts.contains { $0.hasSuffix("attempts") })
    }

    @Test func `a step is a case in addition to its elements only for what they do not show`() throws {
        let (first, second, own) = (Samples.failure, Failure(.status, "no", at: nil), Failure(.output, "lost", at: nil))
        func cases(_ outcomes: [StepOutcome], isNamed: Bool, _ failure: Failure?, skipped: Int = 0) throws -> [String] {
            var elements = ElementResults()
            for (index, outcome) in outcomes.enumerated() {
                let subject = ElementSubject(name: isNamed ? "e" : nil, time: .milliseconds(500 + index))
                let failure = outcome == .failed ? (index == 0 ? first : second) : nil
                elements.add(element: index, outcome, failure, subject)
            }
            elements.skip(skipped)
            let result = run(failure == nil ? .passed : .failed, failure) { $0.elements = elements }
            let junit = try text(JUnitReport.self, [ReportedRun(result, in: nil)])
            let counts = ["tests", "failures", "skipped"].map { name in
                junit.components(of: " \(name)=\"").last?.components(of: "\"").first ?? ""
            }
            let tap = try text(TAPReport.self, [ReportedRun(result, in: nil)])
            let points = tap.components(of: "\n").filter { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
            #expect(tap.contains("\n1..\(points.count)\n"))
            #expect(
                !tap.contains("# SKIP\n")
                    || tap.contains("# SKIP\n  ---\n  elements: \"1 failed, 1 passed, 3 skipped\"\n  ...\n")
            )
            #expect(!isNamed || junit.contains("[1] (e)\" classname=\"accounts.main\" time=\"0.501\""), "\(junit)")
            return [counts.joined(separator: " "), "\(points.count) \(points.count { $0.hasPrefix("not") })"]
        }
        #expect(try cases([.passed, .passed], isNamed: true, nil) == ["2 0 0", "2 0"])
        #expect(try cases([.passed, .passed], isNamed: false, nil) == ["1 0 0", "1 0"])
        #expect(try cases([.failed, .failed], isNamed: true, first) == ["2 2 0", "2 2"])
        #expect(try cases([.failed, .failed], isNamed: false, first) == ["2 2 0", "1 1"])
        // A failure of its own, and elements that were not started.
        #expect(try cases([.passed, .passed], isNamed: true, own) == ["3 1 0", "3 1"])
        #expect(try cases([.failed, .passed], isNamed: true, first, skipped: 3) == ["3 1 1", "3 1"])
        // Of more than a hundred failures without names, only some are shown.
        #expect(try cases(Array(repeating: .failed, count: 101), isNamed: false, first) == ["101 101 0", "1 1"])
    }

    @Test func `an archive says that requests of elements are missing only if there were any`() throws {
        let values = run(.passed) { $0.elements = ElementResults(counts: OutcomeCounts(of: Samples.steps)) }
        let requests = run(.passed) { step in
            step.elements = ElementResults(counts: OutcomeCounts(of: Samples.steps))
            step.attempts = 2
        }
        func comment(_ results: [RunResult]) throws -> JSON? {
            let archive = try text(HARReport.self, results.map { ReportedRun($0, in: nil) })
            return try JSONParser().parse(Array(archive.utf8))["log"]?["comment"]
        }
        #expect(try comment([values]) == nil)
        let words =
            "the run has not recorded the requests of the elements of 'main.a': use --report har=FILE when it runs"
        #expect(try comment([requests]) == .string(words))
        #expect(try comment([values, requests]) == .string("accounts.yaml: \(words)"))
    }

    @Test func `the page has the sessions among the steps, and no column without values`() throws {
        let folder = try RunFolder.create(.at("\(folder.path)/out"), for: Samples.id)
        let events = EventStream(journal: folder.journal)
        let session = StepResult(id: "s", path: "session.s", graph: "session", outcome: .passed)
        for _ in 0..<2 { events.emit(.stepFinished(session), step: "session.s") }
        events.flush()
        var result = run(.passed) { _ in }
        (result.environment, result.isMocked) = (nil, false)
        let run = ReportedRun(result, in: folder.path)
        let page = try text(HTMLReport.self, [run, run])
        let data = try #require(page.components(of: "class=\"run\">\n").last?.components(of: "</script>").first)
        let steps = try JSONParser().parse(Array(data.utf8))["steps"]?.array ?? []
        #expect(steps.map { $0["path"] } == ["session.s", "main.a"])
        #expect(steps.map { $0["isSession"] } == [true, nil])
        #expect(page.contains("<dt>Sum of durations</dt>") && page.contains("<th scope=\"col\">Response times</th>"))
        #expect(!page.contains("<th scope=\"col\">Environment</th>"))
    }

    @Test func `a report written to a pipe does not replace the pipe`() throws {
        let path = "\(folder.path)/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        // Opened for reading and writing, so that opening does not block.
        let pipe = open(path, O_RDWR)
        defer { close(pipe) }
        try TAPReport.write([], toFile: path)
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(pipe, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "TAP version 13\n1..0\n")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func `a journal that cannot be read is an error`() async throws {
        let run = try await hostileRun()
        folder.write("{}\n", to: "out/events.ndjson")
        #expect(throws: ResultsError.self) { try text(HARReport.self, [run]) }
    }
}

extension String {
    fileprivate func components(of separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
