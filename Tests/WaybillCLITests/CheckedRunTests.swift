import Synchronization
import Testing
import WaybillJSON
import WaybillPlatform
import WaybillTestSupport

/// Runs whose values, elements and files are checked, against a shop whose orders change between runs.
@Suite(.timeLimit(.minutes(5))) struct CheckedRunTests {
    private let folder = TemporaryFolder()

    /// The number of orders of the shop.
    private final class Orders: Sendable {
        let count: Mutex<Int>

        init(_ count: Int) { self.count = Mutex(count) }
    }

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    private func json(_ text: String) throws -> JSON { try JSONParser().parse(Array(text.utf8)) }

    private func contents(_ name: String) -> [UInt8]? { TemporaryFolder.contents(of: "\(folder.path)/\(name)") }

    /// Starts a server that responds to each target but `/missing` with a list of this many orders.
    private func shop(_ orders: Orders) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = connection.readRequest() {
                let list = (0..<orders.count.withLock { $0 }).map { "{\"id\":\($0),\"at\":\"2026-01-0\($0)\"}" }
                let isMissing = request.target.hasPrefix("/missing")
                if request.target == "/ok" { usleep(100_000) }
                let response = ServerResponse(
                    status: isMissing ? 404 : 200,
                    headers: [("Content-Type", "application/json")],
                    body: Array(isMissing ? "nothing here".utf8 : "[\(list.joined(separator: ","))]".utf8)
                )
                guard connection.write(response.bytes(to: request.method)) else { return }
            }
        }
    }

    private func manifest(_ graph: String, of server: LoopbackServer, _ rest: String = "") {
        folder.write(
            "waybill: 1\nservices: {s: {baseURL: \"http://127.0.0.1:\(server.port)\"}}\n\(rest)graphs:\n  main:\n\(graph)",
            to: "m.yaml"
        )
    }

    @Test func `values that are not what is expected fail their step, and are checked again when the run is resumed`()
        async throws
    {
        let orders = Orders(2)
        let server = try shop(orders)
        defer { server.stop() }
        func write(expecting ids: String) {
            manifest(
                """
                    chain:
                      - {id: pages, post: /orders, paginate: {page: {query: page}, max: 2, items: $}}
                      - id: ids
                        values: {all: "steps.pages.data[*].id", count: length(steps.pages.data)}
                        expect: {json: {all: \(ids)}, snapshot: {file: ids.json, ignore: [$.all]}}
                      - {id: last, get: "/last?count=${steps.ids.outputs.count}"}
                """,
                of: server
            )
        }
        write(expecting: "[0, 1, 0]")
        let failed = try await waybill("run", "m.yaml", "--out", "out")
        #expect(failed.status == 1)
        #expect(failed.outputText.contains("the data at .all has 4 elements, not 3"), "\(failed.outputText)")
        #expect(failed.outputText.contains("  200  2 pages  "), "\(failed.outputText)")
        #expect(failed.outputText.contains("the snapshot ids.json does not exist"))
        let sent = server.requests.count

        write(expecting: "[0, 1, 0, 1]")
        folder.write("{\"count\": 4}", to: "ids.json")
        let resumed = try await waybill("resume", "out")
        #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
        #expect(server.requests.count == sent + 1)
        #expect(server.requests.last?.target == "/last?count=4")

        // What a step that has passed expects is part of it.
        write(expecting: "[0, 1]")
        folder.write("{\"count\": 5}", to: "ids.json")
        let other = try await waybill("run", "m.yaml", "--out", "other", "--update-snapshots")
        #expect(other.status == 1 && folder.read("ids.json") == "{\"count\": 5}")
        write(expecting: "[0, 1, 0, 1]")
        #expect(try await waybill("run", "m.yaml", "--out", "third", "--update-snapshots").status == 0)
        let content = try folder.read("ids.json").map(json)
        #expect(content == ["all": [0, 1, 0, 1], "count": 4])
    }

    @Test func `the elements of a table have names on the terminal and in all reports`() async throws {
        let orders = Orders(1)
        let server = try shop(orders)
        defer { server.stop() }
        folder.write("name,path,status\na cart,/ok,200\n<no> cart #1,/ok,404\nnothing,/missing,404\n", to: "cases.csv")
        manifest(
            """
                chain:
                  - id: table
                    forEach: {in: data.cases, as: c, name: "${c.name}", concurrency: 1}
                    get: ${c.path}
                    expect: {status: "${c.status}"}
                    onFailure: collect
            """,
            of: server,
            "data: {cases: {file: cases.csv}}\n"
        )
        let reports = "junit=r.xml,tap=r.tap,html=r.html,markdown=r.md"
        let run = try await waybill("run", "m.yaml", "--out", "out", "--report", reports)
        #expect(run.status == 1)
        #expect(run.outputText.contains("✓ main.table[0]  a cart  "), "\(run.outputText)")
        #expect(run.outputText.contains("✗ main.table[1]  <no> cart #1, http"))
        #expect(run.outputText.contains("✓ main.table[2]  nothing  "))
        func expectNames() throws {
            let step = try json(try #require(folder.read("out/run.json")))["steps"]?[0]
            let cases = step?["elements"]?["cases"]?.array ?? []
            #expect(cases.map { $0["element"] } == [0, 1, 2])
            #expect(cases.map { $0["name"] } == ["a cart", "<no> cart #1", "nothing"])
            #expect(cases.map { $0["outcome"] } == ["passed", "failed", "passed"])
            #expect(cases.allSatisfy { $0["time"]?["total"]?.kind == .number })
            #expect(step?["elements"]?["failures"]?[0]?["time"] == cases[1]["time"])
            #expect(step?["elements"]?["failures"]?[0]?["name"] == "<no> cart #1")
        }
        try expectNames()
        let junit = try #require(folder.read("r.xml"))
        // Each element is a case, and the step is not another one.
        #expect(junit.contains("tests=\"3\" failures=\"1\""), "\(junit)")
        #expect(junit.contains("<testcase name=\"main.table[0] (a cart)\" classname=\"m.main\" time=\"0.1"), "\(junit)")
        #expect(junit.contains("<testcase name=\"main.table[1] (&lt;no&gt; cart #1)\""))
        let tap = try #require(folder.read("r.tap"))
        #expect(
            tap.hasPrefix("TAP version 13\n1..3\nok 1 - main.table[0] (a cart)\nnot ok 2 - main.table[1] "),
            "\(tap)"
        )
        #expect(tap.contains("[1] (<no> cart \\#1)\n  ---\n  message: \"the status is 200, not 404\"\n"))
        #expect(tap.contains("  ...\nok 3 - main.table[2] (nothing)\n"))
        #expect(folder.read("r.md")?.contains("| ✅ | `main.table[0] (a cart)` | | | 0.1") == true)
        #expect(folder.read("r.html")?.contains("<code>&lt;no&gt; cart #1</code>") == true)
        #expect(folder.read("r.html")?.contains("[0] a cart: passed, 0.1") == true)

        // A resumed run takes the names of the elements that had passed from the journal.
        #expect(try await waybill("resume", "out").status == 1)
        try expectNames()
    }

    @Test func `records that are not what is expected replace nothing, and the state stays`() async throws {
        let orders = Orders(2)
        let server = try shop(orders)
        defer { server.stop() }
        // `onFailure` of a `forEach` applies to its elements.
        manifest(
            """
                state: {since: {default: "2026-01-00", next: steps.file.written.latest}}
                chain:
                  - id: file
                    get: /orders
                    write:
                      to: orders.json.gz
                      aggregate: {latest: {max: item.at}}
                      expect: [{that: latest > state.since, message: "nothing after ${state.since}"}, bytes > 9]
                  - id: table
                    forEach: {in: [1, 2], as: n}
                    get: /orders
                    onFailure: continue
                    write: {to: shop.sqlite, table: orders, key: [id], expect: [records >= 6]}
            """,
            of: server
        )
        func run(_ out: String) async throws -> Command {
            try await waybill("run", "m.yaml", "--out", out, "--state", "state.json")
        }
        let few = try await run("few")
        #expect(few.status == 1)
        #expect(few.outputText.contains("'records >= 6' is false: records is 4"), "\(few.outputText)")
        let written = try #require(contents("few/orders.json.gz"))
        #expect(folder.names(in: "few").contains("shop.sqlite.orders.part"))
        #expect(!folder.names(in: "few").contains("shop.sqlite"))
        #expect(folder.read("state.json") == nil)

        orders.count.withLock { $0 = 3 }
        #expect(try await run("enough").status == 0)
        let state = try #require(folder.read("state.json"))
        #expect(state.contains("\"since\": \"2026-01-02\""))

        let old = try await run("old")
        #expect(old.status == 1)
        #expect(old.outputText.contains("nothing after 2026-01-02: 'latest > state.since' is false: latest is"))
        #expect(folder.names(in: "old").filter { $0.hasPrefix("orders") } == ["orders.json.gz.part"])
        #expect(folder.read("state.json") == state)

        // A request is sent again.
        orders.count.withLock { $0 = 4 }
        let resumed = try await waybill("resume", "old")
        #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
        #expect(contents("old/orders.json.gz") != written)
    }
}
