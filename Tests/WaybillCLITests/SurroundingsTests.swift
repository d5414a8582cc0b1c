import Testing
import WaybillPlatform
import WaybillTestSupport

/// The program in an environment where something is missing: standard streams, disk space, `/proc`, file descriptors.
@Suite(.timeLimit(.minutes(5))) struct SurroundingsTests {
    private static let manifest = """
        waybill: 1
        services: {s: {baseURL: "http://127.0.0.1:9"}}
        endpoints: {e: {service: s, path: /a, mock: {status: 200, body: {n: 1}}}}
        graphs: {main: {chain: [{id: a, call: e}], outputs: {n: steps.a.data.n}}}

        """

    /// Runs a shell command in which `$W` is the program, in a folder with a manifest and a run of it.
    private func shell(_ line: String) async throws -> (command: Command, folder: TemporaryFolder) {
        let folder = TemporaryFolder()
        folder.write(Self.manifest, to: "m.yaml")
        for out in ["waybill-results/r", "20200101-000000-aaaaaa"] {
            let arguments = ["run", "m.yaml", "--mock", "--out", out]
            let run = try await Command.run(CommandCase.program, arguments, in: folder.path)
            try #require(run.status == 0, "\(run.errorText)")
        }
        let command = try await Command.run(
            "/bin/sh",
            ["-c", line],
            in: folder.path,
            variables: ["W": CommandCase.program]
        )
        return (command, folder)
    }

    @Test(arguments: [
        "run m.yaml --mock", "run m.yaml --mock --format outputs", "run m.yaml --mock --format ndjson",
        "call m.yaml e --mock", "call m.yaml e --mock --format outputs", "show r", "runs .", "--help", "run --help",
        "--version", "plan m.yaml", "schema print manifest", "explain", "eval 1",
    ])
    func `output to a full device is reported as a failure`(words: String) async throws {
        let command = try await shell("$W \(words) > /dev/full").command
        #expect(command.status == 3)
        #expect(command.errorText.contains("could not write to standard output: No space left on device"))
    }

    @Test(arguments: ["run m.yaml --mock --format ndjson", "show r", "--help", "plan m.yaml", "eval 1"])
    func `the program ends silently when the reader of its output has closed the pipe`(words: String) async throws {
        // The reader exits before the program starts.
        let line = "mkfifo p; sh -c ': < p' & exec 3> p; wait $!; $W \(words) >&3"
        let command = try await shell(line).command
        #expect(command.status == 141)
        #expect(command.errorText == "")
    }

    @Test(arguments: ["run m.yaml --mock", "plan m.yaml", "eval 1", "--help"])
    func `a closed standard output is a failure`(words: String) async throws {
        let command = try await shell("$W \(words) >&-").command
        #expect(command.status == 3)
        #expect(command.errorText.hasPrefix("error[unwritable-output]: could not write to standard output: "))
        #expect(try await shell("$W run m.yaml --mock --quiet >&-").command.status == 0)
    }

    @Test(arguments: [14, 20, 25])
    func `a limit of open files that is too low is an error`(limit: Int) async throws {
        let command = try await shell("ulimit -n \(limit); exec $W run m.yaml --mock").command
        #expect(command.status == 3)
        #expect(command.errorText.hasPrefix("error[run-error]: could not open "), "\(command.errorText)")
        #expect(command.errorText.contains("Raise the limit of open files (ulimit -n)."), "\(command.errorText)")
    }

    @Test func `a limit of stacks is raised, or is an error`() async throws {
        let deep = String(repeating: "[", count: 500) + "1" + String(repeating: "]", count: 500)
        let (raised, _) = try await shell("echo '\(deep)' > d.json; ulimit -S -s 192; $W eval 'count($..*)' d.json")
        #expect(
            raised.status == 0 && raised.outputText == "500\n",
            "\(raised.outputText.suffix(200))\(raised.errorText)"
        )
        let fixed = try await shell("ulimit -s 192; exec $W run m.yaml --mock").command
        #expect(fixed.status == 3)
        #expect(fixed.errorText.contains("Raise the limit of stacks (ulimit -s)."), "\(fixed.errorText)")
    }

    @Test func `downloads that have too few open files name the limit`() async throws {
        let manifest = """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main:
                chain: [{forEach: {in: "range(0, 60)", as: i, concurrency: 60}, get: "/${i}", download: {to: "${i}"}, mock: {body: x}}]
            """
        let line = "cat > d.yaml <<'E'\n\(manifest)\nE\nulimit -n 48; exec $W run d.yaml --mock"
        let command = try await shell(line).command
        #expect(command.status == 1)
        #expect(command.outputText.contains("Too many open files (ulimit -n)"), "\(command.outputText)")
    }

    @Test func `a limit of threads that is too low is an error`() async throws {
        // The limit does not apply to root, and another user may not be able to enter the folder of the build.
        let user = getuid() == 0 ? "setpriv --reuid 54321 --clear-groups" : ""
        let line = "cp $W w; chmod 755 . w; exec \(user) bash -c 'ulimit -u 4; exec ./w eval 1'"
        let command = try await shell(line).command
        #expect(command.status == 3)
        #expect(command.errorText.hasPrefix("error[run-error]: could not start "), "\(command.errorText)")
        #expect(command.errorText.contains("(ulimit -u, -v and -d)."), "\(command.errorText)")
    }

    @Test(arguments: ["-d 20000", "-d 50000", "-d 200000", "-v 300000", "-v 400000"])
    func `a limit of memory in which threads cannot start is an error`(limit: String) async throws {
        let command = try await shell("ulimit \(limit); exec $W run m.yaml --mock").command
        #expect(command.status == 3)
        #expect(command.errorText.hasPrefix("error[run-error]: could not start "), "\(command.errorText)")
    }

    @Test func `a pipe for the summary that no process reads is an error`() async throws {
        let line = "mkfifo p; GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=p exec $W run m.yaml --mock --report github"
        let command = try await shell(line).command
        #expect(command.status == 3)
        #expect(command.errorText.contains("cannot write the summary to 'p'"), "\(command.errorText)")
    }

    @Test(arguments: ["run p", "run m.yaml --inputs p", "eval $ p", "run m.yaml --env-file p", "schema check p m.yaml"])
    func `a pipe that no process writes to is an error`(words: String) async throws {
        let command = try await shell("mkfifo p; exec $W \(words)").command
        #expect(command.status == 2 || command.status == 3)
        #expect(
            command.errorText.contains("p cannot be read: it is a pipe that no process writes to"),
            "\(command.errorText)"
        )
    }

    @Test(arguments: [
        "run X", "validate X", "run m.yaml --inputs X", "eval $ X", "run m.yaml --env-file X", "schema check m.yaml X",
        "schema check X m.yaml", "import X", "eval $ - < X",
    ])
    func `a device, a folder, a socket and a file of 1 TB are refused within bounds`(words: String) async throws {
        let files = ["/dev/zero", "/dev/urandom", "$PWD/folder", "$PWD/socket", "$PWD/sparse"]
        let line = """
            mkdir folder; truncate -s 1T sparse
            python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
            ulimit -v 4000000; for f in \(files.joined(separator: " ")); do
                timeout 20 $W \(words.replacing("X", with: "$f")); s=$?
                case $s in 2|3) ;; *) echo "$f: $s" ;; esac
            done
            """
        // A shell does not open a socket, and 'import' reads the sources in a folder.
        let command = try await shell(line.replacing("$PWD/socket", with: words.contains("<") ? "" : "$PWD/socket"))
            .command
        #expect(command.outputText.isEmpty, "\(command.outputText)\(command.errorText)")
        #expect(command.errorText.contains("it is not a regular file"), "\(command.errorText)")
    }

    @Test(arguments: [
        "mkfifo p; cat m.yaml > p & $W run p --mock", "mkfifo p; (cat; sleep 1) < m.yaml > p & $W run p --mock",
        "$W run <(sleep 3; cat m.yaml) --mock", "cat m.yaml | $W run /dev/stdin --mock", "$W run - --mock < m.yaml",
        "$W run /dev/stdin --mock < m.yaml",
    ])
    func `a manifest can come from a pipe`(line: String) async throws {
        let folder = TemporaryFolder()
        folder.write(Self.manifest, to: "m.yaml")
        let command = try await Command.run(
            "/bin/bash",
            ["-c", line],
            in: folder.path,
            variables: ["W": CommandCase.program]
        )
        #expect(command.status == 0, "\(command.errorText)")
    }

    @Test(arguments: ["/dev/stdout", "/dev/fd/1"])
    func `a report to standard output by its path is written to it, or is a failure`(path: String) async throws {
        let report = "$W report waybill-results/r --junit"
        let (command, folder) = try await shell("echo first > o; \(report) \(path) >> o; \(report) - > p")
        #expect(command.status == 0, "\(command.errorText)")
        #expect(folder.read("o") == folder.read("p").map { "first\n\($0)" })
        #expect(try await shell("\(report) \(path) >&-").command.status == 3)
        #expect(try await shell("\(report) \(path) > /dev/full").command.status == 3)
    }

    @Test func `a report to a symbolic link replaces the file that it leads to`() async throws {
        let line = "echo old > file; ln -s file link; $W report waybill-results/r --junit link && readlink link"
        let (command, folder) = try await shell(line)
        #expect(command.status == 0 && command.outputText == "file\n", "\(command.errorText)")
        #expect(folder.read("file")?.contains("<testsuites") == true)
    }

    @Test func `annotations that cannot be written are a failure`() async throws {
        #expect(try await shell("$W report waybill-results/r --github").command.status == 0)
        let failing = "sed 's/status: 200/status: 500/' m.yaml > f.yaml; $W run f.yaml --mock --quiet --out f > p"
        #expect(try await shell("\(failing); $W report ./f --github 2> /dev/full").command.status == 3)
    }

    @Test func `reports to two pipes reach their readers, and are failures without one`() async throws {
        let line = "mkfifo a b; cat a > x & cat b > y & exec 3> a 4> b; $W report waybill-results/r --junit a --tap b"
        let (command, folder) = try await shell("\(line); s=$?; exec 3>&- 4>&-; wait; exit $s")
        #expect(command.status == 0, "\(command.errorText)")
        #expect(folder.read("x")?.contains("<testsuites") == true && folder.read("y")?.hasPrefix("TAP") == true)
        let alone = try await shell("mkfifo a b; $W report waybill-results/r --junit a --tap b").command
        #expect(alone.status == 3)
        #expect(alone.errorText.contains("'a': no process reads") && alone.errorText.contains("'b': no process reads"))
    }

    @Test func `wrong usage names the command, and a misspelt command its neighbour`() async throws {
        let wrong = try await shell("cp m.yaml n.yaml; $W run m.yaml n.yaml --state s.json --mock").command
        #expect(wrong.status == 64)
        #expect(
            wrong.errorText == """
                Error: --state supports only one manifest; name its file.
                  See 'waybill run --help' for more information.

                """
        )
        let misspelt = try await shell("$W rnu m.yaml").command
        #expect(misspelt.status == 64)
        #expect(misspelt.errorText.contains("Did you mean 'waybill run'?"))
        #expect(try await !shell("$W zzzzzzz").command.errorText.contains("Did you mean"))
    }

    @Test func `a program without standard streams does not print into its result files`() async throws {
        let (command, folder) = try await shell("$W run m.yaml --mock --out out <&- >&- 2>&-")
        // Nobody received what it printed.
        #expect(command.status == 3)
        #expect(folder.read("out/run.json")?.contains("\"outcome\": \"passed\"") == true)
        let lines = try #require(folder.read("out/events.ndjson")).split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("{") })
    }

    @Test func `a program with a low limit on open files still sends its request`() async throws {
        let (command, folder) = try await shell(
            """
            # A privileged process could raise the limit again.
            S=''; [ "$(id -u)" != 0 ] || S='setpriv --inh-caps=-sys_resource --bounding-set=-sys_resource'
            ulimit -n 64; $S "$W" run m.yaml --mock --out out
            """
        )
        #expect(command.status == 0, "\(command.errorText)")
        #expect(folder.read("out/outputs.json")?.contains("1") == true)
    }

    @Test(arguments: [64, 100, 200])
    func `fewer manifests run at once if the limit of open files is low`(limit: Int) async throws {
        let (command, folder) = try await shell(
            """
            mkdir t
            for i in 1 2 3 4 5 6 7 8; do cat > t/$i.yaml <<END
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:1", maxConnections: 50}}
            graphs:
              main:
                chain:
                  - forEach: {in: "range(50)", as: x, concurrency: 50}
                    get: "/e?i=\\${x}"
                    mock: {body: {a: 1}}
                    write: {to: a.ndjson}
            END
            done
            # A privileged process could raise the limit again.
            S=''; [ "$(id -u)" != 0 ] || S='setpriv --inh-caps=-sys_resource --bounding-set=-sys_resource'
            ulimit -n \(limit); $S "$W" run t --mock --jobs 8 --out out -q
            """
        )
        #expect(command.status == 0, "\(command.errorText)")
        let runs = limit < 128 ? "one manifest runs" : "3 manifests run"
        #expect(
            command.errorText == "only \(runs) at once, because the limit of open files is low (ulimit -n)\n",
            "\(command.errorText)"
        )
        for number in 1...8 { #expect(folder.read("out/t/\(number)/a.ndjson")?.utf8.count == 50 * 8) }
    }

    /// Whether the test can hide `/proc`.
    private static let canHideProc =
        (try? canRun("unshare -m sh -c 'mount -t tmpfs none /proc'")) ?? false

    private static func canRun(_ line: String) throws -> Bool { system("\(line) >/dev/null 2>&1") == 0 }

    @Test(.enabled(if: canHideProc, "only a privileged process can hide /proc"))
    func `a program without /proc receives its arguments`() async throws {
        // This does not run a manifest: the thread pool of Swift's runtime (libdispatch) reads /proc after a second and
        // ends the program if it cannot.
        let line = "unshare -m sh -c 'mount -t tmpfs none /proc && exec \"$W\" validate m.yaml'"
        let (command, _) = try await shell(line)
        #expect(command.status == 0, "\(command.errorText)")
        #expect(command.outputText.contains("m.yaml is valid"), "\(command.outputText)")
    }

    @Test func `temporary files of a killed run are removed when it is resumed`() async throws {
        let line = """
            touch waybill-results/r/.run.json.1a2b.tmp waybill-results/r/.outputs.json.x.tmp waybill-results/r/.mine.tmp
            $W resume r
            """
        let (command, folder) = try await shell(line)
        #expect(command.status == 0, "\(command.errorText)")
        #expect(folder.names(in: "waybill-results/r").filter { $0.hasSuffix(".tmp") } == [".mine.tmp"])
    }

    @Test func `a malicious run is shown without terminal control sequences, whatever numbers it contains`()
        async throws
    {
        let line = #"""
            cd waybill-results/r
            sed -i 's|"total": [0-9.]*|"total": 1e308|; s|"path": "main.a"|"path": "main.a\\u001b[31m"|' run.json
            sed -i 's|"startedAt": "....|"startedAt": "1700|; s|"finishedAt": "....|"finishedAt": "2261|' run.json
            sed -i 's|"manifest": "|"manifest": "\\u001b]0;x\\u0007|' run.json
            cat run.json; cd ../..; $W show r
            mv waybill-results/r waybill-results/20200102-000000-aaaaaa; $W runs
            """#
        let command = try await shell(line).command
        #expect(command.status == 0, "\(command.errorText)")
        #expect(!command.outputText.contains("\u{1B}"))
        #expect(command.outputText.contains("\u{FFFD}"))
        #expect(command.outputText.contains("\n20200102-000000-aaaaaa  passed  "), "\(command.outputText)")
    }

    @Test func `show reports that a modified journal is damaged, and where`() async throws {
        let line = "cd waybill-results/r; rm run.json; sed -i '2s/main/other/' events.ndjson; cd ../..; $W show r"
        let command = try await shell(line).command
        #expect(command.status == 3)
        #expect(command.outputText == "")
        #expect(command.errorText.contains("waybill-results/r/events.ndjson:2: the journal is damaged: "))
    }

    @Test func `resume shows no content of a file that is not a manifest`() async throws {
        // The journal names a file whose content has been replaced.
        let line = "echo private > m.yaml; $W resume r"
        let command = try await shell(line).command
        #expect(command.status == 3)
        #expect(command.errorText.contains("'m.yaml', named by the journal of the run, is not a manifest"))
        #expect(!command.errorText.contains("private"))
    }

    @Test func `a request that cannot be recorded is not sent`() async throws {
        try await LoopbackServer.run { _ in
            ServerResponse(headers: [("Content-Type", "application/json")], body: Array("{\"n\": 1}".utf8))
        } _: { server in
            let folder = TemporaryFolder()
            folder.write(
                """
                waybill: 1
                services: {s: {baseURL: "\(server.url(""))", session: {call: login}}}
                endpoints: {login: {method: POST, path: /login, outputs: {n: $.n}}}
                graphs:
                  main:
                    chain:
                      - {id: a, forEach: {in: "range(0, 64)", as: n}, post: "/${n}", headers: {A: "${session.n}"}}

                """,
                to: "m.yaml"
            )
            // All elements are in flight and wait for the session; then each one is recorded and sent. The size of a
            // file is limited to 8 KiB, in blocks of 512 bytes.
            let line = "ulimit -f 16; exec \"$0\" run m.yaml --out out"
            let command = try await Command.run("/bin/sh", ["-c", line, CommandCase.program], in: folder.path)
            #expect(command.status == 3, "\(command.errorText)")
            #expect(command.errorText.contains("cannot write 'out/events.ndjson': File too large"))
            let journal = try #require(folder.read("out/events.ndjson"))
            let sent = server.requests.map(\.target)
            #expect(!sent.isEmpty && sent.count < 50)
            let unrecorded = sent.filter { !journal.contains("\($0)\"") }
            #expect(unrecorded == [])
        }
    }

    @Test(
        arguments: [
            ("true", false), ("sed -i '$d' waybill-results/r/events.ndjson", true),
            (#"sed -i '$s/"passed"/"interrupted"/' waybill-results/r/events.ndjson"#, true),
            ("truncate -s -20 waybill-results/r/events.ndjson", true),
        ]
    )
    func `a run that replaces the results of an unfinished run prints a warning`(change: String, warns: Bool)
        async throws
    {
        let run = try await shell("\(change); $W run m.yaml --mock --out waybill-results/r > run.txt; echo $?")
        #expect(run.command.outputText == "0\n")
        #expect(run.command.errorText.contains("warning[unfinished-run]: replacing the results of run ") == warns)
        if warns { #expect(run.command.errorText.contains("waybill resume waybill-results/r")) }
        #expect(run.folder.read("run.txt")?.contains("1 passed") == true)
    }

    @Test(arguments: [
        "run m.yaml --mock --out o$x", "run m.yaml --mock --state s$x", "run m.yaml --mock --report json=r$x",
        "run m$x.yaml --mock", "eval \\\"$x\\\"",
    ])
    func `an argument that is not UTF-8 is refused`(words: String) async throws {
        let (command, folder) = try await shell("x=$(printf '\\377'); before=$(ls); $W \(words); s=$?; ls; exit $s")
        #expect(command.status == 64)
        #expect(command.errorText.contains("\u{FFFD}") && command.errorText.contains("' is not valid UTF-8."))
        #expect(folder.names() == ["m.yaml", "waybill-results", "20200101-000000-aaaaaa"])
    }

    @Test func `a variable that a manifest names and that is not UTF-8 is refused`() async throws {
        let manifest = """
            waybill: 1
            secrets: {t: {env: TOKEN}}
            inputs: {i: {type: string, env: VALUE}}
            services: {s: {baseURL: "http://127.0.0.1:9"}}
            graphs:
              main: {chain: [{get: "/${inputs.i}", auth: {bearer: "${secrets.t}"}, mock: {}}]}
            """
        let run = "cat > v.yaml <<'E'\n\(manifest)\nE\nx=$(printf '\\377')\n"
        for (variables, name) in [("TOKEN=a$x VALUE=b", "TOKEN"), ("TOKEN=a VALUE=b$x", "VALUE")] {
            let command = try await shell("\(run) \(variables) $W run v.yaml --mock --out v").command
            #expect(command.status == 2, "\(command.errorText)")
            let message = "error[invalid-utf8]: the environment variable \(name) is not valid UTF-8"
            #expect(command.errorText.contains(message), "\(command.errorText)")
        }
        let passed = try await shell("\(run) TOKEN=a VALUE=b OTHER=$x $W run v.yaml --mock --out v").command
        #expect(passed.status == 0, "\(passed.errorText)")
        let given = try await shell("\(run) TOKEN=a VALUE=$x $W run v.yaml --mock --input i=b --out v").command
        #expect(given.status == 0, "\(given.errorText)")
    }

    @Test func `a current folder whose path is not UTF-8 is refused`() async throws {
        let enter = "d=$(printf 'd\\377'); mkdir $d; cp m.yaml $d; cd $d"
        let command = try await shell("\(enter); $W run m.yaml --mock; s=$?; ls; exit $s").command
        #expect(command.status == 3 && command.outputText == "m.yaml\n")
        #expect(command.errorText.contains("error[run-error]: the path of the current folder, '"))
        #expect(try await shell("\(enter); $W --version").command.status == 0)
    }

    @Test(arguments: ["--concurrency", "--jobs"])
    func `numbers that are too large are refused`(option: String) async throws {
        for number in ["0", "100001", "9223372036854775807"] {
            let command = try await shell("$W run m.yaml --mock \(option) \(number)").command
            #expect(command.status == 64, "\(command.errorText)")
            #expect(command.errorText.contains("\(option) must be from 1 to 1000"), "\(command.errorText)")
        }
    }
}
