import Synchronization
import Testing
import WaybillFormats
import WaybillPlatform
import WaybillTestSupport

/// Streams and downloads that later processes continue.
@Suite(.timeLimit(.minutes(5))) struct ContinuedRunTests {
    private let folder = TemporaryFolder()

    /// Runs the program and sends it a signal as soon as a condition holds.
    private func kill(_ arguments: [String], by signal: Int32 = SIGKILL, when isTime: () throws -> Bool) async throws {
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        async let run = Command.run(CommandCase.program, arguments, in: folder.path, onStart: { started.yield($0) })
        let process = try #require(await starts.first { _ in true })
        while try !isTime() { try await Task.sleep(for: .milliseconds(5)) }
        Command.send(signal, to: process)
        #expect(try await run.status == 128 + signal)
    }

    private func waybill(_ arguments: String...) async throws -> Command {
        try await Command.run(CommandCase.program, arguments, in: folder.path)
    }

    /// Sends five events; the first connection stops after three, but does not end.
    private static func sendEvents(_ connection: LoopbackConnection, withIDs: Bool) {
        guard let request = connection.readRequest() else { return }
        let start = request.values(named: "Last-Event-ID").first.flatMap { Int($0) } ?? 0
        connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for event in stride(from: start + 1, through: connection.number == 0 ? 3 : 5, by: 1) {
            connection.write("\(withIDs ? "id: \(event)\n" : "")data: \(event)\n\n")
        }
        if connection.number == 0 { _ = connection.readRequest() }
    }

    @Test(arguments: [true, false])
    func `a resumed run continues a stream and its file`(withIDs: Bool) async throws {
        let server = try LoopbackServer { Self.sendEvents($0, withIDs: withIDs) }
        defer { server.stop() }
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "\(server.url(""))"}}
            graphs:
              main:
                chain:
                  - id: feed
                    get: /feed
                    stream: {max: 5}
                    write: {to: feed.csv, columns: [{n: item.data}], aggregate: {sum: {sum: number(item.data)}}}
                outputs: {sum: steps.feed.written.sum}

            """,
            to: "m.yaml"
        )
        try await kill(["run", "m.yaml", "--out", "out"]) {
            // Each line is in the journal once its records are in the file.
            (folder.read("out/events.ndjson") ?? "").matches(of: /"records":\{[^}]*"records":3|"records":3/).isEmpty
                == false
                || (folder.read("out/feed.csv.part") ?? "").contains("3\n")
        }
        let resumed = try await waybill("resume", "out")
        #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
        let lines = (folder.read("out/feed.csv") ?? "").split(whereSeparator: \.isNewline)
        #expect(lines == ["n", "1", "2", "3", "4", "5"])
        #expect(folder.read("out/outputs.json")?.contains("15") == true)
        let ids = server.requests.map { $0.values(named: "Last-Event-ID").first }
        #expect(ids.count == 2 && ids[0] == nil)
        // What arrived last may not have been in the journal yet.
        #expect(withIDs ? ["2", "3"].contains(ids[1]) : ids[1] == nil, "\(ids)")
    }

    @Test(arguments: [SIGKILL, SIGINT, nil])
    func `a resumed run continues the streams of elements in one file`(signal: Int32?) async throws {
        // Five events at each path. The first connections do not end after three, or without a signal they do. The feed is
        // live: without 'Last-Event-ID', a later connection has only the events that follow.
        let seen = Mutex<Set<String>>([])
        let server = try LoopbackServer { connection in
            guard let request = connection.readRequest() else { return }
            let isFirst = seen.withLock { $0.insert(request.target).inserted }
            let start = request.values(named: "Last-Event-ID").first.flatMap { Int($0) } ?? (isFirst ? 0 : 3)
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            for event in stride(from: start + 1, through: isFirst ? 3 : 5, by: 1) {
                connection.write("id: \(event)\ndata: \(event)\n\n")
            }
            if isFirst, signal != nil { _ = connection.readRequest() }
        }
        defer { server.stop() }
        folder.write(
            """
            waybill: 1
            services: {s: {baseURL: "\(server.url(""))"}}
            graphs:
              main:
                chain:
                  - id: feeds
                    forEach: {in: [a, b], as: feed}
                    onFailure: collect
                    get: /${feed}
                    stream: {max: 5}
                    write: {to: feeds.csv, columns: [{f: feed}, {n: item.data}]}

            """,
            to: "m.yaml"
        )
        let first = ["run", "m.yaml", "--out", "out"]
        if let signal {
            try await kill(first, by: signal) {
                let lines = (folder.read("out/events.ndjson") ?? "").split(separator: "\n")
                return [0, 1].allSatisfy { element in
                    lines.contains { $0.contains("\"main.feeds[\(element)]\"") && $0.contains("\"next\":\"3\"") }
                }
            }
        } else {
            #expect(try await Command.run(CommandCase.program, first, in: folder.path).status == 1)
        }
        let resumed = try await waybill("resume", "out")
        #expect(resumed.status == 0, "\(resumed.outputText)\(resumed.errorText)")
        let lines = (folder.read("out/feeds.csv") ?? "").split(whereSeparator: \.isNewline).map(String.init)
        #expect(lines == ["f,n"] + ["a", "b"].flatMap { feed in (1...5).map { "\(feed),\($0)" } })
        let ids = server.requests.suffix(2).map { $0.values(named: "Last-Event-ID") }
        #expect(ids == [["3"], ["3"]] && server.requests.count == 4)
    }

    // MARK: Downloads

    private static let file = Array(String(repeating: "0123456789abcdef", count: 20_000).utf8)

    /// Sends the file, or the range that is requested. A connection that stops does so in the middle, and does not end.
    private static func sendFile(_ connection: LoopbackConnection, stops: Bool) {
        while let request = connection.readRequest() {
            var start = 0
            if let range = request.values(named: "Range").first, request.values(named: "If-Range") == ["\"v1\""] {
                start = Int(range.dropFirst(6).dropLast()) ?? 0
            }
            let range = start > 0 ? "Content-Range: bytes \(start)-\(file.count - 1)/\(file.count)\r\n" : ""
            let length = "Content-Length: \(file.count - start)\r\n"
            connection.write("HTTP/1.1 \(start > 0 ? 206 : 200) OK\r\nETag: \"v1\"\r\n\(range)\(length)\r\n")
            connection.write(stops ? Array(file[..<100_000]) : Array(file[start...]))
        }
    }

    private func manifest(_ server: LoopbackServer) {
        folder.write(
            """
            waybill: 1
            inputs: {key: {type: string, default: x}}
            secrets: {token: {env: TOKEN}}
            defaults: {downloads: {unfinished: kept/parts}}
            services: {s: {baseURL: "\(server.url(""))"}}
            graphs: {main: {chain: [{id: d, get: "/f.bin?t=${secrets.token}", download: {to: f.bin}, mock: {body: x}}]}}

            """,
            to: "m.yaml"
        )
    }

    private func run(_ out: String) async throws -> Command {
        try await Command.run(
            CommandCase.program,
            ["run", "m.yaml", "--out", out],
            in: folder.path,
            variables: ["TOKEN": "hunter2hunter2"]
        )
    }

    @Test func `a new run continues the download of a killed one`() async throws {
        let server = try LoopbackServer { Self.sendFile($0, stops: $0.number == 0) }
        defer { server.stop() }
        manifest(server)
        let old = "kept/parts/old.bin-01234567.part"
        for name in [old, "\(old).json", "kept/parts/notes.part"] { folder.write("x", to: name) }
        for name in [old, "kept/parts/notes.part"] {
            utimensat(
                AT_FDCWD,
                "\(folder.path)/\(name)",
                [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)],
                0
            )
        }
        let mocked = try await Command.run(
            CommandCase.program,
            ["run", "m.yaml", "--mock", "--out", "mocked"],
            in: folder.path,
            variables: ["TOKEN": "hunter2hunter2"]
        )
        #expect(mocked.status == 0, "\(mocked.outputText)\(mocked.errorText)")
        #expect(
            folder.names(in: "kept/parts").sorted() == [
                "notes.part", "old.bin-01234567.part", "old.bin-01234567.part.json",
            ]
        )
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        async let killed = Command.run(
            CommandCase.program,
            ["run", "m.yaml", "--out", "one"],
            in: folder.path,
            variables: ["TOKEN": "hunter2hunter2"],
            onStart: { started.yield($0) }
        )
        let process = try #require(await starts.first { _ in true })
        func part() throws -> String? {
            let names = folder.names(in: "kept/parts")
            return names.first { $0.hasPrefix("f.bin-") && $0.hasSuffix(".part") }
        }
        while try part().flatMap({ TemporaryFolder.contents(of: "\(folder.path)/kept/parts/\($0)")?.count }) ?? 0
            < 100_000
        {
            try await Task.sleep(for: .milliseconds(5))
        }
        // Another run does not wait for the first one.
        let beside = try await run("two")
        #expect(beside.status == 0, "\(beside.outputText)\(beside.errorText)")
        #expect(
            beside.errorText.contains("is being downloaded by another process")
                || beside.outputText.contains("is being downloaded")
        )
        Command.send(SIGKILL, to: process)
        #expect(try await killed.status == 128 + SIGKILL)
        for name in folder.names(in: "kept/parts") {
            let text = TemporaryFolder.contents(of: "\(folder.path)/kept/parts/\(name)").map {
                String(decoding: $0, as: UTF8.self)
            }
            #expect(text?.contains("hunter2") == false, "\(name)")
        }
        let next = try await run("three")
        #expect(next.status == 0, "\(next.outputText)\(next.errorText)")
        for name in ["two", "three"] {
            #expect(TemporaryFolder.contents(of: "\(folder.path)/\(name)/f.bin") == Self.file)
        }
        #expect(server.requests.map { $0.values(named: "Range").first } == [nil, nil, "bytes=\(100_000 - 16_384)-"])
        // The files that were too old are gone, those of others are not.
        #expect(folder.names(in: "kept/parts") == ["notes.part"])
    }

    /// What may be in the folder under the name of the file.
    enum Foreign: CaseIterable { case bytes, record, link, folder }

    @Test(arguments: Foreign.allCases)
    func `what is in the folder is neither trusted nor in the way`(foreign: Foreign) async throws {
        let server = try LoopbackServer { Self.sendFile($0, stops: false) }
        defer { server.stop() }
        manifest(server)
        let url = "\(server.url(""))/f.bin?t=***"
        let digest = Digest.sha256(of: Array(url.utf8))
        let part = "kept/parts/f.bin-\(digest.prefix(8)).part"
        switch foreign {
        case .bytes: folder.write("other bytes", to: part)
        case .record:
            folder.write(String(repeating: "y", count: 100_000), to: part)
            folder.write(
                "{\"url\": \"\(url)\", \"source\": \"\(digest)\", \"etag\": \"\\\"v1\\\"\"}",
                to: "\(part).json"
            )
        case .link:
            folder.write("mine", to: "kept/parts/mine")
            symlink("mine", "\(folder.path)/\(part)")
        case .folder: folder.write("mine", to: "\(part)/mine")
        }
        let run = try await run("out")
        #expect(run.status == 0, "\(run.outputText)\(run.errorText)")
        #expect(TemporaryFolder.contents(of: "\(folder.path)/out/f.bin") == Self.file)
        let isUsed = !(run.outputText + run.errorText).contains("is downloaded from its start in the results folder")
        #expect(isUsed == [.bytes, .record].contains(foreign), "\(run.outputText)\(run.errorText)")
        switch foreign {
        // The last bytes were compared.
        case .record: #expect(server.requests.map { $0.values(named: "Range").count } == [1, 0])
        case .link: #expect(folder.read("kept/parts/mine") == "mine")
        case .bytes, .folder: break
        }
    }
}
