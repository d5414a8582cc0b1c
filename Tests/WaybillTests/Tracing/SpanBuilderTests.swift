import Synchronization
import Testing
import WaybillDiagnostics
import WaybillFormats
import WaybillJSON

@testable import WaybillResults
@testable import WaybillTracing

/// Sequences of events, and the spans that they become.
@Suite struct SpanBuilderTests {
    private static let redactor = Redactor()
    private static let id = RunID("20261121-052703-k3v9qa")!
    private static let context = TraceContext(of: id)

    /// Events of a run, one millisecond apart.
    private struct Script {
        var events: [RunEvent] = []

        init(isMocked: Bool = false, isResumed: Bool = false) {
            var start = RunEvent.RunStart(
                id: SpanBuilderTests.id,
                manifest: "shop.yaml",
                environment: nil,
                graphs: ["main"]
            )
            (start.isMocked, start.isResumed) = (isMocked, isResumed)
            add(nil, .runStarted(start))
            add(nil, .graphStarted(graph: "main"))
        }

        mutating func add(_ step: String?, _ kind: RunEvent.Kind) {
            let at = Timestamp(nanoseconds: Int64(events.count) * 1_000_000)
            events.append(RunEvent(seq: events.count + 1, at: at, step: step, kind: kind))
        }

        mutating func send(
            _ step: String,
            attempt: Int = 1,
            method: String = "GET",
            url: String = "http://s:81/a",
            headers: [RedactedHeader] = []
        ) {
            let url = SpanBuilderTests.redactor.text(url)
            add(step, .requestWillSend(.init(attempt: attempt, method: method, url: url, headers: headers)))
        }

        mutating func receive(_ step: String, attempt: Int = 1, status: Int = 200) {
            add(step, .responseHead(.init(attempt: attempt, status: status, httpVersion: "1.1", headers: [])))
            let time = PhaseTimes(total: .milliseconds(1))
            add(step, .responseFinished(attempt: attempt, status: status, time, ByteCounts(sent: 0, received: 0)))
        }

        mutating func finish(_ step: String, _ outcome: StepOutcome = .passed, _ failure: Failure? = nil) {
            let result = StepResult(id: step, path: step, graph: "main", outcome: outcome, failure: failure)
            add(step, .stepFinished(result))
        }

        mutating func end(_ outcome: StepOutcome = .passed) {
            add(nil, .graphFinished(graph: "main", outcome))
            add(nil, .runFinished(outcome == .failed ? .failed : .passed, OutcomeCounts()))
        }
    }

    private func spans(of script: Script, in context: TraceContext = Self.context) -> [Span] {
        let next = Mutex<UInt64>(0)
        var builder = SpanBuilder(context) {
            SpanID(
                number: next.withLock { number in
                    number += 1
                    return number
                }
            )
        }
        return script.events.flatMap { builder.take($0) }
    }

    /// The spans as an indented tree: name, start and end in milliseconds, and why it failed.
    private func tree(_ spans: [Span], root: SpanID? = nil) -> String {
        func lines(in parent: SpanID?, _ depth: Int) -> [String] {
            spans.filter { $0.parent == parent }.sorted { $0.start < $1.start }.flatMap { span in
                let (start, end) = (span.start.nanoseconds / 1_000_000, span.end.nanoseconds / 1_000_000)
                let failure = span.hasFailed ? " failed\(span.message.map { ": \($0)" } ?? "")" : ""
                let line = String(repeating: "  ", count: depth) + "\(span.name) \(start)-\(end)\(failure)"
                return [line] + lines(in: span.id, depth + 1)
            }
        }
        return lines(in: root, 0).joined(separator: "\n")
    }

    private func value(_ key: String, of span: Span?) -> SpanAttribute.Value? {
        span?.attributes.first { $0.key == key }?.value
    }

    @Test func `a step contains the attempts of its request`() throws {
        var script = Script()
        script.add("main.a", .stepStarted)
        script.send("main.a")
        script.receive("main.a", status: 503)
        let busy = Failure(.status, "the status is 503", at: nil)
        script.add("main.a", .requestRetrying(.init(attempt: 1, pause: .zero, failure: busy)))
        script.send("main.a", attempt: 2)
        let broken = Failure(.transfer, "the connection was closed", at: nil)
        script.add("main.a", .requestRetrying(.init(attempt: 2, pause: .zero, failure: broken)))
        script.send("main.a", attempt: 3)
        script.receive("main.a", attempt: 3)
        script.finish("main.a")
        script.end()
        let spans = spans(of: script)
        #expect(
            tree(spans) == """
                run shop.yaml 0-14
                  graph main 1-13
                    main.a 2-12
                      GET 3-5 failed
                      GET 7-8 failed: the connection was closed
                      GET 9-11
                """
        )
        let attempts = spans.filter(\.isClient)
        #expect(attempts.map { value("http.request.resend_count", of: $0) } == [nil, .integer(1), .integer(2)])
        #expect(attempts.map { value("error.type", of: $0) } == [.string("503"), .string("transfer"), nil])
        #expect(
            attempts.map { value("http.response.status_code", of: $0) } == [.integer(503), nil, .integer(200)]
        )
    }

    @Test func `an attempt has the attributes of the semantic conventions`() throws {
        var script = Script()
        script.add("main.a", .stepStarted)
        script.send("main.a", method: "POST", url: "https://api.example.com/a?b=c")
        let target = Self.redactor.text("https://other.example.com/")
        script.add("main.a", .requestRedirected(.init(attempt: 1, status: 307, method: "POST", url: target)))
        script.receive("main.a", status: 404)
        script.finish("main.a")
        script.end()
        let span = try #require(spans(of: script).first { $0.isClient })
        #expect(span.name == "POST" && span.hasFailed && span.message == nil)
        #expect(
            span.attributes == [
                SpanAttribute("http.request.method", .string("POST")),
                SpanAttribute("url.full", .string("https://api.example.com/a?b=c")),
                SpanAttribute("server.address", .string("api.example.com")),
                SpanAttribute("server.port", .integer(443)),
                SpanAttribute("network.protocol.version", .string("1.1")),
                SpanAttribute("http.response.status_code", .integer(404)),
                SpanAttribute("error.type", .string("404")),
            ]
        )
        #expect(
            span.events == [
                Span.Event(
                    name: "redirect",
                    at: Timestamp(nanoseconds: 4_000_000),
                    attributes: [
                        SpanAttribute("http.response.status_code", .integer(307)),
                        SpanAttribute("url.full", .string("https://other.example.com/")),
                    ]
                )
            ]
        )
    }

    @Test func `a method that the conventions do not know is not the name of a span`() throws {
        var script = Script()
        script.send("main.a", method: "PURGE")
        script.end()
        let span = try #require(spans(of: script).first { $0.isClient })
        #expect(span.name == "HTTP")
        #expect(value("http.request.method", of: span) == .string("_OTHER"))
        #expect(value("http.request.method_original", of: span) == .string("PURGE"))
    }

    @Test func `a URL whose host is redacted has no address`() throws {
        var script = Script()
        script.send("main.a", url: "http://user:***@s/")
        script.end()
        let span = try #require(spans(of: script).first { $0.isClient })
        #expect(value("url.full", of: span) == .string("http://user:***@s/"))
        #expect(value("server.address", of: span) == nil)
    }

    @Test func `a failed step has its failure, a tolerated one has not failed`() throws {
        let source = SourceFile(name: "shop.yaml", text: "a: 1\nexpect: {status: 200}\n")
        let failure = Failure(.expect, "the price is wrong", at: source.span(5..<11))
        var script = Script()
        for (step, outcome) in [("main.a", StepOutcome.tolerated), ("main.b", .failed)] {
            script.add(step, .stepStarted)
            script.send(step)
            script.receive(step)
            script.finish(step, outcome, failure)
        }
        script.end(.failed)
        let spans = spans(of: script)
        #expect(
            tree(spans) == """
                run shop.yaml 0-13 failed
                  graph main 1-12 failed
                    main.a 2-6
                      GET 3-5
                    main.b 7-11 failed: the price is wrong
                      GET 8-10
                """
        )
        let tolerated = spans.first { $0.name == "main.a" }
        #expect(value("waybill.outcome", of: tolerated) == .string("tolerated"))
        #expect(value("waybill.failure", of: tolerated) == .string("the price is wrong"))
        let failed = spans.first { $0.name == "main.b" }
        #expect(value("error.type", of: failed) == .string("expect"))
        #expect(value("code.file.path", of: failed) == .string("shop.yaml"))
        #expect(value("code.line.number", of: failed) == .integer(2))
    }

    @Test func `a request that failed without a response is an attempt that failed`() throws {
        var script = Script()
        script.add("main.a", .stepStarted)
        script.send("main.a")
        script.finish("main.a", .failed, Failure(.connect, "could not connect", at: nil))
        script.end(.failed)
        let attempt = try #require(spans(of: script).first { $0.isClient })
        #expect(attempt.hasFailed && attempt.message == "could not connect")
        #expect(value("error.type", of: attempt) == .string("connect"))
    }

    @Test func `an attempt with a response that cannot be used fails only because of its status`() throws {
        var script = Script()
        for (step, status) in [("main.a", 200), ("main.b", 404)] {
            script.add(step, .stepStarted)
            script.send(step)
            script.add(step, .responseHead(.init(attempt: 1, status: status, httpVersion: "2", headers: [])))
            script.finish(step, .failed, Failure(.download, "the checksum is wrong", at: nil))
        }
        script.end(.failed)
        let attempts = spans(of: script).filter(\.isClient)
        #expect(attempts.map(\.hasFailed) == [false, true])
        #expect(attempts.map(\.message) == [nil, nil])
        #expect(attempts.map { value("error.type", of: $0) } == [nil, .string("404")])
        let statuses = attempts.map { value("http.response.status_code", of: $0) }
        #expect(statuses == [.integer(200), .integer(404)])
        #expect(attempts.map { value("network.protocol.version", of: $0) } == [.string("2"), .string("2")])
    }

    @Test func `elements contain their steps, and their names have no index`() throws {
        var script = Script()
        script.add("main.each", .stepStarted)
        script.add("main.each", .elementsStarted(count: 2))
        for index in 0..<2 {
            let step = "main.each[\(index)].get"
            script.add(step, .stepStarted)
            script.send(step)
            script.receive(step)
            script.finish(step)
            script.add("main.each", .elementFinished(.init(index: index, outcome: .passed, failure: nil)))
        }
        script.finish("main.each")
        script.end()
        let spans = spans(of: script)
        #expect(
            tree(spans) == """
                run shop.yaml 0-18
                  graph main 1-17
                    main.each 2-16
                      main.each[] 4-9
                        main.each[].get 4-8
                          GET 5-7
                      main.each[] 10-15
                        main.each[].get 10-14
                          GET 11-13
                """
        )
        let elements = spans.filter { $0.name == "main.each[]" }
        #expect(elements.map { value("waybill.element", of: $0) } == [.integer(0), .integer(1)])
        #expect(elements.map { value("waybill.step", of: $0) } == [.string("main.each[0]"), .string("main.each[1]")])
    }

    @Test func `of the elements whose requests are not reported, only those that failed have spans`() throws {
        var script = Script()
        script.add("main.each", .stepStarted)
        for index in 0..<3 {
            let failure = index == 1 ? Failure(.status, "the status is 404", at: nil) : nil
            var end = RunEvent.ElementEnd(index: index, outcome: .passed, failure: failure)
            if failure != nil { end.outcome = .failed }
            end.startedAt = Timestamp(nanoseconds: Int64(index) + 2_000_000)
            script.add("main.each", .elementFinished(end))
        }
        script.finish("main.each", .failed, Failure(.status, "1 of 3 elements failed", at: nil))
        script.end(.failed)
        #expect(
            tree(spans(of: script)) == """
                run shop.yaml 0-8 failed
                  graph main 1-7 failed
                    main.each 2-6 failed: 1 of 3 elements failed
                      main.each[] 2-4 failed: the status is 404
                """
        )
    }

    @Test func `a graph that a step or an element runs is inside it`() throws {
        var script = Script()
        script.add("main.sub", .graphStarted(graph: "sub"))
        script.add("main.sub.a", .stepStarted)
        script.finish("main.sub.a")
        script.add("main.sub", .graphFinished(graph: "sub", .passed))
        script.add("main.each", .stepStarted)
        script.add("main.each[0]", .graphStarted(graph: "sub"))
        script.add("main.each[0].a", .stepStarted)
        script.finish("main.each[0].a")
        script.add("main.each[0]", .graphFinished(graph: "sub", .passed))
        script.add("main.each", .elementFinished(.init(index: 0, outcome: .passed, failure: nil)))
        script.finish("main.each")
        script.end()
        #expect(
            tree(spans(of: script)) == """
                run shop.yaml 0-14
                  graph main 1-13
                    graph sub 2-5
                      main.sub.a 3-4
                    main.each 6-12
                      main.each[] 7-11
                        graph sub 7-10
                          main.each[].a 8-9
                """
        )
    }

    @Test func `a graph whose failure is tolerated has not failed`() throws {
        var script = Script()
        script.add("main.sub", .graphStarted(graph: "sub"))
        script.finish("main.sub.a", .tolerated, Failure(.status, "the status is 404", at: nil))
        script.add("main.sub", .graphFinished(graph: "sub", .tolerated))
        script.end()
        let sub = try #require(spans(of: script).first { $0.name == "graph sub" })
        #expect(!sub.hasFailed)
        #expect(value("waybill.outcome", of: sub) == .string("tolerated"))
    }

    @Test func `a graph in which nothing is executed has no span`() throws {
        var script = Script(isResumed: true)
        script.add("main.sub", .graphStarted(graph: "sub"))
        script.add("main.sub.inner", .graphStarted(graph: "inner"))
        script.add("main.sub.inner", .graphFinished(graph: "inner", .passed))
        script.add("main.sub", .graphFinished(graph: "sub", .passed))
        script.add("main.other", .graphStarted(graph: "other"))
        script.add("main.other.a", .stepStarted)
        script.finish("main.other.a")
        script.add("main.other", .graphFinished(graph: "other", .passed))
        script.end()
        #expect(
            tree(spans(of: script)) == """
                run shop.yaml 0-11
                  graph main 1-10
                    graph other 6-9
                      main.other.a 7-8
                """
        )
    }

    @Test func `the id of an attempt is that of its traceparent`() throws {
        let own = "00-\(Self.context.trace)-00f067aa0ba902b7-01"
        let other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01"
        var script = Script()
        for (step, parent) in [("main.a", own), ("main.b", other)] {
            script.send(step, headers: [Self.redactor.header("traceparent", parent)])
            script.receive(step)
        }
        script.end()
        let ids = spans(of: script).filter(\.isClient).map(\.id.description)
        // One from the manifest names a span of another trace.
        #expect(ids[0] == "00f067aa0ba902b7")
        #expect(ids[1] != "00f067aa0ba902b8")
    }

    @Test func `the run is part of the trace that it continues`() throws {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let context = TraceContext(of: Self.id, variables: ["TRACEPARENT": parent])
        var script = Script()
        // The manifest passes the parent on.
        script.send("main.a", headers: [Self.redactor.header("traceparent", parent)])
        script.receive("main.a")
        script.end()
        let spans = spans(of: script, in: context)
        #expect(
            tree(spans, root: context.parent) == """
                run shop.yaml 0-6
                  graph main 1-5
                    GET 2-4
                """
        )
    }

    @Test func `the span of a run says whether it is resumed, and whether it uses the mock server`() throws {
        for isSet in [true, false] {
            var script = Script(isMocked: isSet, isResumed: isSet)
            script.end()
            let run = try #require(spans(of: script).last)
            #expect(value("waybill.resumed", of: run) == (isSet ? .boolean(true) : nil))
            #expect(value("waybill.mock", of: run) == (isSet ? .boolean(true) : nil))
        }
    }

    @Test func `a request that is repeated within an attempt has a span of its own`() throws {
        var script = Script()
        script.add("main.a", .stepStarted)
        script.send("main.a")
        script.receive("main.a", status: 401)
        script.send("main.a")
        script.send("main.a")
        script.receive("main.a")
        script.finish("main.a")
        script.end()
        let attempts = spans(of: script).filter(\.isClient)
        #expect(Set(attempts.map(\.id)).count == 3)
        #expect(attempts.map { value("http.request.resend_count", of: $0) } == [nil, .integer(1), .integer(2)])
    }

    @Test func `polls and pages are not sent again`() throws {
        var script = Script()
        script.add("main.a", .stepStarted)
        let busy = Failure(.status, "the status is 503", at: nil)
        script.send("main.a")
        script.receive("main.a", status: 503)
        script.add("main.a", .requestRetrying(.init(attempt: 1, pause: .zero, failure: busy)))
        script.send("main.a", attempt: 2)
        script.receive("main.a", attempt: 2)
        script.add("main.a", .pollFinished(poll: 1, pause: .zero))
        script.send("main.a", attempt: 3)
        script.receive("main.a", attempt: 3)
        script.finish("main.a")
        script.end()
        let attempts = spans(of: script).filter(\.isClient)
        #expect(attempts.map { value("http.request.resend_count", of: $0) } == [nil, .integer(1), nil])
    }

    @Test func `what has no end of its own ends with the run`() throws {
        var script = Script()
        script.add("main.each", .stepStarted)
        script.add("main.each[0].get", .stepStarted)
        script.send("main.each[0].get")
        script.add(nil, .runFinished(.interrupted, OutcomeCounts()))
        #expect(
            tree(spans(of: script)) == """
                run shop.yaml 0-5
                  graph main 1-5
                    main.each 2-5
                      main.each[] 3-5
                        main.each[].get 3-5
                          GET 4-5
                """
        )
    }

    @Test func `a clock that is set back gives no negative duration`() throws {
        var script = Script()
        script.add("main.a", .stepStarted)
        script.finish("main.a")
        script.events[3].at = Timestamp(nanoseconds: 0)
        script.end()
        #expect(spans(of: script).allSatisfy { $0.start <= $0.end })
    }
}
