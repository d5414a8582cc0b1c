import Testing
import WaybillExecution
import WaybillResults
import WaybillTestSupport
import WaybillTransport

/// Files of `write` that were put in their place just before the run was killed.
@Suite struct CommittedFileTests {
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
    func `no element runs again when only the journal does not say that the file is in its place`(method: String)
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

    @Test func `a file that was not put in its place yet is put there`() async throws {
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
}
