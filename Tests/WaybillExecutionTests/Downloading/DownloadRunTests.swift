import Synchronization
import Testing
import WaybillDiagnostics
import WaybillJSON
import WaybillPlatform
import WaybillResults
import WaybillTestSupport
import WaybillTransport

@testable import WaybillExecution

/// Runs that download files over sockets.
@Suite(.timeLimit(.minutes(5)), .ownThread) struct DownloadRunTests {
    private let folder = TemporaryFolder()

    private static let file = Array(String(repeating: "0123456789abcdef", count: 20_000).utf8)
    private static let sha256 = "2f869ec6ab78d5d9f9d3a9d4a251b98e9f87daebb730d3124691e118ae812a62"

    /// A server with one file, which closes the first connections after sending a part of it.
    private static func server(cuts: Int = 0) throws -> LoopbackServer {
        let cuts = Mutex(cuts)
        return try LoopbackServer { connection in
            while let request = connection.readRequest() {
                var start = 0
                if let range = request.values(named: "Range").first, request.values(named: "If-Range") == ["\"v1\""] {
                    start = Int(range.dropFirst(6).dropLast()) ?? 0
                }
                let range = start > 0 ? "Content-Range: bytes \(start)-\(file.count - 1)/\(file.count)\r\n" : ""
                let name =
                    request.target.contains("named")
                    ? "Content-Disposition: attachment; filename=\"../x y.bin\"\r\n" : ""
                connection.write(
                    "HTTP/1.1 \(start > 0 ? 206 : 200) OK\r\nETag: \"v1\"\r\n\(range)\(name)"
                        + "Content-Type: application/zip\r\nContent-Length: \(file.count - start)\r\n\r\n"
                )
                let isCut = cuts.withLock { cuts in
                    defer { cuts -= 1 }
                    return cuts > 0
                }
                if isCut {
                    connection.write(Array(file[start..<(start + 50_000)]))
                    return
                }
                guard connection.write(Array(file[start...])) else { return }
            }
        }
    }

    private struct Ran {
        let outcome: Executor.Outcome
        let events: [RunEvent]
        let requests: [ReceivedRequest]

        var failure: Failure? { outcome.result.steps.compactMap(\.failure).first }
        var outputs: JSON? { outcome.outputs.first.map(\.values.value) }

        var files: [RunEvent.DownloadedFile] {
            events.compactMap { if case .downloadCommitted(let file) = $0.kind { file } else { nil } }
        }
    }

    /// Runs steps against a server.
    private func run(
        _ steps: String,
        top: String = "",
        outputs: String = "{}",
        cuts: Int = 0,
        server given: LoopbackServer? = nil
    ) async throws -> Ran {
        let server = try given ?? Self.server(cuts: cuts)
        defer { if given == nil { server.stop() } }
        let fixture = try ExecutionFixture(
            "\(top)graphs:\n  main:\n    chain: [\(steps)]\n    outputs: \(outputs)\n",
            at: server.url("")
        )
        let transport = try CurlTransport()
        let run = try RunFolder.create(.at(folder.path), for: RunID())
        let listener = EventListener()
        let outcome = await fixture.run(
            over: transport,
            secrets: ["key": "hunter2"],
            events: EventStream(journal: run.journal, observers: [listener]),
            folder: run
        )
        try await run.journal.finish()
        await transport.shutDown()
        return Ran(outcome: outcome, events: listener.all, requests: server.requests)
    }

    private var files: Set<String> { folder.names().subtracting(["events.ndjson", "bodies"]) }

    @Test func `a file is stored, and its step describes it`() async throws {
        let ran = try await run(
            "{id: a, request: {path: /a.zip, download: {to: b/c.zip, checksum: {sha256: \"'\(Self.sha256)'\"}}}}",
            outputs: "{file: steps.a.downloaded}"
        )
        #expect(ran.outcome.summary == "a:passed", "\(String(describing: ran.failure))")
        #expect(TemporaryFolder.contents(of: "\(folder.path)/b/c.zip") == Self.file)
        #expect(folder.names(in: "b") == ["c.zip"])
        let size = JSON.number(JSONNumber(Self.file.count))
        let expected: JSON = ["file": "b/c.zip", "bytes": size, "sha256": .string(Self.sha256), "resumed": false]
        #expect(ran.outputs?["file"] == expected)
        #expect(ran.files.map(\.path.string) == ["b/c.zip"])
        #expect(ran.requests.last?.values(named: "Accept-Encoding") == ["identity"])
    }

    @Test func `a file that an interceptor rejects does not replace the earlier one`() async throws {
        folder.write("earlier", to: "a.zip")
        let ran = try await run(
            """
            {id: a, intercept: {beforeSuccess: [{fail: no}]}, request: {path: /a.zip, download: {to: a.zip}}}
            """
        )
        #expect(ran.outcome.summary == "a:failed")
        #expect(folder.read("a.zip") == "earlier")
        #expect(ran.files.isEmpty)
    }

    @Test func `a retry resumes where the connection ended`() async throws {
        let ran = try await run(
            """
            {id: a, request: {path: /a.zip, expect: {status: 200}, retry: {times: 3, backoff: {first: 1ms}},
              download: {to: a.zip}}}
            """,
            outputs: "{file: steps.a.downloaded}",
            cuts: 2
        )
        #expect(ran.outcome.summary == "a:passed", "\(String(describing: ran.failure))")
        #expect(ran.requests.map { $0.values(named: "Range") } == [[], ["bytes=33616-"], ["bytes=67232-"]])
        #expect(ran.outputs?["file"]?["resumed"] == true)
        #expect(TemporaryFolder.contents(of: "\(folder.path)/a.zip") == Self.file)
        #expect(files == ["a.zip"])
        // The events have the status that the server actually sent.
        let heads = ran.events.compactMap { if case .responseHead(let head) = $0.kind { head.status } else { nil } }
        #expect(heads == [206])
    }

    @Test func `a response with a wrong file is reported, without its secrets`() async throws {
        let ran = try await run(
            """
            {id: a, request: {path: /a.zip, retry: {times: 1, backoff: {first: 1ms}},
              outputs: {tag: {value: "response.headers['content-type']", secret: true}},
              download: {to: a.zip, checksum: {md5: "'d41d8cd98f00b204e9800998ecf8427e'"}}}}
            """,
            cuts: 1
        )
        #expect(ran.failure?.kind == .download)
        // The rest of the file was requested.
        let heads = ran.events.compactMap { if case .responseHead(let head) = $0.kind { head } else { nil } }
        #expect(heads.map(\.status) == [206])
        #expect(heads.first?.httpVersion == "1.1")
        let fields = heads.flatMap(\.headers).map { "\($0.name.string.lowercased()): \($0.value.string)" }
        #expect(fields.contains("etag: \"v1\""))
        #expect(fields.contains("content-type: ***"))
    }

    @Test func `an interrupted download fails like its transfer, and its bytes are kept`() async throws {
        let ran = try await run("{id: a, request: {path: /a.zip, download: {to: a.zip}}}", cuts: 1)
        #expect(ran.failure?.kind == .transfer)
        #expect(files == ["a.zip.part", "a.zip.part.json"])
    }

    @Test func `a validator that contains a secret is not stored next to an interrupted download`() async throws {
        let ran = try await run(
            """
            {id: a, request: {path: /a.zip, download: {to: a.zip},
              outputs: {tag: {value: response.headers.ETag, secret: true}}}}
            """,
            cuts: 1
        )
        #expect(ran.failure?.kind == .transfer)
        #expect(files.isEmpty)
    }

    @Test func `a wrong checksum is a failure, and its bytes are deleted`() async throws {
        let wrong = String(repeating: "ab", count: 16)
        let ran = try await run(
            "{id: a, request: {path: /a.zip, download: {to: a.zip, checksum: {md5: \"'\(wrong)'\"}}}}"
        )
        #expect(ran.failure?.kind == .download)
        #expect(ran.failure?.message.string.contains("not \(wrong)") == true)
        #expect(files.isEmpty)
    }

    static let checksums: [(String, FailureKind?)] = [
        ("{sha256: \"concat('SHA256:', upper('\(sha256)'))\"}", nil),
        ("{sha256: \"concat('md5=AAAA, sha-256=:', vars.digest, ':')\"}", nil),
        ("{sha256: \"capture(vars.sums, '([0-9a-f]{64}) [ *]a[.]zip')\"}", nil),
        ("{sha256: \"capture(vars.sums, '([0-9a-f]{64}) [ *]b[.]zip')\"}", .download),
        ("{sha256: \(sha256)}", nil),
        ("{md5: d41d8cd98f00b204e9800998ecf8427e}", .download),
        ("{sha1: \"concat('ab', 'c')\"}", .input),
        ("{md5: response.headers.ETag}", .input),
        ("{md5: response.headers.Content-MD5}", .input),
    ]

    @Test(arguments: checksums) func `checksums are accepted in many forms`(checksum: String, failure: FailureKind?)
        async throws
    {
        let zeros = String(repeating: "0", count: 64)
        let digest = "L4aexqt41dn506nUolG5jp+H2uu3MNMSRpHhGK6BKmI="
        let ran = try await run(
            """
            {id: a, request: {path: /a.zip, vars: {sums: "\(zeros) *b.zip\\n\(Self.sha256)  a.zip\\n", digest: "\(digest)"},
              download: {to: a.zip, checksum: \(checksum)}}}
            """
        )
        #expect(ran.failure?.kind == failure, "\(String(describing: ran.failure))")
        #expect(files == (failure == nil ? ["a.zip"] : []))
    }

    @Test func `in a folder, a file gets its name from the server or from the URL`() async throws {
        let ran = try await run(
            """
            {id: a, request: {path: "/files/named?x=1", download: {to: in/}}},
            {id: b, request: {path: "/files/a%20b.zip?x=1", download: {to: in/}}},
            {id: c, request: {path: /c.bin, download: {}, downloads: all/of}},
            {id: d, request: {path: "/", download: {to: e/}, downloads: all}}
            """
        )
        #expect(ran.outcome.summary == "a:passed b:passed c:passed d:passed", "\(String(describing: ran.failure))")
        #expect(ran.files.map(\.path.string) == ["in/x y.bin", "in/a b.zip", "all/of/c.bin", "all/e/download"])
        #expect(folder.names(in: "in") == ["x y.bin", "a b.zip"])
    }

    @Test func `an interrupted download into a folder is resumed too`() async throws {
        let ran = try await run(
            "{id: a, request: {path: /named, retry: {times: 1, backoff: {first: 1ms}}, download: {to: in/}}}",
            cuts: 1
        )
        #expect(ran.outcome.summary == "a:passed")
        #expect(ran.requests.last?.values(named: "Range") == ["bytes=33616-"])
        #expect(folder.names(in: "in") == ["x y.bin"])
    }

    @Test func `a name with a secret is not used`() async throws {
        let ran = try await run(
            "{id: a, request: {path: \"/${secrets.key}\", download: {to: in/}}}",
            top: "secrets: {key: {env: KEY}}\n"
        )
        #expect(ran.files.map(\.path.string) == ["in/download"])
        #expect(folder.names(in: "in") == ["download"])
    }

    @Test func `an existing file is kept, and nothing is requested`() async throws {
        folder.write(Self.file, to: "a.zip")
        let ran = try await run(
            """
            {id: a, request: {path: /a.zip, download: {to: a.zip, replace: false, checksum: {sha256: "'\(Self.sha256)'"}}}}
            """,
            outputs: "{file: steps.a.downloaded}"
        )
        #expect(ran.outcome.summary == "a:passed")
        #expect(ran.requests.isEmpty)
        #expect(ran.files.first?.isKept == true)
        #expect(ran.outputs?["file"]?["sha256"] == .string(Self.sha256))
    }

    @Test func `an existing file with another checksum is a failure`() async throws {
        folder.write("old", to: "a.zip")
        let ran = try await run(
            """
            {id: a, request: {path: /a.zip, download:
              {to: a.zip, replace: false, checksum: {md5: "'d41d8cd98f00b204e9800998ecf8427e'"}}}}
            """
        )
        #expect(ran.failure?.kind == .download)
        #expect(ran.requests.isEmpty && folder.read("a.zip") == "old")
    }

    @Test func `an existing file with the name from the server is kept`() async throws {
        folder.write("old", to: "x y.bin")
        let ran = try await run("{id: a, request: {path: /named, download: {replace: false}}}")
        #expect(ran.outcome.summary == "a:passed")
        #expect(ran.files.map(\.bytes) == [3])
        #expect(files == ["x y.bin"] && folder.read("x y.bin") == "old")
    }

    @Test func `an existing file is replaced only by a complete one`() async throws {
        folder.write("old", to: "a.zip")
        _ = try await run("{id: a, request: {path: /a.zip, download: {to: a.zip}}}", cuts: 1)
        #expect(folder.read("a.zip") == "old")
        _ = try await run("{id: a, request: {path: /a.zip, download: {to: a.zip}}}")
        #expect(TemporaryFolder.contents(of: "\(folder.path)/a.zip") == Self.file)
    }

    @Test func `an unexpected response is not stored`() async throws {
        let page = ServerResponse(headers: [("Content-Type", "text/html")], body: Array("<h1>Log in</h1>".utf8))
        let server = try LoopbackServer {
            $0.target == "/gone" ? ServerResponse(status: 404, body: Array("gone".utf8)) : page
        }
        defer { server.stop() }
        let ran = try await run(
            """
            {id: a, onFailure: continue, request: {path: /a.zip, accept: [application/zip], download: {to: a.zip}}},
            {id: b, onFailure: continue, request: {path: /gone, download: {to: b.zip}}},
            {id: c, request: {path: /gone, expect: {status: 404}, download: {to: c.zip}}},
            {id: d, onFailure: continue, request: {path: /d, expect: {headers: {X-None: "*"}}, download: {to: d.zip}}}
            """,
            server: server
        )
        #expect(ran.outcome.summary == "a:tolerated b:tolerated c:passed d:tolerated")
        let kinds = ran.outcome.result.steps.map(\.failure?.kind)
        #expect(kinds == [.contentType, .status, nil, .expect])
        #expect(files.filter { !$0.contains("bodies") }.isEmpty)
    }

    private static let old = "old"
    private static let done = "that: \"response.headers['X-State'] == 'done'\", every: 1ms, times: 3"

    /// Settings of a step, its `until`, the earlier file, and the step's summary, its file and its requests.
    static let polls: [(String, until: String, earlier: String?, summary: String, file: String, requests: Int)] = [
        ("download: {to: a.zip}", done, old, "a:passed", "file", 3),
        ("download: {to: a.zip, replace: false}", done, nil, "a:passed", "file", 3),
        ("download: {to: a.zip, replace: false}", done, old, "a:passed", "old", 0),
        ("download: {to: a.zip, checksum: {md5: \"md5('file')\"}}", done, old, "a:passed", "file", 3),
        ("download: {to: a.zip, checksum: {md5: response.headers.X-Digest}}", done, old, "a:passed", "file", 3),
        ("download: {to: a.zip, checksum: {md5: \"md5('other')\"}}", done, old, "a:failed", "old", 3),
        ("download: {to: a.zip}, expect: {headers: {X-None: \"*\"}}", done, old, "a:failed", "old", 3),
        ("download: {to: a.zip}", "that: response.status == 201, every: 1ms, times: 3", old, "a:failed", "old", 3),
        (
            "download: {to: a.zip}, intercept: {beforeFailure: [{recover: {}}]}",
            "that: response.status == 201, every: 1ms, times: 3", old, "a:passed", "old", 3
        ),
    ]

    @Test(arguments: polls) func `of the polls of until, only the last one has the file`(
        step: String,
        until: String,
        earlier: String?,
        summary: String,
        file: String,
        requests: Int
    ) async throws {
        let count = Mutex(0)
        let server = try LoopbackServer { _ in
            let count = count.withLock {
                $0 += 1
                return $0
            }
            guard count < 3 else {
                let fields = [("ETag", "\"b\""), ("X-State", "done"), ("X-Digest", "8c7dd922ad47494fc02c388e12c00eac")]
                return ServerResponse(headers: fields, body: Array("file".utf8))
            }
            return ServerResponse(headers: [("ETag", "\"a\""), ("X-State", "running")], body: Array("running".utf8))
        }
        defer { server.stop() }
        if let earlier { folder.write(earlier, to: "a.zip") }
        let ran = try await run("{id: a, get: /a.zip, until: {\(until)}, \(step)}", server: server)
        #expect(ran.outcome.summary == summary, "\(String(describing: ran.failure))")
        #expect(folder.read("a.zip") == file)
        #expect(ran.requests.count == requests)
        #expect(ran.files.count == (summary == "a:passed" && until == Self.done ? 1 : 0))
    }

    @Test func `each element has its own file`() async throws {
        let ran = try await run(
            """
            {id: a, forEach: {in: "range(20)", as: n}, request: {path: "/${n}.zip", download: {to: "all/${n}.zip"}}}
            """
        )
        #expect(ran.outcome.summary == "a:passed", "\(String(describing: ran.failure))")
        #expect(folder.names(in: "all") == Set((0..<20).map { "\($0).zip" }))
        #expect(ran.files.count == 20)
    }

    @Test func `the progress of downloads is reported, even for elements`() async throws {
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                guard request.method == "GET" else {
                    connection.write("HTTP/1.1 204 OK\r\n\r\n")
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n")
                // Progress is reported at most ten times a second.
                for _ in 0..<4 {
                    connection.write([UInt8](repeating: 1, count: 500))
                    _ = connection.pass(milliseconds: 120)
                }
            }
        }
        defer { server.stop() }
        let ran = try await run(
            "{id: a, forEach: {in: [1, 2], as: n}, request: {path: \"/${n}\", download: {to: all/}}}",
            server: server
        )
        #expect(ran.outcome.summary == "a:passed", "\(String(describing: ran.failure))")
        let progress = ran.events.filter { if case .requestProgress = $0.kind { true } else { false } }
        #expect(Set(progress.compactMap(\.step)) == ["main.a[0]", "main.a[1]"])
        #expect(!ran.events.contains { if case .requestSent = $0.kind { true } else { false } })
    }

    @Test func `two elements cannot write the same file`() async throws {
        let ran = try await run(
            "{id: a, onFailure: collect, forEach: {in: [1, 2], as: n}, request: {path: \"/${n}/named\", download: {to: all/}}}"
        )
        #expect(ran.outcome.summary == "a:failed")
        #expect(ran.files.count == 1)
        #expect(ran.failure?.message.string.contains("is already written by another step") == true)
    }

    @Test func `with cancel-previous, the later download resumes from the partial file of the earlier one`()
        async throws
    {
        let part = "\(folder.path)/a.zip.part"
        let isFirst = Mutex(true)
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                if request.target == "/wait" {
                    // Wait until the first part of the file is on the disk.
                    while TemporaryFolder.contents(of: part)?.count != 50_000 {
                        guard connection.pass(milliseconds: 5) else { return }
                    }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                    continue
                }
                let start = request.values(named: "Range").first.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
                let range =
                    start > 0 ? "Content-Range: bytes \(start)-\(Self.file.count - 1)/\(Self.file.count)\r\n" : ""
                connection.write(
                    "HTTP/1.1 \(start > 0 ? 206 : 200) OK\r\nETag: \"v1\"\r\n\(range)"
                        + "Content-Length: \(Self.file.count - start)\r\n\r\n"
                )
                let holds = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if holds {
                    connection.write(Array(Self.file[..<50_000]))
                    return connection.waitForEnd()
                }
                connection.write(Array(Self.file[start...]))
            }
        }
        defer { server.stop() }
        let ran = try await run(
            """
            {id: both, batch: [
              {id: a, request: {path: /a.zip, duplicates: cancel-previous, download: {to: a.zip}}},
              {id: later, chain: [{get: /wait},
                {id: b, request: {path: /a.zip, duplicates: cancel-previous, download: {to: a.zip}}}]}]}
            """,
            server: server
        )
        #expect(ran.outcome.result.outcome == .passed, "\(String(describing: ran.failure))")
        #expect(ran.requests.last?.values(named: "Range") == ["bytes=33616-"])
        #expect(ran.files.map(\.isResumed) == [true])
        #expect(TemporaryFolder.contents(of: "\(folder.path)/a.zip") == Self.file)
        #expect(files == ["a.zip"])
    }

    @Test func `download paths are confined like those of write`() async throws {
        folder.write("", to: "there")
        for to in ["${concat('..', '/x')}", "${concat('run', '.json')}", "there/x"] {
            let ran = try await run("{id: a, request: {path: /a, download: {to: \"\(to)\"}}}")
            #expect(ran.failure?.kind == .input, "\(to): \(String(describing: ran.failure))")
            #expect(ran.requests.isEmpty)
        }
    }

    @Test func `a response larger than maxBody is downloaded`() async throws {
        let ran = try await run("{id: a, request: {path: /a.zip, maxBody: 10B, download: {to: a.zip}}}")
        #expect(ran.outcome.summary == "a:passed")
    }

    @Test func `filters of the service do not apply to downloads`() async throws {
        let ran = try await run(
            "{id: a, request: {path: /a.zip, download: {to: a.zip}}}",
            top: "    filters: [{require: $.ok}]\n    decoding: json\n"
        )
        #expect(ran.outcome.summary == "a:passed", "\(String(describing: ran.failure))")
    }
}
