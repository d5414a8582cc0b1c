import Synchronization
import Testing
import WaybillPlatform
import WaybillTestSupport

/// Secrets that are the output of a command, or the content of a file.
@Suite(.timeLimit(.minutes(5))) struct SecretSourceTests {
    private static let value = "s3cr3t-value"
    private static let script = "echo x >> starts; cat; printf '\(value)\\n'\n"

    /// Runs the program beside the folder `m` with a manifest that sends its secret `a` with two requests at once.
    private func run(
        _ source: String,
        _ arguments: [String] = ["run", "m/m.yaml", "--out", "out"],
        in folder: TemporaryFolder = TemporaryFolder(),
        at url: String = "http://127.0.0.1:1"
    ) async throws -> Command {
        let get = "auth: {bearer: \"${secrets.a}\"}, mock: {}"
        for name in ["m", "n"] {
            folder.write(
                """
                waybill: 1
                name: \(name)
                secrets: {a: \(source), unused: {command: [sh, -c, "echo x >> starts"]}}
                services: {s: {baseURL: "\(url)"}}
                graphs: {main: {batch: [{get: /1, \(get)}, {get: /2, \(get)}]}}

                """,
                to: "m/\(name).yaml"
            )
        }
        folder.write(Self.script, to: "m/token.sh")
        return try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    @Test(arguments: [["run", "m/m.yaml", "--out", "out"], ["run", "m/m.yaml", "m/n.yaml", "--out", "out"]])
    func `a command is started once in a process, in the manifest's folder, and its output is written nowhere`(
        arguments: [String]
    ) async throws {
        let folder = TemporaryFolder()
        try await LoopbackServer.run(answer: { request in
            .text("{\"sent\": \"\(request.values(named: "Authorization").first ?? "")\"}")
        }) { server in
            let run = try await run("{command: [sh, ./token.sh]}", arguments, in: folder, at: server.url(""))
            #expect(run.status == 0, "\(run.errorText)")
            #expect(server.requests.allSatisfy { $0.values(named: "Authorization") == ["Bearer \(Self.value)"] })
            #expect(server.requests.count == (arguments.count - 3) * 2)
            #expect(folder.read("m/starts") == "x\n")
            let found = try await Command.run("/usr/bin/env", ["grep", "-r", Self.value, "out"], in: folder.path)
            #expect(found.outputText == "" && !run.outputText.contains(Self.value))
        }
    }

    @Test(arguments: [
        ["validate", "m/m.yaml"], ["plan", "m/m.yaml"], ["plan", "m/m.yaml", "--format", "json"],
        ["run", "m/m.yaml", "--mock", "--out", "out"], ["export", "curl", "m/m.yaml"],
    ])
    func `only a run that sends requests starts a command`(arguments: [String]) async throws {
        let folder = TemporaryFolder()
        let run = try await run("{command: [sh, ./token.sh]}", arguments, in: folder)
        #expect(run.status == 0, "\(run.errorText)")
        #expect(folder.read("m/starts") == nil)
    }

    @Test func `a resumed run starts the command again`() async throws {
        let folder = TemporaryFolder()
        let isGood = Atomic(false)
        try await LoopbackServer.run(answer: { _ in
            isGood.load(ordering: .relaxed) ? .text("{}") : ServerResponse(status: 404)
        }) { server in
            #expect(try await run("{command: [sh, ./token.sh]}", in: folder, at: server.url("")).status == 1)
            isGood.store(true, ordering: .relaxed)
            let resumed = try await Command.run(CommandCase.program, ["resume", "out"], in: folder.path)
            #expect(resumed.status == 0, "\(resumed.errorText)")
            #expect(server.requests.last?.values(named: "Authorization") == ["Bearer \(Self.value)"])
            #expect(folder.read("m/starts") == "x\nx\n")
        }
    }

    @Test func `a secret is the content of a file`() async throws {
        let folder = TemporaryFolder()
        folder.write(Self.value + "\n", to: "elsewhere.txt")
        try await LoopbackServer.run(answer: { _ in .text("{}") }) { server in
            let run = try await run("{file: \"\(folder.path)/elsewhere.txt\"}", in: folder, at: server.url(""))
            #expect(run.status == 0, "\(run.errorText)")
            #expect(
                server.requests.map { $0.values(named: "Authorization") } == [
                    ["Bearer \(Self.value)"], ["Bearer \(Self.value)"],
                ]
            )
        }
        let outside = try await self.run("{file: ../elsewhere.txt}", ["validate", "m/m.yaml"], in: folder)
        #expect(outside.status == 2 && outside.errorText.contains("[outside-folder]"), "\(outside.errorText)")
    }

    @Test(arguments: [
        (
            "[sh, -c, \"echo hidden; echo no hidden luck >&2; exit 3\"]", "failed with exit status 3",
            "says: no *** luck\n"
        ),
        ("[sh, -c, \"kill -9 $$\"]", "was ended by signal 9", ""),
        ("[sh, -c, \"kill -STOP $$\"]", "waited for the terminal", ""),
        ("[./no-such-program]", "was not found", ""),
        ("[no-such-program]", "was not found", ""),
        ("[sh, -c, \"sleep 1000\"], timeout: 200ms", "did not end within", ""),
        ("[\"true\"]", "gives an empty value", ""),
        ("[sh, -c, \"echo\"]", "gives an empty value", ""),
        ("[sh, -c, \"yes\"]", "has more than 65536 bytes", ""),
        ("[printf, '\\377']", "is not valid UTF-8", ""),
    ])
    func `a command that gives no secret fails before anything is sent`(
        command: String,
        reason: String,
        message: String
    ) async throws {
        try await LoopbackServer.run(answer: { _ in .text("{}") }) { server in
            let run = try await run("{command: \(command)}", at: server.url(""))
            #expect(run.status == 2)
            #expect(run.errorText.contains("error[secret-source]: secret 'a' has no value: "))
            #expect(run.errorText.contains(reason) && run.errorText.contains(message), "\(run.errorText)")
            #expect(server.requests.isEmpty)
        }
    }

    /// The command writes to a pipe, and so does a process that it starts: the pipe ends with the last of them.
    @Test(arguments: ["timeout: 500ms", ""])
    func `the processes of a command are ended at its timeout, and when the run is stopped`(timeout: String)
        async throws
    {
        let folder = TemporaryFolder()
        let command = "[sh, -c, \"exec 3>pipe; echo started >&3; sleep 1000 & wait\"]"
        _ = try await run("{command: \(command), \(timeout)}", ["validate", "m/m.yaml"], in: folder)
        let stop = timeout.isEmpty ? "kill -TERM $run;" : ""
        let script = """
            mkfifo m/pipe && "$0" run m/m.yaml --out out & run=$!
            while ! [ -p m/pipe ]; do sleep 0.01; done
            { read word; \(stop) cat; } < m/pipe; wait $run; echo $?
            """
        let run = try await Command.run("/bin/sh", ["-c", script, CommandCase.program], in: folder.path)
        #expect(run.outputText == (timeout.isEmpty ? "143\n" : "2\n"), "\(run.errorText)")
        #expect(run.errorText.contains(timeout.isEmpty ? "stop" : "did not end within 500 ms"), "\(run.errorText)")
    }
}
