import Synchronization
import Testing
import WaybillFormats
import WaybillJSON
import WaybillTestSupport

/// `manifests/nightly.yaml` against a shop whose orders change between runs.
@Suite(.timeLimit(.minutes(5))) struct NightlyPullTests {
    private let folder = TemporaryFolder()

    /// A shop that serves the changed orders two per page, in the order of their changes.
    private final class Shop: Sendable {
        struct State {
            /// The orders as JSON, by the time of their last change.
            var orders: [(updatedAt: String, json: String)] = []
            /// The index of the page that fails, from 0.
            var failingPage: Int?
        }

        let state = Mutex(State())

        func add(_ id: Int, _ total: String, at updatedAt: String) {
            let json = #"{"id":\#(id),"total":\#(total),"updatedAt":"\#(updatedAt)","lines":[{"sku":"a"}]}"#
            state.withLock { state in
                state.orders.removeAll { $0.json.hasPrefix("{\"id\":\(id),") }
                state.orders.append((updatedAt, json))
            }
        }

        func respond(to target: String) -> ServerResponse {
            state.withLock { state in
                var fields: [String: String] = [:]
                for field in target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
                    let pair = field.split(separator: "=")
                    fields[String(pair[0])] = pair.count > 1 ? String(pair[1]).replacing("%3A", with: ":") : ""
                }
                let page = fields["page"].flatMap { Int($0) } ?? 0
                if page == state.failingPage { return ServerResponse(status: 500, reason: "Broken") }
                let since = fields["since"] ?? ""
                let changed = state.orders.filter { $0.updatedAt > since }
                let items = changed.dropFirst(2 * page).prefix(2).map(\.json).joined(separator: ",")
                let hasMore = changed.count > 2 * page + 2
                let next = hasMore ? "\"/orders?since=\(since)&page=\(page + 1)\"" : "null"
                return ServerResponse(
                    headers: [("Content-Type", "application/json")],
                    body: Array("{\"orders\":[\(items)],\"next\":\(next)}".utf8)
                )
            }
        }
    }

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    private func rows(_ sql: String) async throws -> String {
        let result = try await Command.run("/usr/bin/env", ["sqlite3", "\(folder.path)/nightly/shop.sqlite", sql])
        #expect(result.status == 0, "\(result.errorText)")
        return result.outputText
    }

    @Test func `only new orders are fetched, a failed run changes no state, and no record is duplicated`() async throws
    {
        let shop = Shop()
        let server = try LoopbackServer { shop.respond(to: $0.target) }
        defer { server.stop() }
        let manifest = try #require(TemporaryFolder.contents(of: CommandCase.projectRoot + "/manifests/nightly.yaml"))
        let text = String(decoding: manifest, as: UTF8.self).replacing("http://127.0.0.1:8080", with: server.url(""))
            .replacing("    retry: {times: 3}\n", with: "")
        folder.write(text, to: "nightly.yaml")
        func targets(since count: Int) -> [String] { server.requests.dropFirst(count).map(\.target) }
        let state = "waybill-results/state/nightly.json"

        for id in 1...5 { shop.add(id, "0.\(id)", at: "2026-01-0\(id)") }
        let first = try await waybill("run", "nightly.yaml", "--out", "nightly", "--format", "outputs")
        #expect(first.status == 0, "\(first.errorText)")
        #expect(first.outputText.contains("\"revenue\": 1.5"))
        #expect(server.requests.count == 3)
        #expect(
            try await rows("SELECT id, total, updatedAt, lines FROM orders WHERE id = 5")
                == "5|0.5|2026-01-05|[{\"sku\":\"a\"}]\n"
        )
        let stored = try #require(folder.read(state))
        #expect(stored.contains("\"since\": \"2026-01-05\""))

        // The second run fails halfway.
        shop.add(2, "20.25", at: "2026-01-06")
        for id in 6...8 { shop.add(id, "12345678901234567890.\(id)", at: "2026-01-0\(id + 1)") }
        shop.state.withLock { $0.failingPage = 1 }
        let before = try await rows("SELECT * FROM orders ORDER BY id")
        let failed = try await waybill("run", "nightly.yaml", "--out", "nightly")
        #expect(failed.status == 1)
        #expect(targets(since: 3) == ["/orders?since=2026-01-05", "/orders?since=2026-01-05&page=1"])
        #expect(folder.read(state) == stored)
        #expect(try await rows("SELECT * FROM orders ORDER BY id") == before)

        // A resumed run keeps its state and its current page.
        shop.state.withLock { $0.failingPage = nil }
        let resumed = try await waybill("resume", "./nightly")
        #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
        #expect(targets(since: 5) == ["/orders?since=2026-01-05&page=1"])
        #expect(folder.read(state)?.contains("\"since\": \"2026-01-09\"") == true)
        #expect(
            try await rows("SELECT id, total FROM orders ORDER BY id")
                == """
                1|0.1
                2|20.25
                3|0.3
                4|0.4
                5|0.5
                6|12345678901234567890.6
                7|12345678901234567890.7
                8|12345678901234567890.8

                """
        )

        // A run that finds nothing new.
        let last = try await waybill("run", "nightly.yaml", "--out", "nightly")
        #expect(last.status == 0)
        #expect(targets(since: 6) == ["/orders?since=2026-01-09"])
        #expect(folder.read(state)?.contains("\"since\": \"2026-01-09\"") == true)
        #expect(
            try await rows("SELECT count(*), count(DISTINCT id) FROM orders; PRAGMA integrity_check") == "8|8\nok\n"
        )
    }

    @Test func `stored values can be shown, set and cleared`() async throws {
        let manifest = CommandCase.projectRoot + "/manifests/nightly.yaml"
        func show() async throws -> String {
            let shown = try await waybill("state", "show", manifest, "--state", "s.json")
            #expect(shown.status == 0, "\(shown.errorText)")
            return shown.outputText
        }
        #expect(try await show() == "main.since = \"1970-01-01T00:00:00Z\"  (the default)\n")
        #expect(try await waybill("state", "set", manifest, "--state", "s.json", "since", "2026").status == 0)
        #expect(try await show() == "main.since = \"2026\"  (set by hand)\n")
        let run = try await waybill("run", manifest, "--mock", "--state", "s.json")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(try await show().hasPrefix("main.since = \"2026-01-04T09:30:00Z\"  (stored by "))
        #expect(try await waybill("state", "clear", manifest, "--state", "s.json").status == 0)
        #expect(try await show() == "main.since = \"1970-01-01T00:00:00Z\"  (the default)\n")
        // Without a state file of its own, a run with the mock server stores nothing.
        #expect(try await waybill("run", manifest, "--mock").status == 0)
        #expect(folder.read("waybill-results/state/nightly.json") == nil)
        let unknown = try await waybill("state", "set", manifest, "--state", "s.json", "sinse", "1")
        #expect(unknown.status == 2)
        #expect(unknown.errorText.contains("error[unknown-state]: no state is named 'sinse'"))
        #expect(unknown.errorText.contains("Did you mean 'since'?"))
    }

    @Test func `a second run with the same state file does not start`() async throws {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main:
                state: {n: {default: 0, next: state.n + 1}}
                chain: [{get: /, mock: {delay: 60s}}]
            """,
            to: "slow.yaml"
        )
        let (processes, started) = AsyncStream.makeStream(of: Int32.self)
        async let first = Command.run(
            CommandCase.program,
            ["run", "slow.yaml", "--mock", "--state", "s.json", "--out", "a"],
            in: folder.path
        ) { started.yield($0) }
        var process: Int32 = 0
        for await number in processes {
            process = number
            break
        }
        while folder.read("a/events.ndjson")?.contains("request.willSend") != true {
            try await Task.sleep(for: .milliseconds(20))
        }
        let second = try await waybill("run", "slow.yaml", "--mock", "--state", "s.json", "--out", "b")
        #expect(second.status == 3)
        #expect(
            second.errorText.contains(
                "the state 's.json' is in use by another run; try again when that run has finished"
            )
        )
        Command.send(9, to: process)
        #expect(try await first.status == 128 + 9)
        // The lock was released when the process ended.
        #expect(try await waybill("state", "set", "slow.yaml", "--state", "s.json", "n", "41").status == 0)
        folder.write(folder.read("slow.yaml")!.replacing("60s", with: "1ms"), to: "slow.yaml")
        #expect(try await waybill("run", "slow.yaml", "--mock", "--state", "s.json").status == 0)
        #expect(folder.read("s.json")?.contains("\"n\": 42") == true)
    }
}
