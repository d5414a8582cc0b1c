import Synchronization
import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillPlatform
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5)), .ownThread) struct WriteTests {
    private let folder = TemporaryFolder()

    /// Runs one step. Returns the outcome, the events and the names of the files, except those that every run writes.
    private func run(
        _ step: String,
        _ replies: [String: ScriptedTransport.Reply] = [:],
        onFailure: String = "stop"
    ) async throws -> (outcome: Executor.Outcome, events: [RunEvent], files: Set<String>) {
        let fixture = try ExecutionFixture(
            "secrets: {key: {env: KEY}}\ngraphs: {main: {onFailure: \(onFailure), chain: [{id: a, \(step)}]}}\n",
            replies
        )
        let (outcome, events) = try await fixture.run(into: folder, secrets: ["key": "hunter2"])
        return (outcome, events, folder.names().subtracting(["events.ndjson", "bodies"]))
    }

    @Test func `a warning reports an expected response that is not written, once`() async throws {
        let step =
            "forEach: {in: [200, 422, 422], as: n}, get: \"/${n}\", expect: {status: [200, 422]}, write: {to: a.csv}"
        let reply = { ScriptedTransport.Reply.json("{\"e\": 1}", status: $0) }
        let (outcome, events, _) = try await run(step, ["/200": reply(200), "/422": reply(422)])
        #expect(outcome.summary == "a:passed")
        #expect(folder.read("a.csv") == "e\r\n1\r\n")
        let warnings = events.compactMap { if case .warning(let message, _) = $0.kind { message.string } else { nil } }
        #expect(
            warnings == ["'write' writes only responses with status 2xx, so a response with status 422 was not written"]
        )
    }

    private static let list = ScriptedTransport.Reply.json(#"{"rows":[{"id":1,"n":"x"},{"id":2,"key":"hunter2"}]}"#)

    @Test(
        arguments: [
            ("to: a.ndjson, records: $.rows", "a.ndjson", "{\"id\":1,\"n\":\"x\"}\n{\"id\":2,\"key\":\"***\"}\n"),
            ("to: a.jsonl, records: \"$.rows[*].id\"", "a.jsonl", "1\n2\n"),
            ("to: a.json, records: $.rows, columns: [id]", "a.json", "[\n{\"id\":1},\n{\"id\":2}\n]\n"),
            ("to: a.CSV, records: $.rows, columns: [{twice: item.id * 2}, n]", "a.CSV", "twice,n\r\n2,x\r\n4,\r\n"),
            ("to: a.txt, records: \"$.rows[0].n\"", "a.txt", "x"),
            ("to: a, records: $.rows, format: csv, columns: [id]", "a", nil),
            ("to: \"${concat('x/', 'y')}.json\", records: $.nothing", "x/y.json", "[]\n"),
            ("to: a, records: $.rows", "a", "[{\"id\":1,\"n\":\"x\"},{\"id\":2,\"key\":\"***\"}]\n"),
        ] as [(String, String, String?)]
    )
    func `records are written in the format that the file name or the step selects`(
        write: String,
        name: String,
        text: String?
    ) async throws {
        let filters = "filters: [{map: \"${$}\"}]"
        let write = write.replacing("$.nothing", with: "\"$.rows[?@.id > 5]\"")
        let (outcome, _, files) = try await run("get: /a, \(filters), write: {\(write)}", ["/a": Self.list])
        #expect(outcome.summary == "a:passed")
        #expect(files == [String(name.prefix { $0 != "/" })])
        if let text { #expect(folder.read(name) == text) }
    }

    @Test(arguments: [
        (
            "to: a.db, table: t, key: [key], records: $.rows",
            "record 1: 'key', which is part of the table's key, contains"
        ),
        (
            "to: a.json, records: $.rows, aggregate: {m: {max: item.key}}",
            "record 1: aggregate 'm': the value contains a secret"
        ),
    ])
    func `a secret is neither a key nor part of an aggregate`(write: String, message: String) async throws {
        let list = ScriptedTransport.Reply.json(#"{"rows": [{"id": 1, "key": "x"}, {"id": 2, "key": "hunter2"}]}"#)
        let (outcome, _, _) = try await run("get: /a, write: {\(write)}", ["/a": list])
        let failure = outcome.result.steps.first?.failure?.message.string ?? ""
        #expect(failure.hasPrefix(message), "\(failure)")
    }

    @Test func `the journal records the file before the step finishes`() async throws {
        let (_, events, _) = try await run("get: /a, write: {to: a.ndjson, records: $.rows}", ["/a": Self.list])
        let last = events.suffix(4).map(\.kind.type)
        #expect(last == ["write.committed", "step.finished", "graph.finished", "run.finished"])
        guard case .writeCommitted(let file)? = events.dropLast(3).last?.kind else { return }
        #expect(file.path.string == "a.ndjson" && file.records == 2 && file.bytes == 38)
    }

    @Test(arguments: [("text", "text/plain"), ("\u{1}\u{2}", "image/png")])
    func `a raw file contains the response as received`(body: String, type: String) async throws {
        let (_, _, files) = try await run("get: /a, write: {to: a.bin}", ["/a": .text(body, type: type)])
        #expect(files == ["a.bin"])
        #expect(folder.read("a.bin") == body)
    }

    @Test(arguments: [
        ("/a", "stop", "a:failed", ["a.json.part"]), ("/a", "continue", "a:tolerated", []),
        ("/b", "stop", "a:passed", []),
    ])
    func `the file of a failed step stays unfinished, unless the failure is tolerated`(
        path: String,
        onFailure: String,
        summary: String,
        files: [String]
    ) async throws {
        folder.write("old", to: "a.json")
        let result = try await run(
            "get: \(path), write: {to: a.json}",
            ["/a": .json("{}", status: 500), "/b": .json("1")],
            onFailure: onFailure
        )
        #expect(result.outcome.summary == summary)
        #expect(result.files == Set(files + ["a.json"]))
        #expect((folder.read("a.json") == "old") == (path == "/a"))
    }

    /// A file of earlier records must not become an empty one because a response has none.
    @Test(
        arguments: [
            (.json("{}", status: 304), "expect: {status: [200, 304]}, write: {to: a.json}", "a:passed"),
            (.json("{}", status: 404), "expect: {status: [200, 404]}, write: [{to: a.json}, {to: b.csv}]", "a:passed"),
            (
                .json("{}", status: 304), "forEach: {in: [1, 2], as: n}, expect: {status: 304}, write: {to: a.json}",
                "a:passed"
            ),
            (
                .json("{}", status: 500), "forEach: {in: [1], as: n}, write: {to: a.json}, onFailure: continue",
                "a:tolerated"
            ),
            (.json(#"{"rows": null}"#), "write: {to: a.json, records: $.rows}", "a:failed"),
            (.json(#"{"rows": null}"#), "write: [{to: b.csv, records: $.rows}, {to: a.json}]", "a:failed"),
            (.json(#"{"rows": null}"#), "filters: [{select: $.rows}], write: {to: a.json}", "a:failed"),
            (.json("null"), "write: {to: a.json}", "a:failed"),
            (.json("", status: 200), "accept: null, write: {to: a.json}", "a:failed"),
            (.text("", type: "text/html"), "filters: [{default: []}], write: {to: a.json}", "a:failed"),
            (
                .text("", type: "text/html"),
                "forEach: {in: [1], as: n}, filters: [{select: {path: $.rows, default: []}}], write: {to: a.json}",
                "a:failed"
            ),
            (
                .text("", type: "text/html"),
                "until: {that: response.status == 200, every: 1ms}, filters: [{default: []}], write: {to: a.json}",
                "a:failed"
            ),
            (
                .json(""),
                "paginate: {next: \"default($.next, null)\", items: \"default($, list())\"}, write: {to: a.json}",
                "a:failed"
            ),
            (
                .json(""),
                "until: {that: response.status == 200, every: 1ms}, paginate: {link: true, items: \"default($, list())\"}, "
                    + "write: {to: a.json}",
                "a:failed"
            ),
            (
                .text("", type: "text/html"), "filters: [{default: []}], returns: {collection: {type: object}}",
                "a:failed"
            ),
            (
                .json("{}", status: 500), "intercept: {beforeFailure: [{recover: null}]}, write: {to: a.json}",
                "a:failed"
            ),
            (
                .json("{}", status: 500), "paginate: {page: {query: page}}, write: {to: a.json}, onFailure: continue",
                "a:tolerated"
            ),
        ] as [(ScriptedTransport.Reply, String, String)]
    )
    func `an earlier file stays if there are no records to write`(
        reply: ScriptedTransport.Reply,
        step: String,
        summary: String
    ) async throws {
        folder.write("old", to: "a.json")
        let result = try await run("get: /a, \(step)", ["/a": reply, "/a?page=1": reply])
        #expect(result.outcome.summary == summary)
        #expect(folder.read("a.json") == "old")
        #expect(summary == "a:failed" || result.files == ["a.json"], "\(result.files)")
    }

    @Test(
        arguments: [
            (.json("", status: 204), "write: {to: a.json}"),
            (.json("", status: 204), "paginate: {link: true}, write: {to: a.json}"),
            (.json(#"{"rows": []}"#), "write: {to: a.json, records: $.rows}"),
            (.json(#"{"rows": null}"#), "write: {to: a.json, records: \"default($.rows, list())\"}"),
            (.json("null"), "filters: [{default: []}], write: {to: a.json}"),
            (.json("[]"), "forEach: {in: [1, 2], as: n}, write: {to: a.json}"),
            (.json("{}"), "forEach: {in: 'list()', as: n}, write: {to: a.json}"),
            (.json("{}", status: 500), "intercept: {beforeFailure: [{recover: []}]}, write: {to: a.json}"),
        ] as [(ScriptedTransport.Reply, String)]
    )
    func `an empty list of records replaces an earlier file`(reply: ScriptedTransport.Reply, step: String) async throws
    {
        folder.write("old", to: "a.json")
        let result = try await run("get: /a, \(step)", ["/a": reply])
        #expect(result.outcome.summary == "a:passed")
        #expect(folder.read("a.json") == "[]\n")
    }

    private static let page = ScriptedTransport.Reply.text("<html>a</html>", type: "text/html")
    private static let untyped = ScriptedTransport.Reply.bytes(Array("[{\"id\":1}]".utf8), type: "a/b")
    private static let nothing = ScriptedTransport.Reply.text("", type: "text/html")

    @Test(
        arguments: [
            (page, "write: {to: a.ndjson}", "the data is text (text/html), not records"),
            (page, "write: {to: a.csv}", "the data is text (text/html), not records"),
            (page, "write: [{to: a.ndjson}, {to: b.json}]", "the data is text (text/html), not records"),
            (page, "write: {to: a.ndjson.gz, records: $}", "the data is text (text/html), not records"),
            (page, "filters: [{default: []}], write: {to: a.json}", "the data is text (text/html), not records"),
            (page, "forEach: {in: [1], as: i}, write: {to: a.json}", "the data is text (text/html), not records"),
            (untyped, "write: {to: a.json}", "the data is bytes (a/b), not records"),
            (page, "write: {to: a.json, records: \"$.items[*]\"}", "nothing matches $.items: $ is a string"),
            (untyped, "write: {to: a.json, records: \"$[?@.id > 0]\"}", "nothing matches $[?"),
            (page, "filters: [{select: \"$..items\"}], write: {to: a.json}", "nothing matches $..items: $ is a string"),
            (nothing, "filters: [{select: \"$.items[*]\"}], write: {to: a.json}", "nothing matches $.items: $ is null"),
            (page, "expect: {body: [\"count($.items[*]) == 0\"]}", "nothing matches $.items: $ is a string"),
            (page, "expect: {body: [\"$.items[*] == list()\"]}", "nothing matches $.items: $ is a string"),
            (page, "outputs: {o: \"$.items[*]\"}", "nothing matches $.items: $ is a string"),
            (page, "outputs: {o: \"response.body.items[*]\"}", "nothing matches response.body.items"),
        ] as [(ScriptedTransport.Reply, String, String)]
    )
    func `a text, bytes or no body is not taken for records or an empty list`(
        reply: ScriptedTransport.Reply,
        step: String,
        message: String
    ) async throws {
        folder.write("old", to: "a.json")
        let outcome = try await run("get: /a, \(step)", ["/a": reply]).outcome
        let result = try #require(outcome.result.steps.first)
        #expect(result.failure?.message.string.contains(message) ?? false, "\(String(describing: result.failure))")
        #expect(folder.read("a.json") == "old")
    }

    @Test(
        arguments: [
            (page, "decoding: text, write: {to: a.json}", "[\n\"<html>a</html>\"\n]\n"),
            (page, "write: {to: a.json, records: \"default($.items[*], list())\"}", "[]\n"),
            (page, "write: {to: a.json, records: \"split($, '>')\"}", nil),
            (page, "write: {to: a.json, columns: [{page: item}]}", "[\n{\"page\":\"<html>a</html>\"}\n]\n"),
            (page, "filters: [{select: \"concat($, '')\"}], write: {to: a.json}", "[\n\"<html>a</html>\"\n]\n"),
            (page, "write: {to: a.json, format: raw}", "<html>a</html>"),
            (page, "expect: {body: [\"!exists($.error[*])\"]}", nil),
            (.json("\"text\""), "write: {to: a.json}", "[\n\"text\"\n]\n"),
            (.json("\"text\""), "write: {to: a.json, records: \"$.items[*]\"}", "[]\n"),
        ] as [(ScriptedTransport.Reply, String, String?)]
    )
    func `a text is a record if the manifest makes it one`(
        reply: ScriptedTransport.Reply,
        step: String,
        text: String?
    ) async throws {
        let outcome = try await run("get: /a, \(step)", ["/a": reply]).outcome
        #expect(outcome.summary == "a:passed", "\(String(describing: outcome.result.steps.first?.failure))")
        if let text { #expect(folder.read("a.json") == text) }
    }

    @Test(
        arguments: [
            ("to: \"${concat('..', '/a')}\"", FailureKind.input, "'../a' is outside the results folder"),
            ("to: \"${data.none}\"", .input, nil), ("to: a, records: $.none", .output, nil),
            ("to: a, records: $.rows, format: csv, columns: [{x: item.none}]", .output, nil),
            (
                "to: a.csv, records: $.rows, columns: [id, {x: number(item.n)}]", .output,
                #"record 0: number() requires a string that contains a number in JSON notation; the record is {"id":1,"n":"x"}"#
            ),
            (
                "to: a.csv, records: $.rows, aggregate: {most: {max: item.n}}", .output,
                #"record 1: nothing matches item.n; available: 'id', 'key'; the record is {"id":2,"key":"***"}"#
            ),
            ("to: taken", .output, nil),
            ("to: \"${concat('a', '.xlsx')}\"", .input, "no file format has the extension '.xlsx'"),
        ] as [(String, FailureKind, String?)]
    )
    func `a file or record that cannot be written is a failure with a location`(
        write: String,
        kind: FailureKind,
        message: String?
    ) async throws {
        let write = write.replacing("data.none", with: "run.environment")
        mkdir("\(folder.path)/taken.part", 0o755)
        let (outcome, _, _) = try await run("get: /a, write: {\(write)}", ["/a": Self.list])
        let failure = try #require(outcome.result.steps.first?.failure)
        #expect(failure.kind == kind, "\(failure.message)")
        #expect(failure.span != nil)
        if let message { #expect(failure.message.string == message) }
    }

    @Test(arguments: [
        ("object: {properties: {n: {type: integer}}}", "{n: x}", "a:failed"),
        ("object: {properties: {n: {type: integer}}}", "{n: 1}", "a:passed"),
        ("collection: {type: object}", "{n: 1}", "a:failed"), ("collection: {type: object}", "[]", "a:passed"),
    ])
    func `data from an interceptor must be what the request returns`(returns: String, data: String, summary: String)
        async throws
    {
        let intercept = "intercept: {beforeFailure: [{recover: \(data)}]}"
        let run = try await run(
            "get: /a, returns: {\(returns)}, \(intercept), write: {to: a.ndjson}",
            ["/a": .json("{}", status: 500)]
        )
        #expect(run.outcome.summary == summary)
        let failure = run.outcome.result.steps.first?.failure
        #expect(failure?.kind == (summary == "a:failed" ? .output : nil))
    }

    @Test func `data from an interceptor is written, and a response that one rejects is not`() async throws {
        let intercept = "intercept: {beforeFailure: [{recover: {n: 1}}]}"
        let recovered = try await run("get: /a, \(intercept), write: {to: a.ndjson}", ["/a": .json("{}", status: 500)])
        #expect(recovered.outcome.summary == "a:passed")
        #expect(folder.read("a.ndjson") == "{\"n\":1}\n")
        let refused = try await run(
            "get: /a, intercept: {beforeSuccess: [{fail: no}]}, write: {to: b.ndjson}",
            ["/a": Self.list]
        )
        #expect(refused.outcome.summary == "a:failed")
        #expect(folder.read("b.ndjson.part") == "")
    }

    /// The failure is tolerated by the step, or by the graph around it. `last` is the element during which the run is
    /// interrupted.
    @Test(arguments: [
        ("stop", "continue", "[bad, x, y, z]", "x", "a:cancelled", ["GET /y", "GET /z"], 3),
        ("continue", "collect", "[bad, x, y, z]", "x", "a:cancelled", ["GET /y", "GET /z"], 3),
        ("stop", "continue", "[x, y, bad]", "bad", "a:tolerated", [], 2),
        ("continue", "stop", "[x, y, bad, z]", "bad", "a:tolerated", [], 2),
    ])
    func `a run that is interrupted after a tolerated element continues with the others`(
        graphMode: String,
        mode: String,
        elements: String,
        last: String,
        summary: String,
        resent: [String],
        count: Int
    ) async throws {
        let control = RunControl()
        let text = """
            graphs:
              main:
                onFailure: \(graphMode)
                chain:
                  - id: a
                    forEach: {in: \(elements), as: n, concurrency: 1}
                    onFailure: \(mode)
                    get: "/${n}"
                    write: {to: a.ndjson}
            """
        let fixture = try ExecutionFixture(text) { request in
            if request.url == "http://s/\(last)" { control.stop() }
            return request.url == "http://s/bad" ? .json("{}", status: 500) : .json("{\"n\":1}")
        }
        let run = try RunFolder.create(.at(folder.path), for: RunID())
        let events = EventStream(journal: run.journal)
        let outcome = await fixture.run(events: events, folder: run, control: control)
        try await run.journal.finish()
        #expect(outcome.summary == summary)
        let records = String(repeating: "{\"n\":1}\n", count: count)
        #expect(folder.read("a.ndjson") == (resent.isEmpty ? records : nil))
        let sent = fixture.transport.sent.count
        let resumed = try await ResumedRun(fixture, in: folder)
        #expect(resumed.outcome?.summary == "a:tolerated")
        #expect(resumed.sent.dropFirst(sent) == resent[...])
        #expect(folder.read("a.ndjson") == records)
    }

    @Test func `a collecting chain in an element that is interrupted after a failure continues`() async throws {
        let control = RunControl()
        let text = """
            graphs:
              main:
                chain:
                  - id: a
                    forEach: {in: [x, y], as: n, concurrency: 1}
                    onFailure: continue
                    chain:
                      - onFailure: collect
                        chain: [{id: b, get: "/bad/${n}"}, {id: c, get: "/c/${n}"}, {id: d, get: "/d/${n}"}]
            """
        let fixture = try ExecutionFixture(text) { request in
            if request.url == "http://s/c/x" { control.stop() }
            return request.url.contains("bad") ? .json("{}", status: 500) : .json("{}")
        }
        let run = try RunFolder.create(.at(folder.path), for: RunID())
        _ = await fixture.run(events: EventStream(journal: run.journal), folder: run, control: control)
        try await run.journal.finish()
        let resumed = try await ResumedRun(fixture, in: folder)
        #expect(resumed.outcome?.summary == "a:tolerated")
        #expect(resumed.sent.contains("GET /d/x") && resumed.sent.contains("GET /d/y"))
    }

    @Test func `a run that is interrupted during the last element after a tolerated one completes the file`()
        async throws
    {
        let control = RunControl()
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    forEach: {in: [bad, x], as: n, concurrency: 1}
                    onFailure: continue
                    get: "/${n}"
                    write: {to: a.ndjson}
            """
        ) { request in
            if request.url == "http://s/x" { control.stop() }
            return request.url == "http://s/bad" ? .json("{}", status: 500) : .json("{\"n\":1}")
        }
        let run = try RunFolder.create(.at(folder.path), for: RunID())
        let outcome = await fixture.run(events: EventStream(journal: run.journal), folder: run, control: control)
        try await run.journal.finish()
        #expect(outcome.summary == "a:tolerated")
        #expect(folder.read("a.ndjson") == "{\"n\":1}\n")
    }

    @Test(arguments: [
        ("[]", "a:passed", "{\"n\":1}\n{\"n\":2}\n"), ("[{n: 9}]", "a:passed", "{\"n\":1}\n{\"n\":2}\n{\"n\":9}\n"),
        ("{n: \"${9}\"}", "a:failed", nil),
    ])
    func `recovering from the failure of a page keeps the pages before it`(
        data: String,
        summary: String,
        content: String?
    ) async throws {
        let (outcome, _, _) = try await run(
            """
            get: /a, paginate: {page: {query: p}}, intercept: {beforeFailure: [{recover: \(data)}]},
            write: {to: a.ndjson}, outputs: {count: length($)}
            """.replacing("\n", with: " "),
            ["/a?p=1": .json("[{\"n\":1}]"), "/a?p=2": .json("[{\"n\":2}]"), "/a?p=3": .json("{}", status: 404)]
        )
        #expect(outcome.summary == summary)
        #expect(folder.read("a.ndjson") == content)
    }

    @Test func `only the last try of until is written`() async throws {
        let count = Mutex(0)
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, get: /a, until: {that: $.n == 3, every: 1ms}, write: {to: a.ndjson}}
            """,
            answering: { _ in
                count.withLock { count in
                    count += 1
                    return .json("{\"n\":\(count)}")
                }
            }
        )
        _ = try await fixture.run(into: folder)
        #expect(folder.read("a.ndjson") == "{\"n\":3}\n")
    }

    // MARK: forEach

    @Test func `records are written in the order of the elements, whichever finishes first`() async throws {
        let random = Mutex(SplitMix(state: 7))
        let count = 4_000
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: each
                    forEach: {in: "range(0, \(count))", as: n, concurrency: 64}
                    get: /${n}
                    write: {to: all.csv}
                    onFailure: continue
            """,
            answering: { request in
                let number = request.url.dropFirst("http://s/".count)
                let turns = random.withLock { $0.next(below: 20) }
                let isBad = number.hasSuffix("77")
                return .late(.json("{\"n\":\(number)}", status: isBad ? 500 : 200), turns: turns)
            }
        )
        let (outcome, events) = try await fixture.run(into: folder)
        #expect(outcome.summary == "each:tolerated")
        let expected = "n\r\n" + (0..<count).filter { $0 % 100 != 77 }.map { "\($0)\r\n" }.joined()
        #expect(folder.read("all.csv") == expected)

        // The journal suffices to assemble the file without the elements: it has the offsets of the records that were
        // written, and the held records themselves.
        var ends: [Int: Int] = [:]
        var held: [Int: Int] = [:]
        for event in events {
            guard case .elementFinished(let end) = event.kind else { continue }
            switch end.records {
            case .written(let offset, _, _): ends[end.index] = offset
            case .held(let bytes, _): held[end.index] = bytes.count
            case nil: Issue.record("element \(end.index) has no records")
            }
        }
        #expect(ends.count + held.count == count && !held.isEmpty)
        #expect(ends.sorted { $0.key < $1.key }.map(\.value) == ends.values.sorted())
    }

    @Test func `a file that cannot be moved to its final path is a failure of the step`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: each, forEach: {in: [1, 2], as: n}, get: \"/${n}\", write: {to: b/a}}]}}",
            answering: { [path = folder.path] _ in
                mkdir("\(path)/b/a", 0o755)
                return nil
            }
        )
        let (outcome, _) = try await fixture.run(into: folder)
        #expect(outcome.summary == "each:failed")
        let failure = outcome.result.steps[0].failure
        #expect(failure?.kind == .output)
        #expect(failure?.message.string.hasPrefix("cannot write '\(folder.path)/b/a'") == true)
        #expect(folder.names(in: "b") == ["a", "a.part"])
    }
}

/// Cancels a run, after the deadline of its step, as soon as the records of a table are complete.
private final class LateCancellation: RunObserver {
    private let clock: ManualClock
    private let control: RunControl

    init(_ clock: ManualClock, _ control: RunControl) {
        (self.clock, self.control) = (clock, control)
    }

    func receive(_ event: RunEvent) {
        guard case .writeCommitting = event.kind else { return }
        clock.advance(by: .seconds(10))
        control.cancel()
    }
}

@Suite(.timeLimit(.minutes(5))) struct CancelledLoadTests {
    @Test func `the load of a table ends when the run is cancelled, also after the deadline of the step`() async throws
    {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, deadline: 5s, get: /a, write: {to: t.sqlite, table: t, key: [id]}}]}}\n",
            ["/a": .json("[{\"id\": 1}]")]
        )
        let folder = TemporaryFolder()
        let run = try RunFolder.create(.at(folder.path), for: RunID())
        let (clock, control) = (ManualClock(), RunControl())
        let events = EventStream(journal: run.journal, observers: [LateCancellation(clock, control)])
        let outcome = await fixture.run(events: events, folder: run, control: control, clock: clock)
        #expect(outcome.summary == "a:failed" || outcome.summary == "a:cancelled")
        #expect(folder.read("t.sqlite") == nil)
        try await run.journal.finish()
    }

    @Test func `a load that was cancelled after a tolerated failure is repeated`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    forEach: {in: [1, bad], as: n}
                    onFailure: continue
                    get: "/${n}"
                    write: {to: t.sqlite, table: t, key: [id]}
            """,
            ["/1": .json("[{\"id\": 1}]"), "/bad": .json("{}", status: 500)]
        )
        let folder = TemporaryFolder()
        let run = try RunFolder.create(.at(folder.path), for: RunID())
        let control = RunControl()
        let events = EventStream(journal: run.journal, observers: [LateCancellation(ManualClock(), control)])
        let outcome = await fixture.run(events: events, folder: run, control: control)
        try await run.journal.finish()
        #expect(outcome.summary == "a:cancelled")
        #expect(try await ResumedRun(fixture, in: folder).outcome?.summary == "a:tolerated")
        #expect(folder.names().contains("t.sqlite"))
    }
}
