import Testing
import WaybillFormats
import WaybillJSON
import WaybillManifest
import WaybillPlatform
import WaybillTestSupport

@testable import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct RunFolderTests {
    private let folder = TemporaryFolder()

    private func create(_ destination: RunFolder.Destination, _ id: RunID = Samples.id) throws -> RunFolder {
        try RunFolder.create(destination, for: id)
    }

    private var runs: RunFolder.Destination { .new(under: "\(folder.path)/a/waybill-results") }

    @Test func `a step cannot replace a file of the run, and can replace one that has got its number`() async throws {
        let run = try create(.at("\(folder.path)/out"))
        let state = folder.write("", to: "state.json")
        run.protect([state])
        await #expect(throws: ResultsError.self) {
            try await run.records(at: state, NDJSONFormat(), allowsOutside: true, of: "main.a")
        }
        // File systems give the inode of a removed file to another one.
        let other = "\(folder.path)/other.ndjson"
        #expect(rename(state, other) == 0)
        _ = try await run.records(at: other, NDJSONFormat(), allowsOutside: true, of: "main.b")
        withExtendedLifetime(run) {}
    }

    @Test func `a run gets its own folder, and the link latest leads to the newest one`() async throws {
        let first = try create(runs)
        try await first.journal.settle()
        #expect(first.path == "\(folder.path)/a/waybill-results/20261121-052703-k3v9qa")
        #expect(folder.names(in: "a/waybill-results") == [".order", "latest", "20261121-052703-k3v9qa"])
        let second = try create(runs, try #require(RunID("20261121-052704-aaaaaa")))
        try await second.journal.settle()
        #expect(folder.link(at: "a/waybill-results/latest") == "20261121-052704-aaaaaa")
        #expect(folder.names(in: "a/waybill-results").count == 4)
        #expect(throws: ResultsError.self) { try create(runs) }
        withExtendedLifetime((first, second)) {}
    }

    @Test func `another file named latest is left alone`() async throws {
        folder.write("mine", to: "latest")
        try await create(.new(under: folder.path)).journal.settle()
        #expect(folder.read("latest") == "mine")
    }

    @Test func `the summary and the outputs are complete, without secrets and formatted for people`() async throws {
        let run = try create(.at("\(folder.path)/out"))
        let values = [
            ("main", Samples.redactor.json(["token": "hunter2", "n": 1])), ("other", Samples.redactor.json([:])),
        ]
        try await run.finish(Samples.result, outputs: values)
        let text = try #require(folder.read("out/run.json"))
        #expect(text.hasPrefix("{\n  \"id\": \"20261121-052703-k3v9qa\",\n") && text.hasSuffix("}\n"))
        #expect(try JSONParser().parse(Array(text.utf8)) == Samples.result.json)
        let outputs = try JSONParser().parse(Array(try #require(folder.read("out/outputs.json")).utf8))
        #expect(outputs == ["main": ["token": "***", "n": 1], "other": [:]])
        #expect(folder.names(in: "out") == ["run.json", "outputs.json", "events.ndjson"])
    }

    @Test func `bodies are stored by step and type, without secrets`() async throws {
        let run = try create(.at("\(folder.path)/out"))
        let body = try Samples.redactor.bytes(Array("{\"p\":\"hunter2\"}".utf8))
        let kept = try await run.keep(
            body: body,
            of: "main.login",
            contentType: "Application/Problem+JSON; charset=utf-8"
        )
        #expect(kept == .kept("bodies/main.login.json"))
        #expect(folder.read("out/bodies/main.login.json") == "{\"p\":\"***\"}")
    }

    @Test func `stored bodies have limited disk space, including those from before the run was resumed`() async throws {
        let path = "\(folder.path)/out"
        let run = try RunFolder.create(.at(path), for: Samples.id, disk: .real, bodyLimit: 16 << 10)
        func keep(_ step: String, bytes: Int) async throws -> RunFolder.KeptBody {
            let body = try Samples.redactor.bytes([UInt8](repeating: 65, count: bytes))
            return try await run.keep(body: body, of: step, contentType: "text/plain")
        }
        // A small file occupies a block of 4 KiB, and a replaced file releases its space.
        #expect(try await keep("a", bytes: 5000) == .kept("bodies/a.txt"))
        #expect(try await keep("b", bytes: 1) == .kept("bodies/b.txt"))
        #expect(try await keep("a", bytes: 8192) == .kept("bodies/a.txt"))
        #expect(try await keep("c", bytes: 4097) == .noRoom(isFirst: true))
        #expect(try await keep("d", bytes: 4096) == .kept("bodies/d.txt"))
        #expect(try await keep("e", bytes: 1) == .noRoom(isFirst: false))
        #expect(folder.names(in: "out/bodies").sorted() == ["a.txt", "b.txt", "d.txt"])
        let resumed = BodyFolder("\(path)/bodies", limit: 16 << 10)
        #expect(try resumed.keep([65], as: "f.txt") == .noRoom(isFirst: true))
        #expect(try resumed.keep([65], as: "a.txt") == .kept("bodies/a.txt"))
        #expect(try resumed.keep([65], as: "f.txt") == .kept("bodies/f.txt"))
    }

    @Test(
        arguments: [
            ("main.a", "text/html", "main.a.txt"), ("main.a", "image/svg+xml", "main.a.txt"),
            ("main.a", "Application/XHTML+XML; charset=utf-8", "main.a.txt"), ("main.a", "text/xml", "main.a.txt"),
            ("main.a", "application/xml", "main.a.txt"), ("main.a[3]", nil, "main.a[3].bin"),
            ("../x", "text/plain", "%2E.%2Fx.txt"), ("main.ü", "image/png", "main.%C3%BC.bin"), ("", "", ".bin"),
        ] as [(String, String?, String)]
    )
    func `the file name of a body is safe`(step: String, type: String?, expected: String) {
        #expect(BodyName.of(step: step, contentType: type) == expected)
    }

    @Test func `long file names of bodies remain distinct`() {
        let long = String(repeating: "x", count: 1_000)
        let names = ["a", "b"].map { BodyName.of(step: long + $0, contentType: nil) }
        #expect(names[0] != names[1] && names.allSatisfy { $0.utf8.count < 255 })
    }

    @Test func `an earlier run in the given folder is replaced, and other files in it are kept`() async throws {
        folder.write("mine", to: "notes.txt")
        let destination = RunFolder.Destination.at(folder.path)
        var run: RunFolder? = try create(destination)
        _ = run?.journal.append(Samples.events[0])
        run?.journal.flush()
        _ = try await run?.keep(body: Samples.redactor.bytes([1]), of: "x", contentType: nil)
        try await run?.finish(Samples.result, outputs: [])
        run = nil
        let next = try create(destination)
        #expect(folder.names() == ["notes.txt", "events.ndjson", "bodies"])
        #expect(folder.names(in: "bodies") == [])
        #expect(folder.read("events.ndjson") == "")
        #expect(folder.read("notes.txt") == "mine")
        withExtendedLifetime(next) {}
    }

    @Test(arguments: ["", "{\"seq\":1,\"at\":\"2026-11"])
    func `the folder of a run that was killed before its first line can be reused`(text: String) throws {
        folder.write(text, to: "events.ndjson")
        folder.write("{}", to: "sources.json")
        _ = try create(.at(folder.path))
        #expect(folder.names() == ["events.ndjson"])
    }

    @Test(arguments: ["run.json", "outputs.json", "events.ndjson", "sources.json"])
    func `a file that is not from an earlier run is never replaced`(name: String) throws {
        folder.write("{\"type\":\"run.started\",\"run\":\"mine\"}\n", to: name)
        let error = #expect(throws: ResultsError.self) { try create(.at(folder.path)) }
        #expect(error?.description == "'\(folder.path)/\(name)' does not belong to an earlier run and is not replaced")
        #expect(folder.names() == [name])
        #expect(folder.read(name) == "{\"type\":\"run.started\",\"run\":\"mine\"}\n")
    }

    @Test func `links in a run folder cannot damage files elsewhere`() throws {
        mkdir("\(folder.path)/elsewhere", 0o700)
        mkdir("\(folder.path)/out", 0o700)
        folder.write("mine", to: "elsewhere/mine.txt")
        folder.write(JSONWriter().string(Samples.events[0].json) + "\n", to: "out/events.ndjson")
        symlink("../elsewhere/mine.txt", "\(folder.path)/out/run.json")
        _ = try create(.at("\(folder.path)/out"))
        #expect(folder.read("elsewhere/mine.txt") == "mine")
        #expect(folder.names(in: "out") == ["events.ndjson"])
        symlink("../elsewhere", "\(folder.path)/out/bodies")
        let error = #expect(throws: ResultsError.self) { try create(.at("\(folder.path)/out")) }
        #expect(error?.description.contains("out/bodies' is a symbolic link") == true)
        #expect(folder.names(in: "elsewhere") == ["mine.txt"])
        #expect(KeptBodies(folder: "\(folder.path)/out").path(of: "mine") == nil)
        var journal = JSONStream()
        journal.add(Samples.events[0])
        journal.addChecksum(from: 0)
        journal.endLine()
        folder.write(journal.bytes, to: "out/events.ndjson")
        let record = try RunRecord(folder: "\(folder.path)/out")
        #expect(throws: ResultsError.self) { try RunFolder.reopen("\(folder.path)/out", after: record) }
    }

    @Test func `two runs never write to the same folder at the same time`() throws {
        let first = try create(.at(folder.path))
        let error = #expect(throws: ResultsError.self) { try create(.at(folder.path)) }
        #expect(error?.description == "another run is writing its results to '\(folder.path)'")
        withExtendedLifetime(first) {}
    }

    @Test(arguments: [RecordContainer.file, .gzip, .table(SQLiteTable("t", key: ["id"], columns: nil))])
    func `runs that write to one path outside their folders never mix their records`(container: RecordContainer)
        async throws
    {
        let isTable = if case .table = container { true } else { false }
        let path = "\(folder.path)/shared.\(isTable ? "sqlite" : "ndjson")"
        let first = try create(.at("\(folder.path)/first"))
        let second = try create(.at("\(folder.path)/second"), try #require(RunID("20261121-052704-aaaaaa")))
        func writer(_ run: RunFolder) async throws -> RecordFileWriter {
            try await run.records(at: path, NDJSONFormat(), in: container, allowsOutside: true, of: "main.a")
        }
        let (one, two) = (try await writer(first), try await writer(second))
        for number in 0..<3 {
            try one.append([Samples.redactor.json(["id": .number(JSONNumber(number)), "run": 1])])
            try two.append([Samples.redactor.json(["id": .number(JSONNumber(number + 10)), "run": 2])])
        }
        #expect(try await one.commit().records == 3)
        #expect(try await two.commit().records == 3)
        #expect(folder.names().count == 3)
        if isTable {
            let counts = try await Command.run(
                "/usr/bin/env",
                ["sqlite3", path, "SELECT run, count(*) FROM t GROUP BY run"]
            )
            #expect(counts.outputText == "1|3\n2|3\n")
        } else if case .file = container {
            let lines = (10..<13).map { "{\"id\":\($0),\"run\":2}\n" }
            #expect(TemporaryFolder.contents(of: path) == Array(lines.joined().utf8))
        }
        withExtendedLifetime((first, second)) {}
    }

    @Test func `files of a run that a link leads to are not copied, and nothing is written through a link`() throws {
        folder.write("mine", to: "elsewhere/a.json")
        folder.write("1", to: "run/own/a.json")
        let (run, target) = ("\(folder.path)/run", "\(folder.path)/target")
        for (name, destination) in [
            ("run/bodies", "elsewhere"), ("run/data", "elsewhere"), ("target/own", "elsewhere"),
        ] {
            try FolderContents.make("\(folder.path)/target")
            #expect(symlink("\(folder.path)/\(destination)", "\(folder.path)/\(name)") == 0)
        }
        #expect(throws: ResultsError.self) { try FolderCopy.copyBodies(from: run, to: target) }
        #expect(throws: ResultsError.self) { try FolderCopy.checkFile("data/a.json", in: run, of: nil) }
        #expect(throws: ResultsError.self) { try FolderCopy.copyFile("data/a.json", from: run, to: target) }
        #expect(throws: ResultsError.self) { try FolderCopy.copyFile("own/a.json", from: run, to: target) }
        #expect(throws: ResultsError.self) { try FolderCopy.copyRun(from: run, to: target, continuingAs: ["shard": 1]) }
        #expect(folder.read("elsewhere/a.json") == "mine")
        #expect(folder.names(in: "elsewhere") == ["a.json"])
        try FolderCopy.copyFile("own/a.json", from: run, to: "\(folder.path)/clean")
        #expect(folder.read("clean/own/a.json") == "1")
    }

    @Test func `runs that a wrong clock put into the future are the oldest`() throws {
        let names = ["20991231-000000-aaaaaa", "20261121-052703-k3v9qa", "20261121-052704-aaaaaa"]
        for name in names { folder.write("", to: "runs/\(name)/events.ndjson") }
        let now = try #require(Timestamp(rfc3339: "2026-11-22T00:00:00Z"))
        let found = try OldRuns.folders(in: "\(folder.path)/runs", now: now).map(\.description)
        #expect(found == [names[2], names[1], names[0]])
    }

    @Test func `runs whose names a wrong clock made have the order in which they were created`() async throws {
        let names = [
            "20510101-000000-aaaaaa", "20261121-052703-k3v9qa", "20261121-052702-aaaaaa", "20070101-000000-aaaaaa",
        ]
        let parent = "\(folder.path)/a/waybill-results"
        // Created by a version that recorded no order.
        folder.write("", to: "a/waybill-results/20261121-052704-aaaaaa/events.ndjson")
        for name in names { try await create(runs, try #require(RunID(name))).journal.settle() }
        #expect(try OldRuns.folders(in: parent).map(\.description) == names.reversed() + ["20261121-052704-aaaaaa"])
        for id in try OldRuns.folders(in: parent).dropFirst(2) { try OldRuns.remove(id, in: parent) }
        OldRuns.removeUnusedOrder(in: parent)
        #expect(try OldRuns.folders(in: parent).map(\.description) == [names[3], names[2]])
        #expect(folder.link(at: "a/waybill-results/latest") == names[3])
        for id in try OldRuns.folders(in: parent) { try OldRuns.remove(id, in: parent) }
        OldRuns.removeUnusedOrder(in: parent)
        #expect(folder.names(in: "a/waybill-results").isEmpty)
    }

    /// Files of runs and suites, and whether they are read in a folder.
    private static let readFiles: [(name: String, content: String, isRead: @Sendable (String) -> Bool)] = [
        ("run.json", String(decoding: Samples.result.jsonText(), as: UTF8.self), { RunFolder.result(in: $0) != nil }),
        ("outputs.json", "{}", { RunFolder.outputs(in: $0) != nil }),
        ("sources.json", #"{"format": 3}"#, { RunSources(folder: $0) { _ in "" } != nil }),
        ("suite.json", #"{"manifests": [{"manifest": "a.yaml", "folder": "a"}]}"#, { SuiteFolder(at: $0) != nil }),
        (
            "events.ndjson",
            #"{"seq":1,"at":"2026-11-27T02:14:31Z","type":"run.started","run":"20261127-021431-7utcw7"}"# + "\n",
            { FolderContents.isOfRun($0) }
        ),
    ]

    @Test(arguments: readFiles.indices)
    func `a file of a run that is a link out of its folder is not read`(index: Int) throws {
        let (name, content, isRead) = Self.readFiles[index]
        let (own, other) = ("\(folder.path)/own", "\(folder.path)/other")
        folder.write(content, to: "own/\(name)")
        #expect(isRead(own))
        try FolderContents.make(other)
        #expect(symlink("../own/\(name)", "\(other)/\(name)") == 0)
        #expect(!isRead(other))
    }

    @Test func `the lock of a suite outlives the files that it replaces`() throws {
        let path = "\(folder.path)/suite"
        let first = try SuiteFolder.create(path, in: folder.path, for: ["a.yaml"])
        try OutputFile.replaceDurably([("\(path)/suite.json", Array((folder.read("suite/suite.json") ?? "").utf8))])
        var second = try #require(SuiteFolder(at: path))
        #expect(throws: ResultsError.self) { try second.claim() }
        #expect(throws: ResultsError.self) { _ = try SuiteFolder.create(path, in: folder.path, for: ["a.yaml"]) }
        withExtendedLifetime(first) {}
    }

    @Test func `a suite is running between the runs of its manifests`() throws {
        let suite = try SuiteFolder.create(nil, in: folder.path, for: ["a.yaml"])
        let id = try #require(suite.path.split(separator: "/").last.flatMap { RunID(String($0)) })
        withExtendedLifetime(suite) { #expect(OldRuns.isRunning(id, in: folder.path)) }
    }

    @Test func `runs and suites start while others remove all runs`() async throws {
        let parent = "\(folder.path)/runs"
        try FolderContents.make(parent)
        let removal = Task.detached {
            while !Task.isCancelled {
                for id in try OldRuns.folders(in: parent) { try OldRuns.remove(id, in: parent) }
            }
        }
        for _ in 0..<100 {
            let run = try create(.new(under: parent), RunID())
            let suite = try SuiteFolder.create(nil, in: parent, for: ["a.yaml"])
            #expect(FolderContents.status(of: "\(run.path)/events.ndjson") != nil)
            #expect(FolderContents.status(of: "\(suite.path)/suite.json") != nil)
            withExtendedLifetime((run, suite)) {}
        }
        removal.cancel()
        try await removal.value
    }

    @Test func `a file that was replaced or removed after it was opened cannot be locked`() throws {
        let path = folder.write("", to: "a")
        let stale = try OutputFile(path, .any)
        try OutputFile.replace(path, with: [])
        let file = try OutputFile(path, .any)
        var locks = [stale.lock(), file.lock()]
        folder.remove("a")
        locks.append(file.lock())
        #expect(locks == [false, true, false])
    }

    @Test func `a suite removes what a process left that was killed while it created it`() throws {
        folder.write("{", to: "suite/.suite.json.3v9g55fpyrpre.tmp")
        folder.write("mine", to: "suite/.mine.tmp")
        _ = try SuiteFolder.create("\(folder.path)/suite", in: folder.path, for: ["a.yaml"])
        #expect(folder.names(in: "suite") == ["suite.json", ".mine.tmp"])
    }

    @Test func `a replaced file removes what killed processes left, and not what others write`() throws {
        for number in [0, 1, 3] { folder.write("x", to: ".a.json.\(number).tmp") }
        let other = try OutputFile("\(folder.path)/.a.json.1.tmp", .any)
        let isLocked = other.lock()
        #expect(isLocked)
        try OutputFile.replace("\(folder.path)/a.json", with: Array("new".utf8))
        #expect(folder.names() == ["a.json", ".a.json.1.tmp"])
        #expect(folder.read("a.json") == "new")
    }

    @Test func `a file can be locked while others ask whether it is`() async throws {
        let path = folder.write("", to: "events.ndjson")
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let asking = Task.detached {
            started.finish()
            while !Task.isCancelled { _ = OutputFile.isLocked(path) }
        }
        for await _ in starts {}
        var failures = 0
        for _ in 0..<5000 {
            let file = try OutputFile(path, .any)
            if !file.lock() { failures += 1 }
        }
        asking.cancel()
        // A program that another test starts has each lock too until it is executed: some hundreds fail on a busy machine.
        #expect(failures < 1000)
    }

    @Test func `two processes cannot copy a run to one folder`() throws {
        let (run, target) = ("\(folder.path)/run", "\(folder.path)/target")
        folder.write("1", to: "run/events.ndjson")
        try FolderContents.make(target)
        let other = try OutputFile(target, .folder)
        let isLocked = other.lock()
        #expect(isLocked)
        #expect(throws: ResultsError.self) { try FolderCopy.copyRun(from: run, to: target, continuingAs: ["shard": 1]) }
        other.unlock()
        try FolderCopy.copyRun(from: run, to: target, continuingAs: ["shard": 1])
        #expect(folder.read("target/events.ndjson")?.contains("\"part\":{\"shard\":1}") == true)
        // The other process may have started the run.
        #expect(throws: ResultsError.self) { try FolderCopy.copyRun(from: run, to: target, continuingAs: ["shard": 1]) }
    }

    @Test func `a file outside the folder that another run has replaced was in place`() async throws {
        let run = try create(.at("\(folder.path)/out"))
        for (path, isInPlace) in [("\(folder.path)/a.ndjson", true), ("a.ndjson", false)] {
            let writer = try await run.records(at: path, NDJSONFormat(), allowsOutside: true, of: path)
            func isInPlaceNow() async -> Bool {
                await run.isInPlace(path, in: .file, [4], allowsOutside: true)
            }
            #expect(await !isInPlaceNow())
            _ = try await writer.commit()
            folder.write("longer\n", to: path == "a.ndjson" ? "out/a.ndjson" : "a.ndjson")
            #expect(await isInPlaceNow() == isInPlace)
        }
    }

    @Test func `a run that another process has just started is not replaced if it was to be resumed`() async throws {
        let path = "\(folder.path)/run"
        let run = try create(.at(path, replacesRun: false))
        let start = RunEvent.Kind.runStarted(.init(id: Samples.id, manifest: "m", environment: nil, graphs: ["main"]))
        EventStream(journal: run.journal).emit(start)
        try await run.journal.finish()
        let error = #expect(throws: ResultsError.self) { try create(.at(path, replacesRun: false)) }
        #expect(error?.description == "another process has started the run in '\(path)' in the meantime; try again")
        #expect(try RunRecord(folder: path).lastNumber == 1)
    }

    @Test func `only one of two processes can resume a run, even after the other one has finished`()
        async throws
    {
        let path = "\(folder.path)/run"
        let start = RunEvent.Kind.runStarted(.init(id: Samples.id, manifest: "m", environment: nil, graphs: ["main"]))
        let run = try create(.at(path))
        EventStream(journal: run.journal).emit(start)
        try await run.journal.finish()
        // Both have read the journal before one of them locks it.
        let (first, second) = (try RunRecord(folder: path), try RunRecord(folder: path))
        let resumed = try RunFolder.reopen(path, after: first)
        let error = try #require(#expect(throws: ResultsError.self) { try RunFolder.reopen(path, after: second) })
        #expect(error.description.contains("is still running"))
        EventStream(journal: resumed.journal, after: first.lastNumber).emit(start)
        try await resumed.journal.finish()
        let other = try #require(#expect(throws: ResultsError.self) { try RunFolder.reopen(path, after: second) })
        #expect(other.description.contains("another process has resumed the run"))
        #expect(try RunRecord(folder: path).lastNumber == 2)
        _ = try RunFolder.reopen(path, after: RunRecord(folder: path))
    }

    @Test func `the message names a path that is a file or is below a file`() {
        folder.write("", to: "file")
        let path = "\(folder.path)/file"
        let error = #expect(throws: ResultsError.self) { try create(.at(path)) }
        #expect(error?.description == "cannot write results to '\(path)': it is a file, not a folder")
        let below = #expect(throws: ResultsError.self) { try create(.new(under: path)) }
        #expect(below?.description == "cannot create '\(path)/\(Samples.id)': Not a directory")
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser may write anywhere"))
    func `a folder without write permission is rejected before anything is sent`() {
        chmod(folder.path, 0o500)
        let error = #expect(throws: ResultsError.self) { try create(.at("\(folder.path)/out")) }
        #expect(error?.description == "cannot create '\(folder.path)/out': Permission denied")
    }

    @Test func `a file that cannot be replaced leaves no temporary file behind`() async throws {
        let run = try create(.at(folder.path))
        mkdir("\(folder.path)/run.json", 0o700)
        let error = await #expect(throws: ResultsError.self) { try await run.finish(Samples.result, outputs: []) }
        #expect(error?.description == "cannot write '\(folder.path)/run.json': it is a folder")
        #expect(folder.names() == ["outputs.json", "run.json", "events.ndjson"])
    }

    @Test func `the sources of a run are written in the order of the code points of their names`() {
        let sources = RunSources(
            files: ["b.yaml": "2", "a.yaml": "1"],
            steps: ["z": ["\u{1D11E}": "4", "\u{FF61}": "3", "": "5"], "y": [:]],
            texts: ["<standard input>": Array("a: \"b\"".utf8)]
        )
        let text =
            #"{"files":{"a.yaml":"1","b.yaml":"2"},"format":3,"#
            + "\"steps\":{\"y\":{},\"z\":{\"\":\"5\",\"\u{FF61}\":\"3\",\"\u{1D11E}\":\"4\"}},"
            + #""texts":{"<standard input>":"a: \"b\""}}"#
        #expect(String(decoding: sources.jsonText(), as: UTF8.self) == text)
    }

    @Test func `the sources of a run are complete or an error before it starts`() async throws {
        let run = try create(.at(folder.path))
        let sources = RunSources(files: ["a.yaml": "1"], steps: [:], texts: [:])
        try await run.keep { sources }
        #expect(RunSources(folder: folder.path) { _ in "" } == sources)
        unlink("\(folder.path)/sources.json")
        mkdir("\(folder.path)/sources.json", 0o700)
        let error = await #expect(throws: ResultsError.self) { try await run.keep { sources } }
        #expect(error?.description == "cannot write '\(folder.path)/sources.json': it is a folder")
    }

    @Test func `nothing is written through the hard links of a copy of the folder`() async throws {
        let path = "\(folder.path)/out"
        let run = try create(.at(path))
        let start = RunEvent.Kind.runStarted(.init(id: Samples.id, manifest: "m", environment: nil, graphs: ["main"]))
        EventStream(journal: run.journal).emit(start)
        try await run.finish(Samples.result, outputs: [])
        let before = try #require(folder.read("out/events.ndjson"))
        #expect(!before.isEmpty && chmod("\(path)/events.ndjson", 0o600) == 0)
        #expect(link("\(path)/events.ndjson", "\(folder.path)/copy") == 0)
        let resumed = try RunFolder.reopen(path, after: RunRecord(folder: path))
        EventStream(journal: resumed.journal, after: 1).emit(start)
        resumed.journal.flush()
        #expect(RunFolder.isLocked(path))
        #expect(folder.read("out/events.ndjson")?.hasPrefix(before) == true)
        #expect(folder.read("copy") == before)
        var status = stat()
        #expect(stat("\(path)/events.ndjson", &status) == 0 && status.st_mode & 0o777 == 0o600)
        try await resumed.journal.finish()

        #expect(link("\(path)/events.ndjson", "\(folder.path)/second") == 0)
        let second = folder.read("second")
        let replaced = try create(.at(path))
        #expect(folder.read("out/events.ndjson") == "" && folder.read("second") == second)
        #expect(folder.names(in: "out") == ["events.ndjson"])
        withExtendedLifetime(replaced) {}
    }

    @Test func `a run whose snapshot could not be written is not recorded completely`() async throws {
        let run = try create(.at("\(folder.path)/out"))
        folder.write("", to: "file")
        await #expect(throws: ResultsError.self) {
            try await run.replace("\(folder.path)/file/snapshot.json", with: [1])
        }
        await #expect(throws: ResultsError.self) { try await run.finish(Samples.result, outputs: []) }
    }
}
