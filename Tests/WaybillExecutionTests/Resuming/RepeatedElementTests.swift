import Testing
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// Elements whose failures were tolerated, which `resume --failed` repeats.
@Suite(.timeLimit(.minutes(5))) struct RepeatedElementTests {
    private let folder = TemporaryFolder()

    private static func manifest(_ method: String, _ write: String, concurrency: Int = 1, count: Int = 4) -> String {
        """
        graphs:
          main:
            chain:
              - id: each
                forEach: {in: "range(0, \(count))", as: n, concurrency: \(concurrency)}
                onFailure: continue
                \(method): "/${n}"
                \(write)
        """
    }

    /// A `forEach` of which one element may fail.
    private func fixture(_ method: String, _ write: String, failing failed: Int? = nil) throws -> ExecutionFixture {
        try ExecutionFixture(Self.manifest(method, write)) { request in
            request.url.hasSuffix("/\(failed ?? -1)")
                ? .json("{}", status: 500) : .json("{\"n\": \(request.url.last!)}")
        }
    }

    private static let all = "{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"
    private static let paths = ["GET /0", "GET /1", "GET /2", "GET /3"]

    @Test func `without a file, only the element that failed is sent again`() async throws {
        _ = try await fixture("post", "", failing: 2).run(into: folder)
        let run = try await ResumedRun(fixture("post", ""), in: folder, repeatsTolerated: true)
        #expect(run.sent == ["POST /2"])
        #expect(run.outcome?.summary == "each:passed")
    }

    @Test(arguments: ["a.ndjson", "a.ndjson.gz"])
    func `the file of all elements is written again`(name: String) async throws {
        let write = "write: {to: \(name)}"
        _ = try await fixture("get", write, failing: 2).run(into: folder)
        let run = try await ResumedRun(fixture("get", write), in: folder, repeatsTolerated: true)
        #expect(run.sent == Self.paths)
        #expect(run.outcome?.summary == "each:passed")
        #expect(folder.names().contains(name) && !folder.names().contains(name + ".part"))
        if name == "a.ndjson" { #expect(folder.read(name) == Self.all) }
        // The journal describes the second file.
        try folder.cutJournal(after: "\"type\":\"write.committed\"")
        let again = try await ResumedRun(fixture("get", write), in: folder)
        #expect(again.sent == [])
        #expect(again.warnings == [])
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a run that was killed while the file was written again continues it`(last: Int) async throws {
        let write = "write: {to: a.ndjson}"
        _ = try await fixture("get", write, failing: 2).run(into: folder)
        let first = folder.read("a.ndjson")
        _ = try await ResumedRun(fixture("get", write), in: folder, repeatsTolerated: true)
        try folder.cutJournal(after: "\"type\":\"element.finished\",\"step\":\"main.each\",\"element\":\(last)")
        let bytes = 8 * (last + 1)
        folder.write(String(Self.all.prefix(bytes)), to: "a.ndjson.part")
        folder.write(try #require(first), to: "a.ndjson")
        let kept = try await ResumedRun(fixture("get", write), in: folder)
        #expect(kept.sent == [])
        #expect(folder.read("a.ndjson") == first)
        let run = try await ResumedRun(fixture("get", write), in: folder, repeatsTolerated: true)
        #expect(run.outcome?.summary == "each:passed")
        #expect(folder.read("a.ndjson") == Self.all)
        #expect(run.sent == Array(Self.paths[(last + 1)...]))
    }

    @Test func `elements that passed and must not be sent again stop the run before anything is sent`() async throws {
        let write = "write: {to: a.ndjson}"
        _ = try await fixture("post", write, failing: 2).run(into: folder)
        let refused = try await ResumedRun(fixture("post", write), in: folder, repeatsTolerated: true)
        #expect(refused.sent == [])
        #expect(refused.messages.count == 1)
        #expect(
            refused.messages.first?.hasPrefix("elements of step 'main.each' failed, and cannot be repeated alone")
                == true
        )
        let run = try await ResumedRun(
            fixture("post", write),
            in: folder,
            repeatsUnsure: true,
            repeatsTolerated: true
        )
        #expect(run.sent.count == 4)
        #expect(folder.read("a.ndjson") == Self.all)
    }

    @Test func `an element that failed before its turn is repeated alone, with its records`() async throws {
        let write = "write: {to: a.ndjson}"
        let text = Self.manifest("get", write, concurrency: 2, count: 2)
        let ok = { @Sendable (n: String) in ScriptedTransport.Reply.json("{\"n\": \(n)}") }
        // The first element finishes last.
        _ = try await ExecutionFixture(text) { request in
            request.url.hasSuffix("/1") ? .json("{}", status: 500) : .late(ok("0"), turns: 1_000)
        }.run(into: folder)
        try folder.cutJournal(after: "\"type\":\"element.finished\",\"step\":\"main.each\",\"element\":1")
        let second = try ExecutionFixture(text) { request in
            request.url.hasSuffix("/1") ? .late(ok("1"), turns: 1_000) : ok("0")
        }
        let run = try await ResumedRun(second, in: folder, repeatsTolerated: true)
        #expect(run.sent.sorted() == ["GET /0", "GET /1"])
        #expect(folder.read("a.ndjson") == "{\"n\":0}\n{\"n\":1}\n")
    }
}
