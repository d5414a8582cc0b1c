import Synchronization
import Testing
import WaybillTestSupport

/// Downloads and uploads that need a separate process.
@Suite(.timeLimit(.minutes(5))) struct TransferTests {
    private let folder = TemporaryFolder()

    private static let file = Array(String(repeating: "0123456789abcdef", count: 20_000).utf8)

    /// Runs a shell command in the folder, in which `$W` is the program.
    private func shell(_ commands: String) async throws -> Command {
        try await Command.run("/bin/sh", ["-c", commands], in: folder.path, variables: ["W": CommandCase.program])
    }

    /// A server with one file that sends a part of it first, and then waits until the client has exited.
    private static func holdingServer(after count: Int) throws -> LoopbackServer {
        let isFirst = Mutex(true)
        return try LoopbackServer { connection in
            while let request = connection.readRequest() {
                let start = request.values(named: "Range").first.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
                let range = start > 0 ? "Content-Range: bytes \(start)-\(file.count - 1)/\(file.count)\r\n" : ""
                connection.write(
                    "HTTP/1.1 \(start > 0 ? 206 : 200) OK\r\nETag: \"v1\"\r\n\(range)"
                        + "Content-Length: \(file.count - start)\r\n\r\n"
                )
                let holds = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard !holds else {
                    connection.write(Array(file[..<count]))
                    return connection.waitForEnd()
                }
                guard connection.write(Array(file[start...])) else { return }
            }
        }
    }

    private func write(_ server: LoopbackServer) {
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "\(server.url(""))"}}
            graphs: {main: {chain: [{request: {path: /a.bin, download: {to: a.bin}}}]}}
            """,
            to: "m.yaml"
        )
    }

    @Test func `a run whose cookies cannot be kept in their jar could not be recorded`() async throws {
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                let answer = ServerResponse(headers: [("Set-Cookie", "a=1")])
                guard connection.write(answer.bytes(to: request.method)) else { return }
            }
        }
        defer { server.stop() }
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "\(server.url(""))", cookies: {jar: none/jar.txt}}}
            graphs: {main: {chain: [{get: /}]}}
            """,
            to: "m.yaml"
        )
        let run = try await shell("$W run m.yaml --out out")
        #expect(run.status == 3, "\(run.outputText)")
        #expect(
            run.errorText.contains("the cookie jar none/jar.txt cannot be written: No such file or directory"),
            "\(run.errorText)"
        )
        #expect(folder.read("out/run.json") != nil)

        let resumed = try await shell("mkdir none; $W resume out")
        let warning =
            "before the run was resumed: cookies of the run may be lost: the cookie jar none/jar.txt cannot be"
        #expect(resumed.status == 0 && (resumed.outputText + resumed.errorText).contains(warning), "\(resumed)")
        let again = try await shell("$W resume out")
        #expect(again.status == 0 && !(again.outputText + again.errorText).contains("may be lost"), "\(again)")
    }

    @Test(arguments: [true, false])
    func `a run that is killed has stored its cookies in their jar`(isKilled: Bool) async throws {
        let requests = Mutex<[String]>([])
        let folder = folder
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                let cookie = request.values(named: "Cookie").first ?? "none"
                let count = requests.withLock {
                    $0.append("\(request.target) \(cookie)")
                    return $0.count
                }
                if count == 2, isKilled {
                    folder.write("", to: "held")
                    return connection.waitForEnd()
                }
                let answer = ServerResponse(
                    status: count == 2 ? 500 : 200,
                    headers: request.target == "/login" ? [("Set-Cookie", "sid=1")] : []
                )
                guard connection.write(answer.bytes(to: request.method)) else { return }
            }
        }
        defer { server.stop() }
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "\(server.url(""))", cookies: {jar: jar.txt}}}
            graphs: {main: {chain: [{get: /login}, {get: /item}]}}
            """,
            to: "m.yaml"
        )
        let run = try await shell(
            isKilled
                ? """
                "$W" run m.yaml --out out & P=$!; until [ -e held ]; do sleep 0.05; done; kill -9 $P; wait $P; grep -q sid jar.txt && "$W" resume out
                """ : "$W run m.yaml --out out; $W resume out"
        )
        #expect(run.status == 0, "\(run.outputText)\(run.errorText)")
        #expect(requests.withLock { $0 } == ["/login none", "/item sid=1", "/item sid=1"])
        #expect(folder.read("jar.txt")?.contains("sid") == true)
    }

    @Test func `a download for which the disk has no room is tolerated, kept, and continued by resume`() async throws {
        let ranges = Mutex<[String]>([])
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                ranges.withLock { $0.append(request.values(named: "Range").first ?? "") }
                let start = request.values(named: "Range").first.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
                let size = Self.file.count
                let range = start > 0 ? "Content-Range: bytes \(start)-\(size - 1)/\(size)\r\n" : ""
                connection.write(
                    "HTTP/1.1 \(start > 0 ? 206 : 200) OK\r\nETag: \"v1\"\r\n\(range)"
                        + "Content-Length: \(size - start)\r\n\r\n"
                )
                guard connection.write(Array(Self.file[start...])) else { return }
            }
        }
        defer { server.stop() }
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "\(server.url(""))"}}
            graphs:
              main:
                chain:
                  - {id: a, get: /a.bin, download: {to: a.bin}, onFailure: continue}
                  - {id: b, values: {x: 1}}
            """,
            to: "m.yaml"
        )
        // In blocks of 512 bytes. The shell has no room in a file either.
        let run = try await shell("ulimit -f 200; exec $W run m.yaml --out out --no-color")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.outputText.contains("! main.a"))
        #expect(run.outputText.contains("a.bin.part': File too large"))
        #expect(run.outputText.contains("1 passed, 1 tolerated"))
        #expect(!run.outputText.contains("↓"))
        #expect(folder.read("out/run.json")?.contains(#""outcome": "tolerated""#) == true)
        #expect(folder.read("out/events.ndjson")?.contains("download.committed") == false)
        #expect(folder.read("out/a.bin") == nil)
        let kept = try #require(TemporaryFolder.contents(of: "\(folder.path)/out/a.bin.part"))
        #expect(!kept.isEmpty && kept == Array(Self.file.prefix(kept.count)))

        let resumed = try await shell("exec $W resume ./out --failed --no-color")
        #expect(resumed.status == 0, "\(resumed.errorText)")
        #expect(resumed.outputText.contains("2 passed"))
        #expect(TemporaryFolder.contents(of: "\(folder.path)/out/a.bin") == Self.file)
        #expect(ranges.withLock { $0.first == "" && $0.last?.hasPrefix("bytes=") == true && $0.count == 2 })
    }

    /// Waits until the partial file has the given number of bytes.
    private static func wait(for bytes: Int) -> String {
        "for i in $(seq 1000); do [ \"$(wc -c < out/a.bin.part 2>/dev/null || echo 0)\" -ge \(bytes) ] && break; sleep 0.02; done"
    }

    @Test func `after kill -9, resume requests only the missing bytes, and the last ones again`() async throws {
        let server = try Self.holdingServer(after: 200_000)
        defer { server.stop() }
        write(server)
        let result = try await shell(
            """
            "$W" run m.yaml --out out & P=$!
            \(Self.wait(for: 200_000))
            kill -9 $P; wait $P; "$W" resume out
            """
        )
        #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
        #expect(server.requests.map { $0.values(named: "Range") } == [[], ["bytes=183616-"]])
        #expect(TemporaryFolder.contents(of: "\(folder.path)/out/a.bin") == Self.file)
        #expect(!folder.names(in: "out").contains { $0.contains(".part") })
        #expect(result.outputText.contains("↓ a.bin, 320.0 kB, resumed"))
    }

    @Test func `a run that is killed while it polls leaves the earlier file, and resume downloads the new one`()
        async throws
    {
        let isFirst = Mutex(true)
        let server = try LoopbackServer { _ in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return ServerResponse(status: isFirst ? 202 : 200, body: Array((isFirst ? "running" : "new").utf8))
        }
        defer { server.stop() }
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "\(server.url(""))"}}
            graphs:
              main:
                chain: [{get: /a.bin, download: {to: a.bin}, until: {that: response.status == 200, every: 1h}}]
            """,
            to: "m.yaml"
        )
        folder.write("old", to: "out/a.bin")
        let result = try await shell(
            """
            "$W" run m.yaml --out out & P=$!
            for i in $(seq 1000); do grep -qs poll.finished out/events.ndjson && break; sleep 0.02; done
            kill -9 $P; wait $P; echo "$(cat out/a.bin), $(ls out | grep -c part)"; "$W" resume out
            """
        )
        #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
        #expect(result.outputText.contains("old, 0"), "\(result.outputText)")
        #expect(folder.read("out/a.bin") == "new")
        #expect(server.requests.count == 2)
    }

    @Test func `two processes cannot download the same file at once`() async throws {
        let server = try Self.holdingServer(after: 100)
        defer { server.stop() }
        folder.write(
            "waybill: 1\ngraphs: {main: {chain: [{request: {url: \"\(server.url("/a.bin"))\", "
                + "download: {to: ../shared/a.bin}}}]}}\n",
            to: "other.yaml"
        )
        let result = try await shell(
            """
            "$W" run other.yaml --out one --allow-outside & P=$!
            \(Self.wait(for: 100).replacing("out/a.bin", with: "shared/a.bin"))
            "$W" run other.yaml --out other --allow-outside; S=$?
            kill -9 $P; wait $P; exit $S
            """
        )
        #expect(result.status == 1)
        #expect(result.outputText.contains("is being downloaded by another process"), "\(result.outputText)")
        #expect(server.requests.count == 1)
    }

    @Test func `a full disk fails the download, and the bytes received can be resumed`() async throws {
        let server = try LoopbackServer { _ in ServerResponse(headers: [("ETag", "\"v1\"")], body: Self.file) }
        defer { server.stop() }
        write(server)
        // The limit on the file size simulates a full disk: 128 KiB.
        let result = try await shell("ulimit -f 256; exec \"$W\" run m.yaml --out out")
        #expect(result.status == 1)
        #expect(result.outputText.contains("error[download]: cannot write"), "\(result.outputText)")
        #expect(result.outputText.contains("File too large"))
        #expect(TemporaryFolder.contents(of: "\(folder.path)/out/a.bin") == nil)
        #expect(TemporaryFolder.contents(of: "\(folder.path)/out/a.bin.part")?.count == 128 << 10)
    }

    // MARK: Uploads

    /// The sum of the two times in a line of `times`.
    private static func seconds(_ line: Substring) -> Double {
        line.split(separator: " ").reduce(0) { sum, time in
            sum + (Double(time.drop { $0 != "m" }.dropFirst().dropLast()) ?? 0)
        }
    }

    @Test func `an upload that the server does not read uses no processor time`() async throws {
        let server = try LoopbackServer { connection in
            guard connection.readHTTP2Request() else { return }
            connection.write([.settings])
            connection.waitForEnd()
        }
        defer { server.stop() }
        // More than the window of an HTTP/2 stream.
        folder.write([UInt8](repeating: 0, count: 1_000_000), to: "a.bin")
        folder.write(
            """
            waybill: 1
            inputs: {timeout: {}}
            graphs: {main: {chain: [{request: {method: POST, url: "\(server.url())", http: 2-prior-knowledge,
              timeout: "${inputs.timeout}", body: {file: a.bin}}}]}}
            """,
            to: "m.yaml"
        )
        // `times` prints the user and system time of the shell, and then of its children so far, as 0m0.30s.
        let run = { (timeout: String) in
            "\"$W\" run m.yaml --out out --input timeout=\(timeout) > log; times"
        }
        let result = try await shell("\(run("200ms"))\n\(run("5s"))")
        let seconds = result.outputText.split(separator: "\n").map(Self.seconds)
        #expect(folder.read("log")?.contains("did not accept the whole request within 5s") == true)
        try #require(seconds.count == 4 && seconds[1] > 0)
        // The second run uses about as much as the first, which ends soon; a processor that is busy for most of the 5 s
        // would add four.
        #expect(seconds[3] < seconds[1] * 2 + 2, "\(result.outputText)")
    }

    @Test(arguments: ["collect", "continue"])
    func `resume --failed uploads only the files that failed`(onFailure: String) async throws {
        let isFirst = Mutex(true)
        let server = try LoopbackServer { request in
            let isRefused = isFirst.withLock { isFirst in
                guard isFirst, String(decoding: request.body, as: UTF8.self).contains("note.json") else { return false }
                isFirst = false
                return true
            }
            return ServerResponse(
                status: isRefused ? 500 : 201,
                headers: [("Content-Type", "application/json")],
                body: Array(#"{"id": 1}"#.utf8)
            )
        }
        defer { server.stop() }
        let manifests = CommandCase.projectRoot + "/manifests"
        let upload = try #require(TemporaryFolder.contents(of: "\(manifests)/upload.yaml"))
        folder.write(
            String(decoding: upload, as: UTF8.self).replacing("http://127.0.0.1:8080", with: server.url(""))
                .replacing("onFailure: collect", with: "onFailure: \(onFailure)"),
            to: "upload.yaml"
        )
        let first = try await shell("cp -R '\(manifests)/outbox' . && exec \"$W\" run upload.yaml --out out")
        #expect(first.status == (onFailure == "collect" ? 1 : 0))
        #expect(first.outputText.contains("1 of 3 elements failed"), "\(first.outputText)")
        let sent = server.requests.count
        #expect(sent == 3)
        let second = try await shell("\"$W\" resume out --failed")
        #expect(second.status == 0, "\(second.outputText)\(second.errorText)")
        #expect(
            server.requests.dropFirst(sent).map { String(decoding: $0.body, as: UTF8.self).contains("note.json") } == [
                true
            ]
        )
        #expect(
            server.requests.allSatisfy { request in
                let body = String(decoding: request.body, as: UTF8.self)
                return ["text/csv", "application/json", "text/plain"].contains {
                    body.contains("Content-Type: \($0)\r\n")
                }
            }
        )
        #expect(try await shell("\"$W\" resume out --failed").status == 0)
        #expect(server.requests.count == 4)
    }
}
