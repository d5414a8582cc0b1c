import Testing
import WaybillTestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite(.timeLimit(.minutes(5))) struct ShowTests {
    @Test func `show prints every failed expectation, and the elements that failed`() async throws {
        let folder = TemporaryFolder()
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            endpoints: {user: {path: /user, mock: {body: {id: 7, name: demo}}}}
            graphs:
              main:
                onFailure: collect
                chain:
                  - {id: one, call: user, expect: {body: [$.id == 8, {that: $.name == 'x', message: another name}]}}
                  - {id: each, forEach: {in: [7, 1], as: n, concurrency: 1}, call: user, expect: {body: [$.id == n]}}
            """,
            to: "manifest.yaml"
        )
        let run = try await Command.run(
            CommandCase.program,
            ["run", "--mock", "--out", "out", "manifest.yaml"],
            in: folder.path
        )
        #expect(run.status == 1, "\(run.errorText)")
        let shown = try await Command.run(CommandCase.program, ["show", "out"], in: folder.path)
        let lines = shown.outputText.normalized(port: nil).split(separator: "\n").map(String.init)
        #expect(
            lines.dropLast(2) == [
                "RUN  manifest.yaml  failed",
                "  ✗ main.one  GET http://127.0.0.1:9/user  200  N ms",
                "    error[expect]: 2 expectations do not hold",
                "    help: '$.id == 8' does not hold: $.id is 7",
                "    help: another name: '$.name == 'x'' does not hold: $.name is \"demo\"",
                "    help: It is at manifest.yaml:8:47.",
                "  ✗ main.each  N ms",
                "    error[expect]: '$.id == n' does not hold: $.id is 7, n is 1",
                "    help: It is at manifest.yaml:9:94.",
                "    1 of 2 elements failed:",
                "      [1] http://127.0.0.1:9/user: '$.id == n' does not hold: $.id is 7, n is 1",
            ],
            "\(shown.outputText)"
        )
    }

    @Test func `show says whether an unfinished run is still running`() async throws {
        let folder = TemporaryFolder()
        folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{id: a, get: \"http://127.0.0.1:9/\", mock: {}}]}}\n",
            to: "manifest.yaml"
        )
        let arguments = ["run", "--mock", "--out", "out", "manifest.yaml"]
        #expect(try await Command.run(CommandCase.program, arguments, in: folder.path).status == 0)
        unlink("\(folder.path)/out/run.json")
        let lines = try #require(folder.read("out/events.ndjson")).split(separator: "\n").dropLast()
        folder.write(lines.joined(separator: "\n") + "\n", to: "out/events.ndjson")
        let journal = open("\(folder.path)/out/events.ndjson", O_RDWR)
        defer { close(journal) }
        func show() async throws -> String {
            try await Command.run(CommandCase.program, ["show", "out"], in: folder.path).outputText
        }
        #expect(try await show().hasSuffix("\nwaybill resume out continues it\n"))
        #expect(flock(journal, LOCK_EX | LOCK_NB) == 0)
        let text = try await show()
        #expect(text.contains("manifest.yaml  running\n") && text.hasSuffix("\nthe run is still running\n"), "\(text)")
    }
}
