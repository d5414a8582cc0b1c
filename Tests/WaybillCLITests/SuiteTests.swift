import Testing
import WaybillPlatform
import WaybillResults
import WaybillTestSupport

/// Runs of several manifests.
@Suite(.timeLimit(.minutes(5))) struct SuiteTests {
    private let folder = TemporaryFolder()

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    /// A manifest with one request, which passes or fails.
    private func manifest(_ path: String, status: Int = 200, delay: String = "0s", inputs: String = "") {
        folder.write(
            """
            waybill: 1
            \(inputs)
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs: {main: {chain: [{id: one, delay: \(delay), get: /one, mock: {status: \(status)}}]}}
            """,
            to: path
        )
    }

    @Test func `a folder is run with one summary, one of each report and the worst exit status`() async throws {
        manifest("tests/a.yaml")
        manifest("tests/deep/b.yml", status: 500)
        manifest("tests/.hidden/c.yaml", status: 500)
        manifest("tests/waybill-results/d.yaml", status: 500)
        folder.write("endpoints: {}\n", to: "tests/part.yaml")
        folder.write("waybill: 1\n", to: "tests/readme.md")
        let run = try await waybill(
            "run",
            "tests",
            "./tests/a.yaml",
            "--mock",
            "--out",
            "out",
            "--report",
            "junit=j.xml,json=r.json"
        )
        #expect(run.status == 1, "\(run.errorText)")
        let text = run.outputText
        #expect(text.contains("\ntests/a.yaml\nmain\n  ✓ main.one"))
        #expect(text.contains("\n2 manifests: 1 failed, 1 passed in "))
        #expect(
            text.contains(
                """
                2 manifests: 1 failed, 1 passed in 
                """
            )
        )
        #expect(text.contains(", on the mock server\nresponse times: p50 ") && text.contains(" of 2 responses\n"))
        #expect(
            text.contains(
                """
                  ✗ tests/deep/b.yml: 1 failed
                    main.one: the status is 500, not 2xx
                    waybill resume out/tests/deep/b

                """
            )
        )
        #expect(folder.names(in: "out/tests") == ["a", "deep"])
        let junit = String(decoding: TemporaryFolder.contents(of: "\(folder.path)/j.xml") ?? [], as: UTF8.self)
        #expect(junit.split(separator: "<testsuite ").count == 3)
        let shown = try await waybill("show", "./out")
        #expect(shown.outputText.contains("tests/a.yaml (mock)  passed\n"))
        #expect(shown.outputText.contains("tests/deep/b.yml (mock)  failed\n"))
    }

    @Test func `an input and an environment are for the manifests that declare them`() async throws {
        manifest("tests/a.yaml")
        folder.write(
            """
            waybill: 1
            inputs: {region: {type: string, default: none}, tenant: {type: string, env: TENANT}}
            environments: {staging: {services: {s: {baseURL: "http://127.0.0.1:8"}}, inputs: {tenant: t}}}
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs: {main: {chain: [{id: one, get: "/${inputs.region}/${inputs.tenant}", mock: {status: 200}}]}}
            """,
            to: "tests/b.yaml"
        )
        let options = ["tests", "--input", "region=x", "--env", "staging"]
        for command in [["run", "--mock"], ["validate"]] {
            // An environment takes precedence over a variable.
            let both = try await Command.run(
                CommandCase.program,
                command + options,
                in: folder.path,
                variables: ["TENANT": "other"]
            )
            #expect(both.status == 0, "\(both.errorText)")
            #expect(both.errorText.contains("'tests/a.yaml' has no environment 'staging'; none is applied to it\n"))
            #expect(!both.errorText.contains("b.yaml"))
            if command[0] == "run" { #expect(both.outputText.contains("GET http://127.0.0.1:8/x/t  200")) }
            folder.write("{\"region\": \"y\", \"regoin\": 1}", to: "inputs.json")
            for (extra, message) in [
                (["--input", "regoin=x"], "no manifest has an input named 'regoin', but --input gives it a value"),
                (["--inputs", "inputs.json"], "no input is named 'regoin'"),
                (["--env", "stagign"], "no environment is named 'stagign'"),
            ] {
                let none = try await Command.run(CommandCase.program, command + options + extra, in: folder.path)
                #expect(none.status == 2)
                #expect(none.errorText.contains(message), "\(none.errorText)")
                if command[0] == "run", extra[0] != "--env" {
                    #expect(
                        none.errorText.split(separator: message, omittingEmptySubsequences: false).count == 2,
                        "\(none.errorText)"
                    )
                }
            }
        }
    }

    @Test func `suite json and state files conform to their published schemas`() async throws {
        manifest("tests/a.yaml", inputs: "inputs: {n: {type: integer, default: 1}}\nenvironments: {staging: {}}")
        manifest("tests/b.yaml", inputs: "inputs: {n: {type: integer, default: 1}}\nenvironments: {staging: {}}")
        let few = try await waybill("run", "tests", "--mock", "--out", "few")
        let options = ["--env", "staging", "--graph", "main", "--input", "n=2", "--concurrency", "3", "--only", "one"]
        let all = try await Command.run(
            CommandCase.program,
            ["run", "tests", "--mock", "--out", "all"] + options,
            in: folder.path
        )
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs: {main: {state: {n: {default: 1, next: state.n + 1}}, chain: [{get: /, mock: {}}]}}
            """,
            to: "pull.yaml"
        )
        let stored = try await waybill("run", "pull.yaml", "--mock", "--state", "run.json")
        let written = try await waybill("state", "set", "pull.yaml", "n", "5", "--state", "set.json")
        for command in [few, all, stored, written] { #expect(command.status == 0, "\(command.errorText)") }
        for (name, files) in [("suite", ["few/suite.json", "all/suite.json"]), ("state", ["run.json", "set.json"])] {
            let schema = "\(CommandCase.projectRoot)/schemas/\(name).schema.json"
            for file in files {
                let check = try await waybill("schema", "check", schema, file)
                #expect(check.status == 0, "\(check.errorText)")
            }
            folder.write("{}", to: "other.json")
            #expect(try await waybill("schema", "check", schema, "other.json").status == 2)
        }
    }

    @Test func `nothing is sent if one of the manifests is invalid`() async throws {
        manifest("a.yaml")
        folder.write("waybill: 1\ngraphs: {main: {chain: [{get: nowhere}]}}\n", to: "b.yaml")
        let run = try await waybill("run", ".", "--mock")
        #expect(run.status == 2)
        #expect(run.outputText.isEmpty)
        #expect(run.errorText.contains("--> ./b.yaml:2:"))
        #expect(folder.names() == ["a.yaml", "b.yaml"])
    }

    @Test func `several run at once, each with its text in one piece`() async throws {
        let names = (1...6).map { "m\($0)" }
        for name in names { manifest("\(name).yaml", delay: "3s") }
        let run = try await waybill("run", ".", "--mock", "--jobs", "6")
        #expect(run.status == 0, "\(run.errorText)")
        let blocks = run.outputText.split(separator: "\n\n").filter { $0.contains("main.one") }
        #expect(blocks.count == 6, "\(run.outputText)")
        for block in blocks { #expect(block.split(separator: "\n").count { $0.hasSuffix(".yaml") } == 1) }
        let time = try #require(
            run.outputText.split(separator: "\n").first { $0.hasPrefix("6 manifests: 6 passed in ") }
        )
        // One after the other takes 18 s at least.
        let duration = time.split(separator: " ").suffix(6).prefix(2).map { $0.filter { $0 != "," } }
        let number = try #require(duration.first.flatMap { Double($0) }, "\(time)")
        #expect(duration.last == "ms" || duration.last == "s" && number < 18, "\(time)")
    }

    @Test func `a failure is printed once if the text of a run comes in one piece`() async throws {
        manifest("a.yaml")
        manifest("b.yaml", status: 500)
        manifest("c.yaml")
        let run = try await waybill("run", ".", "--mock", "--jobs", "2", "--report", "html=r.html")
        #expect(run.status == 1, "\(run.errorText)")
        #expect(run.outputText.split(separator: "the status is 500").count == 3, "\(run.outputText)")
        // The outcome in front of the count is that of the manifests that are counted.
        let page = try #require(folder.read("r.html"))
        #expect(page.contains("<title>failed: 1 of 3 manifests</title>"))
        #expect(page.contains("<h1><span class=\"outcome\">failed</span> 1 of 3 manifests</h1>"))
    }

    @Test func `after a failure none starts, and resume runs what was not started`() async throws {
        manifest("a.yaml", status: 500)
        manifest("b.yaml")
        let run = try await waybill("run", "a.yaml", "b.yaml", "--mock", "--fail-fast", "--out", "out")
        #expect(run.status == 1)
        #expect(run.outputText.contains("\n2 manifests: 1 failed, 1 not run in "))
        let shown = try await waybill("show", "./out")
        #expect(shown.outputText.hasSuffix("\nb.yaml  not run\n"))
        let resumed = try await waybill("resume", "./out")
        #expect(resumed.status == 1, "\(resumed.errorText)")
        #expect(resumed.outputText.hasPrefix("\na.yaml\nmain\n  ✗ main.one"))
        #expect(resumed.outputText.contains("\nb.yaml\nmain\n  ✓ main.one"))
        #expect(resumed.outputText.contains("\n2 manifests: 1 failed, 1 passed in "), "\(resumed.outputText)")
        #expect(
            resumed.outputText.hasSuffix(
                "\n  ✗ a.yaml: 1 failed\n    main.one: the status is 500, not 2xx\nresults in ./out\n"
            ),
            "\(resumed.outputText)"
        )
        manifest("a.yaml")
        let passed = try await waybill("resume", "./out")
        #expect(passed.status == 0, "\(passed.errorText)")
        #expect(passed.outputText.contains("\n2 manifests: 2 passed in "), "\(passed.outputText)")
        let again = try await waybill("resume", "./out")
        #expect(again.outputText == "\n2 manifests: 2 passed; there is nothing to resume\nresults in ./out\n")
        #expect(try await waybill("resume", "./out", "--quiet").outputText.isEmpty)
        #expect(try await waybill("show", "./out").outputText.contains("b.yaml (mock)  passed\n"))
        #expect(try await waybill("resume", "./out", "--format", "ndjson").status == 64)
        // What has passed is not the result of a manifest that was changed since.
        folder.write(try #require(folder.read("b.yaml")).replacing("get: /one", with: "get: /two"), to: "b.yaml")
        let changed = try await waybill("resume", "./out")
        #expect(changed.status == 2 && changed.errorText.contains("error[changed-manifest]"), "\(changed.errorText)")
    }

    @Test(arguments: ["", "{\"seq\":1,\"at\":\"2026-"])
    func `resume runs a manifest whose process was killed at its start`(journal: String) async throws {
        for name in ["a", "b"] { manifest("\(name).yaml") }
        #expect(try await waybill("run", "a.yaml", "b.yaml", "--mock", "--out", "out").status == 0)
        for name in folder.names(in: "out/b") { unlink("\(folder.path)/out/b/\(name)") }
        folder.write(journal, to: "out/b/events.ndjson")
        let alone = try await waybill("resume", "out/b")
        #expect(alone.status == 3)
        #expect(alone.errorText.contains("was stopped before it sent or recorded anything"), "\(alone.errorText)")
        let resumed = try await waybill("resume", "./out")
        #expect(resumed.status == 0, "\(resumed.errorText)")
        #expect(resumed.outputText.contains("\n2 manifests: 2 passed in "), "\(resumed.outputText)")
    }

    @Test func `resume needs the inputs of a manifest that was not started`() async throws {
        manifest("a.yaml", status: 500)
        folder.write(
            """
            waybill: 1
            inputs: {name: {type: string, default: none}}
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs: {main: {chain: [{id: one, get: "/${inputs.name}", mock: {status: 200}}]}}
            """,
            to: "b.yaml"
        )
        let arguments = ["b.yaml", "--mock", "--fail-fast", "--out", "out", "--input", "name=x"]
        let run = try await Command.run(CommandCase.program, ["run", "a.yaml"] + arguments, in: folder.path)
        #expect(run.status == 1, "\(run.errorText)")
        let resumed = try await waybill("resume", "./out", "--quiet")
        #expect(resumed.status == 2)
        #expect(resumed.errorText.contains("could not start 'b.yaml': the inputs of the run are missing: 'name'"))
        let again = try await waybill("resume", "./out", "--input", "name=x")
        #expect(again.status == 1)
        #expect(again.outputText.contains("GET http://127.0.0.1:9/x"), "\(again.outputText)\(again.errorText)")
    }

    @Test(arguments: [
        (["a.yaml", "a/b.yaml"], ["a", "a-b-2"]),
        (["a/b.yaml", "a.yaml"], ["a/b", "a-2"]),
        (["a.yaml", "A.yml", "./a.yaml"], ["a", "A-2", "a-3"]),
        (["suite.json.yaml", "suite.json/c.yaml"], ["suite.json-2", "suite.json-c-2"]),
        (["run.json.yaml", "events.ndjson/c.yaml", "Bodies.yaml"], ["run.json-2", "events.ndjson-c-2", "Bodies-2"]),
        (["../x/y.yaml", "-"], ["x/y", "-"]),
    ])
    func `no run has its folder in that of another one`(paths: [String], names: [String]) throws {
        let suite = try SuiteFolder.create("\(folder.path)/s", in: folder.path, for: paths)
        #expect(suite.members.map { String($0.folder.dropFirst("\(folder.path)/s/".count)) } == names)
        #expect(SuiteFolder(at: "\(folder.path)/s")?.members == suite.members)
    }

    @Test func `what is for one manifest is refused for several`() async throws {
        manifest("a.yaml")
        manifest("b.yaml")
        #expect(try await waybill("run", ".", "--mock", "--format", "ndjson").status == 64)
        #expect(try await waybill("run", ".", "--mock", "--state", "s.json").status == 64)
        #expect(try await waybill("run", ".", "--mock", "--jobs", "0").status == 64)
        #expect(folder.names() == ["a.yaml", "b.yaml"])
    }

    @Test func `without a path waybill yaml is run, and a folder without manifests is an error`() async throws {
        let nothing = try await waybill("run", "--mock")
        #expect(nothing.status == 64)
        #expect(nothing.errorText.contains("the current folder has no waybill.yaml"))
        folder.write("a: 1\n", to: "empty/a.yaml")
        let none = try await waybill("validate", "empty")
        #expect(none.status == 2)
        #expect(none.errorText.hasPrefix("error[no-manifest]: there is no manifest in 'empty'\n"))
        manifest("waybill.yaml")
        #expect(try await waybill("run", "--mock").status == 0)
        #expect(try await waybill("validate", ".").outputText == "./waybill.yaml is valid\n")
    }

    @Test func `a suite whose list was changed leads to no other folder`() async throws {
        folder.write(
            #"{"manifests": [{"manifest": "a", "folder": "../b"}, {"manifest": "c", "folder": "/c"}]}"#,
            to: "s/suite.json"
        )
        #expect(SuiteFolder(at: "\(folder.path)/s") == nil)
        let shown = try await waybill("show", "./s")
        #expect(shown.status == 3)
        #expect(shown.errorText.contains("suite.json', the list of the manifests of this run, is damaged"))
    }

    @Test func `a manifest in a folder that only others include is not run by itself`() async throws {
        folder.write("waybill: 1\nservices: {s: {baseURL: \"http://127.0.0.1:9\"}}\n", to: "common.yaml")
        folder.write(
            "waybill: 1\ninclude: [common.yaml]\ngraphs: {main: {chain: [{id: one, get: /, mock: {}}]}}\n",
            to: "a.yaml"
        )
        let run = try await waybill("run", ".", "--mock")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.outputText.contains("\n1 manifest: 1 passed in "), "\(run.outputText)")
        let named = try await waybill("run", "a.yaml", "common.yaml", "--mock")
        #expect(named.status == 2)
        #expect(named.errorText.contains("error[no-graph]: common.yaml has no graph to run"))
    }

    @Test func `a manifest that is valid only as a part of another one is checked as such, unless it is named`()
        async throws
    {
        let endpoints = "waybill: 1\nendpoints: {a: {path: \"/${inputs.x}\", mock: {}}}\n"
        folder.write(endpoints, to: "suite/common/endpoints.yaml")
        folder.write(
            "waybill: 1\ninclude: [common/endpoints.yaml]\ninputs: {x: {type: string, default: a}}\n"
                + "services: {s: {baseURL: \"http://127.0.0.1:9\"}}\ngraphs: {main: {chain: [{call: a}]}}\n",
            to: "suite/main.yaml"
        )
        for command in [["validate"], ["run", "--mock"]] {
            let (whole, named) = (command + ["suite"], command + ["suite/main.yaml", "suite/common/endpoints.yaml"])
            #expect(try await Command.run(CommandCase.program, whole, in: folder.path).status == 0, "\(command)")
            #expect(try await Command.run(CommandCase.program, named, in: folder.path).status == 2, "\(command)")
        }
        // An error in the part is reported once, by the manifest that includes it.
        folder.write(endpoints.replacing("/${inputs.x}", with: "/${inputs.y}"), to: "suite/common/endpoints.yaml")
        let wrong = try await waybill("validate", "suite")
        #expect(
            wrong.status == 2 && wrong.errorText.ranges(of: "no input is named 'y'").count == 1,
            "\(wrong.errorText)"
        )
    }

    @Test func `nothing is sent if a secret of one manifest is missing, which is reported once`() async throws {
        manifest("a.yaml")
        folder.write("waybill: 1\nsecrets: {key: {env: NO_SUCH_KEY}}\n", to: "keys.yaml")
        for name in ["b", "c"] {
            folder.write(
                """
                waybill: 1
                include: [keys.yaml]
                services: {s: {baseURL: "http://127.0.0.1:9", auth: {bearer: "${secrets.key}"}}}
                graphs: {main: {chain: [{id: one, get: /, mock: {}}]}}
                """,
                to: "\(name).yaml"
            )
        }
        let run = try await waybill("run", ".", "--mock", "--report", "junit=r.xml")
        #expect(run.status == 2)
        #expect(run.outputText.isEmpty)
        #expect(run.errorText.ranges(of: "error[missing-secret]").count == 1, "\(run.errorText)")
    }

    @Test func `reports name the manifests that were not run`() async throws {
        manifest("a.yaml", status: 500)
        manifest("b.yaml")
        let reports = "junit=r.xml,tap=r.tap,markdown=r.md,json=r.json,html=r.html,har=r.har"
        let run = try await waybill("run", ".", "--mock", "--fail-fast", "--report", reports, "--out", "out")
        #expect(run.status == 1)
        #expect(try #require(folder.read("r.tap")).contains("ok 2 - ./b.yaml: run (the manifest was not run) # SKIP\n"))
        #expect(try #require(folder.read("r.xml")).contains("<testsuite name=\"./b.yaml\""))
        for name in ["r.md", "r.json", "r.html"] { #expect(folder.read(name)?.contains("b.yaml") == true, "\(name)") }
        // A run that was killed counts as failed.
        folder.write("", to: "out/b/events.ndjson")
        let later = try await waybill("report", "./out", "--tap", "-")
        #expect(
            later.outputText.contains("not ok 2 - ./b.yaml: run (the run has no result)\n"),
            "\(later.outputText)"
        )
    }

    @Test func `only one manifest needs to have the step that only names`() async throws {
        manifest("a.yaml")
        folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{id: two, get: \"http://127.0.0.1:9/\", mock: {}}]}}\n",
            to: "b.yaml"
        )
        let run = try await waybill("run", ".", "--mock", "--only", "two")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.outputText.contains("main.two") && !run.outputText.contains("main.one"))
        let both = try await waybill("run", ".", "--mock", "--only", "two", "--only", "one")
        #expect(both.outputText.contains("main.two") && both.outputText.contains("main.one"))
        let none = try await waybill("run", ".", "--mock", "--only", "three", "--only", "two")
        #expect(none.status == 2)
        #expect(none.errorText.contains("error[unknown-step]: no step of the manifests is named 'three'"))
    }

    @Test(arguments: [
        ("json=out/events.ndjson", 2), ("har=./out/../out/run.json", 2), ("junit=a.yaml", 2), ("junit=x,tap=./x", 64),
    ])
    func `a report replaces nothing that the run needs`(report: String, status: Int32) async throws {
        manifest("a.yaml")
        #expect(try await waybill("run", "a.yaml", "--mock", "--out", "out").status == 0)
        let files = ["out/events.ndjson", "out/run.json", "a.yaml"]
        let before = files.map { folder.read($0) }
        let run = try await Command.run(
            CommandCase.program,
            ["run", "a.yaml", "--mock", "--out", "out", "--report", report],
            in: folder.path
        )
        #expect(run.status == status, "\(run.errorText)")
        #expect(files.map { folder.read($0) } == before)
        #expect(try await waybill("report", "./out", "--json", "out/run.json").status == 2)
        #expect(try await waybill("report", "./out", "--html", "./a.yaml").status == 2)
        #expect(try await waybill("report", "./out", "--junit", "s", "--tap", "./s").status == 64)
        #expect(files.map { folder.read($0) } == before)
    }

    @Test func `a suite does not count the runs of an earlier one in the same folder`() async throws {
        for name in ["a", "b"] { manifest("\(name).yaml") }
        #expect(try await waybill("run", ".", "--mock", "--out", "out").status == 0)
        manifest("a.yaml", status: 500)
        #expect(try await waybill("run", ".", "--mock", "--out", "out", "--fail-fast").status == 1)
        let shown = try await waybill("show", "./out")
        #expect(shown.outputText.contains("b.yaml  not run"), "\(shown.outputText)")
        // A run of one manifest replaces the suite, and the other way round.
        #expect(try await waybill("run", "b.yaml", "--mock", "--out", "out").status == 0)
        #expect(folder.read("out/suite.json") == nil)
        #expect(try await waybill("run", ".", "--mock", "--out", "out").status == 1)
        #expect(folder.read("out/run.json") == nil)
    }

    @Test func `a suite of which some runs were removed is not resumed`() async throws {
        for name in ["a", "b"] { manifest("\(name).yaml") }
        let suite = ["run", "a.yaml", "b.yaml", "--mock", "--out", "out"]
        #expect(try await Command.run(CommandCase.program, suite, in: folder.path).status == 0)
        // This folder cannot be removed as a body, so that the new suite ends after it has removed the run of a.yaml.
        folder.write("", to: "out/b/bodies/folder/file")
        let stopped = try await Command.run(CommandCase.program, suite, in: folder.path)
        #expect(stopped.status == 3 && folder.read("out/a/events.ndjson") == nil, "\(stopped.errorText)")
        let resumed = try await waybill("resume", "./out")
        #expect(resumed.status == 3 && folder.read("out/a/events.ndjson") == nil, "\(resumed.outputText)")
        #expect(resumed.errorText.contains("run the manifests again"), "\(resumed.errorText)")
        folder.remove("out/b/bodies/folder")
        #expect(try await Command.run(CommandCase.program, suite, in: folder.path).status == 0)
    }

    @Test func `a run that lost some of its files to a new one is not continued`() async throws {
        manifest("a.yaml")
        let run = ["run", "a.yaml", "--mock", "--out", "out"]
        #expect(try await Command.run(CommandCase.program, run, in: folder.path).status == 0)
        folder.write("", to: "out/bodies/folder/file")
        let stopped = try await Command.run(CommandCase.program, run, in: folder.path)
        #expect(stopped.status == 3 && folder.read("out/run.json") == nil, "\(stopped.errorText)")
        let resumed = try await waybill("resume", "./out")
        #expect(resumed.status == 3, "\(resumed.outputText)")
        #expect(resumed.errorText.contains("run the manifest again"), "\(resumed.errorText)")
        folder.remove("out/bodies/folder")
        #expect(try await Command.run(CommandCase.program, run, in: folder.path).status == 0)
    }

    @Test func `only one process runs the manifests of a suite`() async throws {
        manifest("a.yaml", delay: "5s")
        manifest("b.yaml")
        let script = """
            "$0" run . --mock --out out > /dev/null & run=$!
            until [ -e out/a/events.ndjson ]; do sleep 0.05; done
            "$0" resume ./out; echo "resume $?"
            "$0" run . --mock --out out; echo "run $?"
            kill -INT $run; wait $run; echo "first $?"
            """
        let result = try await Command.run("/bin/sh", ["-c", script, CommandCase.program], in: folder.path)
        #expect(result.outputText == "resume 3\nrun 3\nfirst 130\n", "\(result.errorText)")
        #expect(result.errorText.contains("another process is running the manifests of './out'"))
    }

    @Test func `manifests whose names only Unicode treats as equal are all run, and may write such files`() async throws
    {
        let names = ["\u{E9}", "e\u{301}"]
        for name in names {
            folder.write(
                """
                waybill: 1
                services: {s: {baseURL: "http://127.0.0.1:9"}}
                graphs:
                  main:
                    batch:
                      - {id: a, get: /a, mock: {body: [1]}, write: {to: "${'\u{E9}'}.json"}}
                      - {id: b, get: /b, mock: {body: [2]}, write: {to: "${'e\u{301}'}.json"}}

                """,
                to: "\(name).yaml"
            )
        }
        let run = try await Command.run(CommandCase.program, ["run", ".", "--mock", "--out", "out"], in: folder.path)
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.outputText.contains("2 manifests: 2 passed"), "\(run.outputText)")
    }

    @Test func `the manifests of a folder are found by YAML, whatever the case of their extensions`() async throws {
        manifest("a.yaml")
        folder.write(
            "{\n  \"waybill\": 1,\n  \"graphs\": {\"main\": {\"chain\": [{\"id\": \"v\", \"values\": {\"n\": 1}}]}}\n}\n",
            to: "B.YAML"
        )
        folder.write("? waybill\n: 1\n", to: "C.Yml")
        let run = try await waybill("run", ".", "--mock", "-v", "--out", "o")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.errorText == "'./C.Yml' has no step to run\n")
        #expect(run.outputText.contains("./B.YAML\n"))
        folder.write([0xFF, 0xFE, 0x61, 0, 0x3A, 0, 0x20, 0, 0x31, 0], to: "d.yaml")
        let refused = try await waybill("run", ".", "--mock", "--out", "o")
        #expect(refused.status == 2)
        #expect(refused.errorText.contains("error[invalid-utf8]: the file is encoded in UTF-16, not in UTF-8"))
    }

    @Test func `each YAML file of a folder is run, named or an error`() async throws {
        manifest("a.yaml")
        folder.write("\u{FEFF}waybill: 1\ngraphs: {main: {chain: [{id: v, values: {n: 1}}]}}\n", to: "bom.yaml")
        folder.write("openapi: 3.1.0\n", to: "sub/api.yml")
        folder.write("waybill: 1\n", to: ".hidden.yaml")
        folder.write("waybill: 1\n", to: "common.yaml")
        let run = try await Command.run(
            CommandCase.program,
            ["run", ".", "--mock", "-v", "--out", "o"],
            in: folder.path
        )
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.errorText == "'./sub/api.yml' is not a manifest\n'./common.yaml' has no step to run\n")
        #expect(Set(folder.names(in: "o")).isSuperset(of: ["a", "bom"]))
        let script = """
            mkdir no; cd no; mkfifo pipe.yaml; ln -s nowhere link.yml; : > "$(printf 'caf\\351.yaml')"; mkdir "$(printf 'd\\351')"
            : > "$(printf 'caf\\351.txt')"; cd ..; exec "$0" run no --mock
            """
        let refused = try await Command.run("/bin/bash", ["-c", script, CommandCase.program], in: folder.path)
        #expect(refused.status == 3)
        for reason in [
            "'no/pipe.yaml': it is not a regular file", "'no/link.yml': there is no such file",
            "'no/caf\u{FFFD}.yaml': its name is not UTF-8", "'no/d\u{FFFD}': its name is not UTF-8",
        ] {
            #expect(refused.errorText.contains("cannot read \(reason)"), "\(refused.errorText)")
        }
        #expect(refused.errorText.contains("4 errors"), "\(refused.errorText)")
    }

    @Test func `a report is not written to a pipe that nobody reads`() async throws {
        manifest("a.yaml")
        let run = try await Command.run(
            "/bin/sh",
            ["-c", "mkfifo p; exec \"$0\" run a.yaml --mock --report junit=p", CommandCase.program],
            in: folder.path
        )
        #expect(run.status == 3)
        #expect(run.errorText.contains("no process reads from this pipe"), "\(run.errorText)")
    }

    /// Writes a manifest that counts its runs.
    private func counter(_ path: String, name: String? = nil) {
        folder.write(
            """
            waybill: 1
            \(name.map { "name: \($0)" } ?? "")
            graphs:
              main:
                state: {n: {default: 0, next: steps.v.outputs.n}}
                chain: [{id: v, values: {n: "state.n + 1"}}]
            """,
            to: path
        )
    }

    @Test func `a state that a killed run did not store is stored when the run or its suite is resumed`() async throws {
        for name in ["a", "b"] { counter("\(name).yaml", name: name) }
        let start = ["run", "a.yaml", "--out", "one", "--resume"]
        #expect(try await Command.run(CommandCase.program, start, in: folder.path).status == 0)
        #expect(try await waybill("run", "a.yaml", "b.yaml", "--out", "out").status == 0)
        // What a process leaves that is killed before it stores the state.
        for name in ["a", "b"] {
            rename(
                "\(folder.path)/waybill-results/state/\(name).json",
                "\(folder.path)/waybill-results/state/.\(name).json.0.tmp"
            )
        }
        let run = try await Command.run(CommandCase.program, start, in: folder.path)
        #expect(run.status == 0 && !run.outputText.contains("has already passed"), "\(run.outputText)")
        let suite = try await waybill("resume", "./out")
        #expect(suite.status == 0 && suite.outputText.contains("2 passed in "), "\(suite.outputText)")
        #expect(folder.read("waybill-results/state/b.json")?.contains("\"n\": 1") == true)
        #expect(
            folder.names(in: "waybill-results/state") == ["a.json", "a.json.lock", "b.json", "b.json.lock"]
        )
        // A state that was stored since then is not replaced.
        #expect(try await waybill("state", "set", "a.yaml", "n", "0").status == 0)
        let again = try await Command.run(CommandCase.program, start, in: folder.path)
        #expect(again.outputText == "the run in one has already passed\n")
        #expect(try await waybill("state", "show", "a.yaml").outputText.hasPrefix("main.n = 0 "))
    }

    @Test func `a run that has passed is not the result of a manifest that has changed`() async throws {
        counter("a.yaml", name: "a")
        let arguments = ["run", "a.yaml", "--out", "one", "--resume"]
        #expect(try await Command.run(CommandCase.program, arguments, in: folder.path).status == 0)
        let text = try #require(folder.read("a.yaml"))
        for (changed, status, words) in [
            (text.replacing("state.n + 1", with: "state.n + 2"), Int32(2), "error[changed-manifest]"),
            (
                text.replacing("[{id: v", with: "[{id: w, values: {n: 1}}, {id: v"), 3,
                "has passed without step 'main.w'"
            ),
            (text.replacing("chain:", with: "chan:"), 2, "error[unknown-key]"),
            (text + "# a comment\n", 0, ""),
        ] {
            folder.write(changed, to: "a.yaml")
            let again = try await Command.run(CommandCase.program, arguments, in: folder.path)
            #expect(again.status == status && (words.isEmpty || again.errorText.contains(words)), "\(again.errorText)")
        }
    }

    @Test func `a manifest never uses the state of another one, unless a run is given its file`() async throws {
        let file = "waybill-results/state/pull.json"
        counter("pull.yaml", name: "pull")
        counter("a/pull.yaml")
        counter("b/pull.yaml")
        counter("c/other.yaml", name: "pull")
        for manifest in ["pull.yaml", "a/pull.yaml"] {
            let run = try await waybill("run", manifest)
            #expect(run.status == 0 && run.errorText.isEmpty, "\(run.errorText)")
        }
        #expect(try await waybill("run", "a/pull.yaml", "b/pull.yaml", "--jobs", "2").status == 0)
        for (manifest, n) in [("pull.yaml", 1), ("./a/../a/pull.yaml", 2), ("b/pull.yaml", 1)] {
            #expect(try await waybill("state", "show", manifest).outputText.hasPrefix("main.n = \(n) "), "\(manifest)")
        }
        let stored = folder.read(file)
        for command in [["run"], ["state", "show"], ["state", "clear"]] {
            let arguments = command + ["c/other.yaml"]
            let refused = try await Command.run(CommandCase.program, arguments, in: folder.path)
            #expect(refused.status == 3, "\(command)")
            #expect(refused.errorText.contains("'\(file)' is the state of 'pull.yaml', not of 'c/other.yaml'"))
        }
        #expect(folder.read(file) == stored)
        // A manifest that was moved takes its state over with the file.
        #expect(try await waybill("run", "c/other.yaml", "--state", file).status == 0)
        #expect(try await waybill("state", "show", "c/other.yaml").outputText.hasPrefix("main.n = 2 "))
        #expect(try await waybill("run", "pull.yaml").status == 3)
    }

    /// Executes a function while a process runs the program, which is then killed.
    private func during(
        _ arguments: [String],
        writing journal: String,
        _ body: () async throws -> Void
    ) async throws {
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        async let run = Command.run(
            CommandCase.program,
            arguments,
            in: folder.path,
            onStart: { started.yield($0) }
        )
        let process = try #require(await starts.first { _ in true })
        defer { kill(process, SIGKILL) }
        // The journal is locked before an earlier run is removed from it.
        while folder.read(journal)?.contains("run.finished") ?? true { try await Task.sleep(for: .milliseconds(5)) }
        try await body()
        kill(process, SIGKILL)
        _ = try await run
    }

    @Test func `no run starts in the folder of a suite or a run of another process`() async throws {
        for name in ["a", "c"] { manifest("\(name).yaml") }
        manifest("b.yaml", delay: "60s")
        let suite = ["run", "a.yaml", "b.yaml", "--mock", "--out", "out"]
        try await during(suite, writing: "out/b/events.ndjson") {
            let before = folder.read("out/a/events.ndjson")
            for line in [
                ["run", "a.yaml", "--mock", "--out", "out/a"], ["resume", "./out/a", "--failed"],
                ["run", "a.yaml", "--mock", "--out", "out/new"], ["run", "a.yaml", "--mock", "--out", "out/b/sub"],
                ["run", "a.yaml", "c.yaml", "--mock", "--out", "out/sub"],
            ] {
                let refused = try await Command.run(CommandCase.program, line, in: folder.path)
                #expect(refused.status == 3, "\(line): \(refused.outputText)")
                #expect(refused.errorText.contains(": another process is "), "\(refused.errorText)")
            }
            #expect(folder.read("out/a/events.ndjson") == before)
            #expect(folder.names(in: "out") == ["a", "b", "suite.json"])
        }
    }

    @Test func `a suite with a member that another process runs changes nothing`() async throws {
        manifest("a.yaml")
        manifest("b.yaml")
        let suite = ["run", "a.yaml", "b.yaml", "--mock", "--out", "out"]
        #expect(try await Command.run(CommandCase.program, suite, in: folder.path).status == 0)
        manifest("b.yaml", delay: "60s")
        try await during(["run", "b.yaml", "--mock", "--out", "out/b"], writing: "out/b/events.ndjson") {
            let before = ["out/suite.json", "out/a/run.json", "out/a/events.ndjson"].map { folder.read($0) }
            let refused = try await Command.run(CommandCase.program, suite, in: folder.path)
            #expect(refused.status == 3)
            #expect(refused.errorText.contains("another run is writing its results to 'out/b'"), "\(refused.errorText)")
            #expect(["out/suite.json", "out/a/run.json", "out/a/events.ndjson"].map { folder.read($0) } == before)
            #expect(!before.contains(nil))
        }
    }
}
