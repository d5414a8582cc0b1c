import Testing
import WaybillManifest
import WaybillPlatform
import WaybillRuntime
import WaybillTestSupport

@testable import WaybillResults

@Suite(.timeLimit(.minutes(5))) struct ResultPathTests {
    private let folder = TemporaryFolder()

    private func run(_ id: RunID = Samples.id) throws -> RunFolder {
        try RunFolder.create(.at("\(folder.path)/out"), for: id)
    }

    @Test(arguments: [
        ("a.json", "a.json"), ("x/./y//a.json", "x/y/a.json"), ("x/../a.json", "a.json"), ("ü/ .csv", "ü/ .csv"),
        ("runs/run.json", "runs/run.json"),
    ])
    func `a file is created in the results folder, and missing folders are created`(
        path: String,
        place: String
    ) async throws {
        let writer = try await run().records(at: path, RawFormat(), of: "main.a")
        #expect(writer.path == "\(folder.path)/out/\(place)")
        _ = try await writer.commit()
        #expect(folder.read("out/\(place)") == "")
    }

    @Test(arguments: [
        ("", "the file's path is empty"), ("..", "'..' is outside the results folder"),
        ("/tmp/a", "'/tmp/a' is outside the results folder"),
        ("x/../../a", "'x/../../a' is outside the results folder"),
        ("../\u{301}a", "'../\u{301}a' is outside the results folder"),
        ("x/", "'x/' is the path of a folder, not of a file"),
        ("x/..", "'x/..' is the path of a folder, not of a file"), (".", "'.' is the path of a folder, not of a file"),
        ("a\0b", "the file's path contains a NUL character"),
        ("run.json", "'run.json' cannot be written: this name is reserved for the run's own files"),
        ("./events.ndjson", "'./events.ndjson' cannot be written: this name is reserved for the run's own files"),
        ("bodies/a", "'bodies/a' cannot be written: this name is reserved for the run's own files"),
        ("sources.json", "'sources.json' cannot be written: this name is reserved for the run's own files"),
    ])
    func `an invalid path is rejected, and nothing is created`(path: String, reason: String) async throws {
        let run = try run()
        let error = await #expect(throws: ResultsError.self) {
            try await run.records(at: path, RawFormat(), of: "main.a")
        }
        #expect(error == .refused(reason))
        #expect(folder.names(in: "out") == ["events.ndjson"])
    }

    @Test func `neither a link nor a path from outside can overwrite a file of the run itself`() async throws {
        let run = try run()
        symlink(".", "\(folder.path)/out/link")
        for path in ["link/sources.json", "../out/run.json", "\(folder.path)/out/events.ndjson"] {
            let error = await #expect(throws: ResultsError.self) {
                try await run.records(at: path, RawFormat(), allowsOutside: true, of: "main.a")
            }
            #expect(error == .refused("'\(path)' cannot be written: this name is reserved for the run's own files"))
        }
    }

    @Test func `no link leads out of the results folder`() async throws {
        let run = try run()
        mkdir("\(folder.path)/elsewhere", 0o755)
        symlink("../elsewhere", "\(folder.path)/out/link")
        mkdir("\(folder.path)/out/real", 0o755)
        symlink("real", "\(folder.path)/out/inside")
        folder.write("mine", to: "mine.txt")
        symlink("../mine.txt", "\(folder.path)/out/file")
        symlink("../mine.txt", "\(folder.path)/out/file.part")

        let error = await #expect(throws: ResultsError.self) {
            try await run.records(at: "link/a", RawFormat(), of: "main.a")
        }
        #expect(error == .refused("'\(folder.path)/out/link' leads out of the results folder"))
        #expect(folder.names(in: "elsewhere") == [])
        _ = try await run.records(at: "inside/a", RawFormat(), of: "main.a").commit()
        #expect(folder.read("out/real/a") == "")
        _ = try await run.records(at: "file", RawFormat(), of: "main.a").commit()
        #expect(folder.read("mine.txt") == "mine")
        #expect(folder.link(at: "out/file") == nil)
    }

    @Test func `a file may be outside the results folder if that is allowed`() async throws {
        let run = try run()
        for path in ["../x/a", "\(folder.path)/x/b"] {
            _ = try await run.records(at: path, RawFormat(), allowsOutside: true, of: path).commit()
        }
        #expect(folder.names(in: "x") == ["a", "b"])
    }

    @Test func `two steps never write to the same file`() async throws {
        let run = try run()
        _ = try await run.records(at: "a", RawFormat(), of: "main.a")
        _ = try await run.records(at: "./a", RawFormat(), of: "main.a")
        for path in ["a", "a.part"] {
            let error = await #expect(throws: ResultsError.self) {
                try await run.records(at: path, RawFormat(), of: "main.b")
            }
            #expect(error == .refused("'\(path)' is already written by another step, entry or element of this run"))
        }
    }

    @Test func `errors of the operating system are reported`() async throws {
        let run = try run()
        folder.write("", to: "out/file")
        mkdir("\(folder.path)/out/b.part", 0o755)
        for (path, kind) in [
            ("file/a", ResultsError.Kind.refused), ("b", .other), (String(repeating: "x", count: 300), .other),
        ] {
            let error = await #expect(throws: ResultsError.self) {
                try await run.records(at: path, RawFormat(), of: path)
            }
            #expect(error?.kind == kind, "\(path): \(String(describing: error))")
        }
    }

    @Test(arguments: [RecordContainer.file, .gzip, .table(SQLiteTable("t", key: ["id"], columns: nil))])
    func `what is not a file is not replaced`(container: RecordContainer) async throws {
        let run = try run()
        folder.write("", to: "out/folder/file")
        for name in ["out/pipe", "pipe", "out/a.sqlite-wal"] {
            try #require(mkfifo("\(folder.path)/\(name)", 0o600) == 0)
        }
        symlink("pipe", "\(folder.path)/link")
        for (path, reason) in [
            ("pipe", "it is not a regular file"), ("\(folder.path)/pipe", "it is not a regular file"),
            ("\(folder.path)/link", "it is not a regular file"), ("folder", "it is a folder"),
        ] {
            let error = await #expect(throws: ResultsError.self) {
                try await run.records(at: path, NDJSONFormat(), in: container, allowsOutside: true, of: "main.a")
            }
            #expect(error == .refused("'\(path)' cannot be written: \(reason)"))
            let refused = await #expect(throws: ResultsError.self) {
                try await run.path(ofDownload: path, allowsOutside: true, for: nil)
            }
            #expect(refused == error)
        }
        guard case .table = container else { return }
        let error = await #expect(throws: ResultsError.self) {
            try await run.records(at: "a.sqlite", NDJSONFormat(), in: container, of: "main.b")
        }
        #expect("\(try #require(error))".contains("a.sqlite-wal': it is not a regular file"))
    }

    @Test func `a pipe that appears while the records are written stays in its place`() async throws {
        let writer = try await run().records(at: "a.ndjson", NDJSONFormat(), of: "main.a")
        try #require(mkfifo("\(folder.path)/out/a.ndjson", 0o600) == 0)
        let error = await #expect(throws: ResultsError.self) { try await writer.commit() }
        #expect(error?.description.hasSuffix("/out/a.ndjson': it is not a regular file") == true)
        #expect(FileReplacement.obstacle(at: "\(folder.path)/out/a.ndjson") != nil)
    }

    @Test func `a link is replaced in the results folder, and followed outside it`() async throws {
        let run = try run()
        folder.write("old", to: "real")
        symlink("real", "\(folder.path)/link")
        symlink("../real", "\(folder.path)/out/link")
        let inside = try await run.records(at: "link", RawFormat(), allowsOutside: true, of: "main.a")
        _ = try await inside.commit()
        #expect(folder.link(at: "out/link") == nil && folder.read("real") == "old")
        let outside = try await run.records(at: "../link", RawFormat(), allowsOutside: true, of: "main.b")
        _ = try await outside.commit()
        #expect(folder.link(at: "link") == "real" && folder.read("real") == "")
    }
}
