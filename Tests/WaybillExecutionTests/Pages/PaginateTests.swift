import Synchronization
import Testing
import WaybillDiagnostics
import WaybillExecution
import WaybillJSON
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5)), .ownThread) struct PaginateTests {
    private let folder = TemporaryFolder()

    private func fixture(
        _ step: String,
        _ replies: [String: ScriptedTransport.Reply],
        then rest: String = ""
    ) throws -> ExecutionFixture {
        try ExecutionFixture(
            """
            secrets: {key: {env: KEY}}
            endpoints:
              list:
                path: /list
                inputs: {page: {type: string, default: ""}}
                query: {page: "${inputs.page}"}
                mock: {}
            graphs:
              main:
                chain:
                  - {id: a, \(step)}
                  - values: {data: \(step.contains("write:") ? "steps.a.written" : "steps.a.data")}
                    id: v
                outputs: {data: steps.v.outputs.data}

            """,
            replies
        )
    }

    /// Runs a step. Returns the summary, the URLs in order, `steps.a.data` and the failure.
    private func run(
        _ step: String,
        _ replies: [String: ScriptedTransport.Reply]
    ) async throws -> (summary: String, urls: [String], data: JSON?, failure: Failure?) {
        let fixture = try fixture(step, replies)
        let (outcome, _) = try await fixture.run(into: folder, secrets: ["key": "hunter2"])
        let data = outcome.outputs.first?.values.value["data"]
        return (outcome.summary, fixture.transport.sent.map(\.url), data, outcome.result.steps.first?.failure)
    }

    @Test(
        arguments: [
            (
                "get: /a?x=1, query: {y: 2}, paginate: {next: $.next, items: $.rows}",
                [
                    "/a?x=1&y=2": .json(#"{"rows":[1,2],"next":"/a?at=3"}"#),
                    "/a?at=3": .json(#"{"rows":[],"next":"b"}"#), "/b": .json(#"{"rows":[3],"next":null}"#),
                ], [1, 2, 3]
            ),
            (
                "get: /a, paginate: {link: true}",
                [
                    "/a": .linked("[1]", ["<?p=2>; rel=next"]), "/a?p=2": .redirect("http://s/moved/a", status: 302),
                    "/moved/a": .linked("[2]", ["<b>; rel=\"next\""]), "/moved/b": .linked("7", []),
                ], [1, 2, 7]
            ),
            (
                "get: /a?page=9, paginate: {page: {query: page}}, query: {n: 1}",
                ["/a?n=1&page=1": .json("[1]"), "/a?n=1&page=2": .json("[2]"), "/a?n=1&page=3": .json("[]")], [1, 2]
            ),
            (
                "call: list, paginate: {page: {input: page, start: 5}}",
                ["/list?page=5": .json("[1]"), "/list?page=6": .json("[]")], [1]
            ),
            (
                "get: /a, paginate: {offset: {query: from, limit: 2}}, filters: [{select: $.rows}]",
                ["/a?from=0": .json(#"{"rows":[1,2]}"#), "/a?from=2": .json(#"{"rows":[3]}"#)], [1, 2, 3]
            ),
            (
                "get: /a, paginate: {cursor: {query: at, from: $.at}}, filters: [{select: $.v}]",
                [
                    "/a": .json(#"{"v":{"n":1},"at":"x y"}"#), "/a?at=x%20y": .json(#"{"v":{"n":2},"at":8}"#),
                    "/a?at=8": .json(#"{"v":null,"at":""}"#),
                ], [["n": 1], ["n": 2]]
            ),
            (
                "call: list, paginate: {cursor: {input: page, from: $.at}, items: $.rows, while: length($.rows) > 0}",
                [
                    "/list?page=": .json(#"{"rows":[1],"at":"x"}"#), "/list?page=x": .json(#"{"rows":[],"at":"y"}"#),
                ], [1]
            ),
            (
                "get: /a, paginate: {page: {query: p}, max: 2}", ["/a?p=1": .json("[1]"), "/a?p=2": .json("[2]")],
                [1, 2]
            ),
            (
                "get: /a, paginate: {page: {query: p}}, expect: {status: [200, 404]}",
                ["/a?p=1": .json("[1]"), "/a?p=2": .json("{}", status: 404)], [1]
            ),
            ("get: /a, paginate: {page: {query: p}}, expect: {status: 404}", ["/a?p=1": .json("{}", status: 404)], [:]),
        ] as [(String, [String: ScriptedTransport.Reply], JSON)]
    )
    func `the items of all pages form one list, and each page is requested once`(
        step: String,
        replies: [String: ScriptedTransport.Reply],
        data: JSON
    ) async throws {
        let result = try await run(step, replies)
        #expect(result.summary == "a:passed v:passed", "\(String(describing: result.failure))")
        #expect(result.data == data)
        #expect(result.urls.count == replies.count, "\(result.urls)")
    }

    @Test(
        arguments: [
            (
                "get: /a, paginate: {link: true, items: $}, filters: [{where: item.n > 1}, {map: \"${item.n}\"}]",
                [
                    "/a": .linked(#"[{"n":1},{"n":2}]"#, ["</b>; rel=next"]), "/b": .linked(#"[{"n":3}]"#, []),
                ], [2, 3]
            ),
            (
                "get: /a, paginate: {next: $.next, items: $.rows, while: $.more}, filters: [{select: $.data}]",
                [
                    "/a": .json(#"{"data":{"rows":[1]},"next":"/b","more":true}"#),
                    "/b": .json(#"{"data":{"rows":[2]},"next":"/c","more":false}"#),
                ], [1, 2]
            ),
            (
                "get: /a, paginate: {cursor: {query: at, from: $.at}}, filters: [{select: $.rows}, {limit: 1}]",
                ["/a": .json(#"{"rows":[1,2],"at":"x"}"#), "/a?at=x": .json(#"{"rows":[3,4],"at":null}"#)], [1, 3]
            ),
            (
                "get: /a, paginate: {next: $.next, items: $.rows}, filters: [{select: {path: $.data, default: null}}]",
                ["/a": .json(#"{"data":{"rows":[1]},"next":"/b"}"#), "/b": .json(#"{"next":""}"#)], [1]
            ),
        ] as [(String, [String: ScriptedTransport.Reply], JSON)]
    )
    func `items are read after the filters, and paging expressions before them`(
        step: String,
        replies: [String: ScriptedTransport.Reply],
        data: JSON
    ) async throws {
        let result = try await run(step, replies)
        #expect(result.summary == "a:passed v:passed", "\(String(describing: result.failure))")
        #expect(result.data == data)
        #expect(result.urls.count == replies.count, "\(result.urls)")
    }

    @Test func `the filtered items of all pages are written`() async throws {
        let result = try await run(
            "get: /a, paginate: {link: true, items: $}, filters: [{where: item.n > 1}], write: {to: a.ndjson}",
            ["/a": .linked(#"[{"n":1},{"n":2}]"#, ["</b>; rel=next"]), "/b": .linked(#"[{"n":3}]"#, [])]
        )
        #expect(result.summary == "a:passed v:passed", "\(String(describing: result.failure))")
        #expect(folder.read("a.ndjson") == "{\"n\":2}\n{\"n\":3}\n")
    }

    @Test func `outputs and the returned value are computed from all items at the end`() async throws {
        let fixture = try ExecutionFixture(
            """
            endpoints:
              list:
                path: /a
                outputs: {last: "$[2].n", count: length($)}
                returns: {collection: {type: object, required: [n]}}
            graphs:
              main:
                chain:
                  - {id: a, call: list, paginate: {next: $.next}, filters: [{select: $.rows}]}
                outputs: {last: steps.a.outputs.last, count: steps.a.outputs.count}
            """,
            [
                "/a": .json(#"{"rows":[{"n":1},{"n":2}],"next":"/b"}"#), "/b": .json(#"{"rows":[{"n":3}]}"#),
            ]
        )
        let outcome = await fixture.run()
        #expect(outcome.outputs.first?.values.value == ["last": 3, "count": 3])
    }

    @Test(
        arguments: [
            ("expect: {body: [length($) > 0]}", FailureKind.expect, "'length($) > 0' is false"),
            ("filters: [{require: length($) > 0}]", .filter, nil),
            ("paginate: {next: $.none.deeper, items: $.none}", .output, nil),
            (
                "paginate: {page: {query: p}}, filters: [{map: \"${item}\"}, {select: \"$[0]\"}]", .output,
                "the page is not a list, so its items cannot be counted"
            ),
            ("paginate: {link: true, items: \"$[0]\"}", .output, "the value of 'items' is a number, not a list"),
            (
                "paginate: {cursor: {query: p, from: \"concat('x', '')\"}}", .transfer,
                "the pages form a cycle: 'x'"
            ),
        ] as [(String, FailureKind, String?)]
    )
    func `an unexpected page is a failure`(
        setting: String,
        kind: FailureKind,
        message: String?
    ) async throws {
        let paginate = setting.hasPrefix("paginate") ? setting : "paginate: {page: {query: p}}, \(setting)"
        let result = try await run(
            "get: /a, \(paginate)",
            ["/a": .json("[1]"), "/a?p=1": .json("[1]"), "/a?p=2": .json("[]"), "/a?p=x": .json("[1]")]
        )
        #expect(result.summary.hasPrefix("a:failed"))
        #expect(result.failure?.kind == kind)
        #expect(result.failure?.span != nil)
        if let message { #expect(result.failure?.message.string.hasPrefix(message) == true) }
    }

    @Test(
        arguments: [
            ("{next: $.next, items: $.rows}", 200, true), ("{next: $.next, items: $.rows}", 204, true),
            ("{page: {query: p}, items: $.rows}", 200, true), ("{page: {query: p}, items: $.rows}", 204, false),
            ("{next: \"default($.next, null)\"}, filters: [{select: {path: $.rows, default: []}}]", 200, true),
            ("{page: {query: p}}, filters: [{select: {path: $.rows, default: []}}]", 200, true),
            ("{page: {query: p}}, filters: [{select: $.rows}], write: {to: x.ndjson}", 204, false),
            ("{page: {query: p}}, filters: [{select: {path: $.rows, default: []}}], write: {to: x.ndjson}", 200, true),
        ]
    )
    func `a page without a body after the first is a failure`(
        paginate: String,
        status: Int,
        fails: Bool
    ) async throws {
        let first = ScriptedTransport.Reply.json(#"{"rows":[1],"next":"/b"}"#)
        let empty = ScriptedTransport.Reply.json("", status: status)
        let result = try await run(
            "get: /a, paginate: \(paginate)",
            ["/a": first, "/a?p=1": first, "/a?p=2": empty, "/b": empty]
        )
        #expect(result.failure?.kind == (fails ? .output : nil))
        if fails {
            let message = "the response has no body, so page 2 and those after it are missing"
            #expect(result.failure?.message.string == message)
        } else {
            #expect(result.data == [1] || result.data?["records"] == 1 && folder.read("x.ndjson") == "1\n")
        }
    }

    @Test(
        arguments: [
            ("{next: $.next, items: $.rows}", #"{"rows":null}"#, nil),
            (
                "{next: $.next, items: $.rows}", #"{"rows":null,"next":"/c"}"#,
                "page 2 has null in place of its items, but"
            ),
            ("{next: $.next, items: $.rows, max: 2}", #"{"rows":null,"next":"/c"}"#, "page 2 has null"),
            ("{next: $.next, items: $.rows, max: 2}", #"{"rows":[],"next":"/c"}"#, nil),
            ("{next: $.next, items: \"default($.rows, list())\", max: 2}", #"{"rows":null,"next":"/c"}"#, nil),
            ("{page: {query: p}, items: $.rows}", #"{"rows":null}"#, nil),
            ("{page: {query: p}, items: $.rows, while: $.rows == null}", #"{"rows":null}"#, nil),
            ("{page: {query: p}, items: $.rows, while: true}", #"{"rows":null}"#, "page 2 has null"),
            ("{page: {query: p}, items: $}", "null", "the response is null, so page 2 and those after it are missing"),
            ("{link: true, items: \"default($, list())\"}", "null", nil),
            ("{link: true}", "null", "the response is null, so page 2"),
            ("{link: true}", "\"Maintenance\"", "page 2 is a string, but a page before it is a list"),
        ]
    )
    func `null in place of items is an empty list only on the last page`(
        paginate: String,
        page: String,
        message: String?
    ) async throws {
        let isList = paginate.hasPrefix("{link") || paginate.contains("items: $}") || paginate.contains("default($,")
        let first = ScriptedTransport.Reply.linked(isList ? "[1]" : #"{"rows":[1],"next":"/b"}"#, ["</b>; rel=next"])
        let last = ScriptedTransport.Reply.json(page)
        let result = try await run(
            "get: /a, paginate: \(paginate)",
            ["/a": first, "/a?p=1": first, "/a?p=2": last, "/b": last]
        )
        let found = result.failure?.message.string
        #expect(
            message == nil ? found == nil && result.data == [1] : found?.hasPrefix(message ?? "") == true,
            "\(found ?? "")"
        )
    }

    @Test func `outputs of pages that are written are computed from all items too`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - {id: a, get: /a, paginate: {next: $.next, items: $.rows}, write: {to: a.ndjson}, outputs: {last: "$[1]"}}
                outputs: {last: steps.a.outputs.last, records: steps.a.written.records}
            """,
            ["/a": .json(#"{"rows":[1],"next":"/b"}"#), "/b": .json(#"{"rows":[2]}"#)]
        )
        let (outcome, _) = try await fixture.run(into: folder)
        #expect(outcome.outputs.first?.values.value == ["last": 2, "records": 2])
    }

    @Test func `only the page that failed is retried`() async throws {
        let count = Mutex(0)
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    get: /a
                    retry: {times: 1, for: [503], backoff: {first: 1ms}}
                    paginate: {page: {query: p}}
            """,
            ["/a?p=1": .json("[1]"), "/a?p=3": .json("[]")],
            answering: { _ in
                .json(
                    "[2]",
                    status: count.withLock { count in
                        count += 1
                        return count == 1 ? 503 : 200
                    }
                )
            }
        )
        let outcome = await fixture.run()
        #expect(outcome.summary == "a:passed")
        #expect(fixture.transport.paths == ["/a?p=1", "/a?p=2", "/a?p=2", "/a?p=3"])
        #expect(outcome.result.steps[0].attempts == 4)
    }

    @Test func `credentials are sent to next pages at the first origin, but not to those at another origin`()
        async throws
    {
        let fixture = try fixture(
            """
            get: /a, headers: {X-Key: "${secrets.key}", X-Plain: p},
                    auth: {apiKey: {in: query, name: key, value: "${secrets.key}"}}, paginate: {next: $.next}
            """,
            [
                "/a?key=hunter2": .json(#"{"next":"http://other/b"}"#),
                "/b": .json(#"{"next":"http://s/c?key=old&x=1"}"#),
            ]
        )
        let outcome = await fixture.run(secrets: ["key": "hunter2"])
        #expect(outcome.summary == "a:passed v:passed")
        let sent = fixture.transport.sent
        #expect(sent.map(\.url) == ["http://s/a?key=hunter2", "http://other/b", "http://s/c?x=1&key=hunter2"])
        #expect(sent.map { $0.headers.contains { $0.name == "X-Key" } } == [true, false, true])
        #expect(sent.map { $0.headers.contains { $0.name == "X-Plain" } } == [true, false, true])
        #expect(sent.allSatisfy { $0.headers.contains { $0.name == "Accept" } })
    }

    @Test(arguments: [
        ("$[0].key", "<***>", "application/json"), ("$[1].key", "***", "***"),
        ("response.status", "<page-secret-1>", "application/json"),
    ])
    func `header fields of pages do not show secret outputs`(output: String, field: String, type: String) async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    get: /a
                    paginate: {next: $.next, items: $.rows}
                    outputs: {k: {value: "\(output)", secret: true}}
            """
        ) { _ in .linked(#"{"rows":[{"key":"page-secret-1"}],"next":null}"#, ["<page-secret-1>"]) }
        let (_, events) = try await fixture.run(into: folder)
        let heads = events.compactMap { if case .responseHead(let head) = $0.kind { head } else { nil } }
        let fields = heads.first?.headers ?? []
        #expect(fields.first { $0.name.string == "Link" }?.value.string == field)
        #expect(fields.first { $0.name.string == "Content-Type" }?.value.string == type)
    }

    @Test func `items are written page by page, and the journal records the next page`() async throws {
        let fixture = try fixture(
            "get: /a, paginate: {next: $.next, items: $.rows}, write: {to: a.ndjson, columns: [n]}",
            [
                "/a": .json(#"{"rows":[{"n":1,"x":1},{"n":2}],"next":"/b?k=1"}"#),
                "/b?k=1": .json(#"{"rows":[{"n":3}],"next":null}"#),
            ]
        )
        let (outcome, events) = try await fixture.run(into: folder, secrets: ["key": "hunter2"])
        #expect(outcome.outputs.first?.values.value == ["data": ["file": "a.ndjson", "records": 3, "bytes": 24]])
        #expect(folder.read("a.ndjson") == "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
        let pages = events.filter { $0.kind.type == "page.finished" }.map { event in
            JSON.object(
                JSONObject(event.json.object!.filter { !["seq", "at", "type", "step", "crc32"].contains($0.name) })
            )
        }
        #expect(
            pages == [
                ["page": 1, "items": 2, "next": "http://s/b?k=1", "offset": 16, "records": 2],
                ["page": 2, "items": 1, "offset": 24, "records": 3],
            ]
        )
    }

    @Test(
        arguments: [
            ("next: $.nxt", #"{"rows":[1],"next":"/b"}"#, "no member 'nxt'; did you mean 'next'?"),
            (
                "cursor: {query: c, from: $.meta.curser}", #"{"rows":[1],"meta":{"cursor":"x"}}"#,
                "'curser'; did you mean 'cursor'?"
            ),
            ("next: $.next", #"{"rows":[1],"total":1}"#, nil), ("next: $.next", #"{"rows":[1],"next":null}"#, nil),
            ("next: $.nxt", #"{"rows":[],"next":"/b"}"#, nil),
            (
                "next: $.next}, filters: [{select: $.data}]",
                #"{"data":{"rows":[1],"next":"/b"}}"#, "has nothing at '$.next'; the data after filters does"
            ),
        ]
    )
    func `a misspelt path to the next page causes a warning`(way: String, body: String, words: String?) async throws {
        let parts = way.split(separator: "}, ", maxSplits: 1)
        let step = "get: /a, paginate: {\(parts[0]), items: $.rows}" + parts.dropFirst().map { ", \($0)" }.joined()
        let fixture = try fixture(step, ["/a": .json(body)])
        let (outcome, _) = try await fixture.run(into: folder, secrets: ["key": "hunter2"])
        #expect(outcome.result.outcome == .passed)
        let warnings = try #require(folder.read("events.ndjson")).split(separator: "\n").filter {
            $0.contains("\"type\":\"warning\"")
        }
        #expect(warnings.count == (words == nil ? 0 : 1))
        #expect(words.map { warnings.first?.contains($0) == true } ?? true, "\(warnings)")
    }

    @Test func `a step that fails at a later page keeps the earlier items in the unfinished file`() async throws {
        let result = try await run(
            "get: /a, paginate: {page: {query: p}}, write: {to: a.json}",
            ["/a?p=1": .json("[1]"), "/a?p=2": .json("{}", status: 500)]
        )
        #expect(result.summary.hasPrefix("a:failed"))
        #expect(folder.read("a.json.part") == "[\n1")
        #expect(folder.read("a.json") == nil)
    }

    @Test func `each element has its own pages, and one that fails leaves nothing in the file`() async throws {
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: each
                    forEach: {in: "range(1, 41)", as: n, concurrency: 7}
                    get: /${n}
                    paginate: {page: {query: p}}
                    write: {to: all.json}
                    onFailure: continue
            """,
            answering: { request in
                let parts = request.url.dropFirst("http://s/".count).split(separator: "?p=").compactMap { Int($0) }
                let (element, page) = (parts[0], parts[1])
                let reply: ScriptedTransport.Reply =
                    switch page {
                    case 1, 2: .json("[\(element)\(page)]")
                    default: element % 10 == 3 ? .json("{}", status: 500) : .json("[]")
                    }
                return .late(reply, turns: (element * 37) % 11)
            }
        )
        let (outcome, _) = try await fixture.run(into: folder)
        #expect(outcome.summary == "each:tolerated")
        let numbers = (1..<41).filter { $0 % 10 != 3 }.flatMap { ["\($0)1", "\($0)2"] }
        #expect(folder.read("all.json") == "[\n\(numbers.joined(separator: ",\n"))\n]\n")
    }

    @Test func `every try of until starts with the first page and an empty file`() async throws {
        let count = Mutex(0)
        let fixture = try ExecutionFixture(
            """
            graphs:
              main:
                chain:
                  - id: a
                    get: /a
                    paginate: {page: {query: p}}
                    until: {that: length($) == 2, every: 1ms}
                    write: {to: a.ndjson}
            """,
            ["/a?p=1": .json("[1]"), "/a?p=3": .json("[]")],
            answering: { _ in
                count.withLock { count in
                    count += 1
                    return count == 1 ? .json("[]") : .json("[2]")
                }
            }
        )
        let (outcome, _) = try await fixture.run(into: folder)
        #expect(outcome.summary == "a:passed")
        #expect(folder.read("a.ndjson") == "1\n2\n")
        #expect(fixture.transport.paths == ["/a?p=1", "/a?p=2", "/a?p=1", "/a?p=2", "/a?p=3"])
    }
}
