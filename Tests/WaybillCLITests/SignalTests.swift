import Testing
import WaybillJSON
import WaybillPlatform
import WaybillTestSupport
import WaybillTransport

@Suite(.timeLimit(.minutes(5))) struct SignalTests {
    /// Runs a manifest against a server that holds its responses until they are released.
    private func run(
        _ graphs: String,
        _ body: (_ process: Int32, _ held: HeldResponses, _ journal: @escaping @Sendable () -> String) async throws ->
            Void
    ) async throws -> (result: Command, summary: JSON, targets: [String]) {
        // Requests in flight have ten seconds to finish, so the test must not wait for other tests that compute.
        try await withTaskExecutorPreference(OwnThread()) {
            let held = try HeldResponses()
            defer { held.stop() }
            let folder = TemporaryFolder()
            folder.write("waybill: 1\nservices: {s: {baseURL: \(held.url)}}\ngraphs: \(graphs)\n", to: "manifest.yaml")
            let (starts, started) = AsyncStream.makeStream(of: Int32.self)
            async let run = Command.run(
                CommandCase.program,
                ["run", "manifest.yaml", "--out", "results"],
                in: folder.path,
                onStart: { started.yield($0) }
            )
            let process = try #require(await starts.first { _ in true })
            try await body(process, held) { folder.read("results/events.ndjson") ?? "" }
            let result = try await run
            let summary = try JSONParser().parse(Array(try #require(folder.read("results/run.json")).utf8))
            return (result, summary, held.targets)
        }
    }

    /// Waits until the journal contains a string.
    private func wait(for text: String, in journal: @Sendable () -> String) async throws {
        // Another process writes the journal, so there is no event to wait for.
        while !journal().contains(text) { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// Waits until a mock server has written its address to `log`, and returns the address.
    private func address(in folder: TemporaryFolder) async throws -> String {
        try await wait(for: "Ctrl-C") { folder.read("log") ?? "" }
        return try #require(folder.read("log")?.firstMatch(of: #/http://127.0.0.1:[0-9]+/#)).output.description
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a stopped run finishes the requests in flight and runs the finally steps`(signal: Int32) async throws {
        let run = try await run(
            """
            {main: {batch: [{id: a, get: /a}, {id: b, needs: [a], get: /b}, {id: c, delay: 1h, get: /c}],
              finally: [{id: f, get: /f}]}}
            """
        ) { process, held, journal in
            await held.waitForRequests(1)
            Command.send(signal, to: process)
            try await wait(for: "step.skipped", in: journal)
            held.release()
        }
        #expect(run.result.status == 128 + signal)
        #expect(run.summary["outcome"] == "interrupted")
        #expect(run.summary["steps"]?.array?.map { $0["outcome"] } == ["passed", "skipped", "skipped", "passed"])
        #expect(run.targets == ["/a", "/f"])
        #expect(run.result.errorText.hasPrefix("stopping: "))
    }

    @Test func `a run that is stopped twice ends at once and writes its results`() async throws {
        let run = try await run(
            "{main: {batch: [{id: a, get: /a}, {id: b, delay: 1h, get: /b}], finally: [{id: f, get: /f}]}}"
        ) { process, held, journal in
            await held.waitForRequests(1)
            Command.send(SIGINT, to: process)
            try await wait(for: "step.skipped", in: journal)
            Command.send(SIGTERM, to: process)
        }
        #expect(run.result.status == 130)
        #expect(run.summary["outcome"] == "interrupted")
        #expect(run.summary["steps"]?.array?.map { $0["outcome"] } == ["cancelled", "skipped", "skipped"])
        #expect(run.targets == ["/a"])
    }

    @Test func `a signal after all steps have finished changes neither the outcome nor the exit status`() async throws {
        let folder = TemporaryFolder()
        folder.write("\"\(String(repeating: "x", count: 1 << 20))\"", to: "x.json")
        let chain = "chain: [{id: a, values: {n: length(data.x)}}]"
        folder.write(
            "waybill: 1\ndata: {x: {file: x.json}}\ngraphs: {main: {\(chain), outputs: {x: data.x}}}\n",
            to: "m.yaml"
        )
        // The outputs are printed at the end, and nobody reads them: the program blocks while it writes them.
        let script = """
            import json, signal, subprocess, sys
            process = subprocess.Popen([sys.argv[1], "run", "m.yaml", "--out", "out", "--format", "outputs"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdout.read(1)
            process.send_signal(signal.SIGINT)
            words = process.stderr.readline().split()[0].decode()
            process.communicate()
            last = json.loads(open("out/events.ndjson").readlines()[-1])
            print(words, process.returncode, last["type"], last["outcome"], json.load(open("out/run.json"))["outcome"])
            """
        let run = try await Command.run(
            "/usr/bin/env",
            ["python3", "-c", script, CommandCase.program],
            in: folder.path
        )
        #expect(run.outputText == "the 0 run.finished passed passed\n", "\(run.errorText)")
    }

    /// Runs a script that starts a run with much output, which nobody reads, and waits until the run has finished.
    private func runUnread(_ script: String) async throws -> Command {
        let folder = TemporaryFolder()
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:1"}}
            graphs:
              main: {chain: [{id: e, forEach: {in: "range(2000)", as: x}, get: "/e?i=${x}", mock: {body: 1}}]}

            """,
            to: "m.yaml"
        )
        let start = """
            import os, signal, subprocess, sys, time
            process = subprocess.Popen([sys.argv[1], "run", "m.yaml", "--mock", "-v", "--out", "out"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(6000):
                if os.path.exists("out/run.json"): break
                time.sleep(0.01)
            else:
                process.kill()
                sys.exit("the run waits for the reader")

            """
        return try await Command.run(
            "/usr/bin/env",
            ["python3", "-c", start + script, CommandCase.program],
            in: folder.path
        )
    }

    @Test func `a run does not wait for the reader of its output, which receives everything`() async throws {
        let script = """
            text = process.communicate()[0].decode()
            print(process.returncode, text.count("> GET http://127.0.0.1:1/e?i="), "1 passed" in text)
            """
        let run = try await runUnread(script)
        #expect(run.outputText == "0 2000 True\n", "\(run.errorText)")
    }

    @Test func `a second signal ends the program if nobody reads its output`() async throws {
        let script = """
            process.send_signal(signal.SIGINT)
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            print(process.wait(60))
            """
        let run = try await runUnread(script)
        #expect(run.outputText == "130\n", "\(run.errorText)")
    }

    @Test func `SIGUSR1 pauses a run and SIGUSR2 resumes it`() async throws {
        let run = try await run("{main: {chain: [{id: a, get: /a}, {id: b, get: /b}]}}") { process, held, journal in
            await held.waitForRequests(1)
            Command.send(SIGUSR1, to: process)
            try await wait(for: "run.paused", in: journal)
            held.release()
            await held.waitForResponses(1)
            #expect(!journal().contains("step.finished"))
            Command.send(SIGUSR2, to: process)
        }
        #expect(run.result.status == 0)
        #expect(run.targets == ["/a", "/b"])
    }

    @Test func `a SIGUSR1 that arrives before the run starts pauses the run`() async throws {
        let held = try HeldResponses()
        defer { held.stop() }
        let folder = TemporaryFolder()
        folder.write(
            "waybill: 1\nservices: {s: {baseURL: \(held.url)}}\ngraphs: {main: {chain: [{id: a, get: /a}]}}\n",
            to: "m.yaml"
        )
        // A blocked signal is delivered as soon as the program unblocks it.
        let script = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
            os.kill(os.getpid(), signal.SIGUSR1)
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        async let run = Command.run(
            "/usr/bin/env",
            ["python3", "-c", script, CommandCase.program, "run", "m.yaml", "--out", "out"],
            in: folder.path,
            onStart: { started.yield($0) }
        )
        let process = try #require(await starts.first { _ in true })
        let journal: @Sendable () -> String = { folder.read("out/events.ndjson") ?? "" }
        try await wait(for: "run.paused", in: journal)
        #expect(held.targets.isEmpty)
        Command.send(SIGUSR2, to: process)
        await held.waitForRequests(1)
        held.release()
        let result = try await run
        #expect(result.status == 0)
    }

    @Test(arguments: [SIGQUIT, SIGABRT, SIGSEGV])
    func `SIGQUIT and crash signals end the program at once, without a backtrace`(signal: Int32)
        async throws
    {
        let held = try HeldResponses()
        defer { held.stop() }
        let folder = TemporaryFolder()
        folder.write("waybill: 1\ngraphs: {main: {chain: [{get: \"\(held.url)/a\"}]}}\n", to: "m.yaml")
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        async let run = Command.run(
            CommandCase.program,
            ["run", "m.yaml", "--out", "out"],
            in: folder.path,
            variables: ["SWIFT_BACKTRACE": "enable=yes"],
            onStart: { started.yield($0) }
        )
        let process = try #require(await starts.first { _ in true })
        await held.waitForRequests(1)
        Command.send(signal, to: process)
        let result = try await run
        #expect(result.status == 128 + signal)
        #expect(result.errorText == "")
        #expect(folder.read("out/run.json") == nil)
    }

    @Test func `the mock server responds with examples until it is stopped`() async throws {
        let folder = TemporaryFolder()
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "http://127.0.0.1:9/base"}}
            endpoints:
              a: {path: "/a/${inputs.x}", inputs: {x: string}, mock: [{body: {n: 1}}, {status: 201, body: text}]}
              b: {path: /b}
            """,
            to: "manifest.yaml"
        )
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        async let mock = Command.run(
            "/bin/sh",
            ["-c", "exec \"$0\" mock manifest.yaml > log", CommandCase.program],
            in: folder.path,
            onStart: { started.yield($0) }
        )
        let process = try #require(await starts.first { _ in true })
        let url = try await address(in: folder)
        let transport = try CurlTransport()
        func get(_ path: String) async throws -> HTTPResponse {
            try await transport.send(HTTPRequest(url: url + path)).get()
        }
        let first = try await get("/base/a/1")
        #expect(first.status == 200 && String(decoding: first.body, as: UTF8.self) == #"{"n":1}"#)
        let second = try await get("/base/a/2")
        #expect(second.status == 201 && String(decoding: second.body, as: UTF8.self) == "text")
        #expect(try await get("/base/b").status == 404)
        await transport.shutDown()
        Command.send(SIGTERM, to: process)
        let result = try await mock
        #expect(result.status == 143)
        #expect(folder.read("log")?.contains("GET /base/a/2 201\n") == true)
    }

    @Test func `the mock server responds even if nobody reads its log`() async throws {
        let folder = TemporaryFolder()
        folder.write("waybill: 1\nendpoints: {a: {url: \"http://127.0.0.1:9/a\"}}\n", to: "m.yaml")
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        // The program itself keeps the pipe open for reading; only the first line is read.
        let script = """
            mkfifo p; exec 3<> p
            (read -r line <&3; echo "$line" > log) &
            exec "$0" mock m.yaml >&3
            """
        async let mock = Command.run(
            "/bin/sh",
            ["-c", script, CommandCase.program],
            in: folder.path,
            onStart: { started.yield($0) }
        )
        let process = try #require(await starts.first { _ in true })
        let url = try await address(in: folder) + "/"
        let transport = try CurlTransport()
        // Much more than a pipe can buffer.
        let target = String(repeating: "x", count: 8000)
        for _ in 0..<400 {
            let response = await transport.send(HTTPRequest(url: url + target, timeout: .seconds(60)))
            guard case .success(let response) = response, response.status == 404 else {
                Issue.record("\(response)")
                break
            }
        }
        await transport.shutDown()
        Command.send(SIGTERM, to: process)
        #expect(try await mock.status == 143)
    }
}
