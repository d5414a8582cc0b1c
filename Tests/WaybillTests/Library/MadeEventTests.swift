import Synchronization
import Testing
import Waybill

/// Events, results and reports that a test of a client makes.
@Suite struct MadeEventTests {
    private static let failure = ManifestRun.StepFailure(
        kind: .status,
        message: "the status is \(401), not 2xx",
        code: "401",
        location: SourceLocation(file: "shop.yaml", line: 12, column: 5),
        details: [ManifestRun.StepFailure.Detail(message: "not 2xx")]
    )

    private static let kinds: [(String, ManifestRun.Event.Kind)] = [
        ("run.started", .runStarted(ManifestRun.Start(manifest: "shop.yaml"))),
        ("run.finished", .runFinished(outcome: .failed, counts: [.failed: 1])),
        ("run.paused", .paused), ("run.unpaused", .unpaused),
        ("graph.started", .graphStarted(name: "main")), ("graph.finishing", .graphFinishing(name: "main")),
        ("graph.finished", .graphFinished(name: "main", outcome: .passed)),
        ("step.started", .stepStarted), ("step.skipped", .stepSkipped(reason: .condition)),
        ("step.finished", .stepFinished(ManifestRun.Step(id: "a", path: "main.a", graph: "main", outcome: .passed))),
        ("elements.started", .elementsStarted(count: 3)),
        ("element.finished", .elementFinished(ManifestRun.ElementResult(index: 1, outcome: .failed, failure: failure))),
        ("page.finished", .pageFinished(ManifestRun.Page(number: 1, items: 20, next: "/?page=2"))),
        ("poll.finished", .pollFinished(number: 1, pause: .seconds(1))),
        ("write.cut", .fileTruncated(ManifestRun.TruncatedFile(path: "a.csv", count: 1, records: 2, bytes: 3))),
        (
            "write.committing",
            .fileCompleted(ManifestRun.WrittenFile(path: "a.csv", records: 2, bytes: 3, aggregates: ["n": 1]))
        ),
        ("write.committed", .fileWritten(ManifestRun.WrittenFile(path: "a.db", table: "t", records: 2, bytes: 3))),
        ("download.committed", .fileDownloaded(ManifestRun.DownloadedFile(path: "a.zip", bytes: 3))),
        (
            "request.willSend",
            .requestWillSend(
                ManifestRun.Request(
                    attempt: 1,
                    method: "GET",
                    url: "http://127.0.0.1/",
                    headers: [ManifestRun.HeaderField(name: "Accept", value: "*/*")]
                )
            )
        ),
        ("request.sent", .requestSent(attempt: 1, bytes: 0)),
        (
            "request.progress",
            .requestProgress(
                ManifestRun.Progress(attempt: 1, sent: 1, sentTotal: nil, received: 2, receivedTotal: 3)
            )
        ),
        ("request.redirected", .requestRedirected(ManifestRun.Redirection(status: 302, url: "http://127.0.0.1/a"))),
        ("request.retrying", .requestRetrying(ManifestRun.Retry(attempt: 1, pause: .seconds(1), failure: failure))),
        ("cache.used", .cacheUsed(attempt: 1, use: .hit)),
        ("response.head", .responseStarted(ManifestRun.ResponseHead(attempt: 1, status: 200, headers: []))),
        (
            "response.finished",
            .responseFinished(ManifestRun.Response(status: 200, times: ManifestRun.Times(total: .seconds(1))))
        ),
        ("request.debug", .exchange(["built": ["url": "http://127.0.0.1/"]])),
        ("session.renewed", .sessionRenewed(service: "shop")),
        (
            "operation.covered",
            .operationCovered(
                ManifestRun.CoveredResponse(
                    service: "shop",
                    operation: "GET /a",
                    status: "200",
                    mediaType: "text/plain"
                )
            )
        ),
        ("log", .log(message: "hello")),
        ("warning", .warning(message: "odd", location: SourceLocation(file: "a", line: 1, column: 2, endColumn: 4))),
    ]

    @Test(arguments: kinds)
    func `an event of each kind can be made`(type: String, kind: ManifestRun.Event.Kind) {
        let event = ManifestRun.Event(number: 7, step: "main.a", kind: kind)
        #expect(event.kind == kind)
        #expect((event.number, event.step, event.type) == (7, "main.a", type))
        #expect(event.value["type"]?.string == type)
    }

    @Test func `an observer is tested without a run`() {
        final class Failures: ManifestRun.Observer {
            private let messages = Mutex<[String]>([])
            var all: [String] { messages.withLock { $0 } }
            func receive(_ event: ManifestRun.Event) {
                guard case .stepFinished(let step) = event.kind, let failure = step.failure else { return }
                messages.withLock { $0.append("\(failure)") }
            }
        }
        let failures = Failures()
        var step = ManifestRun.Step(id: "login", path: "main.login", graph: "main", outcome: .failed)
        failures.receive(ManifestRun.Event(kind: .stepFinished(step)))
        step.failure = Self.failure
        failures.receive(ManifestRun.Event(kind: .stepFinished(step)))
        #expect(failures.all == ["shop.yaml:12:5: status: the status is 401, not 2xx"])
        #expect(Self.failure.code == "401")
        #expect(Self.failure.location?.line == 12)
    }

    @Test func `a report, its steps and their parts are printed for people`() {
        var step = ManifestRun.Step(
            id: "login",
            path: "main.login",
            graph: "main",
            outcome: .failed,
            failure: Self.failure
        )
        step.status = 401
        var each = ManifestRun.Step(id: "each", path: "main.each", graph: "main", outcome: .tolerated)
        let failed = ManifestRun.Elements.ElementFailure(index: 3, failure: Self.failure)
        each.elements = ManifestRun.Elements(counts: [.passed: 2, .failed: 1], failures: [failed])
        let start = ManifestRun.Timestamp(nanoseconds: 1_795_238_823_041_000_000)
        let report = ManifestRun.Report(
            manifest: "shop.yaml",
            startedAt: start,
            finishedAt: ManifestRun.Timestamp(nanoseconds: start.nanoseconds + 48_000_000),
            outcome: .failed,
            steps: [step, ManifestRun.Step(id: "a", path: "main.a", graph: "main", outcome: .passed), each],
            outputs: ["main": ["n": 1]],
            folder: "waybill-results/x"
        )
        #expect(report.counts == [.failed: 1, .passed: 1, .tolerated: 1])
        #expect(
            "\(report)" == """
                shop.yaml: failed: 1 failed, 1 tolerated, 1 passed in 48 ms
                  main.login failed 401: shop.yaml:12:5: status: the status is 401, not 2xx
                  main.each tolerated (1 failed, 2 passed)
                  results: waybill-results/x
                """
        )
        #expect("\(each.elements!)".hasSuffix("\n  [3] shop.yaml:12:5: status: the status is 401, not 2xx"))
        let times = ManifestRun.Times(total: .milliseconds(12), dns: .milliseconds(1), firstByte: .milliseconds(11))
        #expect("\(times)" == "12 ms (dns 1.0 ms, first byte 11 ms)")
        #expect("\(ManifestRun.ByteCounts(sent: 120, received: 4096))" == "120 bytes sent, 4096 bytes received")
        #expect("\(ManifestRun.HeaderField(name: "Accept", value: "*/*"))" == "Accept: */*")
        #expect("\(Self.failure.details[0])" == "not 2xx")
    }
}
