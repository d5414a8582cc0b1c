import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// `steps.ID.written`, which describes the file that a step has written.
@Suite(.timeLimit(.minutes(5))) struct WrittenTests {
    private let folder = TemporaryFolder()

    private static let replies: [String: ScriptedTransport.Reply] = [
        "/a": .json(#"{"rows":[1,2],"next":"/b"}"#), "/b": .json(#"{"rows":[3],"next":null}"#),
        "/bad": .json("{}", status: 500),
    ]

    /// A graph with one step that writes a file, and `written` of that step as its output.
    private func fixture(_ step: String) throws -> ExecutionFixture {
        try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, \(step)}]
                outputs: {written: "default(steps.a.written, 'nothing')"}
            """,
            Self.replies
        )
    }

    @Test(
        arguments: [
            ("get: /a, write: {to: a.ndjson, records: $.rows}", 2, 4),
            ("get: /a, write: {to: a.ndjson}, filters: [{select: $.next}]", 1, 5),
            ("get: /a, paginate: {next: $.next, items: $.rows}, write: {to: a.ndjson}", 3, 6),
            ("forEach: {in: [a, b], as: n}, get: \"/${n}\", write: {to: a.ndjson, records: $.rows}", 3, 6),
            (
                "onFailure: continue, forEach: {in: [a, bad], as: n}, get: \"/${n}\", write: {to: a.ndjson, records: $.rows}",
                2, 4
            ),
        ] as [(String, Int, Int)]
    )
    func `written has the file and its numbers of records and bytes`(step: String, records: Int, bytes: Int)
        async throws
    {
        let (outcome, _) = try await fixture(step).run(into: folder)
        let written: JSON = [
            "file": "a.ndjson", "records": .number(JSONNumber(records)), "bytes": .number(JSONNumber(bytes)),
        ]
        #expect(outcome.outputs.first?.values.value["written"] == written, "\(outcome.summary)")
        #expect(folder.read("a.ndjson")?.utf8.count == bytes)
    }

    @Test func `written does not exist if the file was not moved to its final path`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, get: /bad, write: {to: a.ndjson}}]
                finally:
                  - {id: w, when: exists(steps.a.written), get: "/${steps.a.written.file}"}
                  - {id: x, when: not(exists(steps.a.written)), get: /a}
            """,
            Self.replies
        )
        let (outcome, _) = try await fixture.run(into: folder)
        #expect(outcome.summary == "a:failed w:skipped x:passed")
    }

    @Test(
        arguments: [
            ("get: /a, paginate: {next: $.next, items: $.rows}, write: {to: a.ndjson}", "step.finished"),
            ("forEach: {in: [a, b], as: n}, get: \"/${n}\", write: {to: a.ndjson, records: $.rows}", "step.finished"),
            ("forEach: {in: [a, b], as: n}, get: \"/${n}\", write: {to: a.ndjson, records: $.rows}", "write.committed"),
        ]
    )
    func `a resumed run has the same value of written`(step: String, lastEvent: String) async throws {
        let fixture = try fixture(step)
        _ = try await fixture.run(into: folder)
        let lines = try #require(folder.read("events.ndjson")).split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.contains("\"\(lastEvent)\"") })
        folder.write(lines[...last].joined(separator: "\n") + "\n", to: "events.ndjson")
        let requests = fixture.transport.sent.count

        let earlier = try RunRecord(folder: folder.path)
        let run = try RunFolder.reopen(folder.path, after: earlier)
        let events = EventStream(journal: run.journal, after: earlier.lastNumber)
        let outcome = await fixture.run(events: events, folder: run, earlierRun: earlier)
        try await run.journal.finish()
        let written: JSON = ["file": "a.ndjson", "records": 3, "bytes": 6]
        #expect(outcome.outputs.first?.values.value["written"] == written, "\(outcome.summary)")
        #expect(fixture.transport.sent.count == requests)
    }

    private static let aggregate =
        "aggregate: {min: {min: item.n}, sum: {sum: item.n}, big: {count: item.n > 1}, last: {last: item.s}, none: {max: item.x}}"

    @Test(
        arguments: [
            "get: /all, write: {to: a.ndjson, columns: [s], \(aggregate)}",
            "get: /p1, paginate: {next: $.next, items: $.rows}, write: {to: a.ndjson.gz, \(aggregate)}",
            "forEach: {in: [p1, p2], as: n}, get: \"/${n}\", write: {to: a.csv, records: $.rows, \(aggregate)}",
            "forEach: {in: [p1, p2], as: n}, get: \"/${n}\", until: {that: exists($.rows)}, write: {to: a.csv, records: $.rows, \(aggregate)}",
            "forEach: {in: [p1, p2], as: n}, get: \"/${n}\", write: {to: a.db, table: t, key: [s], records: $.rows, \(aggregate)}",
        ]
    )
    func `written has the aggregates, even after the run was resumed`(step: String) async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain: [{id: a, \(step)}]
                outputs: {written: steps.a.written}
            """,
            [
                "/all": .json(#"[{"n":0.1,"s":"x","x":null},{"n":0.2,"s":"y","x":null},{"n":3,"s":"z","x":null}]"#),
                "/p1": .json(#"{"rows":[{"n":0.1,"s":"x","x":null},{"n":0.2,"s":"y","x":null}],"next":"/p2"}"#),
                "/p2": .json(#"{"rows":[{"n":3,"s":"z","x":null}],"next":null}"#),
            ]
        )
        func check(_ outcome: Executor.Outcome) {
            let written = outcome.outputs.first?.values.value["written"]
            #expect(written?["records"] == 3, "\(outcome.summary)")
            #expect(
                ["min", "sum", "big", "last", "none"].map { written?[$0] }
                    == [.number(JSONNumber(thousandths: 100)), .number(JSONNumber(thousandths: 3300)), 1, "z", .null]
            )
        }
        check(try await fixture.run(into: folder).0)
        // The run is killed after each line of its journal.
        let whole = try #require(folder.read("events.ndjson")).split(separator: "\n")
        let first = whole.firstIndex { $0.contains("page.finished") || $0.contains("element.finished") } ?? 1
        for last in whole.indices[first...] {
            folder.write(whole[...last].joined(separator: "\n") + "\n", to: "events.ndjson")
            let earlier = try RunRecord(folder: folder.path)
            let run = try RunFolder.reopen(folder.path, after: earlier)
            let events = EventStream(journal: run.journal, after: earlier.lastNumber)
            check(await fixture.run(events: events, folder: run, earlierRun: earlier))
            try await run.journal.finish()
        }
    }

    @Test(
        arguments: [
            ("sum: item.s", "aggregate 'x': 'sum' adds numbers, but found a string"),
            ("max: item.o", "aggregate 'x': 'max' compares numbers and strings, but found an object"),
        ]
    )
    func `a record that cannot be aggregated fails the step`(aggregate: String, message: String) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, write: {to: a.ndjson, aggregate: {x: {\(aggregate)}}}}]}}\n",
            ["/a": .json(#"[{"s":"x","o":{}}]"#)]
        )
        let (outcome, _) = try await fixture.run(into: folder)
        #expect(
            outcome.result.steps.first?.failure?.message.string.hasPrefix("record 0: \(message); the record is {")
                == true
        )
    }

    @Test(
        arguments: [
            (
                "columns: [id, totl]", #"[{"id":1,"total":2}]"#, "",
                "the column 'totl' is empty: no record has 'totl'; did you mean 'total'?"
            ),
            (
                "columns: [id, other, y]", #"[{"id":1,"a":2}]"#, "",
                "the columns 'other', 'y' are empty: no record has 'other'; the records have 'id', 'a'"
            ),
            (
                "columns: [id]", #"{"rows":[{"id":1}]}"#, "",
                "the column 'id' is empty: no record has 'id'. If its 'rows' contains the records, add 'records: $.rows'"
            ),
            (
                "columns: [id]", #"{"rows":[{"id":1}],"next":null}"#, "paginate: {next: $.next}, ",
                "each page is written as one record, because its data is an object; if its 'rows' contains the records, add 'items: $.rows' to 'paginate'"
            ),
        ] as [(String, String, String, String)]
    )
    func `columns that no record has cause a warning`(write: String, body: String, paginate: String, warning: String)
        async throws
    {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, \(paginate)write: {to: a.csv, \(write)}}]}}\n",
            ["/a": .json(body)]
        )
        let (_, events) = try await fixture.run(into: folder)
        let warnings = events.compactMap { if case .warning(let message, _) = $0.kind { message.string } else { nil } }
        #expect(warnings == ["a.csv: \(warning)"])
    }

    @Test(arguments: [
        (
            "a.csv", "columns: [id]", "[{\"id\":1},2]",
            "the record 2 is not an object, so it has no column 'id'; '{id: item}' writes the record itself"
        ),
        (
            "a.ndjson", "columns: [{n: item}, id]", "[\"log in\"]",
            "the record \"log in\" is not an object, so it has no column 'id'; '{id: item}' writes the record itself"
        ),
        (
            "a.csv", "format: csv", "[{\"id\":1},{\"id\":2,\"price\":3}]",
            "cannot write 'FOLDER/a.csv': the columns are the members of the first record, but the record "
                + "{\"id\":2,\"price\":3} also has 'price'; 'columns' chooses the columns"
        ),
    ])
    func `a record that would not be written completely fails its step`(
        file: String,
        write: String,
        body: String,
        message: String
    ) async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, write: {to: \(file), \(write)}}]}}\n",
            ["/a": .json(body)]
        )
        let (outcome, _) = try await fixture.run(into: folder)
        let failure = try #require(outcome.result.steps.first?.failure)
        #expect(failure.kind == .output)
        #expect(failure.message.string == message.replacing("FOLDER", with: folder.path))
        #expect(!folder.names().contains(file))
    }

    @Test func `records that are not objects are written by expressions, and in the column value`() async throws {
        let fixture = try ExecutionFixture(
            "graphs: {main: {chain: [{id: a, get: /a, write: {to: a.csv, columns: [value, {n: item}]}}]}}\n",
            ["/a": .json("[1, null]")]
        )
        let (outcome, _) = try await fixture.run(into: folder)
        #expect(outcome.summary == "a:passed")
        #expect(folder.read("a.csv") == "value,n\r\n1,1\r\n,\r\n")
    }
}
