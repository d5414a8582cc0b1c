import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

@testable import WaybillResults

/// A run that contains everything a result can hold.
enum Samples {
    static let id = RunID("20261121-052703-k3v9qa")!
    static let start = Timestamp(nanoseconds: 1_795_238_823_041_000_000)
    static let redactor = {
        let redactor = Redactor()
        redactor.register("hunter2")
        return redactor
    }()
    static let manifest = SourceFile(name: "accounts.yaml", text: "a: 1\nexpect:\n  status: 200\n")

    static let failure = Failure(
        .expect,
        "2 of 3 expectations failed",
        code: redactor.code("E-hunter2"),
        at: manifest.span(15..<26),
        details: [
            Failure.Detail("expected the status 200, got \(503)", at: manifest.span(23..<26), label: "here"),
            Failure.Detail(redactor.text("no 'hunter2' in it"), at: nil),
        ]
    )

    static let time = PhaseTimes(
        total: .microseconds(12_345),
        dns: .microseconds(10),
        connect: .milliseconds(1),
        tls: .milliseconds(2),
        firstByte: .seconds(3)
    )

    static let responseTimes = ResponseTimes(
        count: 3,
        p50: .milliseconds(1),
        p95: .milliseconds(2),
        p99: .milliseconds(2),
        maximum: .microseconds(2_500),
        isRounded: true
    )

    /// A body of which an event has only the start.
    static let body = BodyExcerpt(of: RedactedBytes(redacted: Array(repeating: UInt8(ascii: "x"), count: 5_000)))

    /// A request with a body, as events have it.
    static var request: RunEvent.SentRequest {
        var request = RunEvent.SentRequest(attempt: 1, method: "PUT", url: redactor.text("http://x/"), headers: [])
        request.body = body
        return request
    }

    /// The head of a response with a body, as events have it.
    static var head: RunEvent.ResponseHead {
        var head = RunEvent.ResponseHead(attempt: 1, status: 200, headers: [])
        head.body = BodyExcerpt(bytes: 7)
        return head
    }

    static var steps: [StepResult] {
        var elements = ElementResults()
        for element in (0..<150).reversed() { elements.add(element: element, .failed, failure) }
        let name = redactor.text("the last one")
        elements.add(element: 150, .passed, nil, ElementSubject(name: name, time: .milliseconds(3)))
        elements.responseTimes = responseTimes
        var login = StepResult(id: "login", path: "main.login", graph: "main", outcome: .passed)
        login.name = "Log in"
        login.endpoint = "login"
        login.attempts = 2
        (login.pages, login.polls) = (3, 2)
        login.status = 200
        login.cache = .miss
        login.method = "POST"
        login.url = redactor.text("https://example.com/?p=hunter2")
        login.startedAt = start
        login.time = time
        login.bytes = ByteCounts(sent: 10, received: 20)
        var each = StepResult(id: "each", path: "main.each", graph: "main", outcome: .failed, failure: failure)
        each.elements = elements
        return [login, each, StepResult(id: "rest", path: "main.rest", graph: "main", outcome: .skipped)]
    }

    static var result: RunResult {
        var result = RunResult(
            id: id,
            manifest: "accounts.yaml",
            environment: "staging",
            startedAt: start,
            finishedAt: Timestamp(nanoseconds: start.nanoseconds + 1_500_000_000),
            time: .milliseconds(1_250),
            outcome: .failed,
            steps: steps
        )
        result.isMocked = true
        result.responseTimes = responseTimes
        return result
    }

    /// One event of every kind; events of a step have its path.
    static var events: [RunEvent] {
        let headers = [redactor.header("Authorization", "Bearer x"), redactor.header("X-A", "hunter2")]
        let kinds: [(RunEvent.Kind, String?)] = [
            (.runStarted(.init(id: id, manifest: "accounts.yaml", environment: "dev", graphs: ["main"])), nil),
            (.graphStarted(graph: "main"), nil),
            (.stepStarted, "main.login"),
            (
                .requestWillSend(.init(attempt: 1, method: "GET", url: redactor.text("http://x/"), headers: headers)),
                "main.login"
            ),
            (.runPaused, nil),
            (.runUnpaused, "main.login"),
            (.requestSent(attempt: 1, bytes: 0), "main.login"),
            (
                .requestProgress(.init(attempt: 1, sent: 10, sentTotal: 10, received: 5, receivedTotal: 9)),
                "main.login"
            ),
            (
                .requestProgress(.init(attempt: 1, sent: 0, sentTotal: nil, received: 5, receivedTotal: nil)),
                "main.login"
            ),
            (
                .requestRedirected(
                    .init(attempt: 1, status: 302, method: "GET", url: redactor.text("http://x/hunter2"))
                ),
                "main.login"
            ),
            (
                .requestRedirected(
                    .init(
                        attempt: 1,
                        status: 302,
                        method: "GET",
                        url: redactor.text("http://x/"),
                        details: .init(httpVersion: "2", headers: headers, time: time, nextHeaders: headers)
                    )
                ),
                "main.login"
            ),
            (.requestRetrying(.init(attempt: 1, pause: .milliseconds(200), failure: failure)), "main.login"),
            (.cacheUsed(attempt: 1, .revalidated), "main.login"),
            (.cacheUsed(attempt: 1, .hit, request: request), "main.login"),
            (.requestWillSend(request), "main.login"),
            (.responseHead(head), "main.login"),
            (.responseHead(.init(attempt: 1, status: 200, httpVersion: "1.1", headers: headers)), "main.login"),
            (.responseFinished(attempt: 1, status: 200, time, ByteCounts(received: 5)), "main.login"),
            (.requestDebug(attempt: 1, redactor.json(["built": ["url": "http://x/hunter2"]])), "main.login"),
            (.log(redactor.text("hello hunter2")), "main.login"),
            (
                .stepFinished(steps[0], kept: .init(.taken, record: redactor.json(["ok": true]), element: "x")),
                "main.login"
            ),
            (.elementsStarted(count: 20), "main.each"),
            (.elementsStarted(count: 20, of: .init(count: 60, first: 40, digest: "x")), "main.each"),
            (.pollFinished(poll: 1, pause: .seconds(1)), "main.login"),
            (
                .elementFinished(
                    .init(
                        index: 3,
                        outcome: .failed,
                        failure: failure,
                        subject: ElementSubject(
                            value: redactor.start(of: ["key": "hunter2"], 80),
                            url: redactor.text("http://x/hunter2"),
                            time: .milliseconds(12)
                        )
                    )
                ),
                "main.each"
            ),
            (
                .elementFinished(
                    .init(index: 4, outcome: .passed, failure: nil, records: .held([0xFF, 0x0A], records: 1))
                ),
                "main.each"
            ),
            (
                .pageFinished(
                    .init(
                        number: 1,
                        items: 20,
                        nextPage: redactor.json("http://x/?page=2&key=hunter2"),
                        records: .written(upTo: 400, checksum: 12, records: 20)
                    )
                ),
                "main.each[3]"
            ),
            (.pageFinished(.init(number: 2, items: 0, nextPage: nil, records: .held([], records: 0))), "main.each[3]"),
            (
                .writeCut(
                    .init(
                        path: redactor.text("a/hunter2.csv"),
                        rest: .init(bytes: 200, records: 10, count: 3, checksum: 7)
                    )
                ),
                "main.each"
            ),
            (
                .writeSharded(.init(path: redactor.text("a/hunter2.csv"), records: 20, bytes: 400, checksum: 12)),
                "main.each"
            ),
            (
                .writeCommitting(.init(path: redactor.text("a/hunter2.csv"), records: 20, bytes: 400, aggregated: nil)),
                "main.each"
            ),
            (
                .writeCommitted(.init(path: redactor.text("a/hunter2.csv"), records: 20, bytes: 400, aggregated: nil)),
                "main.each"
            ),
            (.writeCommitting(oneOfSeveral), "main.each"),
            (
                .downloadCommitted(
                    .init(path: redactor.text("a/hunter2.zip"), bytes: 4, sha256: "ab", isResumed: true, isKept: true)
                ), "main.file"
            ),
            (.stepFinished(steps[1]), "main.each"),
            (.sessionRenewed(service: "accounts"), nil),
            (
                .operationCovered(
                    .init(
                        service: "shop",
                        operation: "GET /orders",
                        status: "418",
                        mediaType: "text/tea",
                        isDeclared: false
                    )
                ),
                nil
            ),
            (.graphFinishing(graph: "main"), nil),
            (.stepSkipped(.failure), "main.rest"),
            (.warning("a secret in a URL", at: SourceLocation(manifest.span(0..<1))), nil),
            (.warning("no place", at: nil), nil),
            (.graphFinished(graph: "main", .failed), nil),
            (.runFinished(.failed, result.counts), nil),
        ]
        return kinds.enumerated().map { RunEvent(seq: $0 + 1, at: start, step: $1.1, kind: $1.0) }
    }
}

extension RecordFileWriter {
    /// Commits a single file, without conditions.
    func commit(
        until isStopped: @escaping @Sendable () -> Bool = { false },
        orUntil isCancelled: @escaping @Sendable () -> Bool = { false }
    ) async throws(ResultsError) -> Committed {
        try await commit(
            until: isStopped,
            orUntil: isCancelled,
            check: { (_) throws(ResultsError) in },
            announce: { (_, _) throws(ResultsError) in }
        )[0]
    }
}

extension Samples {
    /// The last of two files, with the end of its step.
    private static var oneOfSeveral: RunEvent.WrittenFile {
        var file = RunEvent.WrittenFile(path: redactor.text("b.csv"), records: 2, bytes: 40, aggregated: nil)
        file.position = .init(number: 2, count: 2)
        file.commit = .init(
            unfinished: .init(bytes: 80, records: 4, count: 0, checksum: 7),
            result: StepResult(id: "each", path: "main.each", graph: "main", outcome: .passed),
            kept: RunEvent.KeptRecord(.taken)
        )
        return file
    }
}
