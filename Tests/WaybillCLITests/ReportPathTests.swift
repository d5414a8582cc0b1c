import Testing
import WaybillPlatform
import WaybillTestSupport

/// Reports that would replace a file of their run.
@Suite(.timeLimit(.minutes(5))) struct ReportPathTests {
    private let folder = TemporaryFolder()

    private func waybill(_ line: String) async throws -> Command {
        try await Command.run(CommandCase.program, line.split(separator: " ").map(String.init), in: folder.path)
    }

    /// Writes a manifest that names files of each kind, with constant paths and others.
    private func writeFiles() {
        folder.write(
            """
            waybill: 1
            services:
              s: {baseURL: "http://127.0.0.1:9", auth: {netrc: netrc}, cookies: {jar: jar.txt}}
            graphs:
              main:
                state: {n: {default: 1, next: state.n}}
                chain:
                  - {id: rows, get: /rows, mock: {body: [{n: 1}]}, write: {to: rows.csv}, expect: {snapshot: snapshot.json}}
                  - {id: file, get: /file, mock: {body: {n: 1}}, download: {to: file.json}}
                  - id: named
                    forEach: {in: range(2), as: n}
                    get: /${n}
                    mock: {body: {n: 1}}
                    download: {to: "${n}.json"}
            """,
            to: "m.yaml"
        )
        folder.write("machine 127.0.0.1 login user password unused\n", to: "netrc")
        folder.write("", to: "jar.txt")
        folder.write("[{\"n\": 1}]", to: "snapshot.json")
    }

    private static let constant = [
        "netrc", "jar.txt", "snapshot.json", "out/rows.csv", "out/file.json", "s.json", "s.json.lock", "m.yaml",
    ]

    @Test func `no report replaces a file of its run`() async throws {
        writeFiles()
        let run = "run m.yaml --mock --quiet --state s.json --out out"
        for file in Self.constant {
            let refused = try await waybill("\(run) --report junit=\(file)")
            #expect(refused.status == 2, "\(file): \(refused.errorText)")
            #expect(refused.errorText.contains("the report '\(file)' would replace a file"), "\(refused.errorText)")
        }
        #expect(!folder.names().contains("out"))
        let named = try await waybill("\(run) --report junit=out/1.json,json=out/report.json")
        #expect(named.status == 3)
        #expect(named.errorText.contains("the report 'out/1.json' would replace a file that the run itself writes"))
        #expect(folder.read("out/1.json") == "{\"n\":1}" && !folder.names(in: "out").contains("report.json"))

        let before = folder.names(in: "out")
        for file in Self.constant + ["out/1.json"] {
            let content = folder.read(file)
            for command in ["report out --junit \(file)", "resume ./out --report junit=\(file)"] {
                let refused = try await waybill(command)
                #expect(refused.status != 0, "\(command)")
                #expect(folder.read(file) == content, "\(command)")
            }
            #expect(try await waybill("report out --junit \(file)").status == 2, "\(file)")
        }
        #expect(folder.names(in: "out") == before)
        #expect(try await waybill("report out --junit out/junit.xml").status == 0)
        #expect(try await waybill("report out --junit out/junit.xml").status == 0)
        #expect(try await waybill("\(run) --report junit=out/junit.xml").status == 0)
    }

    @Test func `no trace and no summary is added to a file of a run`() async throws {
        writeFiles()
        let run = "run m.yaml --mock --quiet --state s.json"
        func waybill(_ line: String, _ variables: [String: String]) async throws -> Command {
            let arguments = line.split(separator: " ").map(String.init)
            return try await Command.run(CommandCase.program, arguments, in: folder.path, variables: variables)
        }
        func variables(_ file: String) -> [[String: String]] {
            [
                ["OTEL_EXPORTER_OTLP_ENDPOINT": "file://\(folder.path)/\(file)"],
                ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "\(folder.path)/\(file)"],
            ]
        }
        for variables in variables("added.txt") {
            #expect(try await waybill("\(run) --out other", variables).status == 0)
            #expect(try await waybill("\(run) --out other", variables).status == 0)
        }
        #expect(folder.read("added.txt")?.split(separator: "\n").count ?? 0 > 3)
        for file in Self.constant + ["out/events.ndjson", "other/rows.csv", "other/events.ndjson"] {
            let content = folder.read(file)
            for variables in variables(file) {
                let refused = try await waybill("\(run) --out out", variables)
                #expect([2, 3].contains(refused.status), "\(variables): \(refused.errorText)")
                #expect(refused.errorText.contains("would replace"), "\(refused.errorText)")
            }
            #expect(folder.read(file) == content, "\(file)")
        }
        #expect(!folder.names().contains("out"))
        let summary = ["GITHUB_STEP_SUMMARY": "\(folder.path)/other/rows.csv"]
        #expect(try await waybill("report other --github", summary).status == 2)
    }

    @Test func `no report replaces a file of another run, or is written beside those of one that is running`()
        async throws
    {
        let rows = "{get: \"http://127.0.0.1:9/\", mock: {body: [1]}, write: {to: rows.ndjson}}"
        for (name, step) in [("m", rows), ("a", "{values: {a: 1}}"), ("b", "{values: {a: 1}}")] {
            folder.write("waybill: 1\ngraphs: {main: {chain: [\(step)]}}\n", to: "\(name).yaml")
        }
        #expect(try await waybill("run m.yaml --mock --quiet --out single").status == 0)
        #expect(try await waybill("run a.yaml b.yaml --quiet --out suite").status == 0)
        for file in [
            "single/run.json", "single/events.ndjson", "single/sources.json", "single/bodies/a", "suite/suite.json",
            "suite/a/outputs.json", "single/rows.ndjson",
        ] {
            let content = folder.read(file)
            for command in ["run a.yaml --quiet --report json=\(file)", "report suite/b --json \(file)"] {
                let refused = try await waybill(command)
                #expect(refused.status == 2, "\(command): \(refused.errorText)")
                #expect(refused.errorText.contains("would replace a file of the run in"), "\(refused.errorText)")
            }
            #expect(folder.read(file) == content, "\(file)")
        }
        #expect(try await waybill("run a.yaml --quiet --report json=single/new/r.json").status == 0)
        let journal = open("\(folder.path)/single/events.ndjson", O_RDWR)
        defer { close(journal) }
        try #require(flock(journal, LOCK_EX | LOCK_NB) == 0)
        let refused = try await waybill("run a.yaml --quiet --report json=single/new/r.json")
        #expect(refused.status == 2)
        #expect(refused.errorText.contains("is in the folder of a run that is still running"), "\(refused.errorText)")
    }
}
