import Testing
import WaybillExecution
import WaybillPlatform
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// Files of `write` that were moved to their final paths just before the run was killed.
@Suite(.timeLimit(.minutes(5))) struct CommittedFileTests {
    private static func manifest(_ method: String) -> String {
        """
        graphs:
          main:
            chain:
              - id: each
                forEach: {in: "range(0, 3)", as: n, concurrency: 1}
                \(method): "/${n}"
                write: {to: a.ndjson}
        """
    }

    private func fixture(_ method: String) throws -> ExecutionFixture {
        try ExecutionFixture(Self.manifest(method)) { request in .json("\"\(request.url.last!)\"") }
    }

    @Test(arguments: ["get", "post"])
    func `no element runs again if only the journal entry for the moved file is missing`(method: String)
        async throws
    {
        let folder = TemporaryFolder()
        _ = try await fixture(method).run(into: folder)
        try folder.cutJournal(after: "\"type\":\"write.committing\"")
        let run = try await ResumedRun(fixture(method), in: folder, repeatsUnsure: true)
        #expect(run.sent == [])
        #expect(run.outcome?.summary == "each:passed")
        #expect(folder.read("a.ndjson") == "\"0\"\n\"1\"\n\"2\"\n")
        #expect(folder.read("events.ndjson")?.contains("\"type\":\"write.committed\"") == true)
    }

    @Test func `a file that was not yet moved to its final path is moved there`() async throws {
        let folder = TemporaryFolder()
        _ = try await fixture("post").run(into: folder)
        try folder.cutJournal(after: "\"type\":\"write.committing\"")
        folder.write(try #require(folder.read("a.ndjson")), to: "a.ndjson.part")
        folder.write("an earlier file of another run", to: "a.ndjson")
        let run = try await ResumedRun(fixture("post"), in: folder)
        #expect(run.sent == [])
        #expect(folder.read("a.ndjson") == "\"0\"\n\"1\"\n\"2\"\n")
        #expect(folder.read("a.ndjson.part") == nil)
    }

    // MARK: Files of steps that have passed

    private static let files = """
        graphs:
          main:
            chain:
              - {id: pages, get: /0, paginate: {next: $.next, items: $.rows}, write: {to: pages.ndjson}}
              - {id: each, forEach: {in: [0, 1], as: n}, get: "/${n}", write: {to: "kept/each.ndjson"}}
              - id: outer
                forEach: {in: [0, 1], as: n, concurrency: 1}
                chain:
                  - {id: inner, get: "/0", write: {to: "inner-${n}.ndjson"}}
                  - {post: "/${n}"}
              - {id: after, post: /after}

        """

    private static func answer(_ path: String) -> ScriptedTransport.Reply {
        .json(path == "/0" ? #"{"rows": [1, 2], "next": "/1"}"# : #"{"rows": [3], "next": null}"#)
    }

    private static func warning(_ change: String) -> String {
        change + "; to write it again, start a new run"
    }

    @Test(arguments: [
        ("\"type\":\"step.finished\",\"step\":\"main.outer\"", ["POST /after"]),
        ("\"type\":\"element.finished\",\"step\":\"main.outer\",\"element\":1", ["POST /after"]),
    ])
    func `a file that is missing or has another size is reported`(line: String, sent: [String]) async throws {
        let folder = TemporaryFolder()
        let fixture = { try ExecutionFixture(Self.files) { Self.answer($0.url.replacing("http://s", with: "")) } }
        _ = try await fixture().run(into: folder)
        try folder.cutJournal(after: line)
        let whole = try await ResumedRun(fixture(), in: folder)
        #expect(whole.warnings == [])
        #expect(whole.sent == sent)
        try folder.cutJournal(after: line)
        unlink("\(folder.path)/pages.ndjson")
        unlink("\(folder.path)/inner-1.ndjson")
        let size = try #require(folder.read("kept/each.ndjson")).utf8.count
        folder.write("[]", to: "kept/each.ndjson")
        let run = try await ResumedRun(fixture(), in: folder)
        #expect(run.sent == sent)
        #expect(run.outcome?.result.outcome == .passed)
        #expect(
            run.warnings == [
                Self.warning(
                    "the step wrote 'kept/each.ndjson' before the run was resumed, but the file has 2 bytes instead of \(size)"
                ),
                Self.warning(
                    "the step wrote 'inner-1.ndjson' before the run was resumed, but the file is missing"
                ),
                Self.warning(
                    "the step wrote 'pages.ndjson' before the run was resumed, but the file is missing"
                ),
            ]
        )
    }

    @Test func `a downloaded file that is missing or has another size is reported`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - {id: kept, get: /kept, download: {to: kept.bin}}
                  - {id: cut, get: /cut, download: {to: cut.bin}}
                  - {id: gone, get: /gone, download: {to: gone.bin}}
                  - {id: after, post: /after}

            """
        let folder = TemporaryFolder()
        let fixture = {
            try ExecutionFixture(text) { $0.method == "GET" ? .text("12345", type: "text/plain") : nil }
        }
        _ = try await fixture().run(into: folder)
        try folder.cutJournal(after: "\"type\":\"step.finished\",\"step\":\"main.gone\"")
        folder.write("123", to: "cut.bin")
        unlink("\(folder.path)/gone.bin")
        let run = try await ResumedRun(fixture(), in: folder)
        #expect(run.sent == ["POST /after"])
        let files = [("cut", "has 3 bytes instead of 5"), ("gone", "is missing")]
        #expect(
            run.warnings
                == files.map { name, change in
                    "the step downloaded '\(name).bin' before the run was resumed, but the file \(change); "
                        + "to download it again, start a new run"
                }
        )
    }

    /// Paths that are computed are compared only when the steps run.
    @Test(arguments: [
        ("write: {to: \"${'o'}.ndjson\"}", "o.ndjson"), ("write: {to: \"${'o'}.db\", table: t, key: [path]}", "o.db"),
        ("write: [{to: \"x${PATH}.csv\"}, {to: \"${'o'}.ndjson\"}]", "o.ndjson"),
        ("download: {to: \"d/${'o'}.bin\"}", "d/o.bin"),
    ])
    func `a file of a step that passed is not replaced by another step of the resumed run`(
        write: String,
        file: String
    ) async throws {
        let steps = ["a", "b"].map { "{id: \($0), get: /\($0), \(write.replacing("${PATH}", with: $0))}" }
        let text = "graphs: {main: {chain: [\(steps.joined(separator: ", "))]}}\n"
        let folder = TemporaryFolder()
        let fixture = { try ExecutionFixture(text) { .json("{\"path\": \"\($0.url)\"}") } }
        let (outcome, _) = try await fixture().run(into: folder)
        #expect(outcome.summary == "a:passed b:failed")
        let content = folder.read(file)
        try folder.cutJournal(after: "\"type\":\"step.finished\",\"step\":\"main.a\"")
        let run = try await ResumedRun(fixture(), in: folder)
        #expect(run.outcome?.summary == "a:passed b:failed")
        let message = run.outcome?.result.steps.last?.failure?.message.string ?? ""
        #expect(message.hasSuffix("is already written by another step, entry or element of this run"), "\(message)")
        #expect(folder.read(file) == content && content != nil)
    }

    @Test func `if many files are missing, some are named and the others are counted`() async throws {
        let text = """
            graphs:
              main:
                chain:
                  - id: each
                    forEach: {in: "range(0, 8)", as: n, concurrency: 1}
                    chain: [{id: a, get: /0, write: {to: "${n}.ndjson"}}]
                  - {id: after, post: /after}

            """
        let folder = TemporaryFolder()
        _ = try await ExecutionFixture(text).run(into: folder)
        try folder.cutJournal(after: "\"type\":\"step.finished\",\"step\":\"main.each\"")
        for n in 0..<8 { unlink("\(folder.path)/\(n).ndjson") }
        let run = try await ResumedRun(ExecutionFixture(text), in: folder)
        #expect(run.warnings.count == 6)
        #expect(run.warnings.last?.hasPrefix("3 more files ") == true, "\(run.warnings)")
    }
}
