import Testing
import WaybillPlatform
import WaybillTestSupport

/// `waybill run --watch`
@Suite(.timeLimit(.minutes(5))) struct WatchTests {
    private let folder = TemporaryFolder()

    private func manifest(_ path: String) -> String {
        """
        waybill: 1
        include: [common.yaml]
        data: {rows: {file: rows.csv}}
        graphs: {main: {chain: [{id: one, get: \(path), mock: {}}, {id: rows, values: {n: length(data.rows)}}]}}

        """
    }

    /// Waits until the log has a text so many times.
    private func wait(for text: String, count: Int) async throws {
        // Another process writes it, which causes no event here.
        while (folder.read("log") ?? "").split(separator: text, omittingEmptySubsequences: false).count <= count {
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func `a run is repeated when a file changes, and nothing is sent while the manifest is invalid`() async throws
    {
        folder.write(manifest("/first"), to: "manifest.yaml")
        folder.write("waybill: 1\nservices: {s: {baseURL: \"http://127.0.0.1:9\"}}\n", to: "common.yaml")
        folder.write("a\n1\n", to: "rows.csv")
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        let command = "exec \(CommandCase.program) run manifest.yaml --mock --watch --no-color > log 2>&1"
        async let run = Command.run("/bin/sh", ["-c", command], in: folder.path, onStart: { started.yield($0) })
        let process = try #require(await starts.first { _ in true })

        try await wait(for: "watching 3 files; press Ctrl-C to stop\n", count: 1)
        try await wait(for: "GET http://127.0.0.1:9/first", count: 1)
        // As editors save: a new file that takes the place of the old one.
        folder.write(manifest("/second"), to: "new")
        #expect(rename("\(folder.path)/new", "\(folder.path)/manifest.yaml") == 0)
        try await wait(for: "watching 3 files", count: 2)
        try await wait(for: "GET http://127.0.0.1:9/second", count: 1)
        folder.write(manifest("/third, gett: 1"), to: "manifest.yaml")
        try await wait(for: "error[unknown-key]", count: 1)
        try await wait(for: "watching ", count: 3)
        folder.write(manifest("/fourth"), to: "manifest.yaml")
        try await wait(for: "GET http://127.0.0.1:9/fourth", count: 1)
        try await wait(for: "watching 3 files", count: 4)
        folder.write("waybill: 1\nservices: {s: {baseURL: \"http://127.0.0.1:8\"}}\n", to: "common.yaml")
        try await wait(for: "GET http://127.0.0.1:8/fourth", count: 1)
        try await wait(for: "watching 3 files", count: 5)
        folder.write("a\n1\n2\n", to: "rows.csv")
        try await wait(for: "watching 3 files", count: 6)
        Command.send(SIGINT, to: process)
        #expect(try await run.status == 130)
        #expect(folder.read("log")?.contains("GET http://127.0.0.1:9/third") == false)
    }

    @Test func `a manifest that is deleted is reported once, and run again when it is back`() async throws {
        let text = "waybill: 1\ngraphs: {main: {chain: [{id: one, get: \"http://127.0.0.1:9/\", mock: {}}]}}\n"
        folder.write(text, to: "all/manifest.yaml")
        let (starts, started) = AsyncStream.makeStream(of: Int32.self)
        let command = "exec \(CommandCase.program) run all --mock --watch --no-color > log 2>&1"
        async let run = Command.run("/bin/sh", ["-c", command], in: folder.path, onStart: { started.yield($0) })
        let process = try #require(await starts.first { _ in true })

        try await wait(for: "watching 1 file; press Ctrl-C to stop\n", count: 1)
        unlink("\(folder.path)/all/manifest.yaml")
        try await wait(for: "error[no-manifest]: there is no manifest in 'all'", count: 1)
        try await wait(for: "watching for manifests; press Ctrl-C to stop\n", count: 1)
        #expect(rmdir("\(folder.path)/all") == 0)
        try await wait(for: "error[unreadable-file]: the manifest all cannot be read", count: 1)
        try await wait(for: "watching 1 file; press Ctrl-C to stop\n", count: 2)
        folder.write(text, to: "all/manifest.yaml")
        try await wait(for: "✓ main.one", count: 2)
        try await wait(for: "watching 1 file; press Ctrl-C to stop\n", count: 3)
        // A folder takes the place of the file.
        unlink("\(folder.path)/all/manifest.yaml")
        #expect(mkdir("\(folder.path)/all/manifest.yaml", 0o777) == 0)
        try await wait(for: "error[no-manifest]: there is no manifest in 'all'", count: 2)
        try await wait(for: "watching for manifests; press Ctrl-C to stop\n", count: 2)
        Command.send(SIGINT, to: process)
        #expect(try await run.status == 130)
        #expect(folder.read("log")?.ranges(of: "error[").count == 3)
    }

    @Test func `what cannot be watched is refused`() async throws {
        folder.write(manifest("/first"), to: "manifest.yaml")
        for arguments in [["-", "--watch"], ["manifest.yaml", "--watch", "--format", "ndjson"]] {
            let run = try await Command.run(CommandCase.program, ["run"] + arguments, in: folder.path)
            #expect(run.status == 64)
        }
    }
}
