import Testing
import WaybillJSON
import WaybillTestSupport

@Suite(.timeLimit(.minutes(5))) struct WriteTests {
    @Test func `formulas in a CSV file are escaped on request, and in no other format`() async throws {
        let folder = TemporaryFolder()
        func run(_ file: String) async throws -> Command {
            folder.write(
                """
                waybill: 1
                services: {s: {baseURL: "http://127.0.0.1:9"}}
                graphs:
                  main:
                    chain:
                      - get: /a
                        mock: {body: [{a: "=1+1", b: -1}, {a: x, b: "-1"}]}
                        write: {to: \(file), csv: {formulas: escape}}
                """,
                to: "m.yaml"
            )
            return try await Command.run(
                CommandCase.program,
                ["run", "m.yaml", "--mock", "--out", "out"],
                in: folder.path
            )
        }
        #expect(try await run("a.csv").status == 0)
        #expect(folder.read("out/a.csv") == "a,b\r\n'=1+1,-1\r\nx,'-1\r\n")
        let refused = try await run("a.json")
        #expect(refused.status == 2)
        #expect(refused.errorText.contains("'csv' applies only to CSV files, but this file's format is 'json'"))
    }

    @Test(arguments: [
        "{deadline: 1s, get: /a, mock: {body: [{id: 1}]}, write: {to: t.sqlite, table: t, key: [id]}}",
        "{deadline: 1s, batch: [{get: /a, mock: {body: {id: 1}}, write: {to: t.sqlite, table: t, key: [id]}}]}",
        """
        {id: a, deadline: 1s, forEach: {in: [1], as: n}, get: /a, mock: {body: {id: 1}},
         write: {to: t.sqlite, table: t, key: [id]}}
        """,
    ])
    func `a locked database is not waited for after the deadline of the step`(step: String) async throws {
        let folder = TemporaryFolder()
        folder.write(
            "waybill: 1\nservices: {s: {baseURL: \"http://127.0.0.1:9\"}}\ngraphs: {main: {chain: [\(step)]}}\n",
            to: "m.yaml"
        )
        let script = """
            import sqlite3, subprocess, sys, time
            command = [sys.argv[1], "run", "m.yaml", "--mock", "--out", "out"]
            first = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
            database = sqlite3.connect("out/t.sqlite", isolation_level=None)
            database.execute("BEGIN EXCLUSIVE")
            start = time.monotonic()
            run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            print(first, run.returncode, time.monotonic() - start < 8, "the deadline of 1s has passed" in run.stdout)
            """
        let run = try await Command.run(
            "/usr/bin/env",
            ["python3", "-c", script, CommandCase.program],
            in: folder.path
        )
        #expect(run.outputText == "0 1 True True\n", "\(run.errorText)")
    }

    @Test(arguments: [
        (
            "forEach: {in: \"range(0, 100)\", as: n, concurrency: 4}",
            "write: {to: all.ndjson, records: \"range(0, 500)\"}"
        ),
        (
            "forEach: {in: \"range(0, 100)\", as: n, concurrency: 4}\n        onFailure: continue",
            "write: {to: all.ndjson, records: \"range(0, 500)\"}"
        ),
        ("name: one", "write: {to: all.ndjson, records: \"range(0, 100000)\"}"),
        ("onFailure: continue", "write: {to: all.ndjson, records: \"range(0, 100000)\"}"),
    ])
    func `a full disk fails the step and the run, and the journal stays complete`(
        loop: String,
        write: String
    ) async throws {
        let folder = TemporaryFolder()
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            endpoints: {a: {path: /a, mock: {body: 1}}}
            graphs:
              main:
                chain:
                  - \(loop)
                    call: a
                    \(write)
            """,
            to: "manifest.yaml"
        )
        // The limit on the file size simulates a full disk: 128 KiB, more than the journal needs.
        let result = try await Command.run(
            "/bin/sh",
            ["-c", "ulimit -f 256; exec \"$0\" run --mock --out out manifest.yaml", CommandCase.program],
            in: folder.path
        )
        #expect(result.status == 3, "\(result.errorText)")
        let message = "cannot write '\(folder.path)/out/all.ndjson': File too large"
        #expect(result.errorText.contains("error[run-error]: \(message)"))
        let summary = try JSONParser().parse(Array(try #require(folder.read("out/run.json")).utf8))
        let failure = summary["steps"]?[0]?["failure"]
        #expect(failure?["kind"] == "output")
        #expect(failure?["message"] == .string(message))
        let files = folder.names(in: "out")
        #expect(files.isSuperset(of: ["run.json", "outputs.json", "events.ndjson", "all.ndjson.part"]))
        #expect(!files.contains("all.ndjson"))
        // The unfinished file ends with a complete record.
        let part = try #require(folder.read("out/all.ndjson.part"))
        #expect(part.hasSuffix("\n"))
        #expect(part.utf8.count <= 128 * 1024)
        let last = try #require(folder.read("out/events.ndjson")).split(separator: "\n").last
        #expect(last?.contains("\"type\":\"run.finished\"") == true)
        // 'onFailure: continue' does not tolerate it: with enough space, the step is continued.
        let resumed = try await Command.run(CommandCase.program, ["resume", "./out"], in: folder.path)
        #expect(resumed.status == 0, "\(resumed.errorText)")
        let count = loop.hasPrefix("forEach") ? 50_000 : 100_000
        #expect(folder.read("out/all.ndjson")?.split(separator: "\n").count == count)
    }
}
